"""The commands of the command line, each with its options; what they do is done in the rooms of `app.cli`.

Every command works without PySide6; only the window and the PDF export import it.
"""

# The heavy rooms (whoosh, Markdown, the window) are imported by the command that needs them: a start must be quick.
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app import shelf
from app.cli import options
from app.cli.console import progress, remark, say, say_json, say_table
from app.cli.manners import ways_to_ask
from app.starting import WindowAsked
from kb.errors import IndexFailed, KbError, NoteMissing, SaveFailed, VaultMissing
from kb.places import Places, VaultPlaces
from kb.vault import SHIPPED_NOTES, Vault, make_user_vault
from snippets.errors import BadOption, SnippetError, UnknownDevice, UnknownInterpreter, UnknownSnippet

FAILED, USAGE = 1, 2
BAD_NAMES = (VaultMissing, NoteMissing, UnknownSnippet, UnknownDevice, UnknownInterpreter, BadOption)

command = typer.Typer(
    help="炬页 Torchleaf: bilingual PyTorch notes, found as you type, with code that runs where you choose.",
    epilog="Exit codes: 0 fine, 1 failed, 2 bad usage, 130 interrupted; run exits as its snippet, 124 on a timeout.",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class BadUsage(typer.TyperException):
    """A command line that asks for what cannot be."""

    exit_code = USAGE


class Language(StrEnum):
    """The language a hit is in."""

    ZH = "zh"
    EN = "en"


class Format(StrEnum):
    """What a note is exported to."""

    HTML = "html"
    PDF = "pdf"
    IPYNB = "ipynb"
    PY = "py"


@command.callback(invoke_without_command=True)
def torchleaf(
    context: typer.Context, *, vault: options.Vault = None, temp: options.Temp = False, debug: options.Debug = False
) -> None:
    """Open the window where no command is named."""
    if context.invoked_subcommand is None:
        gui(vault=vault, temp=temp, debug=debug)


@command.command()
def gui(*, vault: options.Vault = None, temp: options.Temp = False, debug: options.Debug = False) -> None:
    """Open the window."""
    try:
        window = WindowAsked(vault, temp, debug).loaded()
    except ImportError as error:
        missing = f"The window needs PySide6, which cannot be loaded here ({error}); `doctor` says what mends it."
        raise BadUsage(missing) from error
    raise SystemExit(window())


@command.command()
def index(
    *,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Read every note again, also unchanged ones.")] = False,
    vault: options.Vault = None,
    as_json: options.Json = False,
) -> None:
    """Bring the search index up to date with the notes."""
    from app.cli.reports import picked, say_rebuilt
    from kb.index import update_index

    opened, places = open_vault(vault)
    with progress("Indexing") as step:
        report = update_index(opened, places.index, rebuild=rebuild, progress=lambda at: step(at.done, at.total))
    say_rebuilt(report)
    if as_json:
        say_json(picked(asdict(report), "notes sections added updated removed skipped seconds"))
        return
    changes = f"{report.added} added, {report.updated} updated, {report.removed} removed"
    say(f"{report.notes} notes, {report.sections} sections: {changes}, in {report.seconds:.2f} s.")
    for left in report.skipped:
        say(f"Left out: {left.path}: {left.reason}")


@command.command(epilog=ways_to_ask())
def search(
    query: Annotated[str | None, typer.Argument(help="Words, code, an error message; filters as below.")] = None,
    *,
    stdin: Annotated[bool, typer.Option("--stdin", help="One query a line from standard input.")] = False,
    limit: options.Limit = 10,
    lang: Annotated[Language | None, typer.Option("--lang", help="Only hits in this language.")] = None,
    vault: options.Vault = None,
    as_json: options.Json = False,
) -> None:
    """Find sections of notes."""
    from app.cli.reports import say_hits, say_rebuilt, search_document
    from app.cli.running import open_ledger
    from app.rooms.standing import Standing
    from kb.index import update_index
    from kb.search import Searcher
    from kb.segments import exists

    if (query is None) != stdin:
        raise BadUsage("Give either a query or --stdin.")
    opened, places = open_vault(vault)
    try:
        say_rebuilt(update_index(opened, places.index))
    except IndexFailed as error:
        if not exists(places.index):
            raise
        remark(f"{error} What is found is as of the last indexing.")
    with contextlib.closing(Searcher(places.index, opened.root)) as searcher, contextlib.ExitStack() as stack:
        standing = Standing(opened, lambda: stack.enter_context(open_ledger(places)))  # only if a query asks for it
        for line in (text.rstrip("\r\n") for text in sys.stdin or ()) if query is None else [query]:
            result = searcher.search(line, limit=limit, lang=lang, proven=standing)
            say_json(search_document(result)) if as_json else say_hits(result)


@command.command()
def show(
    note: options.Note,
    *,
    html: Annotated[bool, typer.Option("--html", help="As the HTML that the reader shows.")] = False,
    vault: options.Vault = None,
    as_json: options.Json = False,
) -> None:
    """Show a note, rendered."""
    from app.cli.console import say_markdown
    from app.cli.exporting import page_of
    from kb.render import page_html

    opened, _ = open_vault(vault)
    read = opened.read(shelf.note_path(opened, note))
    if read.meta.problem:
        remark(f"The front matter of {read.path} cannot be read: {read.meta.problem}")
    if not (html or as_json):
        say_markdown("".join(read.text.splitlines(keepends=True)[read.meta.lines :]))
        return
    body = page_html(page_of(opened, read), standalone=False)
    say_json({"path": read.path, "title": read.title, "lang": read.lang, "html": body}) if as_json else say(body)


@command.command()
def snippets(*, vault: options.Vault = None, as_json: options.Json = False) -> None:
    """List what can be run: the shipped snippets, the vault's, and the python blocks of its notes."""
    from app.cli.reports import problem_document, snippet_document
    from app.cli.running import open_ledger
    from snippets.devices import devices as known_devices

    opened, places = open_vault(vault)
    stock = shelf.stock(opened)
    with open_ledger(places) as ledger:
        standings = ledger.standings(stock.snippets, present=known_devices())
    rows = [snippet_document(snippet, standings[snippet.name].status) for snippet in stock.snippets]
    rows += [problem_document(problem) for problem in stock.problems]
    say_json(rows) if as_json else say_table("name devices status path", rows)


@command.command()
def run(
    target: Annotated[str, typer.Argument(metavar="NAME|FILE.py|NOTE#ID", help="What to run.")],
    args: Annotated[list[str] | None, typer.Argument(metavar="[-- ARGS...]", help="What it is given.")] = None,
    *,
    device: options.EveryDevice = "cpu",
    python: options.Python = None,
    timeout: options.Timeout = None,
    threads: options.Threads = None,
    env: options.Variables = None,
    blocking: options.Blocking = False,
    isolate: options.Isolate = False,
    repeat: options.Repeat = 1,
    vault: options.Vault = None,
    as_json: options.Json = False,
) -> None:
    """Run a snippet; exits as it did, or with 124 when its time ran out."""
    from app.cli import everywhere
    from app.cli.running import run_each
    from snippets.options import variables
    from snippets.runner import RunRequest

    if device == everywhere.ALL and repeat > 1:
        raise BadUsage("Give either --device all or --repeat.")
    opened, places = open_vault(vault)
    request = RunRequest(
        shelf.find(opened, target), device=device, python=python, timeout=timeout, isolate=isolate, vault=opened.root,
        args=tuple(args or ()), environment=variables(threads=threads, blocking=blocking, given=env or ()),
    )  # fmt: skip
    if device == everywhere.ALL:
        outcomes = everywhere.run_everywhere(request, places)
        say_json(everywhere.document(outcomes)) if as_json else everywhere.say_side_by_side(outcomes)
        raise SystemExit(everywhere.exit_code(outcomes))
    outcomes = run_each(request, places, repeat=repeat, quiet=as_json)
    if as_json:
        documents = [outcome.document() for outcome in outcomes]
        say_json(documents[0] if repeat == 1 else {"runs": documents})
    raise SystemExit(next((code for outcome in outcomes if (code := outcome.command_exit_code)), 0))


@command.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Snippets or notes [all].")] = None,
    *,
    device: options.Device = "cpu",
    python: options.Python = None,
    accept: options.Accept = False,
    stamp: options.Stamp = False,
    jobs: options.Jobs = None,
    junit: options.Junit = None,
    strict: options.Strict = False,
    vault: options.Vault = None,
    as_json: options.Json = False,
) -> None:
    """Run snippets and compare with their recorded output; exits with 1 if a claim fails."""
    from app.cli.reports import say_verdicts
    from app.cli.verifying import Verification, verify_vault

    opened, places = open_vault(vault)
    asked = Verification(names or (), device=device, python=python, accept=accept, stamp=stamp, jobs=jobs, junit=junit)
    report = verify_vault(opened, places, asked)
    say_json(report.document()) if as_json else say_verdicts(report)
    raise SystemExit(FAILED if report.failed or (strict and report.unavailable) else 0)


@command.command()
def runs(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Of one snippet only.")] = None,
    *,
    limit: options.Limit = 20,
    compare: options.Compare = None,
    pin: options.Pin = None,
    vault: options.Vault = None,
    as_json: options.Json = False,
) -> None:
    """List past runs, newest first; compare two, or pin the output of one. A part of a run's id is enough."""
    from app.cli.history import say_comparison, say_runs
    from app.cli.running import open_ledger
    from app.running.pinning import pin as pin_run
    from snippets.comparing import compare_runs

    opened, places = open_vault(vault)
    with open_ledger(places) as ledger:
        if pin is not None:
            pinned = pin_run(opened, ledger, pin)
            say_json({"pinned": pinned.name, "path": pinned.origin}) if as_json else remark(f"Pinned: {pinned.name}")
        elif compare is not None:
            found = compare_runs(*(ledger.find(one) for one in compare))
            say_json(found.document()) if as_json else say_comparison(found)
        elif as_json:
            say_json([asdict(row) for row in ledger.recent(limit, name)])
        else:
            say_runs(ledger.listed(limit, name))


@command.command()
def devices(*, as_json: options.Json = False) -> None:
    """List what code can run on."""
    from snippets.devices import devices as known_devices

    rows = [device.document() for device in known_devices()]
    say_json(rows) if as_json else say_table("id name memory_total memory_free load available reason", rows)


@command.command()
def export(
    note: options.Note,
    *,
    to: Annotated[Format, typer.Option("--to", help="The format.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where to.")],
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    vault: options.Vault = None,
    as_json: options.Json = False,
) -> None:
    """Write a note as HTML, PDF, a Jupyter notebook or a Python file."""
    from app.cli.exporting import export_note, refusal

    if reason := refusal(out, force=force):
        raise BadUsage(reason)
    opened, _ = open_vault(vault)
    export_note(opened, opened.read(shelf.note_path(opened, note)), to=to, out=out)
    say_json({"path": str(out), "bytes": out.stat().st_size}) if as_json else remark(f"Written: {out}")


@command.command()
def doctor(*, as_json: options.Json = False) -> None:
    """Say what is missing on this machine, and the command that mends it."""
    from app.cli.checkup import check_up

    findings = check_up(Places.of_user())
    if as_json:
        say_json([finding.document() for finding in findings])
    else:
        for finding in findings:
            say(f"{'ok' if finding.ok else 'missing':8} {finding.name.en}: {finding.detail.en}")
            if finding.mend:
                say(f"{'':8} -> {finding.mend.en}")
    raise SystemExit(0 if all(finding.ok for finding in findings if finding.needed) else FAILED)


def open_vault(vault: Path | None) -> tuple[Vault, VaultPlaces]:
    """Open the vault asked for, or the user's own, which is made the first time; with the places kept for it."""
    places = Places.of_user()
    if vault is None:
        vault = places.user_vault
        if not vault.exists():
            make_user_vault(vault, SHIPPED_NOTES)
    return Vault.open(vault, places=places), places.for_vault(vault)


def carry_out(arguments: list[str]) -> int | None:
    """Carry out a command line and return its exit code; errors are raised, see `sentence`."""
    code: int | None = command(arguments, prog_name="torchleaf", standalone_mode=False)
    return code


def wrong_usage(error: Exception) -> bool:
    """Tell whether the command line itself was not understood."""
    return isinstance(error, typer.TyperException)


def sentence(error: Exception) -> tuple[str, int]:
    """Return what is said of an error, and the exit code."""
    if isinstance(error, typer.TyperException):
        return error.format_message(), error.exit_code
    if isinstance(error, SaveFailed):  # its own words are for somebody who has the text before them
        return f"{error.path} could not be written: {error.reason}. Mend that, or write elsewhere.", FAILED
    if isinstance(error, (KbError, SnippetError)):
        return str(error), USAGE if isinstance(error, BAD_NAMES) else FAILED
    if isinstance(error, OSError) and error.strerror:
        what = os.fsdecode(error.filename) if error.filename else "What is read or written"
        return f"{what} cannot be used: {error.strerror}.", FAILED
    return f"Something unforeseen: {type(error).__name__}: {error} (--debug shows where).", FAILED
