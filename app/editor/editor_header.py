"""The header of the editor: path, save state, caret position, word count, and buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.editor.editor_keys import EditorKeys
from app.editor.save_notifications import SaveState
from app.i18n import Translator
from app.style.theme import Theme
from app.widgets.elided_label import ElidedLabel

_PATH_ROOM = 150  # pixels reserved for a long path
_SIGNS = {"saved": "✓", "unsaved": "●", "saving": "…", "failed": "✕", "conflict": "!", "gone": "!", "locked": "–"}


class EditorHeader(QWidget):
    """Shows the note's path and state, and three buttons that the owner connects."""

    def __init__(self, words: Translator, theme: Theme, keys: EditorKeys, parent: QWidget | None = None) -> None:
        """Start without a note; the tooltips of the buttons name their `keys`."""
        super().__init__(parent)
        self._words, self._theme, self._keys = words, theme, keys
        self._shown, self._at = SaveState("saved"), (1, 1, 1)
        self.setObjectName("editorHeader")
        self.setProperty("panel", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.path_label = ElidedLabel()
        self.state_label, self.place_label, self.count_label = QLabel(), QLabel(), QLabel()
        for label in (self.path_label, self.place_label, self.count_label):
            label.setProperty("dim", True)
        self.find_button, self.preview_button, self.done_button = QPushButton(), QPushButton(), QPushButton()
        self.preview_button.setCheckable(True)
        for button in (self.find_button, self.preview_button):
            button.setProperty("quiet", True)
        self.done_button.setProperty("accent", True)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(18, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(self.path_label)
        row.addWidget(self.state_label)
        row.addStretch(1)
        for widget in (self.count_label, self.place_label, self.find_button, self.preview_button, self.done_button):
            row.addWidget(widget)
        self._retranslate()
        words.changed.connect(self._retranslate)
        keys.changed.connect(self._retranslate)

    def show_path(self, path: str) -> None:
        """Show the path of the note."""
        self.path_label.setText(path)
        self._fit()

    def show_state(self, state: SaveState) -> None:
        """Show whether the text is saved."""
        self._shown = state
        self._update_state()

    def show_place(self, line: int, column: int, *, carets: int = 1) -> None:
        """Show the line and column of the caret, both from 1, and the number of carets if there are several."""
        resized, self._at = carets != self._at[2], (line, column, carets)
        more = self._words(f" · {carets} 个光标", f" · {carets} carets") if carets > 1 else ""
        self.place_label.setText(f"{line} : {column}{more}")
        self.place_label.setAccessibleName(
            self._words(f"第 {line} 行第 {column} 列", f"Line {line}, column {column}") + more
        )
        if resized:
            self._fit()

    def show_count(self, text: str, tip: str) -> None:
        """Show the length of the note or of the selection."""
        self.count_label.setText(text)
        self.count_label.setToolTip(tip)
        self.count_label.setAccessibleName(tip)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what does not fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hide the word count first and then the caret position, rather than cut them or shorten the path too much."""
        needed = min(self.path_label.sizeHint().width(), _PATH_ROOM)
        for part in (self.state_label, self.find_button, self.preview_button, self.done_button):
            needed += part.sizeHint().width() + self._row.spacing()
        for part in (self.place_label, self.count_label):
            needed += part.sizeHint().width() + self._row.spacing()
            part.setVisible(needed + 2 * self._row.contentsMargins().left() <= self.width())

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._update_state()

    def _update_state(self) -> None:
        state = self._shown
        reason = self._words(*state.reason())
        name = self._words(*state.words())
        self.state_label.setText(f"{_SIGNS[state.kind]} {name}")
        self.state_label.setToolTip(reason)
        self.state_label.setAccessibleName(f"{name}: {reason}" if reason else name)
        colours = {"failed": self._theme.bad, "conflict": self._theme.warn, "gone": self._theme.warn}
        colour = colours.get(state.kind, self._theme.dim)
        self.state_label.setStyleSheet(f"color: {colour}; font-size: 13px;")

    def _retranslate(self) -> None:
        words = self._words
        line, column, carets = self._at
        self.show_place(line, column, carets=carets)
        self.find_button.setText(words("查找", "Find"))
        self.preview_button.setText(words("预览", "Preview"))
        self.done_button.setText(words("完成", "Done"))
        tips = (
            (self.find_button, words("查找和替换", "Find and replace") + self._keys.shortcut_hint("find", "replace")),
            (self.preview_button, words("在旁边显示预览", "Show the preview next to the source")),
            (self.done_button, words("回到阅读", "Back to reading") + self._keys.shortcut_hint("close")),
        )
        for button, tip in tips:
            button.setToolTip(tip)
            button.setAccessibleName(tip)
        self._update_state()
