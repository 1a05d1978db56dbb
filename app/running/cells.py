"""A cell of a note as the room of runs knows it: its key, how it stands, its run while it goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from app.running.flow import Flow
from snippets.form import Snippet
from snippets.ledger import RunRow
from snippets.runner import Run


@dataclass(frozen=True)
class CellKey:
    """A cell of a note: the key of the note's page, and the name of the snippet that it runs."""

    page: str
    snippet: str


@dataclass(frozen=True)
class CellState:
    """How a snippet stands by the ledger: passed, failed, stale, never ..., and its last run."""

    status: str
    last: RunRow | None = None


@dataclass
class ActiveRun:
    """A run that is going on."""

    key: CellKey
    snippet: Snippet
    device: str
    began: float  # of time.monotonic()
    flow: Flow
    run: Run | None = None
    stop_asked: bool = False

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.began


@dataclass(frozen=True)
class Ask:
    """Snippets of a page that wait for the user's word, because the vault is not their own."""

    root: Path
    page: str
    snippets: tuple[Snippet, ...]
    device: str
