"""Fields in one column, their buttons in the next: Tab goes from what is looked for to what comes instead of it."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

_HIGH = 34  # pixels of a row at least, so that those of two columns are in line
_GAP = 7  # pixels between two rows
NAME = "columnOfFields"


def column(*rows: QWidget) -> QWidget:
    """Return widgets below each other as one, through which the keyboard goes before it goes to the next column."""
    made = QWidget()
    made.setObjectName(NAME)
    grid = QGridLayout(made)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setSpacing(_GAP)
    for number, row in enumerate(rows):
        row.setMinimumHeight(_HIGH)
        grid.addWidget(row, number, 0)
    return made


def line(*widgets: QWidget, spacing: int = 6, grows: QWidget | None = None) -> QWidget:
    """Return widgets beside each other as one, of which the one that `grows` takes all the room that is left."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(spacing)
    for widget in widgets:
        row.addWidget(widget, int(widget is grows))
    return made
