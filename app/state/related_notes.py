"""Notes related to the open one: similar notes, unlinked mentions, and sections that explain an error.

The result for the open note is cached for the next start.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.state.note_model import NoteModel
from app.state.search_service import SearchService
from app.state.vault_edits import linked_text, target_for
from kb.errors import KbError
from kb.files.encoding import restore_line_ends
from kb.files.tree import read_own
from kb.notes.language import split_name
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.rendering.page_cache import maker, seal, unseal
from kb.results import Hit, IndexReport, Mention
from kb.vault.vault import Vault

if TYPE_CHECKING:  # loads the index
    from kb.search.searcher import Searcher

SETTLED_MS = 400  # a note left sooner is not searched for
LIKE = 5
MENTIONS = 60  # before the panel keeps one for each file
EXPLAINED = 3
_TUPLES = ("trail", "matched", "why")  # fields of Hit that JSON stores as lists


@dataclass(frozen=True)
class Related:
    """Similar notes and unlinked mentions of the note whose entry has this key."""

    key: str
    like: tuple[Hit, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True)
class CachedRelated:
    """The related notes of one file of a note; similar notes depend on its language."""

    path: str
    related: Related


@dataclass(frozen=True)
class LinkedMention:
    """A mention made a link: the note as saved, and its text before."""

    note: Note
    before: str


def read_related(file: Path) -> CachedRelated | None:
    """Read the cache; None if it is missing, damaged or of another version of the program."""
    try:
        document = json.loads(unseal(read_own(file)) or b"{}")
        if document.get("made by") != maker():
            return None
        like = tuple(Hit(**{**one, **{name: tuple(one[name]) for name in _TUPLES}}) for one in document["like"])
        mentions = tuple(Mention(**one) for one in document["mentions"])
        return CachedRelated(document["path"], Related(document["key"], like, mentions))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def write_related(file: Path, kept: CachedRelated | None) -> None:
    """Write the cache, or delete it for None. Raises SaveFailed, OSError."""
    from kb.files.atomic import replace_file  # noqa: PLC0415 - the start only reads
    from kb.files.paths import make_private  # noqa: PLC0415

    if kept is None:
        file.unlink(missing_ok=True)
        return
    document: dict[str, Any] = {**asdict(kept.related), "path": kept.path, "made by": maker()}
    make_private(file.parent)
    replace_file(file, seal(json.dumps(document).encode()))


class RelatedNotes(QObject):
    """Finds the notes related to the open one, 0.4 s after it was opened; signals are emitted on the GUI thread."""

    found = Signal(object)  # Related, of the open note

    def __init__(self, search_service: SearchService, notes: NoteModel, parent: QObject | None = None) -> None:
        """Follow the open note of `notes`, and query `search_service`."""
        super().__init__(parent)
        self._search_service = search_service
        self._notes = notes
        self.kin = Related("")
        self._from_cache = False  # whether `kin` is the cached result
        self._known = ""  # key of the note that `kin` was found for
        self._cached: CachedRelated | None = None  # until it is shown or the index changes
        self._delay = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._delay.timeout.connect(self._look)
        notes.opened.connect(lambda _: self._on_opened())
        notes.reloaded.connect(lambda _: self._delay.start())
        search_service.indexed.connect(self._on_indexed)
        notes.listed.connect(lambda _: self._show_cached())

    @property
    def busy(self) -> bool:
        """Whether a search is about to begin."""
        return self._delay.isActive()

    def recall(self, file: Path) -> None:
        """Read the cache of a vault that is opened. If the note has not changed, the index is not even loaded."""
        self._cached, self._known, self._from_cache = read_related(file), "", False
        self.kin = Related("")

    def store(self, file: Path) -> None:
        """Cache the related notes of the open note if they are up to date. Raises SaveFailed, OSError."""
        note, search_service = self._notes.current, self._search_service
        indexed = search_service.report is not None or self._from_cache
        current = indexed and search_service.progress is None and not self.busy
        known = note is not None and note.entry.key == self.kin.key == self._known
        cached = CachedRelated(note.lead.path, self.kin) if note is not None and known and current else None
        write_related(file, cached)

    def explain(self, output: str, language: str, done: Callable[[tuple[Hit, ...]], object]) -> None:
        """Find the sections that explain the error at the end of a run's output, in this language if possible."""
        self._search_service.ask(lambda searcher: _explanations(searcher, output, language), done)

    def link(
        self, mention: Mention, *, done: Callable[[LinkedMention], object], failed: Callable[[Exception | None], object]
    ) -> None:
        """Make a mention of the open note a link and save; `failed` gets None if that is impossible."""
        note, vault, store = self._notes.current, self._notes.vault, self._notes.store
        if note is None or vault is None or store is None or mention.path in store.left:
            failed(None)
            return
        entry = note.entry

        def prepared(found: tuple[Note, str] | None) -> None:
            if found is None:
                failed(None)
                return
            source, text = found

            def linked(saved: Note) -> None:
                done(LinkedMention(saved, source.text))

            store.save(source.path, text, form=None, expected_hash=source.hash, done=linked, failed=failed)

        self._search_service.ask(lambda _: _prepared(vault, entry, mention), prepared)

    def unlink(self, linked: LinkedMention, failed: Callable[[Exception], object]) -> None:
        """Restore the text before a link was made, unless the note was changed since."""
        if (store := self._notes.store) is not None:
            note, text = linked.note, linked.before
            store.save(note.path, text, form=None, expected_hash=note.hash, done=lambda _: None, failed=failed)

    def _on_opened(self) -> None:
        note = self._notes.current
        if note is not None and note.entry.key != self.kin.key:
            self.kin = Related(note.entry.key)
            self.found.emit(self.kin)
        if note is not None and self._cached is not None and self._cached.path == note.lead.path:
            self._show_cached()
        else:
            self._cached = None
            self._delay.start()

    def _show_cached(self) -> None:
        """Show the cached result, once the titles of its notes are known."""
        if self._cached is not None and self._cached.related.key == self.kin.key and self._notes.entries:
            related, self._cached = self._cached.related, None
            self._on_found(related)
            self._from_cache = True

    def _on_indexed(self, report: IndexReport) -> None:
        changed = report.added or report.updated or report.removed or report.rebuilt
        if self._notes.current is not None and (changed or (self._known != self.kin.key and self._cached is None)):
            self._cached = None
            self._delay.start()

    def _look(self) -> None:
        note, vault = self._notes.current, self._notes.vault
        if note is None or vault is None:
            return
        entry, path = note.entry, note.lead.path
        self._search_service.ask(lambda searcher: _related(searcher, vault, entry, path), self._on_found)

    def _on_found(self, related: Related) -> None:
        note = self._notes.current
        if note is not None and note.entry.key == related.key:
            self._known, self._from_cache = related.key, False
            if related != self.kin:
                self.kin = related
                self.found.emit(related)


def _prepared(vault: Vault, entry: NoteEntry, mention: Mention) -> tuple[Note, str] | None:
    """Return the note of a mention and its text with the link; None if no link can be made."""
    try:
        source = vault.read(mention.path)
    except KbError:
        return None
    text = linked_text(source, mention, target_for(vault, entry, mention))
    return (source, restore_line_ends(source.text, text)) if text is not None else None


def _related(searcher: Searcher, vault: Vault, entry: NoteEntry, path: str) -> Related:
    from kb.search.related import mentions, more_like  # noqa: PLC0415 - loads the index, off the GUI thread

    like = more_like(searcher, path, LIKE)
    return Related(entry.key, like, mentions(searcher, vault, entry, limit=MENTIONS))


def _explanations(searcher: Searcher, output: str, language: str) -> tuple[Hit, ...]:
    from kb.search.related import explain  # noqa: PLC0415 - see above

    return in_one_language(explain(searcher, output, limit=2 * EXPLAINED), language)[:EXPLAINED]


def in_one_language(hits: tuple[Hit, ...], language: str) -> tuple[Hit, ...]:
    """Drop hits in notes that are also among the hits in this language."""
    split = [split_name(hit.path) for hit in hits]
    there = {stem for stem, side in split if side == language}
    return tuple(hit for hit, (stem, side) in zip(hits, split, strict=True) if side == language or stem not in there)
