"""The window of all that was printed: in the font of code, whatever the window's sheet says."""

from __future__ import annotations

from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from app.cells.output_dialogs import LogView
from app.i18n import Translator
from app.style.appearance import Appearance


def test_columns_stand_under_each_other(look: Appearance, qtbot: QtBot) -> None:
    """Every letter is as wide as the next, as on a terminal."""
    window = QMainWindow()
    qtbot.addWidget(window)
    view = LogView("run", "1 1\n10 100\n", Translator("en"), window)
    qtbot.addWidget(view)
    view.show()
    letters = QFontMetricsF(view.document().defaultFont())
    assert letters.horizontalAdvance("iiii") == letters.horizontalAdvance("WWWW")
    assert view.toPlainText() == "1 1\n10 100"
