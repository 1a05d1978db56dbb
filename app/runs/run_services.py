"""Services for the runs of one vault: runner, ledger, and the run options of its snippets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.runs.run_options import RunChoices
from app.runs.trusted_code import TrustedCode
from kb.files.paths import VaultPaths
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger, SnippetStatus
from snippets.running.runner import Runner
from snippets.targets.devices import Device
from snippets.targets.interpreters import Interpreter

OPTIONS_FILE = "runoptions.json"  # beside the state of the vault
CODE_FILE = "code.json"  # likewise


@dataclass(frozen=True)
class RunServices:
    """Created and closed off the GUI thread; `close` blocks until all runs have ended."""

    runner: Runner
    ledger: Ledger
    options: RunChoices
    code: TrustedCode

    @classmethod
    def of(cls, places: VaultPaths) -> RunServices:
        """Open the ledger and create a runner. Raises SnippetError."""
        ledger = Ledger(places.ledger)
        options = RunChoices(places.state.with_name(OPTIONS_FILE))
        code = TrustedCode(places.state.with_name(CODE_FILE))
        return cls(Runner(runs_folder=places.runs, ledger=ledger), ledger, options, code)

    def close(self) -> None:
        """Stop all runs, wait for them, and close the ledger."""
        self.runner.close()
        self.ledger.close()

    def standings(
        self, snippets: Mapping[str, Snippet], interpreter: Interpreter | None, present: Sequence[Device]
    ) -> dict[str, SnippetStatus]:
        """Return the statuses of snippets by key. Without `present` devices (not known yet) none is unavailable."""
        found = self.ledger.standings(snippets.values(), interpreter, present=present or None)
        return {key: found[one.name] for key, one in snippets.items()}
