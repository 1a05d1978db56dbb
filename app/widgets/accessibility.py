"""Screen reader announcements, and keyboard navigation through the stops of the window by Tab and F6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PySide6 import QtGui  # the accessibility classes load at the first announcement: a start makes none
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)

# Widgets whose children are not tab stops of their own.
_WHOLE = (QAbstractButton, QAbstractSpinBox, QComboBox, QKeySequenceEdit, QLabel, QLineEdit, QTabBar)
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


def announce(widget: QWidget, sentence: str, *, urgent: bool = False) -> None:
    """Let a screen reader speak a sentence about a widget, politely or at once."""
    if not sentence:
        return
    event = QtGui.QAccessibleAnnouncementEvent(widget, sentence)
    politeness = QtGui.QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QtGui.QAccessible.updateAccessibility(event)


def announce_alert(widget: QWidget, sentence: str, *, urgent: bool) -> None:
    """Announce a widget that has appeared and needs attention."""
    QtGui.QAccessible.updateAccessibility(QtGui.QAccessibleEvent(widget, QtGui.QAccessible.Event.Alert))
    announce(widget, sentence, urgent=urgent)


class LinkLabel(QLabel):
    """A label whose links can be reached, and left again, by Tab and Shift+Tab."""

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Go to the next link, or leave the label; Qt cannot go back from a link at the very beginning."""
        stuck = not next_ and self.hasSelectedText() and self.selectionStart() == 0
        return self.window().focusNextPrevChild(next_) if stuck else super().focusNextPrevChild(next_)


def closes_by_escape(window: QWidget) -> None:
    """Close a separate window by Escape, unless the focused widget uses the key."""
    QShortcut(QKeySequence(Qt.Key.Key_Escape), window).activated.connect(window.close)


def make_window(widget: QWidget, kind: Qt.WindowType = Qt.WindowType.Window) -> None:
    """Make a widget a window that Escape closes and that is deleted when closed."""
    widget.setWindowFlag(kind)
    widget.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    closes_by_escape(widget)


def tab_stops(part: QWidget) -> Iterator[QWidget]:
    """Yield the tab stops of a visible part, from the top left to the bottom right."""
    if takes_tab(part):
        yield part
    if isinstance(part, _WHOLE):
        return
    holder = part.viewport() if isinstance(part, QAbstractScrollArea) else part
    inner: list[QWidget] = holder.findChildren(QWidget, options=_DIRECT)
    for widget in in_sight(one for one in inner if not one.isHidden() and not one.isWindow()):
        yield from tab_stops(widget)


def takes_tab(widget: QWidget) -> bool:
    """Return whether a widget is a tab stop; in an exclusive group of buttons only the checked one is."""
    if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or not widget.isEnabled() or widget.focusProxy() is not None:
        return False
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    chosen = group.checkedButton() if group is not None and group.exclusive() else None
    return chosen is None or chosen is widget


def in_sight(widgets: Iterable[QWidget]) -> Iterator[QWidget]:
    """Yield widgets of one parent in reading order: line by line, each line from the left."""
    waiting = sorted(widgets, key=lambda one: one.geometry().center().y())
    while waiting:
        first = min(waiting, key=lambda one: one.y())
        line = [one for one in waiting if one is first or one.y() <= first.geometry().center().y()]
        yield from sorted(line, key=lambda one: (one.x(), one.y()))
        waiting = [one for one in waiting if one not in line]


def neighbour_stop(window: QWidget, *, back: bool) -> QWidget | None:
    """Return the tab stop after the focused one, or before it; the first follows the last."""
    found = list(tab_stops(window))
    at = _position(found, window.focusWidget())
    if not found:
        return None
    return found[0 if at is None and not back else ((at or 0) + (-1 if back else 1)) % len(found)]


def next_section_stop(parts: Sequence[QWidget], focused: QWidget | None, *, back: bool) -> QWidget | None:
    """Return the widget to focus in the next visible part that has a tab stop: the one focused there last."""
    shown = [part for part in parts if part.isVisible() and next(tab_stops(part), None) is not None]
    if not shown:
        return None
    here = next((at for at, part in enumerate(shown) if focused is not None and _holds(part, focused)), None)
    at = (-1 if back else 0) if here is None else (here + (-1 if back else 1)) % len(shown)
    found, last = list(tab_stops(shown[at])), shown[at].focusWidget()
    return last if last is not None and last in found else found[0]


def _holds(part: QWidget, widget: QWidget) -> bool:
    return part is widget or part.isAncestorOf(widget)


def _position(found: Sequence[QWidget], focused: QWidget | None) -> int | None:
    """Return the index of the stop that is focused, or that contains the focused widget."""
    if focused is None:
        return None
    exact = next((at for at, one in enumerate(found) if one is focused), None)
    return exact if exact is not None else next((at for at, one in enumerate(found) if one.isAncestorOf(focused)), None)
