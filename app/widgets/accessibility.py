"""What happens where the keyboard is not, told to a screen reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PySide6 import QtGui  # what is named here is loaded when something is told: a start tells nothing
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


def announce(widget: QWidget, sentence: str, *, urgent: bool = False) -> None:
    """Have a sentence read that concerns a widget: when there is time for it, or at once."""
    if not sentence:
        return
    event = QtGui.QAccessibleAnnouncementEvent(widget, sentence)
    politeness = QtGui.QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QtGui.QAccessible.updateAccessibility(event)


def announce_alert(widget: QWidget, sentence: str, *, urgent: bool) -> None:
    """Tell of something that has come into view and wants to be looked at."""
    QtGui.QAccessible.updateAccessibility(QtGui.QAccessibleEvent(widget, QtGui.QAccessible.Event.Alert))
    announce(widget, sentence, urgent=urgent)


_WHOLE = (QAbstractButton, QAbstractSpinBox, QComboBox, QKeySequenceEdit, QLabel, QLineEdit, QTabBar)
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


class LinkLabel(QLabel):
    """A text whose links the keyboard goes through, and out of again."""

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Go on to the next link, or out; Qt would never come back out of a text that begins with one."""
        stuck = not next_ and self.hasSelectedText() and self.selectionStart() == 0
        return self.window().focusNextPrevChild(next_) if stuck else super().focusNextPrevChild(next_)


def closes_by_escape(window: QWidget) -> None:
    """Have Escape close a window of its own, unless what has the keyboard needs the key."""
    QShortcut(QKeySequence(Qt.Key.Key_Escape), window).activated.connect(window.close)


def tab_stops(part: QWidget) -> Iterator[QWidget]:
    """Yield what takes the keyboard by Tab in a part that is in view, from the top left to the bottom right."""
    if takes_tab(part):
        yield part
    if isinstance(part, _WHOLE):
        return
    holder = part.viewport() if isinstance(part, QAbstractScrollArea) else part
    inner: list[QWidget] = holder.findChildren(QWidget, options=_DIRECT)
    for widget in in_sight(one for one in inner if not one.isHidden() and not one.isWindow()):
        yield from tab_stops(widget)


def takes_tab(widget: QWidget) -> bool:
    """Tell whether a widget is a stop by itself; of buttons of which one is chosen that one alone is."""
    if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or not widget.isEnabled() or widget.focusProxy() is not None:
        return False
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    chosen = group.checkedButton() if group is not None and group.exclusive() else None
    return chosen is None or chosen is widget


def in_sight(widgets: Iterable[QWidget]) -> Iterator[QWidget]:
    """Yield widgets of one parent line by line, each line from the left."""
    waiting = sorted(widgets, key=lambda one: one.geometry().center().y())
    while waiting:
        first = min(waiting, key=lambda one: one.y())
        line = [one for one in waiting if one is first or one.y() <= first.geometry().center().y()]
        yield from sorted(line, key=lambda one: (one.x(), one.y()))
        waiting = [one for one in waiting if one not in line]


def neighbour_stop(window: QWidget, *, back: bool) -> QWidget | None:
    """Return the stop after the one that has the keyboard, or the one before; around the end of the window."""
    found = list(tab_stops(window))
    at = _place(found, window.focusWidget())
    if not found:
        return None
    return found[0 if at is None and not back else ((at or 0) + (-1 if back else 1)) % len(found)]


def next_section_stop(parts: Sequence[QWidget], focused: QWidget | None, *, back: bool) -> QWidget | None:
    """Return where the keyboard goes to in the next part in view that has a stop: to where it was in it last."""
    shown = [part for part in parts if part.isVisible() and next(tab_stops(part), None) is not None]
    if not shown:
        return None
    here = next((at for at, part in enumerate(shown) if focused is not None and _holds(part, focused)), None)
    at = (-1 if back else 0) if here is None else (here + (-1 if back else 1)) % len(shown)
    found, last = list(tab_stops(shown[at])), shown[at].focusWidget()
    return last if last is not None and last in found else found[0]


def _holds(part: QWidget, widget: QWidget) -> bool:
    return part is widget or part.isAncestorOf(widget)


def _place(found: Sequence[QWidget], focused: QWidget | None) -> int | None:
    """Return the number of the stop that has the keyboard, or of the one that it lies in."""
    if focused is None:
        return None
    exact = next((at for at, one in enumerate(found) if one is focused), None)
    return exact if exact is not None else next((at for at, one in enumerate(found) if one.isAncestorOf(focused)), None)
