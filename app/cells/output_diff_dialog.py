"""How the output of a run differs from the recorded one, line by line, in a window where it can be accepted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.cells.line_diff import LineDiff
from app.i18n import Translator
from app.runs.run_history import RunHistory
from app.style.appearance import Appearance
from app.widgets.focus_order import closes_by_escape
from app.widgets.notification import of_error
from snippets.model.snippet import Snippet
from snippets.results.outcome import Outcome
from snippets.verification.verdicts import difference


class OutputDiffDialog(QWidget):
    """Shows what was expected (-) and what came (+); accepting writes what came into the note."""

    accepted = Signal(str)  # name of the snippet

    def __init__(
        self,
        snippet: Snippet,
        outcome: Outcome,
        *,
        record: RunHistory,
        words: Translator,
        look: Appearance,
        parent: QWidget,
    ) -> None:
        """Be a window of its own, which goes with `parent`."""
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        closes_by_escape(self)
        self._snippet, self._outcome, self._record, self._words = snippet, outcome, record, words
        self._open = True
        self.lines = LineDiff(words, look)
        self._told = ("- 是记录的输出，+ 是这次的输出。", "- is what is recorded, + is what came now.")
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
        """Take no answer any more."""
        self._open = False
        super().closeEvent(event)

    def _reword(self) -> None:
        words = self._words
        self.setWindowTitle(f"{self._snippet.name} — {words('与记录的差异', 'difference from the record')}")
        self.accept.setText(words("接受这次的输出", "Accept what came"))
        self.said.setText(words(*self._told))

    def _say(self, zh: str, en: str) -> None:
        self._told = (zh, en)
        self._reword()

    def _on_accept(self) -> None:
        self.accept.setEnabled(False)
        self._record.accept(self._snippet, self._outcome, lambda _: self._on_accepted(), self._on_failed)

    def _on_accepted(self) -> None:
        self.accepted.emit(self._snippet.name)
        if self._open:
            self._say("已记录这次的输出。", "This output is recorded now.")

    def _on_failed(self, error: Exception) -> None:
        if self._open:
            told = of_error(error)
            self._say(told.zh, told.en)
            self.accept.setEnabled(True)
