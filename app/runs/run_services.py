"""What the runs of one vault need: a runner, the ledger, and the options chosen for its snippets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.runs.run_options import RunChoices
from kb.files.paths import VaultPaths
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger, SnippetStatus
from snippets.running.runner import Runner
from snippets.targets.devices import Device
from snippets.targets.interpreters import Interpreter

OPTIONS_FILE = "runoptions.json"  # beside the state of the vault


@dataclass(frozen=True)
class RunServices:
    """Made off the GUI thread, and closed off it: that takes as long as its runs take to end."""

    runner: Runner
    ledger: Ledger
    options: RunChoices

    @classmethod
    def of(cls, places: VaultPaths) -> RunServices:
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
    ) -> dict[str, SnippetStatus]:
        """Return how snippets stand, by their keys; before the devices are known none counts as missing."""
        found = self.ledger.standings(snippets.values(), interpreter, present=present or None)
        return {key: found[one.name] for key, one in snippets.items()}
