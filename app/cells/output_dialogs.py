"""Windows for the output of a run: all of it as plain text, and its difference from the recorded output."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n import Translator
from app.reader.terminal import Terminal
from app.runs.run_history import RunHistory
from app.style.appearance import Appearance, FocusLine
from app.style.stylesheets import in_columns
from app.widgets.accessibility import make_window
from app.widgets.notification import of_error
from snippets.model.snippet import Snippet
from snippets.results.outcome import Outcome
from snippets.results.output_comparison import OutputDiff
from snippets.verification.verdicts import difference

HEAD, TAIL = 20_000, 40_000  # lines shown; the log of a run nearly always has fewer
_MARGIN = 12  # pixels around the lines
_SIGNS = {"kept": "  ", "removed": "- ", "added": "+ "}


class LogView(QPlainTextEdit):
    """Shows an output as a terminal would, as plain text."""

    def __init__(self, title: str, output: str, words: Translator, parent: QWidget) -> None:
        """Create a window that belongs to `parent`."""
        super().__init__(parent)
        make_window(self)
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


class LineDiff(QPlainTextEdit):
    """Shows removed lines with -, added ones with +, and common ones without a sign."""

    def __init__(self, words: Translator, look: Appearance, parent: QWidget | None = None) -> None:
        """Start empty; `look` gives font and colours."""
        super().__init__(parent)
        self._words, self._look = words, look
        self._shown: OutputDiff | str = ""
        self.setReadOnly(True)
        self.document().setDocumentMargin(_MARGIN)
        self.setTabChangesFocus(True)
        FocusLine(self)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setStyleSheet(in_columns(look.theme.code_font))
        self._reword()
        words.changed.connect(self._reword)
        look.changed.connect(self._show_again)

    def show_text(self, text: str) -> None:
        """Show a plain text."""
        self._shown = text
        self.setPlainText(text)

    def show_difference(self, difference: OutputDiff) -> None:
        """Show the lines of a difference."""
        self._shown = difference
        self.clear()
        cursor = self.textCursor()
        for line in difference.lines:
            cursor.insertText(f"{_SIGNS[line.kind]}{line.text}\n", self._looks(line.kind))
        if difference.left_out:
            more = f"{difference.left_out:,}"
            cursor.insertText(self._words(f"另有 {more} 行未比较", f"{more} more lines are not compared"))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _looks(self, kind: str) -> QTextCharFormat:
        theme = self._look.theme
        looks = QTextCharFormat()
        looks.setForeground(QColor({"removed": theme.bad, "added": theme.good}.get(kind, theme.dim)))
        return looks

    def _reword(self) -> None:
        self.setAccessibleName(self._words("逐行对照", "Line by line"))
        self._show_again()

    def _show_again(self) -> None:
        if isinstance(self._shown, OutputDiff):
            self.show_difference(self._shown)


class OutputDiffDialog(QWidget):
    """Shows the recorded output (-) and that of a run (+); accepting records the latter."""

    accepted = Signal(str)  # name of the snippet

    def __init__(
        self,
        snippet: Snippet,
        outcome: Outcome,
        *,
        history: RunHistory,
        words: Translator,
        look: Appearance,
        parent: QWidget,
    ) -> None:
        """Create a window that belongs to `parent`."""
        super().__init__(parent)
        make_window(self)
        self._snippet, self._outcome, self._history, self._words = snippet, outcome, history, words
        self._open = True
        self.lines = LineDiff(words, look)
        self._told = ("- 是记录的输出，+ 是这次的输出。", "- is the recorded output, + is this output.")
        self.said = QLabel(wordWrap=True)
        self.accept = QPushButton()
        self.accept.setEnabled(outcome.status == "passed")
        foot = QHBoxLayout()
        foot.addWidget(self.said, 1)
        foot.addWidget(self.accept)
        column = QVBoxLayout(self)
        column.addWidget(self.lines, 1)
        column.addLayout(foot)
        self.resize(820, 520)
        self.lines.show_difference(difference(snippet, outcome))
        self.accept.clicked.connect(self._on_accept)
        self._reword()
        words.changed.connect(self._reword)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ignore answers that arrive later."""
        self._open = False
        super().closeEvent(event)

    def _reword(self) -> None:
        words = self._words
        self.setWindowTitle(f"{self._snippet.name} — {words('与记录的差异', 'difference from the record')}")
        self.accept.setText(words("接受这次的输出", "Accept this output"))
        self.said.setText(words(*self._told))

    def _say(self, zh: str, en: str) -> None:
        self._told = (zh, en)
        self._reword()

    def _on_accept(self) -> None:
        self.accept.setEnabled(False)
        self._history.accept(self._snippet, self._outcome, lambda _: self._on_accepted(), self._on_failed)

    def _on_accepted(self) -> None:
        self.accepted.emit(self._snippet.name)
        if self._open:
            self._say("已记录这次的输出。", "This output is now recorded.")

    def _on_failed(self, error: Exception) -> None:
        if self._open:
            told = of_error(error)
            self._say(told.zh, told.en)
            self.accept.setEnabled(True)
