"""The editor of one note: source, preview, find bar, and the sentences about what is saved."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.editor.ports import Desk, Preview
from app.theme import Theme
from app.words import Words
from kb.errors import KbError
from kb.note import Note


class EditorPane(QWidget):
    """Edits one note at a time; what is typed is kept as a draft at once and saved a second later."""

    run_requested = Signal(int)  # line of the caret, from 1, inside a python fence
    closed = Signal(int)  # line of the caret: where the reader goes on
    state_changed = Signal(object)  # SaveState

    def __init__(
        self, words: Words, theme: Theme, *, desk: Desk, preview: Preview | None = None, parent: QWidget | None = None
    ) -> None:
        """Save, draft and render through `desk`; show the live page in `preview` where there is one."""
        super().__init__(parent)

    def open(self, note: Note, line: int = 1, *, draft: str | None = None, locked: KbError | None = None) -> None:
        """Show a note at a line; offer a draft that was left behind; `locked` says why it cannot be edited."""

    def text(self) -> str:
        """Return the text as it would be saved."""
        return ""

    def note_changed_outside(self, note: Note) -> None:
        """Take in what is now on disk; what we saved ourselves is known by its hash and changes nothing."""

    def note_deleted_outside(self) -> None:
        """Take in that the file is gone; it is not made again unless the user says so."""

    def save_now(self) -> None:
        """Save at once what is not saved yet."""

    def settle(self) -> bool:
        """Begin the last save; True if there is nothing (more) to wait for. `state_changed` tells the rest."""
        return True

    def wear(self, theme: Theme) -> None:
        """Take on these colours."""
