"""Two changes of one text are merged where they do not touch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.notes import three_way_merge
from kb.notes.three_way_merge import merge

BASE = "one\ntwo\nthree\nfour\nfive\n"
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "", "d\r\n"]), max_size=8).map("".join)


def test_changes_apart_are_merged() -> None:
    """Replaced, added and removed lines, at either end and in between."""
    assert merge(BASE, BASE.replace("one", "ONE"), BASE.replace("five", "FIVE")) == "ONE\ntwo\nthree\nfour\nFIVE\n"
    assert merge(BASE, "zero\n" + BASE, BASE + "six\n") == f"zero\n{BASE}six\n"
    assert merge(BASE, BASE.replace("two\n", ""), BASE.replace("five\n", "5\n6\n")) == "one\nthree\nfour\n5\n6\n"


def test_changes_that_touch_are_not_merged() -> None:
    """Of the same line, of neighbouring lines, or added at the same place."""
    assert merge(BASE, BASE.replace("two", "TWO"), BASE.replace("two", "2")) is None
    assert merge(BASE, BASE.replace("two", "TWO"), BASE.replace("three", "3")) is None
    assert merge(BASE, BASE + "mine\n", BASE + "theirs\n") is None


def test_the_same_change_is_one() -> None:
    """Also beside another one."""
    both = BASE.replace("two", "TWO")
    assert merge(BASE, both, both) == both
    assert merge(BASE, both.replace("five", "5"), both) == both.replace("five", "5")


def test_too_much_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user decides, as about changes that touch."""
    monkeypatch.setattr(three_way_merge, "_MOST_LINES", 2)
    assert merge(BASE, "1\n2\n3\n4\n5\n", BASE + "six\n") is None


@given(LINES, LINES)
def test_a_change_of_one_side_is_taken(base: str, text: str) -> None:
    """Whatever it is."""
    assert merge(base, base, text) == merge(base, text, base) == text


@given(LINES, LINES, LINES)
def test_both_sides_are_equal(base: str, mine: str, theirs: str) -> None:
    """It does not matter which one is ours; every line of the result is of one of the three."""
    made = merge(base, mine, theirs)
    assert made == merge(base, theirs, mine)
    if made is not None:
        known = {line for text in (base, mine, theirs) for line in text.splitlines(keepends=True)}
        assert set(made.splitlines(keepends=True)) <= known
