"""Lines that can be pressed, under a caption: what the panel on the right is made of."""

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
    """A caption with a column of lines under it."""

    def __init__(self) -> None:
        """Be empty."""
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)

    def clear(self, caption: str) -> None:
        """Take out every line and set the caption."""
        for widget in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self.column.removeWidget(widget)
            delete_later(widget)
        self.column.addWidget(named(QLabel(caption), "caption"))

    def add(self, text: str, depth: int = 0, *, shorter: str = "") -> QPushButton:
        """Add a line that can be pressed."""
        button = LineButton(text, depth, shorter=shorter)
        self.column.addWidget(button)
        return button


class LineButton(QPushButton):
    """A line of text that can be pressed, cut to the width of the panel."""

    def __init__(self, text: str, depth: int, *, shorter: str = "") -> None:
        """Stand `depth` steps to the right; what is `shorter` is shown where there is no room for all of the text."""
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
        """Draw as other buttons do, with the text cut to the width there is."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.width() - 20 - 14 * self._depth
        font = self.font()
        if self.isChecked():
            font.setWeight(QFont.Weight.DemiBold)  # as the style sheet has it, of which a widget's font does not know
        metrics, text = QFontMetrics(font), self.text()
        if self._shorter and metrics.horizontalAdvance(text) > room:
            text = self._shorter
        option.text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter = QStylePainter(self)
        painter.drawControl(QtWidgets.QStyle.ControlElement.CE_PushButton, option)
        painter.end()
