"""Tests of finding text in a document."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from app.reader.document_search import MOST, DocumentSearch, places
from app.style.theme import LIGHT


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Tensor, tensor", ["tensor"], [(0, 6), (8, 14)]),
        ("a.b axb", ["a.b"], [(0, 3)]),
        ("scatter_add", ["scatter", "scatter_add"], [(0, 11)]),
        ("🙂 x", ["x"], [(3, 4)]),
        ("x", ["", "  "], []),
    ],
)
def test_places(qtbot: QtBot, text: str, words: list[str], found: list[tuple[int, int]]) -> None:
    """Any case of letters, nothing as a pattern, the longest word first, in Qt's positions; blank words are ignored."""
    assert places(QTextDocument(text), words) == found


def test_the_number_of_places_is_bounded(qtbot: QtBot) -> None:
    """A word that occurs everywhere is not marked everywhere."""
    assert len(places(QTextDocument("a " * (MOST + 10)), ["a"])) == MOST


def test_find_goes_around_in_both_directions(qtbot: QtBot) -> None:
    """The first match is at or after the start, the same text again is the next one, and the end leads to the start."""
    search = DocumentSearch(QTextDocument("x x x"), LIGHT)
    assert [search.find("x", 2, backward=False) for _ in range(3)] == [(2, 3), (4, 5), (0, 1)]
    assert search.find("x", 2, backward=True) == (4, 5)
    assert search.count == 3
    assert search.find("y", 0, backward=False) is None
    assert (search.count, search.current) == (0, -1)


def test_the_current_match_differs_from_the_others(qtbot: QtBot) -> None:
    """Marked words and matches are highlighted; one of them is the current match."""
    search = DocumentSearch(QTextDocument("x y x"), LIGHT)
    search.mark(["y"])
    search.find("x", 0, backward=False)
    colours = [one.format.background().color().name() for one in search.selections()]
    assert colours == [LIGHT.mark, LIGHT.accent, LIGHT.mark]
