"""What windows with a list beside a text share: their two halves, and the selected rows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QLabel, QPushButton, QSplitter, QVBoxLayout, QWidget


def selected_rows(view: QAbstractItemView) -> list[int]:
    """Return the numbers of the selected rows, from the top."""
    return sorted({index.row() for index in view.selectedIndexes()})


def list_beside_text(view: QAbstractItemView, text: QWidget, widths: tuple[int, int]) -> QSplitter:
    """Return a list, in which several rows can be selected, and a text beside it; widths are in pixels."""
    view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    halves = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
    halves.addWidget(view)
    halves.addWidget(text)
    halves.setSizes(widths)
    return halves


def add_with_buttons(column: QVBoxLayout, halves: QSplitter, said: QLabel, *buttons: QPushButton) -> None:
    """Add the halves to a window, and below them a sentence and the buttons."""
    foot = QHBoxLayout()
    foot.addWidget(said, 1)
    for button in buttons:
        foot.addWidget(button)
    column.addWidget(halves, 1)
    column.addLayout(foot)
