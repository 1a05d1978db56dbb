"""A captioned section of the panel on the right, and its clickable lines."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QPaintEvent
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from app.style.appearance import named
from app.widgets.deferred_delete import delete_later


class SidebarSection(QWidget):
    """A caption with a column of lines below it."""

    def __init__(self) -> None:
        """Create an empty section."""
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)

    def clear(self, caption: str) -> None:
        """Remove every line and set the caption."""
        for widget in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self.column.removeWidget(widget)
            delete_later(widget)
        self.column.addWidget(named(QLabel(caption), "caption"))

    def add(self, text: str, depth: int = 0, *, shorter: str = "") -> QPushButton:
        """Add a clickable line, see LineButton."""
        button = LineButton(text, depth, shorter=shorter)
        self.column.addWidget(button)
        return button


class LineButton(QPushButton):
    """A clickable line of text, elided to the width of the panel."""

    def __init__(self, text: str, depth: int, *, shorter: str = "") -> None:
        """Indent by `depth` steps; show `shorter` where the whole text does not fit."""
        name = text.strip()
        super().__init__(name.replace("&", "&&"))
        self._depth, self._shorter = depth, shorter.strip().replace("&", "&&")
        self.setObjectName("outlineLine")
        self.setProperty("quiet", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setStyleSheet(f"padding-left: {9 + 14 * depth}px;")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        self.setToolTip(name)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw like other buttons, with the text elided."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.width() - 20 - 14 * self._depth
        font = self.font()
        if self.isChecked():
            font.setWeight(QFont.Weight.DemiBold)  # as in the style sheet, which `font()` does not reflect
        metrics, text = QFontMetrics(font), self.text()
        if self._shorter and metrics.horizontalAdvance(text) > room:
            text = self._shorter
        option.text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter = QStylePainter(self)
        painter.drawControl(QtWidgets.QStyle.ControlElement.CE_PushButton, option)
        painter.end()
