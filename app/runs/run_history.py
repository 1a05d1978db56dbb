"""Past runs: queries of the ledger, and the verdict on a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.executor import GuiExecutor
from app.notebook import vault_snippets
from app.notebook.note_loader import lines_hidden
from app.reader.cell_state import Program
from app.runs.pin_output import pin
from kb.lazy_regex import expression
from kb.vault.vault import Vault
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger, RunRow
from snippets.results.outcome import Outcome
from snippets.results.record_output import claim_from
from snippets.results.run_comparison import RunComparison, compare_runs
from snippets.running.run_request import code_name
from snippets.verification.verdicts import judge

SHOWN_RUNS = 200
_FRAME = expression(r'^\s*File "([^"]+)", line (\d+)', re.MULTILINE)

Failed = Callable[[Exception], object]


@dataclass(frozen=True)
class RunVerdict:
    """Whether a run printed the recorded output, None without one; the failed line of the code shown, from 1."""

    as_recorded: bool | None
    failed_line: int | None


def verify_run(snippet: Snippet, outcome: Outcome) -> RunVerdict:
    """Compare a run with the recorded output of its snippet."""
    recorded = bool(snippet.recorded) and outcome.status == "passed"
    return RunVerdict(judge(snippet, outcome).status == "passed" if recorded else None, failed_line(snippet, outcome))


def failed_line(snippet: Snippet, outcome: Outcome) -> int | None:
    """Return the last line of the snippet's own code in the final traceback; None if the run did not fail."""
    if outcome.status != "failed":
        return None
    program = program_of(snippet)
    lines = [int(line) for file, line in _FRAME.findall(outcome.output) if re.split(r"[/\\]", file)[-1] == program.name]
    return max(1, lines[-1] - program.hidden) if lines else None


def program_of(snippet: Snippet) -> Program:
    """Return the file a snippet runs as, which identifies its own lines in a traceback."""
    if snippet.path is not None:
        return Program(snippet.path.name, lines_hidden(snippet.code))
    return Program(code_name(snippet.name))


@dataclass(frozen=True)
class HistorySource:
    """Vault and ledger of a history."""

    vault: Vault
    ledger: Ledger


class RunHistory:
    """Reads the ledger off the GUI thread and calls back on it; without an open vault, nothing is called."""

    def __init__(self, executor: GuiExecutor, source: Callable[[], HistorySource | None]) -> None:
        self._executor = executor
        self._source = source

    def list(self, name: str, take: Callable[[tuple[RunRow, ...]], object], failed: Failed) -> None:
        """Call `take` with the last 200 runs of a snippet, newest first, without outputs."""
        if source := self._source():
            self._executor.run(lambda: source.ledger.listed(SHOWN_RUNS, name), take, failed)

    def find(self, run_id: str, take: Callable[[RunRow], object], failed: Failed) -> None:
        """Call `take` with a run, including its output."""
        if source := self._source():
            self._executor.run(lambda: source.ledger.find(run_id), take, failed)

    def compare(self, first: str, second: str, take: Callable[[RunComparison], object], failed: Failed) -> None:
        """Call `take` with the comparison of two runs, given by id."""
        if source := self._source():
            ledger = source.ledger
            self._executor.run(lambda: compare_runs(ledger.find(first), ledger.find(second)), take, failed)

    def pin(self, run_id: str, done: Callable[[Snippet], object], failed: Failed) -> None:
        """Record the output of a past run as the expected one of its snippet."""
        if source := self._source():
            self._executor.run(lambda: pin(source.vault, source.ledger, run_id), done, failed)

    def accept(self, snippet: Snippet, outcome: Outcome, done: Callable[[None], object], failed: Failed) -> None:
        """Record the output of a run just finished as the expected one of its snippet."""
        if source := self._source():
            vault, device = source.vault, outcome.device

            def write() -> None:
                text = claim_from(snippet, device, stdout=outcome.stdout, output=outcome.output)
                vault_snippets.write_claim(vault, snippet, device, text)

            self._executor.run(write, done, failed)
