"""A cell of a note as the room of runs knows it: its key, how it stands, its run while it goes on."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.runs.output_throttle import OutputThrottle
from kb.notes.language import split_name
from snippets.model.snippet import Snippet
from snippets.results.ledger import RunRow
from snippets.results.outcome import Outcome
from snippets.running.runner import Run


@dataclass(frozen=True)
class CellKey:
    """A cell of a note: the key of the note's page, and the name of the snippet that it runs."""

    page: str
    snippet: str


def followed(key: CellKey, moves: Mapping[str, str]) -> CellKey:
    """Return the key that a cell has once files were moved, whose new paths `moves` has by the old ones."""
    root, _, note = key.page.partition("\n")
    notes = {split_name(old)[0]: split_name(new)[0] for old, new in moves.items()}
    path, mark, name = key.snippet.rpartition("#")
    return CellKey(f"{root}\n{notes.get(note, note)}", f"{moves.get(path, path)}{mark}{name}")


@dataclass(frozen=True)
class CellStatus:
    """How a snippet stands by the ledger: passed, failed, stale, never ..., and its last run."""

    status: str
    last: RunRow | None = None


@dataclass
class CellRun:
    """A run that is going on."""

    key: CellKey
    snippet: Snippet
    device: str
    began: float  # of time.monotonic()
    flow: OutputThrottle
    run: Run | None = None
    stop_asked: bool = False

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.began


@dataclass(frozen=True)
class TrustRequest:
    """Snippets of a page that wait for the user's word, because the vault is not their own."""

    root: Path
    page: str
    snippets: tuple[Snippet, ...]
    device: str


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
