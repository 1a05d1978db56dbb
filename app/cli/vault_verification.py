"""The command `verify`: runs claims of a vault, writes accepted output, dates in notes and the JUnit report."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.cli.console import progress, remark
from app.cli.console_run import open_runner
from app.notebook import vault_snippets
from app.notebook.proven_date import stamp
from kb.errors import NoteMissing
from kb.files.paths import VaultPaths
from kb.vault.vault import Vault
from snippets.errors import BadSnippet, UnknownSnippet
from snippets.model.catalog import Problem
from snippets.model.snippet import Snippet
from snippets.verification import run_register
from snippets.verification.junit import write_junit
from snippets.verification.verify import VerifyReport, verify


@dataclass(frozen=True)
class Verification:
    """What to verify, and how."""

    names: Sequence[str] = ()  # empty: every claim of the vault
    device: str = "cpu"
    python: Path | None = None
    accept: bool = False
    isolate: bool = False
    jobs: int | None = None  # simultaneous runs; None: as many as suit the machine
    junit: Path | None = None
    stamp: bool = False  # write today's date into the notes whose claims all passed


def verify_vault(vault: Vault, places: VaultPaths, asked: Verification) -> VerifyReport:
    """Verify what is asked for and write accepted output; remarks that are not in the report go to standard error.

    Raises UnknownSnippet, UnknownDevice, UnknownInterpreter, and OSError if the JUnit file cannot be written.
    """
    if asked.junit is not None:
        asked.junit.open("ab").close()  # raises before the work, not after it
    snippets, problems = _chosen(vault, asked.names)
    began = time.monotonic()
    with open_runner(places) as runner, progress("Verifying") as step:
        report = verify(
            snippets,
            runner=runner,
            device=asked.device,
            accept=asked.accept,
            isolate=asked.isolate,
            vault=vault.root,
            python=asked.python,
            jobs=asked.jobs,
            problems=problems,
            progress=lambda done, total, _: step(done, total),
        )
    report = vault_snippets.write_accepted(vault, report)
    if report.proves_nothing:
        remark(f"Nothing was verified: none of {len(report.results)} can run here on {asked.device}.")
    if asked.stamp:
        _stamp(vault, report, register=asked.python is None)
    if asked.junit is not None:
        write_junit(report, asked.junit, seconds=time.monotonic() - began)
    return report


def _chosen(vault: Vault, names: Sequence[str]) -> tuple[Sequence[Snippet], Sequence[Problem]]:
    """Return the named snippets, or all, and those that cannot be read, which fail. Raises UnknownSnippet."""
    if not names:
        stock = vault_snippets.stock(vault)
        return stock.claims, stock.problems
    snippets: dict[str, Snippet] = {}
    problems: list[Problem] = []
    for name in names:
        found, unread = _named(vault, name)
        snippets.update((snippet.name, snippet) for snippet in found)
        problems.extend(unread)
    return tuple(snippets.values()), problems


def _named(vault: Vault, name: str) -> tuple[Sequence[Snippet], Sequence[Problem]]:
    """Return a snippet, or else all claims of a note in each of its languages. Raises UnknownSnippet."""
    try:
        return (vault_snippets.find(vault, name),), ()
    except BadSnippet as error:
        return (), (Problem(name, None, error, name),)
    except UnknownSnippet:
        try:
            stock = vault_snippets.stock_of(vault, vault_snippets.note_path(vault, name))
        except NoteMissing:
            pass
        else:
            return stock.claims, stock.problems
        raise


def _stamp(vault: Vault, report: VerifyReport, *, register: bool) -> None:
    """Write the day into the notes, and with `register` the runs, which were then made by this Python."""
    today = dt.date.today()  # noqa: DTZ011 - the local date
    stamped = stamp(vault, report, today)
    remark(f"Proven on {today}: {len(stamped.notes)} notes say so.")
    for folder in {path.parent for one in report.results if (path := one.snippet.path) is not None}:
        if register and (folder / run_register.NAME).is_file():
            count = run_register.add_runs(folder, report.results, today.isoformat())
            remark(f"{folder / run_register.NAME}: {count} runs added.")
    for error in stamped.problems:
        remark(f"Not stamped: {error}")
