"""Notes that the screen has left while their last save was under way."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.editor.autosave import Autosave


class PendingSaves(QObject):
    """Lets a saver end its work by itself."""

    saved = Signal(object)  # Note
    unsaved = Signal(str, object)  # path, error: the file has not this text; its draft is kept
    rested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Begin with none."""
        super().__init__(parent)
        self._savers: list[Autosave] = []

    @property
    def resting(self) -> bool:
        """Whether all have ended."""
        return not self._savers

    def take_over(self, saver: Autosave) -> None:
        """Have the text saved as it is now, and be done with it."""
        saver.saved.connect(self.saved)
        self._savers.append(saver)
        saver.rested.connect(lambda: self._on_rested(saver))
        saver.leave()
        if saver.resting:
            self._on_rested(saver)

    def stop(self) -> None:
        """Stop every timer."""
        for saver in self._savers:
            saver.stop()

    def _on_rested(self, saver: Autosave) -> None:
        if saver not in self._savers:
            return
        self._savers.remove(saver)
        saver.stop()
        if not saver.state.safe:
            self.unsaved.emit(saver.path, saver.state.error)
        saver.deleteLater()
        self.rested.emit()
