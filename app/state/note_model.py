"""The room of notes: which are there, which one is open, and how it is read, rendered and saved off the GUI thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.editor.document_store import DocumentStore
from app.executor import GuiExecutor
from app.history import History, Location
from app.notebook import vault_snippets
from app.notebook.note_loader import OpenNote, cells, open_note, with_code
from kb.errors import NoteMissing
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.rendering.renderer import Renderer
from kb.rendering.viewport import ViewportPage, ViewportRequest
from kb.vault.drafts import Drafts
from kb.vault.vault import Vault
from snippets.model.snippet import Snippet

Result = TypeVar("Result")
_SHOWN = 0.3  # seconds at most for which the rest of a note waits for its beginning to be shown


class NoteModel(QObject):
    """Opens, lists and saves the notes of one vault; every signal comes on the GUI thread."""

    listed = Signal(object)  # tuple[NoteEntry, ...]
    list_failed = Signal(object)  # error; what was listed before stays
    opening = Signal(str)  # path
    opened = Signal(object)  # OpenNote that was asked for
    reloaded = Signal(object)  # OpenNote that changed on disk, at the same place
    grown = Signal(object)  # OpenNote, all of the one whose beginning was opened
    open_failed = Signal(str, object)  # path, error
    saved = Signal(object)  # Note
    drafts_found = Signal(object)  # tuple[Draft, ...]: what an earlier session could not save
    confirmed = Signal(object)  # OpenNote, read again, which is what it was
    gone = Signal(str)  # path of the open note, deleted by others; `reloaded` follows if it comes back

    def __init__(self, door: GuiExecutor, renderer: Renderer, parent: QObject | None = None) -> None:
        """Work through `door`; the renderer is closed with this room."""
        super().__init__(parent)
        self._door = door
        self._pen = GuiExecutor(self, threads=1)  # what is written keeps its order
        self._renderer = renderer
        self.desk: DocumentStore | None = None
        self._asked = 0
        self._under_way = False  # a note is being opened
        self._begun = False  # and its beginning is there
        self._lost = False  # the open note was told to be gone
        self._listing = 0
        self.vault: Vault | None = None
        self.entries: tuple[NoteEntry, ...] = ()
        self.current: OpenNote | None = None
        self.shown: tuple[Snippet, ...] = ()  # those of the open note whose cells are on the page
        self.history = History()
        self.returning = False  # the note that is opened is one that was left before

    def attach(self, vault: Vault, drafts: Path) -> None:
        """Turn to a vault; nothing of it is open yet. What was typed and not saved before is in `drafts`.

        All that the first note does not need waits for `settle`.
        """
        self._asked += 1
        self._listing += 1
        self._under_way = self._lost = False
        self.vault, self.current, self.entries = vault, None, ()
        self.history.clear()
        self.desk = DocumentStore(
            vault,
            Drafts(drafts),
            pen=self._pen,
            door=self._door,
            rendering=self._rendering,
            saved=lambda note: self._on_saved(note) if self.vault is vault else None,
        )
        self.desk.find_drafts(lambda found: self.drafts_found.emit(found) if self.vault is vault else None)

    @property
    def busy(self) -> bool:
        """Whether a note is being opened."""
        return self._under_way

    def prepare(self) -> None:
        """List the vault, clear up what an earlier session has left in it, and have the next note wait for nothing."""
        if (vault := self.vault) is not None:
            self.list()
            self._door.run(vault.sweep, _never, _never)
            self._door.run(self._renderer.warm, _never, _never)

    def list(self) -> None:
        """Find the notes of the vault again, in the background."""
        if self.vault is None:
            return
        self._listing += 1
        turn = self._listing
        self._door.run(
            self.vault.entries,
            lambda entries: self._on_listed(entries) if turn == self._listing else None,
            lambda error: self.list_failed.emit(error) if turn == self._listing else None,
        )

    def open(self, place: Location, *, remember: bool = True) -> None:
        """Open a note at a place; the page before stays until this one is there, and the newest wins."""
        self.returning = not remember
        if remember:
            self.history.visit(place)
        self.opening.emit(place.path)
        self._under_way, self._begun, self._lost = True, False, False
        self._load(place, self._on_opened)

    def reload(self) -> None:
        """Read the open note again; `reloaded` follows if it is another text now. A note being opened goes first."""
        if self.current is not None and not self._under_way:
            self._load(self.current.place, self._on_reloaded)

    def back(self) -> None:
        """Return to the place before."""
        if place := self.history.back():
            self.open(place, remember=False)

    def forward(self) -> None:
        """Return to the place that `back` left."""
        if place := self.history.forward():
            self.open(place, remember=False)

    def reached(self, anchor: str) -> None:
        """Note how far the reader has scrolled, so that coming back comes back here."""
        if self.current is not None:
            here = replace(self.current.place, anchor=anchor, line=0, marks=())
            self.current = replace(self.current, place=here)
            self.history.update_current(here)

    def step_to(self, anchor: str) -> None:
        """Note a step within the open note, which `back` undoes."""
        if self.current is not None:
            here = replace(self.current.place, anchor=anchor, line=0, marks=())
            self.current = replace(self.current, place=here)
            self.history.visit(here)

    def follow(self, moves: Mapping[str, str]) -> Location | None:
        """Take in that files were moved, those that were read lately and the open one; return where that one is now.

        It is there whatever is opened next, and whether that can be opened or not.
        """
        self.history.follow(moves)
        if self.current is None or (path := moves.get(self.current.place.path)) is None:
            return None
        place = replace(self.current.place, path=path)
        self.current = replace(self.current, place=place)
        return place

    def in_turn(
        self, work: Callable[[], Result], done: Callable[[Result], object], failed: Callable[[Exception], object]
    ) -> None:
        """Do work that writes, after all that was to be saved before it."""
        self._pen.run(work, done, failed)

    def changed(self, paths: frozenset[str]) -> None:
        """Take in that these files changed on disk, by us or by others."""
        if self.current is not None and paths & set(self.current.entry.paths.values()):
            self.reload()

    def keep_page(self, file: Path) -> None:
        """Store the page of the open note for the next start. Raises SaveFailed, OSError; it may take a moment."""
        if self.current is not None:
            self._renderer.store(file, [(note.path, note.text) for note in self.current.notes.values()])

    def close(self) -> None:
        """End the rendering process; what is still being opened is dropped."""
        self._asked += 1
        self._renderer.close()
        self._pen.close()

    def _rendering(self) -> Callable[[str, str, ViewportRequest], ViewportPage]:
        """Return what renders a part of a text with the library's code in its place."""
        renderer, vault = self._renderer, self.vault

        def rendered(text: str, path: str, asked: ViewportRequest) -> ViewportPage:
            shown = renderer.render_part(text, path=path, asked=asked)
            wanted = vault is not None and any(cell.kind == "snippet" for cell in cells(shown.page))
            if not wanted or vault is None:
                return shown
            return ViewportPage(with_code(shown.page, vault_snippets.library(vault).snippets), shown.part)

        return rendered

    def _load(self, place: Location, done: Callable[[OpenNote], None]) -> None:
        vault, renderer = self.vault, self._renderer
        if vault is None:
            return
        self._asked += 1
        asked = self._asked
        begun, returning = None, self.returning
        if done == self._on_opened and not (self.current is not None and place.path in self.current.hashes):

            def begun(note: OpenNote) -> None:
                self._show_beginning(note, asked)

        def wanted() -> bool:
            return asked == self._asked

        self._door.run(
            lambda: open_note(vault, place, renderer, begun=begun, returning=returning, wanted=wanted),
            lambda note: done(note) if wanted() else None,
            lambda error: self._on_failed(place.path, error) if wanted() else None,
        )

    def _show_beginning(self, note: OpenNote, asked: int) -> None:
        """Have the beginning of a note shown, and wait for it: the rest is not to take the time that this takes."""
        shown = threading.Event()

        def show() -> None:
            try:
                if asked == self._asked:
                    self._on_begun(note)
            finally:
                shown.set()

        self._door.post(show)
        shown.wait(_SHOWN)

    def _on_begun(self, note: OpenNote) -> None:
        """Show the beginning of a note, or all of it as it was written; what it is like comes by and by."""
        if self._begun and self.current is not None:
            self._on_grown(note)
        else:
            self._under_way, self._begun = False, True
            self.current = note
            self.opened.emit(note)
        self._begun = True

    def _on_grown(self, note: OpenNote) -> None:
        self._begun = False
        self.current = replace(note, place=self.current.place) if self.current is not None else note
        self.grown.emit(self.current)

    def _on_opened(self, note: OpenNote) -> None:
        if self._begun:
            self._on_grown(note)
            return
        self._under_way = False
        self.current = note
        self.opened.emit(note)

    def _on_reloaded(self, note: OpenNote) -> None:
        before, back = self.current, self._lost
        if self._begun and before is not None and before.hashes == note.hashes:
            self._on_grown(note)
        elif back or before is None or before.hashes != note.hashes or before.entry.paths != note.entry.paths:
            self._begun = self._lost = False
            self.current = replace(note, place=before.place) if before else note
            self.reloaded.emit(self.current)
        else:
            self.confirmed.emit(note)

    def _on_failed(self, path: str, error: Exception) -> None:
        if isinstance(error, NoteMissing) and self.current is not None and path == self.current.place.path:
            self._lost = True
            self.gone.emit(path)
        else:
            self.open_failed.emit(path, error)
        if self._under_way:  # what was left unread meanwhile is the note that stays
            self._under_way = False
            self.reload()

    def _on_listed(self, entries: tuple[NoteEntry, ...]) -> None:
        self.entries = entries
        self.listed.emit(entries)
        if (note := self.current) is not None and any(
            note.place.path in one.paths.values() and one.paths != note.entry.paths for one in entries
        ):
            self.reload()  # its other language has come, or gone

    def _on_saved(self, note: Note) -> None:
        self.saved.emit(note)
        self.reload()


def _never(_: object) -> None:
    """Nobody waits for this result."""
