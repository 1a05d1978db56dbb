"""Snippets of a page that run one after another, and what became of them in all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QObject, Signal

from snippets.results.outcome import Outcome

Fate = Literal["proven", "failed", "others"]


@dataclass
class BatchProgress:
    """Those that are still to end, and what became of the others, by their names."""

    left: set[str] = field(default_factory=set)
    proven: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # stopped, or not to be run here


class BatchRun(QObject):
    """Notes how each ends, and tells when it was the last."""

    ended = Signal(object)  # Turn

    def __init__(self, parent: QObject | None = None) -> None:
        """Wait for none."""
        super().__init__(parent)
        self._turn = BatchProgress()

    def begin(self, names: Iterable[str], *, anew: bool) -> None:
        """Wait for these, or for these as well."""
        if anew:
            self._turn = BatchProgress()
        self._turn.left |= set(names)

    def forget(self) -> None:
        """Wait for none any more, and tell nothing."""
        self._turn = BatchProgress()

    def note(self, name: str, fate: Fate) -> None:
        """Note how one has ended."""
        turn = self._turn
        if name in turn.left:
            turn.left.discard(name)
            {"proven": turn.proven, "failed": turn.failed, "others": turn.others}[fate].append(name)
            if not turn.left:
                self._turn = BatchProgress()
                self.ended.emit(turn)


def fate_of(outcome: Outcome, *, as_recorded: bool | None) -> Fate:
    """Say what became of a snippet by its run, and by whether it printed what is recorded."""
    if outcome.status in {"stopped", "unavailable"}:
        return "others"
    return "proven" if outcome.status == "passed" and as_recorded is not False else "failed"
