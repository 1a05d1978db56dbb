"""Rows of search results: marked words, and texts for screen readers."""

from __future__ import annotations

from app.widgets.list_delegates import QuerySuggestion, Row, spans


def test_marks_are_found_whatever_their_case_and_the_longer_goes_first() -> None:
    """A part of a marked word is not marked again."""
    assert spans("Gather and gather_by_row", ("gather", "gather_by_row")) == [(0, 6), (11, 24)]
    assert spans("nothing", ()) == []
    assert spans("a.b", (".",)) == [(1, 2)]


def test_marks_stay_at_their_place_behind_letters_that_grow_in_lower_case() -> None:
    """The Turkish capital I with a dot is two characters in lower case."""
    assert spans("\u0130stanbul gather", ("gather",)) == [(9, 15)]


def test_a_row_speaks_all_it_shows() -> None:
    """A screen reader gets heading, place with the language, text and reason; for a suggestion its detail."""
    row = Row("gather", "tensors", "zh", "按下标", "by pinyin", (), "a.md", "", 1)
    assert row.spoken == "gather, tensors    中, 按下标, by pinyin"
    assert QuerySuggestion("tag:amp", "3 notes", "tag:amp ").spoken == "tag:amp, 3 notes"
    assert QuerySuggestion("tag:amp", "", "tag:amp ").spoken == "tag:amp"
