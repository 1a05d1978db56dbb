"""Tests of the words of a cell: units, statuses and links."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from app.i18n import Translator
from app.reader.cell_state import CellState, EarlierRun, Hint, Program, state_of
from app.reader.cell_text import (
    Entry,
    InputLine,
    OutputFigure,
    Remark,
    TonedText,
    actions,
    body,
    facts,
    size_in_words,
    time_in_words,
)
from kb.rendering.rendered_page import Cell
from snippets.errors import Sentence
from snippets.results.outcome import Outcome
from snippets.running.run_progress import RunProgress, StalledProcess

ENGLISH = Translator("en")


@pytest.fixture
def state() -> CellState:
    """Give the state of a cell without recorded output."""
    return state_of(Cell("fence", "a", "Block 1", "print(1)", "", "python", {}, None, 3, 5))


def words(pieces: Iterable[TonedText]) -> list[str]:
    """Return the texts of pieces."""
    return [piece.text for piece in pieces]


def remarks(entries: Iterable[Entry]) -> list[str]:
    """Return the lines of Torchleaf's own words in a body."""
    return [" ".join(words(entry.pieces)) for entry in entries if isinstance(entry, Remark)]


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (10240, "10 KiB"), (3 << 20, "3.0 MiB"), (5 << 40, "5120.0 GiB")],
)
def test_sizes(size: int, said: str) -> None:
    """Bytes are whole, small sizes have a decimal, and nothing is larger than GiB."""
    assert size_in_words(size) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0141, "14 ms"), (1, "1.0 s"), (59.94, "59.9 s"), (65.4, "1 min 05 s"), (3600, "60 min 00 s")],
)
def test_times(seconds: float, said: str) -> None:
    """The unit grows with the duration."""
    assert time_in_words(seconds, ENGLISH) == said


def test_the_first_button_runs_or_stops(state: CellState) -> None:
    """A running cell can be stopped and shows the device that it runs on, another one the chosen device."""
    state.device = "cuda:1"
    assert [piece.action for piece in actions(state, "cpu", ENGLISH)][:2] == ["run", "device"]
    assert "cuda:1" in words(actions(state, "cpu", ENGLISH))[1]
    state.start("cpu", Program())
    assert actions(state, "cuda:0", ENGLISH)[0].action == "stop"
    assert words(actions(state, "cuda:0", ENGLISH))[1].startswith("cpu")


@pytest.mark.parametrize(
    ("as_recorded", "said"), [(None, "✓ passed"), (True, "✓ as recorded"), (False, "≠ not as recorded")]
)
def test_a_passed_run_says_whether_it_is_as_recorded(
    state: CellState,
    outcome: Callable[..., Outcome],
    as_recorded: bool | None,  # noqa: FBT001
    said: str,
) -> None:
    """Only a difference is a link, to what differs."""
    state.start("cpu", Program())
    state.finish(outcome(), failed_line=None, as_recorded=as_recorded)
    status = facts(state, ENGLISH)[1]
    assert status.text == said
    assert bool(status.action) == (as_recorded is False)
    assert words(facts(state, ENGLISH))[2] == "first output 14 ms · 38 ms · 211 MiB"


def test_a_waiting_run_has_an_input_line(state: CellState) -> None:
    """It replaces the remark that output is awaited."""
    state.start("cpu", Program())
    assert remarks(body(state, ENGLISH)) == ["waiting for output…"]
    state.update_progress(RunProgress(waits=True))
    assert list(body(state, ENGLISH)) == [InputLine()]


def test_silent_ranks_are_named_with_their_line(state: CellState) -> None:
    """The line is that of the cell, without the hidden lines of its file; the stack is shown on demand."""
    state.start("cpu", Program("a.py", hidden=4))
    stalled = StalledProcess(rank=1, seconds=30.0, line=6, function="wait", stack=("a.py:6 in wait",))
    state.update_progress(RunProgress(silent=(stalled,)))
    state.midway_at = time.monotonic()
    said = remarks(body(state, ENGLISH))
    assert said[1:] == ["rank 1 has printed nothing for 30 s; stopped in wait line 2", "show the stacks"]
    state.stacks = True
    assert remarks(body(state, ENGLISH))[2:] == ["    a.py:6 in wait", "hide the stacks"]


def test_the_results_of_a_failed_run(state: CellState, outcome: Callable[..., Outcome]) -> None:
    """Figures, then files with their size, then the outcome, then the sections that explain it."""
    state.start("cpu", Program())
    state.figures.append(Path("a.png"))
    state.files.append((Path("b.txt"), 2048))
    state.finish(outcome("failed", reason_en="ValueError: x", reason_zh="x"), failed_line=1, as_recorded=None)
    state.hints = (Hint("Shapes", "Tensors"),)
    entries = body(state, ENGLISH)
    assert entries[0] == OutputFigure(Path("a.png"))
    said = remarks(entries)
    assert said[0] == "b.txt   2.0 KiB"
    assert "ValueError: x" in said[1]
    assert said[2:] == ["Notes that explain this error", "Shapes Tensors"]


def test_an_earlier_run_says_when_it_was_and_how_it_ended(state: CellState) -> None:
    """Its output is labelled with its time, and followed by its end if it did not pass."""
    state.recall(EarlierRun("out\n", when="3 h ago", ended=Sentence("Stopped.", "已停止。")))
    assert remarks(body(state, ENGLISH)) == ["last run · 3 h ago", "Stopped."]
