"""The room of the past: the runs of a snippet as the ledger has them, and outputs made into claims."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.executor import GuiExecutor
from app.notebook import vault_snippets
from app.notebook.note_loader import lines_hidden
from app.reader.cell_state import Program
from kb.lazy_regex import expression
from kb.vault.vault import Vault
from snippets.errors import LedgerFailed
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger, RunRow
from snippets.results.outcome import Outcome
from snippets.results.record_output import claim_from
from snippets.results.run_comparison import RunComparison, compare_runs
from snippets.results.snippet_status import is_stale
from snippets.running.run_request import code_name
from snippets.verification.verdicts import judge


def pin(vault: Vault, ledger: Ledger, run_id: str) -> Snippet:
    """Record a run's output in its note or beside its file; return the snippet. Raises KbError, SnippetError."""
    row = ledger.find(run_id)
    snippet = vault_snippets.find(vault, _name_of(vault, row))
    _refuse(row, snippet)
    text = claim_from(snippet, row.device, stdout=row.printed, output=row.output)
    vault_snippets.write_claim(vault, snippet, row.device, text)
    ledger.pin(row.run_id)
    return snippet


def _name_of(vault: Vault, row: RunRow) -> str:
    """Return what the vault knows it by: a block of a note, a snippet by its name, or the file that was run."""
    return row.name if "#" in row.name or row.name in vault_snippets.library(vault).snippets else row.origin


def _refuse(row: RunRow, snippet: Snippet) -> None:
    """Raise LedgerFailed where the output of a run may not stand as what its snippet prints."""
    if row.status != "passed":
        raise LedgerFailed(
            f"The run {row.run_id} did not end as it should ({row.status}); only one that did can be pinned.",
            f"运行 {row.run_id} 没有正常结束（{row.status}）；只能固定正常结束的运行。",
        )
    if is_stale(row, snippet):
        raise LedgerFailed(
            f"{row.name} was changed since the run {row.run_id}; run it again, then pin that.",
            f"{row.name} 在运行 {row.run_id} 之后有改动；请重新运行，再固定。",
        )
    if row.output_cut:
        raise LedgerFailed(
            f"Of the run {row.run_id} {row.output_cut:,} bytes were not kept, so its output is not whole.",
            f"运行 {row.run_id} 有 {row.output_cut:,} 字节没有保留，输出不完整。",
        )


_FRAME = expression(r'^\s*File "([^"]+)", line (\d+)', re.MULTILINE)


@dataclass(frozen=True)
class RunVerdict:
    """`as_recorded` is None where nothing is recorded; `failed_line` counts from 1 in the code that is shown."""

    as_recorded: bool | None
    failed_line: int | None


def verify_run(snippet: Snippet, outcome: Outcome) -> RunVerdict:
    """Hold a run against what its snippet promises."""
    recorded = bool(snippet.recorded) and outcome.status == "passed"
    return RunVerdict(judge(snippet, outcome).status == "passed" if recorded else None, failed_line(snippet, outcome))


def failed_line(snippet: Snippet, outcome: Outcome) -> int | None:
    """Return the last line of the snippet's own code in the traceback that ended the run."""
    if outcome.status != "failed":
        return None
    program = program_of(snippet)
    lines = [int(line) for file, line in _FRAME.findall(outcome.output) if re.split(r"[/\\]", file)[-1] == program.name]
    return max(1, lines[-1] - program.hidden) if lines else None


def program_of(snippet: Snippet) -> Program:
    """Return the file that a snippet runs as, by which a traceback is told to be of its own code."""
    if snippet.path is not None:
        return Program(snippet.path.name, lines_hidden(snippet.code))
    return Program(code_name(snippet.name))


SHOWN_RUNS = 200

Failed = Callable[[Exception], object]


@dataclass(frozen=True)
class HistorySource:
    """What the past of a vault is read from and written to."""

    vault: Vault
    ledger: Ledger


class RunHistory:
    """Asks the ledger off the GUI thread; every answer comes on it, and none where no vault is open."""

    def __init__(self, door: GuiExecutor, kept: Callable[[], HistorySource | None]) -> None:
        self._door = door
        self._kept = kept

    def history(self, name: str, take: Callable[[tuple[RunRow, ...]], object], failed: Failed) -> None:
        """Give the runs of a snippet, newest first, without their outputs."""
        if kept := self._kept():
            self._door.run(lambda: kept.ledger.listed(SHOWN_RUNS, name), take, failed)

    def find(self, run_id: str, take: Callable[[RunRow], object], failed: Failed) -> None:
        """Give a run whole."""
        if kept := self._kept():
            self._door.run(lambda: kept.ledger.find(run_id), take, failed)

    def compare(self, first: str, second: str, take: Callable[[RunComparison], object], failed: Failed) -> None:
        """Give two runs beside each other, by their ids."""
        if kept := self._kept():
            ledger = kept.ledger
            self._door.run(lambda: compare_runs(ledger.find(first), ledger.find(second)), take, failed)

    def pin(self, run_id: str, done: Callable[[Snippet], object], failed: Failed) -> None:
        """Make the output of a run the recorded one of its snippet."""
        if kept := self._kept():
            self._door.run(lambda: pin(kept.vault, kept.ledger, run_id), done, failed)

    def accept(self, snippet: Snippet, outcome: Outcome, done: Callable[[None], object], failed: Failed) -> None:
        """Make what a run has just printed the recorded output of its snippet."""
        if kept := self._kept():
            vault, device = kept.vault, outcome.device

            def write() -> None:
                text = claim_from(snippet, device, stdout=outcome.stdout, output=outcome.output)
                vault_snippets.write_claim(vault, snippet, device, text)

            self._door.run(write, done, failed)
