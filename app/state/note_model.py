"""The notes of the open vault and the open note, which is read, rendered and saved off the GUI thread."""

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
_SHOWN = 0.3  # seconds; the longest wait for the beginning of a note to be shown


class NoteModel(QObject):
    """Lists, opens and reloads the notes of one vault; signals are emitted on the GUI thread."""

    listed = Signal(object)  # tuple[NoteEntry, ...]
    list_failed = Signal(object)  # error; the notes listed before stay
    opening = Signal(str)  # path
    opened = Signal(object)  # OpenNote
    reloaded = Signal(object)  # OpenNote, changed on disk, at the same place
    grown = Signal(object)  # OpenNote, complete, after `opened` with its beginning
    open_failed = Signal(str, object)  # path, error
    saved = Signal(object)  # Note
    drafts_found = Signal(object)  # tuple[Draft, ...], unsaved texts of earlier sessions
    confirmed = Signal(object)  # OpenNote, read again and unchanged
    gone = Signal(str)  # path of the open note, which was deleted; `reloaded` follows if it comes back

    def __init__(self, executor: GuiExecutor, renderer: Renderer, parent: QObject | None = None) -> None:
        """Read through `executor`; `close` also closes the renderer."""
        super().__init__(parent)
        self._executor = executor
        self._writer = GuiExecutor(self, threads=1)  # one thread: writes keep their order
        self._renderer = renderer
        self.store: DocumentStore | None = None
        self._asked = 0
        self._under_way = False  # whether a note is being opened
        self._begun = False  # whether only its beginning is there
        self._lost = False  # whether the open note was deleted
        self._listing = 0
        self.vault: Vault | None = None
        self.entries: tuple[NoteEntry, ...] = ()
        self.current: OpenNote | None = None
        self.shown: tuple[Snippet, ...] = ()  # snippets of the open note with a cell on the page
        self.history = History()
        self.returning = False  # whether a note is opened by `back`, `forward` or `follow`

    def attach(self, vault: Vault, drafts: Path) -> None:
        """Switch to a vault, without an open note; `drafts` is the folder of unsaved texts.

        Work that the first note does not need waits for `prepare`.
        """
        self._asked += 1
        self._listing += 1
        self._under_way = self._lost = False
        self.vault, self.current, self.entries = vault, None, ()
        self.history.clear()
        self.store = DocumentStore(
            vault,
            Drafts(drafts),
            writer=self._writer,
            executor=self._executor,
            rendering=self._rendering,
            saved=lambda note: self._on_saved(note) if self.vault is vault else None,
        )
        self.store.find_drafts(lambda found: self.drafts_found.emit(found) if self.vault is vault else None)

    @property
    def busy(self) -> bool:
        """Whether a note is being opened."""
        return self._under_way

    def prepare(self) -> None:
        """List the vault, delete temporary files of earlier sessions, and start the render process."""
        if (vault := self.vault) is not None:
            self.list()
            self._executor.run(vault.sweep, _never, _never)
            self._executor.run(self._renderer.warm, _never, _never)

    def list(self) -> None:
        """List the notes of the vault off the GUI thread."""
        if self.vault is None:
            return
        self._listing += 1
        turn = self._listing
        self._executor.run(
            self.vault.entries,
            lambda entries: self._on_listed(entries) if turn == self._listing else None,
            lambda error: self.list_failed.emit(error) if turn == self._listing else None,
        )

    def open(self, place: Location, *, remember: bool = True) -> None:
        """Open a note at a location. The current one stays until it is rendered; only the last call counts."""
        self.returning = not remember
        if remember:
            self.history.visit(place)
        self.opening.emit(place.path)
        self._under_way, self._begun, self._lost = True, False, False
        self._load(place, self._on_opened)

    def reload(self) -> None:
        """Read the open note again; `reloaded` or `confirmed` follows. Does nothing while a note is being opened."""
        if self.current is not None and not self._under_way:
            self._load(self.current.place, self._on_reloaded)

    def back(self) -> None:
        """Go back in the history."""
        if place := self.history.back():
            self.open(place, remember=False)

    def forward(self) -> None:
        """Go forward in the history."""
        if place := self.history.forward():
            self.open(place, remember=False)

    def reached(self, anchor: str) -> None:
        """Store the section scrolled to in the history, so that `back` returns to it."""
        if self.current is not None:
            here = replace(self.current.place, anchor=anchor, line=0, marks=())
            self.current = replace(self.current, place=here)
            self.history.update_current(here)

    def step_to(self, anchor: str) -> None:
        """Add a jump within the open note to the history."""
        if self.current is not None:
            here = replace(self.current.place, anchor=anchor, line=0, marks=())
            self.current = replace(self.current, place=here)
            self.history.visit(here)

    def follow(self, moves: Mapping[str, str]) -> Location | None:
        """Replace the paths of moved files in the history and the open note; return its new location if it moved.

        The open note has the new path at once, whether or not it can be opened there.
        """
        self.history.follow(moves)
        if self.store is not None:
            self.store.follow(moves)
        if self.current is None or (path := moves.get(self.current.place.path)) is None:
            return None
        place = replace(self.current.place, path=path)
        self.current = replace(self.current, place=place)
        return place

    def in_turn(
        self, work: Callable[[], Result], done: Callable[[Result], object], failed: Callable[[Exception], object]
    ) -> None:
        """Run work that writes, queued behind all saves."""
        self._writer.run(work, done, failed)

    def changed(self, paths: frozenset[str]) -> None:
        """Reload the open note if it is among these changed files."""
        if self.current is not None and paths & set(self.current.entry.paths.values()):
            self.reload()

    def keep_page(self, file: Path) -> None:
        """Store the page of the open note for the next start. Blocks while writing. Raises SaveFailed, OSError."""
        if self.current is not None:
            self._renderer.store(file, [(note.path, note.text) for note in self.current.notes.values()])

    def close(self) -> None:
        """End the render process, and drop the note being opened."""
        self._asked += 1
        self._renderer.close()
        self._writer.close()

    def _rendering(self) -> Callable[[str, str, ViewportRequest], ViewportPage]:
        """Return a function that renders a part of a text with the code of library snippets."""
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

        self._executor.run(
            lambda: open_note(vault, place, renderer, begun=begun, returning=returning, wanted=wanted),
            lambda note: done(note) if wanted() else None,
            lambda error: self._on_failed(place.path, error) if wanted() else None,
        )

    def _show_beginning(self, note: OpenNote, asked: int) -> None:
        """Show the beginning of a note and wait up to 0.3 s for that, so that rendering the rest does not delay it."""
        shown = threading.Event()

        def show() -> None:
            try:
                if asked == self._asked:
                    self._on_begun(note)
            finally:
                shown.set()

        self._executor.post(show)
        shown.wait(_SHOWN)

    def _on_begun(self, note: OpenNote) -> None:
        """Show the beginning of a note, or all of it with its formatting still to come."""
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
        if self._under_way:  # changes of the note that stays were not read meanwhile
            self._under_way = False
            self.reload()

    def _on_listed(self, entries: tuple[NoteEntry, ...]) -> None:
        self.entries = entries
        self.listed.emit(entries)
        if (note := self.current) is not None and any(
            note.place.path in one.paths.values() and one.paths != note.entry.paths for one in entries
        ):
            self.reload()  # a language was added or removed

    def _on_saved(self, note: Note) -> None:
        self.saved.emit(note)
        self.reload()


def _never(_: object) -> None:
    """Ignore a result."""
