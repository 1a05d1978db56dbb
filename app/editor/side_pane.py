"""The pane next to the source: the live preview, or the difference of two versions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.editor.unified_diff import UnifiedDiff, changed_lines
from app.i18n import Translator
from app.style.theme import Theme

_CLOSE_WIDTH = 30  # pixels


class VersionDiff(QWidget):
    """Shows the lines in which two versions differ."""

    def __init__(self, words: Translator, theme: Theme, parent: QWidget | None = None) -> None:
        """Start without versions."""
        super().__init__(parent)
        self._words = words
        self._caption = QLabel(wordWrap=True)
        self._caption.setProperty("dim", True)
        self.close_button = QPushButton("✕")
        self.close_button.setProperty("quiet", True)
        self.close_button.setStyleSheet(f"padding: 3px 0; min-width: {_CLOSE_WIDTH}px; max-width: {_CLOSE_WIDTH}px;")
        self.lines = UnifiedDiff(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 8, 8, 8)
        head = QHBoxLayout()
        head.addWidget(self._caption, 1)
        head.addWidget(self.close_button, alignment=Qt.AlignmentFlag.AlignTop)
        column.addLayout(head)
        column.addWidget(self.lines, 1)
        self._retranslate()
        words.changed.connect(self._retranslate)

    def compare(self, on_disk: str, ours: str) -> None:
        """Show the lines that are only in our version (+) and only in the file (-)."""
        self.lines.show_lines(changed_lines(on_disk, ours))
        self._retranslate()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.lines.set_theme(theme)

    def _retranslate(self) -> None:
        self._caption.setText(
            self._words("“+”是未保存的文本，“-”是文件中的文本", "+ is the unsaved text, - is the text in the file")
        )
        self.lines.setAccessibleName(self._words("两个版本的差异", "Difference of the two versions"))
        close = self._words("关闭差异  (Esc)", "Close the difference  (Esc)")
        self.close_button.setToolTip(close)
        self.close_button.setAccessibleName(close)
        if self.lines.document().isEmpty():
            self.lines.setPlaceholderText(
                self._words("没有差异，或笔记过长，无法比较。", "No difference, or the note is too long to compare.")
            )


class SidePane(QStackedWidget):
    """Shows the preview or a difference; hidden without both."""

    closed = Signal()  # the difference was closed

    def __init__(self, words: Translator, theme: Theme, preview: QWidget | None) -> None:
        """Start with the preview, if there is one."""
        super().__init__()
        self.difference = VersionDiff(words, theme)
        self._wanted = False
        self._has_preview = preview is not None
        self.addWidget(preview or QWidget())
        self.addWidget(self.difference)
        self.difference.close_button.clicked.connect(self.hide_difference)

    def next_to(self, source: QWidget, find_bar: QWidget) -> QSplitter:
        """Return a splitter with the source and its find bar on the left and this pane on the right."""
        left = QWidget()
        stack(left, source, find_bar, grows=source)
        halves = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        halves.addWidget(left)
        halves.addWidget(self)
        halves.setSizes([1000, 1000])
        return halves

    @property
    def comparing(self) -> bool:
        """Whether a difference is shown."""
        return self.currentWidget() is self.difference

    def want_preview(self, *, on: bool) -> None:
        """Show or hide the preview."""
        self._wanted = on and self._has_preview
        self._arrange()

    def compare(self, on_disk: str, ours: str) -> None:
        """Show the difference of two versions."""
        self.difference.compare(on_disk, ours)
        self.setCurrentWidget(self.difference)
        self._arrange()

    def hide_difference(self) -> None:
        """Return from the difference to the preview."""
        if self.comparing:
            self.setCurrentIndex(0)
            self._arrange()
            self.closed.emit()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.difference.set_theme(theme)

    def _arrange(self) -> None:
        self.setVisible(self.comparing or self._wanted)


def stack(host: QWidget, *parts: QWidget, grows: QWidget) -> None:
    """Lay out widgets in a column; `grows` takes the remaining height."""
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        column.addWidget(part, int(part is grows))
