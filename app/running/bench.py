"""What the runs of one vault need: a runner, the ledger, and the options chosen for its snippets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.running.runoptions import RunChoices
from kb.places import VaultPlaces
from snippets.devices import Device
from snippets.form import Snippet
from snippets.interpreters import Interpreter
from snippets.ledger import Ledger, Standing
from snippets.runner import Runner

OPTIONS_FILE = "runoptions.json"  # beside the state of the vault


@dataclass(frozen=True)
class Bench:
    """Made off the GUI thread, and closed off it: that takes as long as its runs take to end."""

    runner: Runner
    ledger: Ledger
    options: RunChoices

    @classmethod
    def of(cls, places: VaultPlaces) -> Bench:
        """Open the ledger and make a runner. Raises SnippetError."""
        ledger = Ledger(places.ledger)
        options = RunChoices(places.state.with_name(OPTIONS_FILE))
        return cls(Runner(runs_folder=places.runs, ledger=ledger), ledger, options)

    def close(self) -> None:
        """Stop every run, wait for it, and close the ledger."""
        self.runner.close()
        self.ledger.close()

    def standings(
        self, snippets: Mapping[str, Snippet], interpreter: Interpreter | None, present: Sequence[Device]
    ) -> dict[str, Standing]:
        """Return how snippets stand, by their keys; before the devices are known none counts as missing."""
        found = self.ledger.standings(snippets.values(), interpreter, present=present or None)
        return {key: found[one.name] for key, one in snippets.items()}
