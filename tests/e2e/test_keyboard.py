"""The keyboard alone reaches everything, as the eye goes, is caught nowhere, and is in sight wherever it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QKeySequenceEdit, QScrollArea, QWidget
from shiboken6 import isValid

from app.editor.find_replace_bar import NAME
from app.editor.source_editor import SourceEditor
from app.style.theme import contrast
from tests.e2e.surfaces import SURFACES

WHERE = ("reading", "editing", "finding", "told", "doctor", "settings", "replace", "log")
SEEN = 3.0  # the contrast of what shows where one is (WCAG 2.2, 1.4.11 and 2.4.13)
LEAST = 24  # pixels that change so when the keyboard comes
MOST = 400  # presses of Tab


def visit(run: Any) -> Iterator[str]:
    """Bring one surface after the other into view, and leave each as a person would, by Escape."""
    run.window.activateWindow()
    run.until(run.window.isActiveWindow)
    for where in WHERE:
        SURFACES[where](run)
        QApplication.processEvents()
        run.until(lambda: not run.workspace.vault_scanner.busy and run.workspace.search_service.progress is None)
        yield where
        run.window.central.find_bar.hide()
        if run.window.central.editing:
            run.window.central.toggle_editor()


def test_tab_goes_as_the_eye_does_and_comes_to_everything(run: Any) -> None:
    """Part by part, each from the top left; nothing is left out, nothing holds it, and Shift+Tab goes the way back."""
    for where in visit(run):
        way = list(walk(run.window))
        assert len(way) == len({id(one) for one in way}), where
        assert [describe(one) for one in takers(run.window) if one not in way] == [], f"{where}: never reached"
        # In a page's own part of the window a line of controls is read before the next.
        turned = [
            f"{describe(a)}, then {describe(b)}" for a, b in pairwise(from_the_top(run, way)) if not follows(run, a, b)
        ]
        assert turned == [], where
        back = list(walk(run.window, back=True))
        assert [describe(one) for one in back[1:]] == [describe(one) for one in reversed(way[1:])], where


def walk(window: Any, *, back: bool = False) -> Iterator[QWidget]:
    """Press Tab, or Shift+Tab, until it comes round, and yield each stop; where Tab writes, go on by hand."""
    first = before = window.focusWidget()
    yield first
    for _ in range(MOST):
        here = window.focusWidget()
        if isinstance(here, SourceEditor):
            editor = window.central.editor
            (editor.header.done_button if back else editor.find_bar.pattern).setFocus(
                Qt.FocusReason.ShortcutFocusReason
            )
        else:
            QTest.keyClick(here, Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab)
        if (now := window.focusWidget()) is first and now is not here:
            return
        if now is not before:
            before = now
            yield now
    pytest.fail(f"caught at {describe(before)}")


def takers(window: QWidget) -> list[QWidget]:
    """Return all in view that takes the keyboard by Tab; of exclusive buttons the chosen one."""
    found = (
        one for one in window.findChildren(QWidget) if one.window() is window and one.isVisible() and one.isEnabled()
    )
    stops = (one for one in found if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.focusProxy() is None)
    return [one for one in stops if not isinstance(one, QAbstractButton) or one.group() is None or one.isChecked()]


def from_the_top(run: Any, way: list[QWidget]) -> list[QWidget]:
    """Return the stops from the first control of the window on."""
    for area in run.window.findChildren(QScrollArea):
        area.verticalScrollBar().setValue(0)
    at = way.index(run.window.bar.menu_button)
    return [*way[at:], *way[:at]]


def follows(run: Any, one: QWidget, other: QWidget) -> bool:
    """Tell whether a stop is read after another: in a later part, or in the same part below it or to its right."""
    window = run.window
    parts = (window.bar, window.tree, window.central, window.outline, window.status)
    at, then = (next(i for i, part in enumerate(parts) if part.isAncestorOf(stop)) for stop in (one, other))
    if at != then or beside_each_other(run, one, other):
        return at <= then
    first, second = place(one), place(other)
    if second.top() <= first.center().y() and first.top() <= second.center().y():
        return first.left() < second.left()
    return first.top() < second.top()


def beside_each_other(run: Any, one: QWidget, other: QWidget) -> bool:
    """Tell whether two stops lie in the two halves of the editor, or in the columns of its fields and their buttons.

    Of each pair the left one is gone through first: from what is looked for Tab comes to what is put in its place.
    """
    preview = run.window.central.preview.view
    columns = [up for stop in (one, other) for up in above(stop) if up.objectName() == NAME]
    if len(columns) == 2 and columns[0] is not columns[1] and columns[0].parent() is columns[1].parent():
        return place(columns[0]).left() <= place(columns[1]).left()
    return other is preview and run.window.central.editor.isAncestorOf(one)


def above(widget: QWidget) -> Iterator[Any]:
    """Yield what a widget lies in, the innermost first."""
    up = widget.parentWidget()
    while up is not None:
        yield up
        up = up.parentWidget()


def place(widget: QWidget) -> QRect:
    """Return where a widget lies in its window, though it may be scrolled out of sight."""
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


def describe(widget: QWidget) -> str:
    """Say which widget it is."""
    return f"{type(widget).__name__} {widget.objectName()} {widget.accessibleName()!r}"


def test_the_focus_is_in_sight_everywhere(run: Any) -> None:
    """In both themes: where the keyboard comes, enough pixels change, and by a contrast of 3 to 1."""
    unseen = []
    for theme in ("light", "dark"):
        run.window.deferred.view_commands.choose_theme(theme)
        for where in visit(run):
            stops = [one for one in takers(run.window) if not isinstance(one, QKeySequenceEdit)]
            keys = [one for one in takers(run.window) if isinstance(one, QKeySequenceEdit)][:1]
            lit = {describe(one): brightest(run, one) for one in (*stops, *keys) if still(one)}
            unseen += [f"{theme} {where}: {name} {found}" for name, found in lit.items() if found[0] < LEAST]
    assert unseen == []


def still(widget: QWidget) -> bool:
    """Tell whether a control is there yet: the panels are filled anew now and then."""
    return isValid(widget) and widget.isVisible() and not widget.size().isEmpty()


def brightest(run: Any, widget: QWidget) -> tuple[int, float]:
    """Return how many pixels change by enough contrast when the keyboard comes by Tab, and the greatest such."""
    field = run.window.search_controller.field
    (field if widget is not field else run.window.bar.menu_button).setFocus(Qt.FocusReason.TabFocusReason)
    for area in run.window.findChildren(QScrollArea):
        if area.isAncestorOf(widget):
            area.ensureWidgetVisible(widget)
    before = picture(widget)
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    return changed(before, picture(widget))


def picture(widget: QWidget) -> QImage:
    """Return how a widget looks now, with its frame and a little around it."""
    QApplication.processEvents()
    window = widget.window()
    return window.grab(place(widget).adjusted(-2, -2, 2, 2)).toImage()


def changed(before: QImage, now: QImage) -> tuple[int, float]:
    """Count the pixels that differ by a contrast of 3 to 1."""
    pairs = Counter((one, other) for one, other in zip(pixels(before), pixels(now), strict=True) if one != other)
    found = {pair: contrast(*(f"#{colour & 0xFFFFFF:06x}" for colour in pair)) for pair in pairs}
    return sum(pairs[pair] for pair, much in found.items() if much >= SEEN), round(max(found.values(), default=1), 2)


def pixels(image: QImage) -> memoryview:
    """Return a picture's pixels, one after the other."""
    made = image.convertToFormat(QImage.Format.Format_RGB32)  # has to be there until its bits are copied
    return memoryview(bytes(made.constBits())).cast("I")


def test_escape_leads_back_to_the_page(run: Any) -> None:
    """From every part of the window, from what lies over it, and out of the windows beside it; F6 goes out and on."""
    SURFACES["told"](run)
    window, view = run.window, run.window.central.reader.view
    window.activateWindow()
    for stop in takers(window):
        if stop is not view and isValid(stop) and stop.isVisible():
            stop.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
            assert window.focusWidget() is view, describe(stop)
    for where in ("doctor", "settings", "replace", "log"):
        SURFACES[where](run)
        window.bar.menu_button.setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert window.central.isAncestorOf(window.focusWidget()), where
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert window.focusWidget() is view, where
    for where in ("past", "options", "palette", "new"):
        SURFACES[where](run)
        above = QApplication.activePopupWidget() or QApplication.activeWindow()
        assert above is not window
        run.until(lambda above=above: above.focusWidget() is not None)
        press(above, Qt.Key.Key_Escape)
        run.until(lambda above=above: not isValid(above) or not above.isVisible())


def press(window: Any, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the keyboard is in a window, as a shortcut where it is one."""
    QTest.keyClick(window.focusWidget() or window, key, modifiers)


def test_a_cell_is_used_by_tab_and_enter(run: Any) -> None:
    """Its buttons are come to one after the other and pressed; the keyboard stays where it was."""
    run.window.activateWindow()
    SURFACES["reading"](run)
    view = run.window.central.reader.view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[str] = []
    while "copy" not in (seen[-1:] or [""])[0]:
        press(run.window, Qt.Key.Key_Tab)
        assert run.window.focusWidget() is view
        seen.append(view.textCursor().selectedText().replace("\u00a0", " ").strip())
        rect = view.cursorRect()
        assert view.viewport().rect().contains(rect)
    assert seen[-3:] == ["▶ Run", "cpu ▾", "copy"]
    press(run.window, Qt.Key.Key_Return)
    assert QApplication.clipboard().text().strip() == 'print("hello from the note")'
    for _ in range(2):
        press(run.window, Qt.Key.Key_Backtab)
    with run.qtbot.waitSignal(view.run_requested):
        press(run.window, Qt.Key.Key_Return)
    run.until(lambda: not run.workspace.runs.active)
    press(run.window, Qt.Key.Key_Tab)
    assert run.window.focusWidget() is view
    assert view.textCursor().selectedText().strip()


def test_the_editor_and_the_notices_are_left_by_keys(run: Any) -> None:
    """F6 goes out of the source, where Tab writes; a choice that is made gives the keyboard on."""
    SURFACES["editing"](run)
    window = run.window
    window.activateWindow()
    source = window.central.editor.source
    source.setFocus()
    before = source.text()
    press(window, Qt.Key.Key_F6)
    assert window.focusWidget() is window.central.editor.find_bar.pattern
    source.setFocus()
    press(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert window.central.editor.header.isAncestorOf(window.focusWidget())
    assert source.text() == before
    window.central.toggle_editor()
    SURFACES["told"](run)
    card = window.central.notification_bar.cards[0]
    card.buttons[0][0].setFocus(Qt.FocusReason.TabFocusReason)
    press(window, Qt.Key.Key_Space)
    run.until(lambda: card not in window.central.notification_bar.cards)
    assert window.focusWidget() is not None
    assert window.focusWidget().isVisible()
