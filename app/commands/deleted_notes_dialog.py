"""Window with the notes that were moved out of the vault: bring them back, or delete them for good."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.i18n import Translator
from app.state.tree_model import ago
from app.state.version_history import VersionHistory
from app.style.stylesheets import in_columns
from app.widgets.accessibility import make_window
from app.widgets.list_layout import add_with_buttons, list_beside_text, selected_rows
from app.widgets.notification import Notification, of_error
from kb.vault.trash import DiscardedNote

_MARGIN = 10  # pixels around the text


class DeletedNotesDialog(QWidget):
    """Lists discarded notes with their text; what is done with them is done by the receiver of the signals."""

    brought_back = Signal(object)  # tuple[DiscardedNote, ...]
    deleted = Signal(object)  # tuple[DiscardedNote, ...], to be moved to the system's trash

    def __init__(self, history: VersionHistory, words: Translator, code_font: str, parent: QWidget) -> None:
        """Create a window that belongs to `parent`, and read the list; texts are shown in `code_font`."""
        super().__init__(parent)
        make_window(self)
        self._history, self._words = history, words
        self._notes: tuple[DiscardedNote, ...] = ()
        self._failure: Notification | None = None
        self._asked = 0
        self._open = True
        self.list = QListWidget()
        self.text = QPlainTextEdit(readOnly=True)
        self.text.document().setDocumentMargin(_MARGIN)
        self.text.setStyleSheet(in_columns(code_font))
        self.said = QLabel(wordWrap=True)
        self.back = QPushButton()
        self.delete = QPushButton()
        self._arrange()
        self._retranslate()
        words.changed.connect(self._retranslate)
        self.list.itemSelectionChanged.connect(self._on_chosen)
        self.list.itemActivated.connect(lambda _: self._on_back())
        self.back.clicked.connect(self._on_back)
        self.delete.clicked.connect(lambda: self.deleted.emit(self.chosen()))
        self.refresh()

    def refresh(self) -> None:
        """Read the list again."""
        if self._open:
            self._history.discarded(self._on_list, self._failed)

    def chosen(self) -> tuple[DiscardedNote, ...]:
        """Return the selected notes."""
        return tuple(self._notes[row] for row in selected_rows(self.list))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ignore answers that arrive later."""
        self._open = False
        self._asked += 1
        super().closeEvent(event)

    def _arrange(self) -> None:
        halves = list_beside_text(self.list, self.text, (360, 480))
        add_with_buttons(QVBoxLayout(self), halves, self.said, self.delete, self.back)
        self.resize(860, 560)

    def _retranslate(self) -> None:
        words = self._words
        self.setWindowTitle(words("已移出的笔记", "Deleted notes"))
        self.list.setAccessibleName(words("已移出的笔记，新的在前", "Deleted notes, newest first"))
        self.text.setAccessibleName(words("笔记的文字", "Text of the note"))
        self.back.setText(words("移回笔记库", "Bring back"))
        self.delete.setText(words("彻底删除", "Delete for good"))
        self.delete.setToolTip(words("移到系统的回收站", "Move to the system's trash"))
        self._fill()

    def _fill(self) -> None:
        for number, note in enumerate(self._notes):
            if (item := self.list.item(number)) is not None:
                when = ago(time.time() - note.at, self._words)
                item.setText(f"{note.path}    {when}")
                item.setToolTip(f"{datetime.fromtimestamp(note.at).astimezone():%Y-%m-%d %H:%M}")
        none = "" if self._notes else self._words("没有移出的笔记。", "There is no deleted note.")
        failure = self._failure
        self.said.setText(none if failure is None else self._words(failure.zh, failure.en))

    def _on_list(self, found: Sequence[DiscardedNote]) -> None:
        if not self._open:
            return
        self._notes = tuple(found)
        self.list.clear()
        self.list.addItems([""] * len(found))
        self._failure = None
        self._fill()
        if found:
            self.list.setCurrentRow(0)
        self._on_chosen()

    def _on_chosen(self) -> None:
        chosen = self.chosen()
        self.back.setEnabled(bool(chosen))
        self.delete.setEnabled(bool(chosen))
        self.text.clear()
        self._asked += 1
        if len(chosen) == 1:
            turn = self._asked
            self._history.text_of(
                chosen[0], lambda text: self.text.setPlainText(text) if turn == self._asked else None, self._failed
            )

    def _on_back(self) -> None:
        if chosen := self.chosen():
            self.brought_back.emit(chosen)

    def _failed(self, error: Exception) -> None:
        if self._open:
            self._failure = of_error(error)
            self._fill()
