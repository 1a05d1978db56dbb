"""A cell of a note as the room of runs knows it: its key, how it stands, its run while it goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.runs.output_throttle import OutputThrottle
from kb.notes.language import split_name
from snippets.model.snippet import Snippet
from snippets.results.ledger import RunRow
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
