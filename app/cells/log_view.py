"""All that was kept of what a run printed, in a window of its own, as plain text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.i18n import Translator
from app.reader.terminal import Terminal
from app.style.stylesheets import in_columns
from app.widgets.focus_order import closes_by_escape

_MARGIN = 12  # pixels
HEAD, TAIL = 20_000, 40_000  # lines; more than a run's log holds in any but the oddest case


class LogView(QPlainTextEdit):
    """Shows an output as a terminal would have left it; it is text and nothing else."""

    def __init__(self, title: str, output: str, words: Translator, parent: QWidget) -> None:
        """Be a window of its own, which goes with `parent`."""
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        closes_by_escape(self)
        self.setWindowTitle(f"{title} — {words('全部输出', 'all output')}")
        self.setAccessibleName(words("全部输出", "All output"))
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setStyleSheet(in_columns())
        self.document().setDocumentMargin(_MARGIN)
        terminal = Terminal(head=HEAD, tail=TAIL)
        terminal.feed("stdout", output)
        terminal.end()
        self.setPlainText(terminal.plain_text())
        self.resize(900, 640)
