"""Window with the earlier versions of a note or of one of its sections, from which one can be put back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.editor.unified_diff import UnifiedDiff
from app.i18n import Translator
from app.state.tree_model import ago
from app.state.version_history import ShownVersion, Timeline, VersionHistory
from app.style.appearance import Appearance
from app.widgets.accessibility import make_window
from app.widgets.list_layout import add_with_buttons, list_beside_text, selected_rows
from app.widgets.notification import of_error

if TYPE_CHECKING:
    from kb.notes.note import Note
    from kb.vault.version_store import Version

Answer = TypeVar("Answer")
_PAIR = 2
_DAY = 86_400.0


class NoteVersionsDialog(QWidget):
    """Shows the difference of one version to the note, or of two versions; one of them can be put back."""

    restored = Signal(object, str)  # Version, anchor of the section or ""

    def __init__(
        self, path: str, history: VersionHistory, *, words: Translator, look: Appearance, parent: QWidget
    ) -> None:
        """Create a window that belongs to `parent`, and read the versions of the note from `history`."""
        super().__init__(parent)
        make_window(self)
        self._path, self._history, self._words = path, history, words
        self._versions: tuple[Version, ...] = ()
        self._told = ("", "")  # what stands below the list, in Chinese and English
        self._asked = 0
        self._open = True
        self._shown: ShownVersion | None = None
        self.part = QComboBox()
        self.view = QComboBox()
        self.list = QListWidget()
        self.lines = UnifiedDiff(look.theme)
        self.said = QLabel(wordWrap=True)
        self.restore = QPushButton()
        self._arrange()
        self._retranslate()
        words.changed.connect(self._retranslate)
        look.changed.connect(self.lines.set_theme)
        self.part.activated.connect(lambda _: self.refresh())
        self.view.activated.connect(lambda _: self._fill_lines())
        self.list.itemSelectionChanged.connect(self._on_chosen)
        self.restore.clicked.connect(self._on_restore)
        self.refresh()

    @property
    def anchor(self) -> str:
        """The section that is chosen, "" for the whole note."""
        return str(self.part.currentData() or "")

    def refresh(self) -> None:
        """Read the versions again."""
        if not self._open:
            return
        take, failed = self._latest(self._on_timeline)
        self._history.timeline(self._path, self.anchor, take, failed)

    def on_saved(self, note: Note) -> None:
        """Read the versions again if it is this note that was saved."""
        if note.path == self._path:
            self.refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ignore answers that arrive later."""
        self._open = False
        self._asked += 1
        super().closeEvent(event)

    def _arrange(self) -> None:
        self.part.addItem("", "")
        self.view.addItems(["", ""])
        head = QHBoxLayout()
        head.addWidget(self.part, 1)
        head.addWidget(self.view)
        column = QVBoxLayout(self)
        column.addLayout(head)
        add_with_buttons(column, list_beside_text(self.list, self.lines, (260, 640)), self.said, self.restore)
        self.restore.setEnabled(False)
        self.resize(920, 620)

    def _retranslate(self) -> None:
        words = self._words
        self.setWindowTitle(f"{self._path} — {words('历史版本', 'earlier versions')}")
        self.part.setItemText(0, words("整篇笔记", "The whole note"))
        self.part.setAccessibleName(words("笔记的哪一部分", "The part of the note"))
        self.view.setItemText(0, words("差异", "Difference"))
        self.view.setItemText(1, words("全文", "Text"))
        self.view.setAccessibleName(words("显示差异或全文", "Show the difference or the text"))
        self.list.setAccessibleName(
            words("版本，新的在前；选两个可以对照", "Versions, newest first; choose two to compare")
        )
        self.lines.setAccessibleName(words("差异或全文", "Difference or text"))
        self._fill_list()
        self.said.setText(words(*self._told))
        self._fill_lines()

    def _fill_list(self) -> None:
        for number, version in enumerate(self._versions):
            if (item := self.list.item(number)) is not None:
                item.setText(f"{_moment(version.saved_at, self._words)}    {_size(version.bytes)}")
        whole = self._words("恢复这个版本", "Restore this version")
        self.restore.setText(self._words("恢复这一节", "Restore this section") if self.anchor else whole)

    def _fill_lines(self) -> None:
        words, shown = self._words, self._shown
        as_text = self.view.currentIndex() == 1
        if shown is None:
            self.lines.show_lines(())
            self.lines.setPlaceholderText("")
            return
        if as_text:
            self.lines.show_text(shown.text)
        else:
            self.lines.show_lines(shown.lines)
        none = words("没有差异，或笔记过长，无法比较。", "No difference, or the note is too long to compare.")
        self.lines.setPlaceholderText("" if as_text else none)
        two = len(self._chosen()) == _PAIR
        zh, en = ("较新的版本", "the newer version") if two else ("现在的笔记", "the note now")
        signs = (f"“-”是这个版本，“+”是{zh}。", f"- is this version, + is {en}.")
        self._say(*(("", "") if as_text else signs))

    def _say(self, zh: str, en: str) -> None:
        self._told = zh, en
        self.said.setText(self._words(zh, en))

    def _chosen(self) -> list[Version]:
        """Return the selected versions, newest first."""
        return [self._versions[row] for row in selected_rows(self.list)]

    def _latest(
        self, take: Callable[[Answer], object]
    ) -> tuple[Callable[[Answer], object], Callable[[Exception], object]]:
        """Return callbacks for an answer and an error, which are ignored once something else is asked for."""
        self._asked += 1
        turn = self._asked
        return (
            lambda answer: take(answer) if turn == self._asked else None,
            lambda error: self._failed(error) if turn == self._asked else None,
        )

    def _on_timeline(self, found: Timeline) -> None:
        chosen = {version.number for version in self._chosen()}
        self._fill_parts(found.sections)
        self._versions = found.versions
        with QSignalBlocker(self.list):
            self.list.clear()
            self.list.addItems([""] * len(found.versions))
            for row, version in enumerate(found.versions):
                self.list.item(row).setSelected(version.number in chosen)
            if found.versions and not self.list.selectedItems():
                self.list.setCurrentRow(0)
        self._shown = None
        self._fill_list()
        if found.versions:
            self._on_chosen()
        else:
            self._fill_lines()
            self.restore.setEnabled(False)
            none = "还没有版本：从现在起，每次保存都会留下一个。", "There is none yet: every save from now on is kept."
            self._say(*none)

    def _fill_parts(self, sections: Sequence[tuple[str, str]]) -> None:
        chosen = self.anchor
        while self.part.count() > 1:
            self.part.removeItem(1)
        for anchor, heading in sections:
            self.part.addItem(heading, anchor)
        self.part.setCurrentIndex(max(0, self.part.findData(chosen)))

    def _on_chosen(self) -> None:
        chosen = self._chosen()
        self.restore.setEnabled(len(chosen) == 1)
        if 0 < len(chosen) <= _PAIR:
            newer = chosen[0] if len(chosen) == _PAIR else None
            take, failed = self._latest(self._on_compared)
            self._history.compare(chosen[-1], newer, self.anchor, take, failed)

    def _on_compared(self, shown: ShownVersion) -> None:
        self._shown = shown
        self._fill_lines()

    def _on_restore(self) -> None:
        if len(chosen := self._chosen()) == 1:
            self.restored.emit(chosen[0], self.anchor)

    def _failed(self, error: Exception) -> None:
        told = of_error(error)
        self._say(told.zh, told.en)


def _moment(saved_at: float, words: Translator) -> str:
    """Return when a version was saved: how long ago on the same day, else date and time."""
    age = time.time() - saved_at
    at = datetime.fromtimestamp(saved_at).astimezone()
    return f"{at:%H:%M:%S}  {ago(age, words)}" if age < _DAY else f"{at:%Y-%m-%d %H:%M}"


def _size(size: int) -> str:
    return f"{size:,} B" if size < 1 << 10 else f"{size / (1 << 10):,.1f} KiB"
