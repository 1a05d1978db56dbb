"""One text is turned into another with few changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.editor.text_diff import TextReplacement, pieces, units, up_to

TEXTS = st.text(st.sampled_from("ab\n中😀"), max_size=30)


def applied(old: str, new: str) -> str:
    for piece in reversed(pieces(old, new)):
        old = old[: piece.start] + piece.text + old[piece.end :]
    return old


@given(TEXTS, TEXTS)
def test_pieces_make_the_new_text(old: str, new: str) -> None:
    """Whatever the two texts are, the replacements turn one into the other."""
    assert applied(old, new) == new


def test_lines_that_are_the_same_are_left_alone() -> None:
    """Equal lines are not touched, so that a caret in them stays in place."""
    assert pieces("a\nb\nc\n", "x\na\nb\nc\ny\n") == (TextReplacement(0, 0, "x\n"), TextReplacement(6, 6, "y\n"))
    assert pieces("one two\n", "one too\n") == (TextReplacement(5, 6, "o"),)
    assert pieces("same", "same") == ()


def test_long_texts_are_compared_as_a_whole() -> None:
    """Thousands of changed lines are one replacement, since comparing them would take seconds."""
    old, new = "a\n" * 5000, "b\n" * 5000
    assert len(pieces(old, new)) == 1
    assert applied(old, new) == new


def test_units() -> None:
    """An emoji is two UTF-16 units."""
    assert [units(text) for text in ("", "abc", "中文", "a😀")] == [0, 3, 2, 3]
    assert up_to("a😀b", 3) == "a😀"
    assert up_to("abc", 2) == "ab"
