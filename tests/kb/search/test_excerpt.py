"""The excerpt under a hit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.search.excerpt import LENGTH, excerpt


def shown(text: str, **words: float) -> str:
    """The excerpt of a text for weighed words."""
    return excerpt(text, text.lower(), words)


def test_it_stands_where_the_words_are() -> None:
    """The weightiest words together are seen, in one line, with dots where text is left out."""
    text = "start " + "filler " * 100 + "Freeze\n the  layers" + " filler" * 100
    found = shown(text, freeze=2.0, layers=1.0, start=1.0)
    assert found.startswith("…")
    assert found.endswith("…")
    assert "Freeze the layers" in found
    assert len(found) <= LENGTH + 2


def test_a_short_text_is_shown_whole() -> None:
    """No dots where nothing is left out."""
    assert shown("gather along dim 1", dim=1.0) == "gather along dim 1"
    assert shown("", dim=1.0) == ""
    assert shown("no such word") == "no such word"


def test_a_word_inside_another_does_not_count() -> None:
    """A Latin word is looked for where words begin."""
    assert "or else" in shown("for " * 100 + "or else " + "x " * 100, **{"or": 1.0})


def test_the_first_of_equal_places_is_shown() -> None:
    """A hit in the first line shows the first line."""
    assert shown("gather here " + "x " * 200 + "gather there", gather=1.0).startswith("gather here")


@given(st.text(max_size=600), st.dictionaries(st.text(min_size=1), st.floats(0, 9), max_size=5))
def test_any_text_has_an_excerpt(text: str, words: dict[str, float]) -> None:
    """It is one line and not longer than said."""
    found = excerpt(text, text, words)
    assert len(found) <= LENGTH + 2
    assert "\n" not in found


def test_a_text_without_a_break_is_cut_where_it_must_be() -> None:
    """Where no space or mark stands before the match, it begins with that."""
    found = shown("x" * 300 + "梯度" + "y" * 300, 梯度=1.0)
    assert found.startswith("…梯度y")
