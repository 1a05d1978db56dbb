"""The room of changes to the vault's own order: notes made, renamed, moved and put away, with their links, and back.

Each is one step, written in line with what the editor saves. The last ones can be taken back.
"""

# ruff: noqa: PLC0415 - see below

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from app.state.note_model import NoteModel
from app.widgets.notification import Notification, NotificationAction, of_error
from kb.errors import KbError
from kb.markdown.lines import split_lines
from kb.markdown.links import Link, links
from kb.notes.language import split_name
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.results import Mention
from kb.vault.vault import Vault

if TYPE_CHECKING:
    from kb.vault.transaction import AppliedTransaction, Transaction


def target_for(vault: Vault, entry: NoteEntry, mention: Mention) -> str:
    """Return what a wikilink in the place of the name has to say to mean this note: the name itself, or its key."""
    own = entry.paths.values()
    return mention.name if vault.resolve_link(mention.path, mention.name) in own else entry.key


def linked_text(note: Note, mention: Mention, target: str) -> str | None:
    r"""Return a note's text with the name of a mention made a wikilink, its lines ended by "\n".

    None where that cannot be done without changing anything else: the name is no longer there, or what would be
    written is not read as exactly one link more.
    """
    lines = split_lines(note.text)
    if not 0 < mention.line <= len(lines) or re.search(r"[\[\]|#\n]", mention.name + target):
        return None
    line = lines[mention.line - 1]
    before = links(note.text, note.meta.lines + 1)
    for place in re.finditer(re.escape(mention.name), line, re.IGNORECASE):
        label = place[0]
        written = f"[[{target}]]" if label == target else f"[[{target}|{label}]]"
        lines[mention.line - 1] = line[: place.start()] + written + line[place.end() :]
        text = "\n".join(lines)
        if _is_one_more(before, links(text, note.meta.lines + 1), mention.line, target):
            return text
    return None


def _is_one_more(before: tuple[Link, ...], after: tuple[Link, ...], line: int, target: str) -> bool:
    """Tell whether the links are those of before, and one to the target in this line."""
    known = [(link.kind, link.target, link.anchor, link.label, link.line) for link in before]
    new: list[Link] = []
    for link in after:
        if known and (link.kind, link.target, link.anchor, link.label, link.line) == known[0]:
            known.pop(0)
        else:
            new.append(link)
    return not known and [(link.kind, link.target, link.line) for link in new] == [("wiki", target, line)]


_TOLD = 3  # files that could not be taken in
_KEPT = 50  # steps that can be taken back
Result = TypeVar("Result")
_SUFFIXES = (".md", ".markdown", ".txt")


@dataclass(frozen=True)
class VaultChange:
    """What changed: where files went, by the path they had, every path that is another file now, and what stayed."""

    moves: Mapping[str, str] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()
    notes: int = 0  # that were rewritten
    left: tuple[str, ...] = ()  # notes that were edited since, and are not taken back


@dataclass(frozen=True)
class _Doing:
    """A step that was taken: its words, what it changed, and how it is taken back."""

    zh: str
    en: str
    did: VaultChange
    back: Callable[[Vault], VaultChange]


class VaultEdits(QObject):
    """Makes, renames, moves and puts away notes; every signal comes on the GUI thread."""

    about_to_arrange = Signal()  # what is typed is to be saved now
    arranged = Signal(object)  # Arranged
    noticed = Signal(object)  # Notice

    def __init__(self, notes: NoteModel, parent: QObject | None = None) -> None:
        """Write where `notes` writes."""
        super().__init__(parent)
        self._notes = notes
        self._done: list[_Doing] = []
        self._vault: Vault | None = None

    def attach(self, vault: Vault) -> None:
        """Turn to a vault; what was done in another cannot be taken back here."""
        self._vault, self._done = vault, []

    # --- verbs

    def new_note(self, path: str, *, text: str = "", then: Callable[[str], object]) -> None:
        """Make a note and tell `then` its path; one without a suffix gets .md, one without text its name as title."""
        path = path if path.lower().endswith(_SUFFIXES) else f"{path}.md"
        text = text or f"# {split_name(path)[0].rpartition('/')[2]}\n\n"

        def made(_: Note) -> None:
            then(path)

        if (desk := self._notes.desk) is not None:
            desk.save(path, text, form=None, expected_hash=None, done=made, failed=self.failed("new"))

    def rename_note(self, entry: NoteEntry, key: str) -> None:
        """Give a note another path, in each of its languages; links follow."""
        zh, en = _told_of(entry, posixpath.normpath(key))

        def plan(vault: Vault) -> Transaction:
            from kb.vault.rename import rename_note

            return rename_note(vault, entry, key)

        self._take(plan, zh, en)

    def move_folder(self, folder: str, new: str) -> None:
        """Give a folder another path; links to the notes in it follow."""
        zh, en = f"文件夹 {folder} 现在是 {new}", f"The folder {folder} is {new} now"

        def plan(vault: Vault) -> Transaction:
            from kb.vault.rename import move_folder

            return move_folder(vault, folder, new)

        self._take(plan, zh, en)

    def rename_heading(self, path: str, line: int, words: str) -> None:
        """Give the heading at a line of a note other words; links to it follow."""
        zh, en = f"标题现在是“{words}”", f'The heading is "{words}" now'

        def plan(vault: Vault) -> Transaction:
            from kb.vault.rename import rename_heading

            return rename_heading(vault, path, line, words)

        self._take(plan, zh, en)

    def rewrite(self, plan: Callable[[Vault], Transaction], zh: str, en: str) -> None:
        """Take another step, said in both languages, that can be taken back like the others."""
        self._take(plan, zh, en)

    def delete_note(self, entry: NoteEntry) -> None:
        """Move a note, in each of its languages, out of the vault to where it can be had back."""
        zh, en = f"“{entry.name}”已移出笔记库", f'"{entry.name}" was moved out of the vault'
        self._work(lambda vault: _put_away(vault, tuple(entry.paths.values()), zh, en), self._on_done)

    def import_files(self, sources: Sequence[Path], folder: str, then: Callable[[str], object]) -> None:
        """Take notes, notebooks and folders from elsewhere in, and tell `then` the path of the first note.

        What cannot be taken in is named with its reason.
        """

        def done(found: tuple[_Doing | None, tuple[str, ...], tuple[KbError, ...]]) -> None:
            doing, paths, errors = found
            if doing is not None:
                self._on_done(doing)
            for error in errors[:_TOLD]:
                self.noticed.emit(of_error(error, topic=f"import {error}"))
            if first := next((path for path in paths if path.lower().endswith(_SUFFIXES)), None):
                then(first)

        self._work(lambda vault: _bring_in(vault, sources, folder), done)

    def undo(self) -> bool:
        """Take back the last step; tell whether there is one."""
        if not self._done:
            return False
        last = self._done.pop()
        self._work(last.back, lambda did: self._on_undone(last, did))
        return True

    # --- how they are done

    def _take(self, plan: Callable[[Vault], Transaction], zh: str, en: str) -> None:
        def work(vault: Vault) -> _Doing:
            from kb.vault.transaction import apply, revert

            taken = apply(vault, plan(vault))
            return _Doing(zh, en, _told(taken), lambda vault: _told(revert(vault, taken.back)))

        self._work(work, self._on_done)

    def _work(self, work: Callable[[Vault], Result], done: Callable[[Result], object]) -> None:
        vault = self._vault
        if vault is not None:
            self.about_to_arrange.emit()
            self._notes.in_turn(
                lambda: work(vault),
                lambda result: done(result) if vault is self._vault else None,
                self.failed("arrange"),
            )

    def _on_done(self, doing: _Doing) -> None:
        did = doing.did
        if not did.paths:
            return
        self._done = [*self._done[1 - _KEPT :], doing]
        self.arranged.emit(did)
        notes = "1 note was" if did.notes == 1 else f"{did.notes} notes were"
        self.noticed.emit(Notification(
            f"{doing.zh}" + (f"；{did.notes} 篇笔记里的文字随之改了。" if did.notes else "。"),
            f"{doing.en}" + (f"; {notes} rewritten with it." if did.notes else "."),
            choices=(NotificationAction("撤销", "Undo", self.undo),), topic="arranged",
        ))  # fmt: skip

    def _on_undone(self, doing: _Doing, did: VaultChange) -> None:
        self.arranged.emit(did)
        self.noticed.emit(Notification(
            f"已撤销：{doing.zh}。" + (f"{'、'.join(did.left)} 后来又改过，保持原样。" if did.left else ""),
            f"Undone: {doing.en}." + (f" Edited since, and left as it is: {', '.join(did.left)}." if did.left else ""),
            topic="arranged", passing=not did.left,
        ))  # fmt: skip

    def failed(self, topic: str) -> Callable[[Exception], object]:
        """Return what tells of an error."""
        return lambda error: self.noticed.emit(of_error(error, topic=topic))


def _told_of(entry: NoteEntry, key: str) -> tuple[str, str]:
    """Say what became of a note: another name, or another folder."""
    folder, name = posixpath.split(key)
    if name != entry.name or folder == entry.folder:
        return f"“{entry.name}”现在是 {key}", f'"{entry.name}" is {key} now'
    if not folder:
        return f"“{name}”已移到最上层", f'"{name}" was moved to the top'
    return f"“{name}”已移到 {folder}", f'"{name}" was moved to {folder}'


def _told(taken: AppliedTransaction) -> VaultChange:
    moves = {old: new for new, old in taken.back.moves}
    return VaultChange(moves, taken.back.paths, len(taken.back.texts), taken.left)


def _bring_in(
    vault: Vault, sources: Sequence[Path], folder: str
) -> tuple[_Doing | None, tuple[str, ...], tuple[KbError, ...]]:
    from kb.vault.note_import import import_file, import_folder

    paths: list[str] = []
    errors: list[KbError] = []
    for source in sources:
        try:
            if source.is_dir():
                taken = import_folder(vault, source, posixpath.join(folder, source.name))
                errors += [error for _, error in taken.left]
            else:
                taken = import_file(vault, source, folder)
            paths += taken.paths
        except KbError as error:
            errors.append(error)
    if not paths:
        return None, (), tuple(errors)

    def back(vault: Vault) -> VaultChange:
        for path in paths:
            vault.discard(path)
        return VaultChange(paths=frozenset(paths))

    count = len(paths)
    zh, en = f"导入了 {count} 个文件", f"{count} file{'s were' if count > 1 else ' was'} brought in"
    return _Doing(zh, en, VaultChange(paths=frozenset(paths)), back), tuple(paths), tuple(errors)


def _put_away(vault: Vault, paths: tuple[str, ...], zh: str, en: str) -> _Doing:
    kept: list[tuple[Path, str]] = []

    def back(vault: Vault) -> VaultChange:
        for place, path in kept:
            vault.bring_back(place, path)
        return VaultChange(paths=frozenset(paths))

    try:
        kept.extend((vault.discard(path), path) for path in paths)
    except KbError:
        back(vault)
        raise
    return _Doing(zh, en, VaultChange(paths=frozenset(paths)), back)
