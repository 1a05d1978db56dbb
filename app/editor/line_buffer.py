"""The lines of a document that is being written, kept beside it: to ask Qt for all of a long text takes a while."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextDocument

_MUCH = 20_000  # characters; where more is put in at one go, the lines are asked for again when they are wanted


class LineBuffer(QObject):
    """Follows the changes of one document. Within a step of undo it has the text from before the step."""

    def __init__(self, document: QTextDocument) -> None:
        """Follow a document for as long as it is there."""
        super().__init__(document)
        self._document = document
        self._lines: list[str] | None = None  # not asked for yet
        document.contentsChange.connect(self._on_change)

    def text(self) -> str:
        """Return the text with line feeds."""
        if self._lines is None or len(self._lines) != self._document.blockCount():
            self._lines = self._document.toRawText().split("\u2029")
        return "\n".join(self._lines)

    def _on_change(self, position: int, _removed: int, added: int) -> None:
        if self._lines is None or added > _MUCH:
            self._lines = None
            return
        document = self._document
        block = document.findBlock(position)
        end = document.findBlock(min(position + added, document.characterCount() - 1)).blockNumber()
        first, fresh = block.blockNumber(), []
        while block.isValid() and block.blockNumber() <= end:
            fresh.append(block.text())
            block = block.next()
        gone = len(self._lines) - document.blockCount() + len(fresh)
        self._lines[first : first + gone] = fresh
