"""How a snippet's box stands: before, while and after a run. No Qt here."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.reader.terminal import Terminal
from kb.lazy_regex import expression
from kb.rendering.rendered_page import Cell
from snippets.errors import Sentence
from snippets.results.outcome import Outcome
from snippets.running.run_progress import RunProgress

RECORDED = "recorded"  # the stream of output that no run of this window has written
Copied = Literal["", "code", "command"]
_NUMBERED = expression(r"block\d+")


@dataclass(frozen=True)
class Hint:
    """A section that explains why a run failed: how it is called, and where it is in its note."""

    label: str
    place: str = ""


@dataclass(frozen=True)
class EarlierRun:
    """The latest run that an earlier window has seen: what it printed, what it left, and how it ended."""

    output: str
    figures: tuple[Path, ...] = ()
    files: tuple[tuple[Path, int | None], ...] = ()
    when: str = ""  # in words: 3 h ago
    ended: Sentence | None = None  # where it did not pass


@dataclass(frozen=True)
class Program:
    """The file that a cell runs as: its name in a traceback, and how many of its first lines are not shown."""

    name: str = ""
    hidden: int = 0


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
    versions: dict[Path, int] = field(default_factory=dict)  # of figures that were written anew: how often
    files: list[tuple[Path, int | None]] = field(default_factory=list)  # with their size in bytes
    pictured: tuple[Path, ...] = ()  # recorded pictures, shown until there is a run
    outcome: Outcome | None = None
    failed_line: int | None = None  # from 1 in the code
    as_recorded: bool | None = None  # None: not compared
    hints: tuple[Hint, ...] = ()  # what explains the failure
    unfolded: bool = False
    apart: bool = False  # lines that several ranks say alike stand each for itself
    stacks: bool = False  # of silent ranks are shown
    copied: Copied = ""  # a moment ago
    program: Program = field(default_factory=Program)
    midway: RunProgress = field(default_factory=RunProgress)
    midway_at: float = 0.0  # of time.monotonic()
    offer: Sentence | None = None  # why another run, with blocking launches, would tell more
    earlier: EarlierRun | None = None
    _record: Terminal | None = None

    @property
    def ran(self) -> bool:
        """Whether a run of this window stands in the box."""
        return self.running or self.outcome is not None

    @property
    def output(self) -> Terminal | None:
        """The output to show: the run's, until there was one that of an earlier window's, or else the recorded one."""
        if self.ran or self.earlier is not None:
            return self.terminal
        if self._record is None and self.recorded is not None and self.recorded.strip():
            self._record = Terminal()
            self._record.feed(RECORDED, self.recorded.rstrip("\n") + "\n")
        return self._record

    def recall(self, earlier: EarlierRun) -> None:
        """Show what an earlier window has seen, unless this one has seen a run."""
        if not self.ran:
            self.earlier, self.terminal = earlier, Terminal()
            self.terminal.feed("stdout", earlier.output)
            self.terminal.end()
            self.figures, self.files = list(earlier.figures), list(earlier.files)

    def start(self, device: str, program: Program) -> None:
        """Begin anew: nothing of an earlier run is left."""
        self.program, self.midway, self.earlier, self.offer = program, RunProgress(), None, None
        self.running, self.running_on, self.began = True, device, time.monotonic()
        self.terminal = Terminal()
        self.figures, self.files, self.versions = [], [], {}
        self.outcome = self.failed_line = self.as_recorded = None
        self.hints = ()
        self.unfolded = self.apart = self.stacks = False

    def update_progress(self, midway: RunProgress) -> None:
        """Take how the run stands."""
        self.midway, self.midway_at = midway, time.monotonic()

    def finish(self, outcome: Outcome, *, failed_line: int | None, as_recorded: bool | None) -> None:
        """End the run."""
        self.running, self.outcome, self.midway = False, outcome, RunProgress()
        self.failed_line, self.as_recorded = failed_line, as_recorded
        if outcome.status == "unavailable":  # a traceback that only says so is not shown
            self.terminal = Terminal()
            self.terminal.feed("stdout", outcome.output)
        self.terminal.end()


def state_of(cell: Cell) -> CellState:
    """Return the state of a cell that has not run."""
    return CellState(code=cell.code, recorded=cell.output, name=name_of(cell))


def name_of(cell: Cell) -> str:
    """Return what a cell is called: what its author named it, or else its label."""
    return cell.id if cell.kind == "snippet" or not _NUMBERED.fullmatch(cell.id) else cell.label
