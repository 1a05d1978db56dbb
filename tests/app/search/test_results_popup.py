"""Results as they are shown: rows of hits, and a list that never jumps under the pointer or a chosen row."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.search.results_popup import UNSURE_MS, ResultsPopup, rows_of
from app.style.appearance import Appearance
from app.widgets.list_delegates import QuerySuggestion, Row
from kb.results import Hit, Progress


def hit(*why: str, heading: str = "Bounds", path: str = "a/gather.en.md") -> Hit:
    """Return a hit of a note in a folder."""
    return Hit(path, heading, 3, "bounds", "en", "gather", ("gather",), 1.0, "one\nline", ("bounds",), why)


def rows(*names: str) -> tuple[Row, ...]:
    """Return rows by their headings."""
    return tuple(Row(name, "a", "en", f"about {name}", "", (), f"{name}.md", name, 1) for name in names)


def shown(popup: ResultsPopup) -> list[str]:
    """Return the headings in the list, from top to bottom."""
    return [row.heading if isinstance(row, Row) else row.label for row in popup.rows]


@pytest.fixture
def popup(look: Appearance, qtbot: QtBot) -> Iterator[ResultsPopup]:
    """Give the sheet of results over a window that is shown."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(1000, 700)
    window.show()
    made = ResultsPopup(Translator("en"), look, window)
    yield made
    window.close()


def show(popup: ResultsPopup, *found: Row | QuerySuggestion, query: str = "q", start: int = 0) -> None:
    """Show an answer in its place, painted."""
    popup.show_rows(found, query=query, start=start)
    popup.place(QPoint(20, 40), 640)
    QApplication.processEvents()


def point_at(popup: ResultsPopup, row: int) -> QPoint:
    """Move the pointer over a row; return where that is on the viewport."""
    at = popup.list.visualRect(popup.list.model().index(row, 0)).center()
    QTest.mouseMove(popup.list.viewport(), at)
    QApplication.processEvents()
    return at


def test_a_row_says_where_it_leads() -> None:
    """Folder, note and headings above, each once; the excerpt in one line."""
    (row,) = rows_of([hit()], "bounds", Translator("en"))
    assert (row.heading, row.place, row.excerpt) == ("Bounds", "a / gather", "one line")
    assert (row.path, row.anchor, row.line, row.marks) == ("a/gather.en.md", "bounds", 3, ("bounds",))


def test_text_before_the_first_heading_is_shown_under_the_notes_title() -> None:
    """It has no heading of its own, and its place does not say the title again."""
    (row,) = rows_of([hit(heading="")], "x", Translator("en"))
    assert (row.heading, row.place) == ("gather", "a")
    (row,) = rows_of([hit(heading="", path="gather.md")], "x", Translator("en"))
    assert row.place == "gather.md"


def test_a_new_query_begins_at_its_best(popup: ResultsPopup) -> None:
    """Whatever was chosen in the list of another one."""
    show(popup, *rows("a", "b", "c"), query="one")
    popup.move_by(2)
    show(popup, *rows("c", "d"), query="two")
    assert popup.current() == rows("c")[0]


def test_an_answer_may_begin_behind_what_is_offered(popup: ResultsPopup) -> None:
    """The offers stand above, one key away."""
    offer = QuerySuggestion("Showing results for scatter", "search instead for scater", '"scater"')
    show(popup, offer, *rows("a"), start=1)
    assert popup.current() == rows("a")[0]
    popup.move_by(-1)
    assert popup.current() == offer


def test_a_row_chosen_by_keys_stays_where_it_is(popup: ResultsPopup) -> None:
    """A newer answer to the same query changes what rows say, and adds below; none moves."""
    show(popup, *rows("a", "b", "c"))
    popup.move_by(1)
    place = popup.list.visualRect(popup.list.currentIndex())
    show(popup, *rows("new", "c", "b"))
    assert shown(popup) == ["a", "b", "c", "new"]
    assert popup.current() == rows("b")[0]
    assert popup.list.visualRect(popup.list.currentIndex()) == place


def test_no_row_moves_under_the_pointer(popup: ResultsPopup) -> None:
    """Not while the pointer is over the list; the new order comes when it has left."""
    show(popup, *rows("a", "b", "c"))
    at = point_at(popup, 2)
    show(popup, *rows("new", "a", "c", "b"))
    assert shown(popup) == ["a", "b", "c", "new"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QApplication, "keyboardModifiers", staticmethod(lambda: Qt.KeyboardModifier.NoModifier))
        chosen: list[Row] = []
        popup.row_chosen.connect(lambda row, _: chosen.append(row))
        QTest.mouseClick(popup.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen == [rows("c")[0]]
    QTest.mouseMove(popup.window(), QPoint(5, 5))
    QApplication.processEvents()
    assert shown(popup) == ["new", "a", "c", "b"]
    assert popup.current() == rows("a")[0] or popup.current() == rows("c")[0]


def test_left_alone_the_list_takes_the_newer_order(popup: ResultsPopup) -> None:
    """The row that would be opened by Enter is still the one that was lit."""
    show(popup, *rows("a", "b"))
    show(popup, *rows("new", "a", "b"))
    assert shown(popup) == ["new", "a", "b"]
    assert popup.current() == rows("a")[0]


def test_the_best_stay_in_sight(popup: ResultsPopup) -> None:
    """Where a newer order takes a row that nobody chose far down, the best is lit instead; a chosen one is kept."""
    later = rows(*"bcdefghijklma")
    show(popup, *rows("a", "b"))
    show(popup, *later)
    assert popup.current() == later[0]
    assert popup.list.verticalScrollBar().value() == 0
    popup.move_by(1)
    show(popup, *rows("x", *"bcdefghijklma"))
    assert popup.current() == later[1]


def test_a_click_just_after_the_rows_changed_under_the_pointer_opens_nothing(popup: ResultsPopup, qtbot: QtBot) -> None:
    """It was meant for what stood there; a moment later a click is a click again."""
    chosen: list[Row] = []
    popup.row_chosen.connect(lambda row, _: chosen.append(row))
    show(popup, *rows("a", "b"), query="one")
    at = point_at(popup, 1)
    show(popup, *rows("c", "d"), query="two")
    QTest.mouseClick(popup.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen == []
    qtbot.waitUntil(lambda: popup._since.hasExpired(UNSURE_MS))
    QTest.mouseClick(popup.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert [row.heading for row in chosen] == ["d"]


def test_while_the_index_grows_its_progress_is_told(popup: ResultsPopup) -> None:
    """Then the place in the list, and the time it took."""
    popup.show_rows(rows("a", "b"), query="q", seconds=0.004, progress=Progress(3, 9))
    assert "Indexing 3 of 9" in popup.footer.text()
    popup.reword(None)
    assert "1 of 2 · 4 ms" in popup.footer.text()


@pytest.mark.parametrize("count", [1, 3, 30])
def test_no_row_is_cut_off(popup: ResultsPopup, count: int) -> None:
    """The sheet ends with a whole row, and a list that fits has no bar to scroll it."""
    show(popup, *rows(*(f"row {number}" for number in range(count))))
    view, bottom = popup.list.viewport(), popup.list.viewport().height()
    places = [popup.list.visualRect(popup.list.model().index(row, 0)) for row in range(count)]
    assert all(place.bottom() < bottom or place.top() >= bottom for place in places)
    assert any(place.top() < bottom for place in places)
    assert popup.list.verticalScrollBar().isVisible() is (places[-1].bottom() >= view.height())
