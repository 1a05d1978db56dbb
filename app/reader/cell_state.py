"""The state of a cell before, during and after a run, without Qt."""

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

RECORDED = "recorded"  # the stream of recorded output, which no run of this session has written
Copied = Literal["", "code", "command"]
_NUMBERED = expression(r"block\d+")


@dataclass(frozen=True)
class Hint:
    """A section that explains why a run failed: its title, and its place in the note."""

    label: str
    place: str = ""


@dataclass(frozen=True)
class EarlierRun:
    """The latest run of an earlier session: its output, figures, files and end."""

    output: str
    figures: tuple[Path, ...] = ()
    files: tuple[tuple[Path, int | None], ...] = ()
    when: str = ""  # in words: 3 h ago
    ended: Sentence | None = None  # None if it passed


@dataclass(frozen=True)
class Program:
    """The file that a cell runs as: its name in tracebacks, and the number of hidden lines at its beginning."""

    name: str = ""
    hidden: int = 0


@dataclass
class CellState:
    """The state of one cell; cells of the same key share it."""

    code: str
    recorded: str | None
    name: str
    standing: str = ""  # status in the ledger: passed, failed, stale, ...
    detail: str = ""
    device: str = ""  # chosen for this cell alone
    running_on: str = ""
    running: bool = False
    began: float = 0.0  # of time.monotonic()
    terminal: Terminal = field(default_factory=Terminal)
    figures: list[Path] = field(default_factory=list)
    versions: dict[Path, int] = field(default_factory=dict)  # how often a figure was overwritten
    files: list[tuple[Path, int | None]] = field(default_factory=list)  # path and size in bytes
    pictured: tuple[Path, ...] = ()  # recorded pictures, shown until the cell is run
    outcome: Outcome | None = None
    failed_line: int | None = None  # from 1 in the code
    as_recorded: bool | None = None  # None: not compared
    hints: tuple[Hint, ...] = ()  # sections that explain the failure
    unfolded: bool = False
    apart: bool = False  # equal lines of several ranks are not merged
    stacks: bool = False  # the stacks of silent ranks are shown
    copied: Copied = ""  # what was copied a moment ago
    program: Program = field(default_factory=Program)
    midway: RunProgress = field(default_factory=RunProgress)
    midway_at: float = 0.0  # of time.monotonic()
    offer: Sentence | None = None  # why another run, with blocking launches, would help
    earlier: EarlierRun | None = None
    _record: Terminal | None = None

    @property
    def ran(self) -> bool:
        """Whether the cell shows a run of this session."""
        return self.running or self.outcome is not None

    @property
    def output(self) -> Terminal | None:
        """The output to show: that of this session's run, else of an earlier session's, else the recorded output."""
        if self.ran or self.earlier is not None:
            return self.terminal
        if self._record is None and self.recorded is not None and self.recorded.strip():
            self._record = Terminal()
            self._record.feed(RECORDED, self.recorded.rstrip("\n") + "\n")
        return self._record

    def recall(self, earlier: EarlierRun) -> None:
        """Show the run of an earlier session, unless this session has one."""
        if not self.ran:
            self.earlier, self.terminal = earlier, Terminal()
            self.terminal.feed("stdout", earlier.output)
            self.terminal.end()
            self.figures, self.files = list(earlier.figures), list(earlier.files)

    def start(self, device: str, program: Program) -> None:
        """Begin a run and forget all earlier ones."""
        self.program, self.midway, self.earlier, self.offer = program, RunProgress(), None, None
        self.running, self.running_on, self.began = True, device, time.monotonic()
        self.terminal = Terminal()
        self.figures, self.files, self.versions = [], [], {}
        self.outcome = self.failed_line = self.as_recorded = None
        self.hints = ()
        self.unfolded = self.apart = self.stacks = False

    def update_progress(self, midway: RunProgress) -> None:
        """Take the progress of the run."""
        self.midway, self.midway_at = midway, time.monotonic()

    def finish(self, outcome: Outcome, *, failed_line: int | None, as_recorded: bool | None) -> None:
        """End the run."""
        self.running, self.outcome, self.midway = False, outcome, RunProgress()
        self.failed_line, self.as_recorded = failed_line, as_recorded
        if outcome.status == "unavailable":  # hide a traceback that says no more
            self.terminal = Terminal()
            self.terminal.feed("stdout", outcome.output)
        self.terminal.end()


def state_of(cell: Cell) -> CellState:
    """Return the state of a cell that has not run."""
    return CellState(code=cell.code, recorded=cell.output, name=name_of(cell))


def name_of(cell: Cell) -> str:
    """Return the cell's name as its author wrote it, else its label."""
    return cell.id if cell.kind == "snippet" or not _NUMBERED.fullmatch(cell.id) else cell.label
