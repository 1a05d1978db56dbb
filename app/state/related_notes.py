"""The room of what belongs together: notes like the open one, notes that name it without a link, and explanations."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.state.note_model import NoteModel
from app.state.search_service import SearchBackend, SearchService
from app.state.vault_edits import linked_text, target_for
from kb.errors import KbError
from kb.files.encoding import restore_line_ends
from kb.notes.language import split_name
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.rendering.page_cache import maker, seal, unseal
from kb.results import Hit, IndexReport, Mention
from kb.vault.vault import Vault

_LISTS = ("trail", "matched", "why")


@dataclass(frozen=True)
class Related:
    """What belongs to a note, by the key of its entry."""

    key: str
    like: tuple[Hit, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True)
class CachedRelated:
    """The kin of a note that was read in one of its files: what is like it depends on the language."""

    path: str
    kin: Related


def read_related(file: Path) -> CachedRelated | None:
    """Return what was kept; None where there is nothing, it is damaged, or another version of the program kept it."""
    try:
        document = json.loads(unseal(file.read_bytes()) or b"{}")
        if document.get("made by") != maker():
            return None
        like = tuple(Hit(**{**one, **{name: tuple(one[name]) for name in _LISTS}}) for one in document["like"])
        mentions = tuple(Mention(**one) for one in document["mentions"])
        return CachedRelated(document["path"], Related(document["key"], like, mentions))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def write_related(file: Path, kept: CachedRelated | None) -> None:
    """Keep it, or nothing. Raises SaveFailed, OSError."""
    from kb.files.atomic import replace_file  # noqa: PLC0415 - the start, which reads, has no use for it
    from kb.files.paths import make_private  # noqa: PLC0415

    if kept is None:
        file.unlink(missing_ok=True)
        return
    document: dict[str, Any] = {**asdict(kept.kin), "path": kept.path, "made by": maker()}
    make_private(file.parent)
    replace_file(file, seal(json.dumps(document).encode()))


SETTLED_MS = 400  # a note that is left sooner is not looked into
LIKE = 5
MENTIONS = 60  # of which one for each file is shown
EXPLAINED = 3


@dataclass(frozen=True)
class LinkedMention:
    """A link that was made: the note as it now is, and its text before."""

    note: Note
    before: str


class RelatedNotes(QObject):
    """Looks for the kin of the open note once one reads it; every signal comes on the GUI thread."""

    found = Signal(object)  # Kin of the open note

    def __init__(self, lookup: SearchService, notes: NoteModel, parent: QObject | None = None) -> None:
        """Follow the open note of `notes`, and ask `lookup`."""
        super().__init__(parent)
        self._lookup = lookup
        self._notes = notes
        self.kin = Related("")
        self._taken = False  # whether that is what there is now
        self._known = ""  # the key of the note whose kin was found
        self._kept: CachedRelated | None = (
            None  # what was found last time, until the index says that it may be other now
        )
        self._soon = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._soon.timeout.connect(self._look)
        notes.opened.connect(lambda _: self._on_opened())
        notes.reloaded.connect(lambda _: self._soon.start())
        lookup.indexed.connect(self._on_indexed)
        notes.listed.connect(lambda _: self._take_kept())

    def recall(self, file: Path) -> None:
        """Take up what was found last time: the index is not even opened for a note that nothing changed for."""
        self._kept, self._known, self._taken = read_related(file), "", False
        self.kin = Related("")  # what was found is of another vault

    def store(self, file: Path) -> None:
        """Keep the kin of the open note for the next start, if it is what the index has now. SaveFailed, OSError."""
        note, lookup = self._notes.current, self._lookup
        heard = lookup.report is not None or self._taken  # nothing of a change in the index, at least
        sure = heard and lookup.progress is None and not self._soon.isActive()
        known = note is not None and note.entry.key == self.kin.key == self._known
        write_related(file, CachedRelated(note.lead.path, self.kin) if note is not None and known and sure else None)

    def explain(self, output: str, language: str, done: Callable[[tuple[Hit, ...]], object]) -> None:
        """Find the sections that explain the error that a run's output ends with, in a language where they have it."""
        self._lookup.ask(lambda searcher: _explanations(searcher, output, language), done)

    def link(
        self, mention: Mention, *, done: Callable[[LinkedMention], object], failed: Callable[[Exception | None], object]
    ) -> None:
        """Make a link of a mention of the open note, in one save; `failed` without an error where none can be made."""
        note, vault, desk = self._notes.current, self._notes.vault, self._notes.desk
        if note is None or vault is None or desk is None or mention.path in desk.left:
            failed(None)
            return
        entry = note.entry

        def prepared(found: tuple[Note, str] | None) -> None:
            if found is None:
                failed(None)
                return
            source, text = found
            desk.save(
                source.path, text, form=None, expected_hash=source.hash,
                done=lambda saved: done(LinkedMention(saved, source.text)), failed=failed,
            )  # fmt: skip

        self._lookup.ask(lambda _: _prepared(vault, entry, mention), prepared)

    def unlink(self, linked: LinkedMention, failed: Callable[[Exception], object]) -> None:
        """Give a note back the text that it had before a link was made, if nothing else has changed it."""
        if (desk := self._notes.desk) is not None:
            desk.save(
                linked.note.path, linked.before, form=None, expected_hash=linked.note.hash,
                done=lambda _: None, failed=failed,
            )  # fmt: skip

    def _on_opened(self) -> None:
        note = self._notes.current
        if note is not None and note.entry.key != self.kin.key:
            self.kin = Related(note.entry.key)
            self.found.emit(self.kin)
        if note is not None and self._kept is not None and self._kept.path == note.lead.path:
            self._take_kept()
        else:
            self._kept = None
            self._soon.start()

    def _take_kept(self) -> None:
        """Show what was kept, once the titles of what it names are known."""
        if self._kept is not None and self._kept.kin.key == self.kin.key and self._notes.entries:
            kin, self._kept = self._kept.kin, None
            self._on_kin(kin)
            self._taken = True

    def _on_indexed(self, report: IndexReport) -> None:
        changed = report.added or report.updated or report.removed or report.rebuilt
        if self._notes.current is not None and (changed or (self._known != self.kin.key and self._kept is None)):
            self._kept = None
            self._soon.start()

    def _look(self) -> None:
        note, vault = self._notes.current, self._notes.vault
        if note is None or vault is None:
            return
        entry, path = note.entry, note.lead.path
        self._lookup.ask(lambda searcher: _kin(searcher, vault, entry, path), self._on_kin)

    def _on_kin(self, kin: Related) -> None:
        note = self._notes.current
        if note is not None and note.entry.key == kin.key:
            self._known, self._taken = kin.key, False
            if kin != self.kin:
                self.kin = kin
                self.found.emit(kin)


def _prepared(vault: Vault, entry: NoteEntry, mention: Mention) -> tuple[Note, str] | None:
    """Return the note of a mention, and what it will say; None where no link can be made."""
    try:
        source = vault.read(mention.path)
    except KbError:
        return None
    text = linked_text(source, mention, target_for(vault, entry, mention))
    return (source, restore_line_ends(source.text, text)) if text is not None else None


def _kin(searcher: SearchBackend, vault: Vault, entry: NoteEntry, path: str) -> Related:
    from kb.search.related import mentions, more_like  # noqa: PLC0415 - it loads the index, off the GUI thread
    from kb.search.searcher import Searcher  # noqa: PLC0415

    if not isinstance(searcher, Searcher):
        return Related(entry.key)
    like = more_like(searcher, path, LIKE)
    return Related(entry.key, like, mentions(searcher, vault, entry, limit=MENTIONS))


def _explanations(searcher: SearchBackend, output: str, language: str) -> tuple[Hit, ...]:
    from kb.search.related import explain  # noqa: PLC0415 - see above
    from kb.search.searcher import Searcher  # noqa: PLC0415

    if not isinstance(searcher, Searcher):
        return ()
    return in_one_language(explain(searcher, output, limit=2 * EXPLAINED), language)[:EXPLAINED]


def in_one_language(hits: tuple[Hit, ...], language: str) -> tuple[Hit, ...]:
    """Leave out what says in the other language what a note among them says in this one."""
    split = [split_name(hit.path) for hit in hits]
    there = {stem for stem, side in split if side == language}
    return tuple(hit for hit, (stem, side) in zip(hits, split, strict=True) if side == language or stem not in there)
