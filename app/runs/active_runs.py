"""Cells and their runs in progress: keys, statuses, trust requests, and the progress of a batch of runs."""

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

Fate = Literal["proven", "failed", "others"]


@dataclass(frozen=True)
class CellKey:
    """A cell of a note: the key of the note's page, and the name of its snippet."""

    page: str
    snippet: str


def followed(key: CellKey, moves: Mapping[str, str]) -> CellKey:
    """Return the key of a cell after files were moved; `moves` maps old paths to new ones."""
    root, _, note = key.page.partition("\n")
    notes = {split_name(old)[0]: split_name(new)[0] for old, new in moves.items()}
    path, mark, name = key.snippet.rpartition("#")
    return CellKey(f"{root}\n{notes.get(note, note)}", f"{moves.get(path, path)}{mark}{name}")


@dataclass(frozen=True)
class CellStatus:
    """Status of a snippet by the ledger (passed, failed, stale, never ...), and its last run."""

    status: str
    last: RunRow | None = None


@dataclass
class CellRun:
    """A run in progress."""

    key: CellKey
    snippet: Snippet
    device: str
    began: float  # of time.monotonic()
    flow: OutputThrottle
    run: Run | None = None
    stop_asked: bool = False

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began


@dataclass(frozen=True)
class TrustRequest:
    """Snippets of a page that wait for the user's consent: their vault is not trusted, or their code is new there."""

    root: Path
    page: str
    snippets: tuple[Snippet, ...]
    device: str
    code: bool = False  # the vault is trusted, but not this code


@dataclass
class BatchProgress:
    """Names of the snippets of a batch: those left to run, and the others by result."""

    left: set[str] = field(default_factory=set)
    proven: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # stopped, or unavailable here


class BatchRun(QObject):
    """Collects the results of a batch of runs, and emits them after the last one."""

    ended = Signal(object)  # BatchProgress

    def __init__(self, parent: QObject | None = None) -> None:
        """Start without a batch."""
        super().__init__(parent)
        self._progress = BatchProgress()

    def begin(self, names: Iterable[str], *, new: bool) -> None:
        """Start a batch of these snippets, or unless it is `new` add them to the current one."""
        if new:
            self._progress = BatchProgress()
        self._progress.left |= set(names)

    def forget(self) -> None:
        """Drop the batch without a signal."""
        self._progress = BatchProgress()

    def note(self, name: str, fate: Fate) -> None:
        """Record the result of one snippet; one outside the batch is ignored."""
        progress = self._progress
        if name in progress.left:
            progress.left.discard(name)
            {"proven": progress.proven, "failed": progress.failed, "others": progress.others}[fate].append(name)
            if not progress.left:
                self._progress = BatchProgress()
                self.ended.emit(progress)


def fate_of(outcome: Outcome, *, as_recorded: bool | None) -> Fate:
    """Return the result of a run; `as_recorded`: whether it printed the recorded output, None if there is none."""
    if outcome.status in {"stopped", "unavailable"}:
        return "others"
    return "proven" if outcome.status == "passed" and as_recorded is not False else "failed"
