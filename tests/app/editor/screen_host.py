"""A text with its autosave, for tests without widgets."""

from __future__ import annotations

from typing import Any

from app.editor.autosave import Autosave
from app.editor.draft_writer import DraftWriter
from kb.notes.note import Note

PATH = "a/gather.zh.md"


class Screen:
    """A text with its autosave, and a record of the autosave's signals."""

    def __init__(self, store: Any, text: str = "one\n", locked: Exception | None = None) -> None:
        self.store = store
        self.note: Note = store.put(PATH, text)
        self.text = text
        self.drafting = DraftWriter(store)
        self.saver = Autosave(store, self.drafting, self.note, text=lambda: self.text, locked=locked)
        self.states: list[str] = []
        self.reloaded: list[Note] = []
        self.beside: list[str] = []
        self.rests = 0
        self.saver.state_changed.connect(lambda state: self.states.append(state.kind))
        self.saver.reloaded.connect(self._on_reloaded)
        self.saver.merged.connect(self._on_merged)
        self.saver.kept_beside.connect(self.beside.append)
        self.saver.rested.connect(self._on_rested)

    def type(self, text: str) -> None:
        """Change the text as typing does."""
        self.text = text
        self.saver.edited()

    @property
    def on_disk(self) -> str | None:
        """The content of the file, None if it is missing."""
        data = self.store.files.get(PATH)
        return None if data is None else data.decode()

    def others_write(self, text: str) -> None:
        """Write the file as another program does, and report the change."""
        self.saver.changed_outside(self.store.put(PATH, text))

    def _on_reloaded(self, note: Note) -> None:
        self.reloaded.append(note)
        self.type(note.text)  # as the source does: the change on the screen is an edit for Qt

    def _on_merged(self, _note: Note, text: str) -> None:
        self.type(text)

    def _on_rested(self) -> None:
        self.rests += 1
