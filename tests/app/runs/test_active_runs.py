"""Keys of cells that follow moved files, and the results of a batch of runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.runs.active_runs import BatchProgress, BatchRun, CellKey, Fate, fate_of, followed
from snippets.results.outcome import Outcome


def test_a_key_follows_its_note() -> None:
    """Page and snippet are renamed; a snippet of the library, or of another note, keeps its name."""
    moves = {"old/a.zh.md": "new/b.zh.md", "old/a.en.md": "new/b.en.md"}
    assert followed(CellKey("/vault\nold/a", "old/a.en.md#x"), moves) == CellKey("/vault\nnew/b", "new/b.en.md#x")
    assert followed(CellKey("/vault\nold/a", "ddp"), moves) == CellKey("/vault\nnew/b", "ddp")
    other = CellKey("/vault\nother", "other.md#x")
    assert followed(other, moves) == other


@pytest.fixture
def ended() -> list[BatchProgress]:
    """Give a list for the batches that have ended."""
    return []


@pytest.fixture
def batch(ended: list[BatchProgress]) -> BatchRun:
    """Give a batch that adds its end to `ended`."""
    made = BatchRun()
    made.ended.connect(ended.append)
    return made


def test_the_last_result_ends_a_batch(batch: BatchRun, ended: list[BatchProgress]) -> None:
    """It is emitted once, with the names by result; a run outside the batch is ignored."""
    batch.begin(["a", "b"], new=True)
    batch.begin(["c"], new=False)
    for name, fate in (("b", "failed"), ("other", "proven"), ("a", "proven")):
        batch.note(name, fate)  # type: ignore[arg-type]  # a string of the literal
    assert ended == []
    batch.note("c", "others")
    assert ended == [BatchProgress(set(), ["a"], ["b"], ["c"])]
    batch.note("c", "others")
    assert len(ended) == 1


def test_a_new_or_dropped_batch_forgets_the_old_one(batch: BatchRun, ended: list[BatchProgress]) -> None:
    """Late results of its runs count no more."""
    batch.begin(["a"], new=True)
    batch.begin(["b"], new=True)
    batch.note("a", "proven")
    assert ended == []
    batch.forget()
    batch.note("b", "proven")
    assert ended == []


@pytest.mark.parametrize(
    ("status", "as_recorded", "fate"),
    [
        ("passed", None, "proven"),
        ("passed", True, "proven"),
        ("passed", False, "failed"),
        ("failed", None, "failed"),
        ("timeout", None, "failed"),
        ("stopped", None, "others"),
        ("unavailable", None, "others"),
    ],
)
def test_the_result_of_a_run(
    outcome: Callable[..., Outcome],
    status: str,
    as_recorded: bool | None,  # noqa: FBT001 - a parameter of the test
    fate: Fate,
) -> None:
    """A run that passed counts as failed only if its output differs from the recorded one."""
    assert fate_of(outcome(status), as_recorded=as_recorded) == fate
