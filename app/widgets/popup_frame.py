"""The frame of what lies over the window: search results and the help on searching."""

from __future__ import annotations

from PySide6 import QtWidgets  # QStyle by its module: naming it loads six hundred names, which a start does not need
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStyleOption, QWidget


class PopupFrame(QFrame):
    """A bordered rectangle over `window`, outside its layout; it never takes the keyboard.

    It is opaque, so it has square corners and no shadow: otherwise Qt would repaint the page below it at each key.
    """

    def __init__(self, window: QWidget) -> None:
        """Create it hidden over `window`."""
        super().__init__(window)
        self.setProperty("popup", True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw ground and border as the style sheet says; Qt draws neither for an opaque widget."""
        option = QStyleOption()
        option.initFrom(self)
        with QPainter(self) as painter:
            self.style().drawPrimitive(QtWidgets.QStyle.PrimitiveElement.PE_Widget, option, painter, self)

    def showEvent(self, event: QShowEvent) -> None:
        """Show it above all other widgets of the window."""
        super().showEvent(event)
        self.raise_()
