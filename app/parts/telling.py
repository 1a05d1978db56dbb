"""What happens where the keyboard is not, told to a screen reader."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QWidget


def tell(widget: QWidget, sentence: str, *, urgent: bool = False) -> None:
    """Have a sentence read that concerns a widget: when there is time for it, or at once."""
    if not sentence:
        return
    event = QAccessibleAnnouncementEvent(widget, sentence)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)


def alert(widget: QWidget, sentence: str, *, urgent: bool) -> None:
    """Tell of something that has come into view and wants to be looked at."""
    QAccessible.updateAccessibility(QAccessibleEvent(widget, QAccessible.Event.Alert))
    tell(widget, sentence, urgent=urgent)
