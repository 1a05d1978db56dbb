"""Searching through the real window: filters, help, what was opened lately, and a field that composes Chinese."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.state.settings import VaultState, load
from app.widgets.list_delegates import QuerySuggestion, Row
from kb.files.paths import UserPaths


def headings(run: Any) -> list[str]:
    """Return the headings of the hits in view."""
    return [row.heading for row in run.window.search_controller.popup.rows if isinstance(row, Row)]


def offered(run: Any) -> list[str]:
    """Return the offers in view."""
    return [row.label for row in run.window.search_controller.popup.rows if isinstance(row, QuerySuggestion)]


def press(run: Any, key: Qt.Key) -> None:
    """Press a key in the search field."""
    QTest.keyClick(run.window.search_controller.field, key)


def answered(run: Any, text: str) -> None:
    """Type into the empty field, and wait for the answer to all of it."""
    field, popup = run.window.search_controller.field, run.window.search_controller.popup
    run.window.search_controller.enter()
    QTest.keyClicks(field, text)
    run.until(
        lambda: popup.query == text.lstrip() and run.workspace.search_service._wanted is None and popup.isVisible()
    )


def compose(run: Any, *preedits: str, commit: str = "") -> None:
    """Compose with an input method: what is shown at each key, and what is confirmed at the end."""
    field = run.window.search_controller.field
    for preedit in preedits:
        QApplication.sendEvent(field, QInputMethodEvent(preedit, []))
    last = QInputMethodEvent("", [])
    if commit:
        last.setCommitString(commit)
    QApplication.sendEvent(field, last)


@pytest.fixture
def ready(run: Any) -> Any:
    """Give a window that has the keyboard, with its first note open."""
    run.window.activateWindow()
    run.until(lambda: run.workspace.notes.current is not None)
    return run


def test_chinese_is_searched_once_it_is_confirmed(ready: Any) -> None:
    """Nothing of what is being composed is a query; what was confirmed is, and its words are marked."""
    asked: list[str] = []
    ready.window.search_controller.field.asked.connect(asked.append)
    ready.window.search_controller.enter()
    compose(ready, "x", "xia", "xia biao yue jie", commit="下标越界")
    ready.until(lambda: "越界与报错" in headings(ready))
    assert asked == ["下标越界"]
    row = next(row for row in ready.window.search_controller.popup.rows if row.heading == "越界与报错")
    assert any("越界" in mark for mark in row.marks)


def test_composing_that_is_given_up_leaves_the_query_of_before(ready: Any) -> None:
    """No search comes of the letters, and typing goes on."""
    answered(ready, "bounds")
    asked: list[str] = []
    ready.window.search_controller.field.asked.connect(asked.append)
    compose(ready, "x", "xi")
    ready.until(lambda: asked)
    assert asked == ["bounds"]
    press(ready, Qt.Key.Key_Return)
    ready.until(lambda: ready.workspace.notes.current.place.path == "tensors/gather.en.md")


def test_no_key_of_the_input_method_takes_a_filter_or_an_offer(ready: Any) -> None:
    """Backspace and Tab are its own while it composes."""
    answered(ready, "tag:indexing ")
    field = ready.window.search_controller.field
    QApplication.sendEvent(field, QInputMethodEvent("xia", []))
    press(ready, Qt.Key.Key_Backspace)
    assert field.text().startswith("tag:indexing")
    compose(ready)


def test_filters_are_chips_that_backspace_takes_out(ready: Any) -> None:
    """Behind the blank that ends it a filter goes as a whole, and undoing brings it back."""
    answered(ready, "tag:indexing bounds")
    searching = ready.window.search_controller
    (chip,) = searching.popup.chips.buttons
    assert chip.text().startswith("tag: indexing")
    assert headings(ready)[0] == "Bounds and errors"
    field = searching.field
    field.setCursorPosition(len("tag:indexing "))
    press(ready, Qt.Key.Key_Backspace)
    assert field.text() == "bounds"
    ready.until(lambda: not searching.popup.chips.buttons)
    field.undo()
    assert field.text() == "tag:indexing bounds"
    ready.until(lambda: searching.popup.chips.buttons)
    QTest.mouseClick(searching.popup.chips.buttons[0], Qt.MouseButton.LeftButton)
    assert field.text() == "bounds"
    assert ready.window.focusWidget() is field


@pytest.mark.parametrize("key", [Qt.Key.Key_Tab, Qt.Key.Key_Return])
def test_a_filter_completes_with_what_the_vault_has(ready: Any, key: Qt.Key) -> None:
    """Tab or Enter takes the first offer; then the hits of that filter are there."""
    answered(ready, "tag:")
    assert set(offered(ready)) == {"tag:indexing", "tag:tensors"}
    QTest.keyClicks(ready.window.search_controller.field, "ind")
    ready.until(lambda: offered(ready) == ["tag:indexing"])
    press(ready, key)
    assert ready.window.search_controller.field.text() == "tag:indexing "
    ready.until(lambda: "Bounds and errors" in headings(ready) and not offered(ready))
    assert ready.window.focusWidget() is ready.window.search_controller.field


def test_help_is_one_key_away_and_its_examples_can_be_tried(ready: Any) -> None:
    """Escape puts it away before it leaves the field; the keyboard stays with the field."""
    searching = ready.window.search_controller
    searching.enter()
    press(ready, Qt.Key.Key_F1)
    assert searching.help.isVisible()
    assert not searching.popup.isVisible()
    spoken = [searching.help.list.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(16)]
    assert any("status:failed" in one for one in spoken)
    press(ready, Qt.Key.Key_Escape)
    assert not searching.help.isVisible()
    assert ready.window.focusWidget() is searching.field
    searching.field._help.trigger()
    assert searching.help.isVisible()
    ready.window.deferred.view_commands.choose_language("zh")
    assert searching.help.title.text() == "可以这样搜索"
    ready.window.deferred.view_commands.choose_language("en")
    searching.field._help.trigger()
    at = next(row for row, one in enumerate(spoken) if one.startswith("title:gather"))
    for _ in range(at + 1):
        press(ready, Qt.Key.Key_Down)
    assert ready.window.focusWidget() is searching.field
    press(ready, Qt.Key.Key_Return)
    assert searching.field.text() == "title:gather"
    ready.until(lambda: headings(ready) and searching.popup.chips.buttons)
    assert not searching.help.isVisible()


def test_a_correction_is_said_and_what_was_typed_is_one_key_away(ready: Any) -> None:
    """The first hit is current; the row above it searches for the word as it was typed."""
    answered(ready, "brodcasting")
    popup = ready.window.search_controller.popup
    assert offered(ready) == ["Showing results for broadcasting"]
    assert isinstance(popup.current(), Row)
    assert "corrected: brodcasting → broadcasting" in popup.current().why
    press(ready, Qt.Key.Key_Up)
    press(ready, Qt.Key.Key_Return)
    assert ready.window.search_controller.field.text() == '"brodcasting"'
    ready.until(lambda: "Nothing found" in popup.message.text())


def test_where_nothing_fits_each_condition_can_be_dropped(ready: Any) -> None:
    """Enter takes the first way out."""
    answered(ready, "bounds tag:nothing ")
    popup = ready.window.search_controller.popup
    ready.until(popup.message.isVisible)
    assert "fits all of this" in popup.message.text()
    assert offered(ready) == ["Without tag:nothing"]
    press(ready, Qt.Key.Key_Return)
    ready.until(lambda: "Bounds and errors" in headings(ready))


def test_a_wrong_filter_is_read_as_words_and_shown_as_such(ready: Any) -> None:
    """Never an error."""
    answered(ready, "modified:someday bounds")
    (chip,) = ready.window.search_controller.popup.chips.buttons
    assert "not understood" in chip.accessibleName()
    assert "Bounds and errors" in headings(ready)


def test_what_was_opened_lately_comes_back_without_what_is_gone(opened: Any, places: UserPaths) -> None:
    """Sections by their headings, across starts; a section or a note that is gone is forgotten."""
    first = opened(None)
    first.until(lambda: first.workspace.notes.current is not None and first.workspace.notes.entries)
    first.open("tensors/gather.en.md", anchor="long-work")
    first.open("tensors/gather.en.md", anchor="bounds-and-errors")
    first.open("tensors/expand.md")
    first.window.deferred.close_guard.force_close()
    first.until(lambda: not first.window.isVisible())
    assert load(places.for_vault(places.user_vault).state, VaultState).value.recent
    note = places.user_vault / "tensors" / "gather.en.md"
    note.write_text(note.read_text("utf-8").replace("## Long work", "## Patience"), "utf-8")
    second = opened(None)
    second.until(lambda: second.workspace.notes.entries and second.workspace.notes.current)
    second.until(lambda: not any("long-work" in one for one in second.workspace.state.recent))
    second.window.search_controller.enter()
    assert headings(second)[:2] == ["expand and broadcasting", "Bounds and errors"]
    assert "Long work" not in headings(second)
    assert "tag:" in offered(second)
    press(second, Qt.Key.Key_Down)
    with second.qtbot.waitSignal(second.workspace.notes.opened, timeout=30_000):
        press(second, Qt.Key.Key_Return)
    assert second.workspace.notes.current.place.anchor == "bounds-and-errors"


def test_results_come_while_the_index_grows_and_none_moves_the_chosen_row(ready: Any) -> None:
    """What the index learns comes below the row that was chosen by keys."""
    answered(ready, "gather")
    popup = ready.window.search_controller.popup
    press(ready, Qt.Key.Key_Down)
    before, chosen = headings(ready), popup.current()
    (ready.vault / "new.md").write_text("# gather gather gather\n\ngather gather\n", "utf-8")
    ready.until(lambda: "gather gather gather" in headings(ready))
    assert headings(ready)[: len(before)] == before
    assert popup.current().same == chosen.same


def test_escape_from_the_results_leaves_the_page_where_it_was(ready: Any) -> None:
    """The same note at the same height, though a query was typed and rows were walked through."""
    ready.window.resize(900, 500)
    ready.open("tensors/gather.en.md")
    view = ready.window.central.reader.view
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    assert bar.value() > 0
    place = bar.value(), ready.workspace.notes.current.place.path, ready.page()
    answered(ready, "expand")
    press(ready, Qt.Key.Key_Down)
    press(ready, Qt.Key.Key_Escape)
    assert (bar.value(), ready.workspace.notes.current.place.path, ready.page()) == place
    assert ready.window.focusWidget() is view


def test_a_pasted_traceback_is_a_query_however_long_it_is(ready: Any) -> None:
    """The line that says what went wrong is its last."""
    frames = "".join(f'  File "/home/me/run{number}.py", line {number}, in step\n    go()\n' for number in range(2000))
    clipboard = QApplication.clipboard()
    clipboard.setText(f"Traceback (most recent call last):\n{frames}RuntimeError: index past the end of bounds\n")
    field = ready.window.search_controller.field
    ready.window.search_controller.enter()
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    clipboard.clear()
    assert field.text().endswith("RuntimeError: index past the end of bounds")
    assert len(field.text()) < 8000
    ready.until(lambda: headings(ready)[:1] == ["Bounds and errors"])
    press(ready, Qt.Key.Key_Escape)


def test_shift_tab_and_tab_leave_the_field_where_nothing_is_offered(ready: Any) -> None:
    """Tab completes only what is being completed."""
    answered(ready, "bounds")
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(ready.window.search_controller.field, event)
    assert ready.window.focusWidget() is not ready.window.search_controller.field
    assert not ready.window.search_controller.popup.isVisible()


def test_rows_speak(ready: Any) -> None:
    """A screen reader hears each row, and the list has a name in the language of the interface."""
    answered(ready, "bounds")
    popup = ready.window.search_controller.popup
    model = popup.list.model()
    spoken = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]
    assert spoken
    assert all("gather" in one for one in spoken)
    assert popup.list.accessibleName() == "Search results"
