"""What the colours promise holds on the screen: each text that is in view stands out from what it stands on."""

from __future__ import annotations

from collections import Counter
from typing import Any

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QWidget

from app.style.theme import contrast
from tests.e2e.surfaces import SURFACES

ENOUGH = 4.5
SMOOTHED = 0.3  # what the thinnest letters lose of it
LEAST = 14  # pixels of height that are in view, so that there are letters in them
WHERE = ("told", "settings", "replace", "editing", "doctor")


def test_every_text_in_view_can_be_read(run: Any) -> None:
    """Labels, buttons, fields and their placeholders, what cannot be pressed now as well; in both themes."""
    low, seen = [], 0
    for theme in ("light", "dark"):
        run.window.deferred.view_commands.choose_theme(theme)
        for where in WHERE:
            SURFACES[where](run)
            QApplication.processEvents()
            for widget in run.window.findChildren(QWidget):
                room = widget.visibleRegion().boundingRect() if widget.isVisible() else QRect()
                if any(letter.isalnum() for letter in words(widget)) and room.height() > LEAST:
                    place = room.translated(widget.mapTo(run.window, QPoint()))
                    found, seen = read(run.window.grab(place).toImage()), seen + 1
                    if found < ENOUGH - SMOOTHED:
                        low.append(f"{theme} {where}: {type(widget).__name__} {words(widget)[:40]!r} {found:.2f}")
            if run.window.central.editing:
                run.window.central.toggle_editor()
    assert seen > 200
    assert low == []


def words(widget: QWidget) -> str:
    """Return what a control says."""
    if isinstance(widget, QLineEdit):
        return widget.text() or widget.placeholderText()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    if isinstance(widget, QLabel) or (isinstance(widget, QAbstractButton) and widget.icon().isNull()):
        return widget.text()
    return ""


def read(picture: QImage) -> float:
    """Return the greatest contrast of a pixel to the colour that most pixels have."""
    made = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = Counter(memoryview(bytes(made.constBits())).cast("I"))
    (ground, _), *others = pixels.most_common()
    return max((contrast(*(f"#{one & 0xFFFFFF:06x}" for one in (ground, other))) for other, _ in others), default=1.0)
