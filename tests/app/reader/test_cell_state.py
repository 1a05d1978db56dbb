"""Tests of a cell's state before, during and after a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.reader.cell_state import CellState, EarlierRun, Program, name_of, state_of
from app.reader.terminal import Terminal
from kb.rendering.rendered_page import Cell
from snippets.results.outcome import Outcome
from snippets.running.run_progress import RunProgress

CELL = Cell("fence", "block1", "Block 1", "print(1)", "", "python", {}, "1\n", 3, 5)


def shown(output: Terminal | None) -> str:
    """Return an output as text."""
    return output.plain_text() if output is not None else ""


@pytest.fixture
def state() -> CellState:
    """Give the state of a cell with recorded output."""
    return state_of(CELL)


def test_recorded_output_is_shown_until_a_run(state: CellState) -> None:
    """A new cell shows its recorded output; a run replaces it by its own, even if that is empty."""
    assert not state.ran
    assert shown(state.output) == "1"
    state.start("cpu", Program("a.py"))
    assert state.ran
    assert shown(state.output) == ""


def test_blank_recorded_output_is_no_output() -> None:
    """Recorded white space is not shown."""
    assert state_of(replace(CELL, output=" \n")).output is None
    assert state_of(replace(CELL, output=None)).output is None


def test_an_earlier_run_is_shown_unless_there_is_a_new_one(state: CellState) -> None:
    """The run of an earlier session replaces the recorded output, but not a run of this session."""
    earlier = EarlierRun("before\n", figures=(Path("a.png"),))
    state.recall(earlier)
    assert shown(state.output) == "before"
    assert state.figures == [Path("a.png")]
    state.start("cpu", Program())
    state.recall(earlier)
    assert shown(state.output) == ""
    assert state.figures == []


def test_a_run_removes_the_results_of_the_one_before(state: CellState, outcome: Callable[..., Outcome]) -> None:
    """Figures, files, marked line, hints and folding of the last run are gone when the next begins."""
    state.start("cpu", Program())
    state.figures.append(Path("a.png"))
    state.files.append((Path("b.txt"), 3))
    state.unfolded = state.apart = state.stacks = True
    state.finish(outcome("failed"), failed_line=2, as_recorded=False)
    assert (state.running, state.failed_line, state.as_recorded) == (False, 2, False)
    state.start("cuda:0", Program())
    assert (state.running_on, state.outcome, state.failed_line, state.as_recorded) == ("cuda:0", None, None, None)
    assert (state.figures, state.files) == ([], [])
    assert not any((state.unfolded, state.apart, state.stacks))


def test_the_end_of_a_run_ends_its_progress_and_its_open_line(
    state: CellState, outcome: Callable[..., Outcome]
) -> None:
    """Nothing waits for input after the end, and a line without line end is complete."""
    state.start("cpu", Program())
    state.update_progress(RunProgress(waits=True))
    state.terminal.feed("stdout", "no end")
    state.finish(outcome(), failed_line=None, as_recorded=True)
    assert not state.midway.waits
    assert state.terminal.total == 1


def test_an_unavailable_device_hides_the_traceback(state: CellState, outcome: Callable[..., Outcome]) -> None:
    """The output of the outcome replaces what the run printed."""
    state.start("cuda:0", Program())
    state.terminal.feed("stderr", "Traceback ...\n")
    state.finish(outcome("unavailable", output="said before\n"), failed_line=None, as_recorded=None)
    assert shown(state.output) == "said before"


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [("fence", "block7", "Block 1"), ("fence", "gather", "gather"), ("snippet", "block7", "block7")],
)
def test_the_name_of_a_cell(kind: str, key: str, name: str) -> None:
    """A numbered fence is called by its label, every other cell by the name that its author gave it."""
    assert name_of(replace(CELL, kind=kind, id=key)) == name
