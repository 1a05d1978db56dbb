"""What happens where the keyboard is not, told to a screen reader."""

from __future__ import annotations

from PySide6 import QtGui  # what is named here is loaded when something is told: a start tells nothing
from PySide6.QtWidgets import QWidget


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
