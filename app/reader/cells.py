"""How a snippet's box stands: before, while and after a run. No Qt here."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from app.reader.terminal import Terminal
from kb.page import Cell
from snippets.outcome import Outcome

RECORDED = "recorded"  # the stream of output that no run of this window has written
_NUMBERED = re.compile(r"block\d+")


@dataclass(frozen=True)
class Hint:
    """A section that explains why a run failed: how it is called, and where it is in its note."""

    label: str
    place: str = ""


@dataclass
class CellState:
    """One cell; boxes of the same key share it."""

    code: str
    recorded: str | None
    name: str
    standing: str = ""  # by the ledger: passed, failed, stale, ...
    detail: str = ""
    device: str = ""  # chosen for this cell alone
    running_on: str = ""
    running: bool = False
    began: float = 0.0  # of time.monotonic()
    terminal: Terminal = field(default_factory=Terminal)
    figures: list[Path] = field(default_factory=list)
    files: list[tuple[Path, int | None]] = field(default_factory=list)  # with their size in bytes
    outcome: Outcome | None = None
    failed_line: int | None = None  # from 1 in the code
    as_recorded: bool | None = None  # None: not compared
    hints: tuple[Hint, ...] = ()  # what explains the failure
    unfolded: bool = False
    copied: bool = False  # a moment ago
    _record: Terminal | None = None

    @property
    def ran(self) -> bool:
        """Whether a run of this window stands in the box."""
        return self.running or self.outcome is not None

    @property
    def output(self) -> Terminal | None:
        """The output to show: the run's, or the recorded one until there was a run."""
        if self.ran:
            return self.terminal
        if self._record is None and self.recorded is not None and self.recorded.strip():
            self._record = Terminal()
            self._record.feed(RECORDED, self.recorded.rstrip("\n") + "\n")
        return self._record

    def start(self, device: str) -> None:
        """Begin anew: nothing of an earlier run is left."""
        self.running, self.running_on, self.began = True, device, time.monotonic()
        self.terminal = Terminal()
        self.figures, self.files = [], []
        self.outcome = self.failed_line = self.as_recorded = None
        self.hints = ()
        self.unfolded = False

    def finish(self, outcome: Outcome, *, failed_line: int | None, as_recorded: bool | None) -> None:
        """End the run."""
        self.running, self.outcome = False, outcome
        self.failed_line, self.as_recorded = failed_line, as_recorded
        self.terminal.end()


def state_of(cell: Cell) -> CellState:
    """Return the state of a cell that has not run."""
    name = cell.id if cell.kind == "snippet" or not _NUMBERED.fullmatch(cell.id) else cell.label
    return CellState(code=cell.code, recorded=cell.output, name=name)
