"""What stands beside the source: the live preview, or the difference of two versions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.editor.version_diff import VersionDiff
from app.i18n import Translator
from app.style.theme import Theme


class SidePane(QStackedWidget):
    """Shows one of the two, or is not there."""

    closed = Signal()  # the difference was closed

    def __init__(self, words: Translator, theme: Theme, preview: QWidget | None) -> None:
        """Begin with the preview, where there is one."""
        super().__init__()
        self._difference = VersionDiff(words, theme)
        self._wanted = False
        self._has_preview = preview is not None
        self.addWidget(preview or QWidget())
        self.addWidget(self._difference)
        self._difference.close_button.clicked.connect(self.hide_difference)

    def next_to(self, source: QWidget, find_bar: QWidget) -> QSplitter:
        """Return the two halves of the editor: the source with its find bar, and this."""
        writing = QWidget()
        stack(writing, source, find_bar, grows=source)
        halves = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        halves.addWidget(writing)
        halves.addWidget(self)
        halves.setSizes([1000, 1000])
        return halves

    @property
    def comparing(self) -> bool:
        """Whether the difference is shown."""
        return self.currentWidget() is self._difference

    def want_preview(self, *, on: bool) -> None:
        """Show the preview, or not."""
        self._wanted = on and self._has_preview
        self._arrange()

    def compare(self, on_disk: str, ours: str) -> None:
        """Show what is different."""
        self._difference.compare(on_disk, ours)
        self.setCurrentWidget(self._difference)
        self._arrange()

    def hide_difference(self) -> None:
        """Go back to the preview, unless that is there."""
        if self.comparing:
            self.setCurrentIndex(0)
            self._arrange()
            self.closed.emit()

    def set_theme(self, theme: Theme) -> None:
        """Take on the colours of a theme."""
        self._difference.set_theme(theme)

    def _arrange(self) -> None:
        self.setVisible(self.comparing or self._wanted)


def stack(host: QWidget, *parts: QWidget, grows: QWidget) -> None:
    """Lay parts out beneath each other, one of which takes the room that is left."""
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        column.addWidget(part, int(part is grows))
