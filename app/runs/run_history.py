"""The room of the past: the runs of a snippet as the ledger has them, and outputs made into claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.executor import GuiExecutor
from app.notebook import vault_snippets
from app.runs.pin_output import pin
from kb.vault.vault import Vault
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger, RunRow
from snippets.results.outcome import Outcome
from snippets.results.record_output import claim_from
from snippets.results.run_comparison import RunComparison, compare_runs

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
