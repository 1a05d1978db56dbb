"""Changes to the files of a vault: notes are created, renamed, moved, deleted, imported, and mentions linked.

Each change is one step, queued behind the editor's saves; the last 50 can be undone.
"""

# ruff: noqa: PLC0415 - transactions are loaded with the first step

from __future__ import annotations

import contextlib
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QFile, QObject, Signal

from app.notebook.vault_snippets import code_of
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
from snippets.errors import SnippetError
from snippets.model.snippet import read_snippet

if TYPE_CHECKING:
    from kb.vault.transaction import AppliedTransaction, Transaction
    from kb.vault.trash import DiscardedNote
    from kb.vault.version_store import Version

Result = TypeVar("Result")
_ERRORS = 3  # shown for one import
_UNDOS = 50
_SUFFIXES = (".md", ".markdown", ".txt")


def target_for(vault: Vault, entry: NoteEntry, mention: Mention) -> str:
    """Return the target for a wikilink at a mention of this note: the name if it resolves to the note, else its key."""
    own = entry.paths.values()
    return mention.name if vault.resolve_link(mention.path, mention.name) in own else entry.key


def linked_text(note: Note, mention: Mention, target: str) -> str | None:
    r"""Return a note's text with a mention made a wikilink, lines ending in "\n".

    None if the name is no longer in its line, or the new text does not parse to exactly one more link.
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
    """Whether `after` is `before` plus one wikilink to the target in this line."""
    known = [(link.kind, link.target, link.anchor, link.label, link.line) for link in before]
    new: list[Link] = []
    for link in after:
        if known and (link.kind, link.target, link.anchor, link.label, link.line) == known[0]:
            known.pop(0)
        else:
            new.append(link)
    return not known and [(link.kind, link.target, link.line) for link in new] == [("wiki", target, line)]


@dataclass(frozen=True)
class VaultChange:
    """A finished change of a vault: new paths by old ones, and every path whose file changed."""

    moves: Mapping[str, str] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()
    notes: int = 0  # whose text was rewritten
    left: tuple[str, ...] = ()  # edited since, so not undone


@dataclass(frozen=True)
class _Step:
    """A finished step: its description, what it changed, and how to undo it."""

    zh: str
    en: str
    change: VaultChange
    undo: Callable[[Vault], VaultChange]


class VaultEdits(QObject):
    """Creates, renames, moves, deletes and imports notes; signals are emitted on the GUI thread."""

    about_to_arrange = Signal()  # unsaved text must be saved now
    arranged = Signal(object)  # VaultChange
    imported = Signal(object)  # tuple[str, ...], the code that came in
    noticed = Signal(object)  # Notification

    def __init__(self, notes: NoteModel, parent: QObject | None = None) -> None:
        """Write to the vault of `notes`, after its saves."""
        super().__init__(parent)
        self._notes = notes
        self._done: list[_Step] = []
        self._vault: Vault | None = None

    def attach(self, vault: Vault) -> None:
        """Switch to a vault, and finish a step that was interrupted; steps in another one can no longer be undone."""
        self._vault, self._done = vault, []
        journal = vault.journal
        if journal is not None and journal.exists():
            self._work(_finish, lambda step: self._on_done(step) if step is not None else None)

    def new_note(self, path: str, *, text: str = "", then: Callable[[str], object]) -> None:
        """Create a note and call `then` with its path; the suffix defaults to .md, the text to the name as title."""
        path = path if path.lower().endswith(_SUFFIXES) else f"{path}.md"
        text = text or f"# {split_name(path)[0].rpartition('/')[2]}\n\n"

        def made(_: Note) -> None:
            then(path)

        if (store := self._notes.store) is not None:
            store.save(path, text, form=None, expected_hash=None, done=made, failed=self.failed("new"))

    def rename_note(self, entry: NoteEntry, key: str) -> None:
        """Rename or move a note in all its languages, and update links to it."""
        zh, en = _describe(entry, posixpath.normpath(key))

        def plan(vault: Vault) -> Transaction:
            from kb.vault.rename import rename_note

            return rename_note(vault, entry, key)

        self._take(plan, zh, en)

    def move_folder(self, folder: str, new: str) -> None:
        """Rename or move a folder, and update links to its notes."""
        zh, en = f"文件夹 {folder} 现在是 {new}", f"The folder {folder} is {new} now"

        def plan(vault: Vault) -> Transaction:
            from kb.vault.rename import move_folder

            return move_folder(vault, folder, new)

        self._take(plan, zh, en)

    def rename_heading(self, path: str, line: int, words: str) -> None:
        """Rename the heading at a line (from 1) of a note, and update links to it."""
        zh, en = f"标题现在是“{words}”", f'The heading is "{words}" now'

        def plan(vault: Vault) -> Transaction:
            from kb.vault.rename import rename_heading

            return rename_heading(vault, path, line, words)

        self._take(plan, zh, en)

    def rewrite(self, plan: Callable[[Vault], Transaction], zh: str, en: str) -> None:
        """Apply a planned transaction as a step that can be undone, described in both languages."""
        self._take(plan, zh, en)

    def delete_note(self, entry: NoteEntry) -> None:
        """Move a note in all its languages out of the vault, to a folder from which undo restores it."""
        zh, en = f"“{entry.name}”已移出笔记库", f'"{entry.name}" was moved out of the vault'
        self._work(lambda vault: _discard(vault, tuple(entry.paths.values()), zh, en), self._on_done)

    def restore(self, version: Version, anchor: str = "") -> None:
        """Put a version of a note back, to the byte; with an anchor, only this section of it."""
        name = version.path.rpartition("/")[2]
        when = datetime.fromtimestamp(version.saved_at).astimezone()
        zh, en = f"“{name}”恢复为 {when:%Y-%m-%d %H:%M:%S} 的版本", f'"{name}" is as of {when:%Y-%m-%d %H:%M:%S} again'
        if anchor:
            zh, en = f"“{name}”中的一节恢复为 {when:%Y-%m-%d %H:%M:%S} 的版本", f"A section of {en}"

        def plan(vault: Vault) -> Transaction:
            from kb.vault.note_timeline import restored

            return restored(vault, version, anchor)

        self._take(plan, zh, en)

    def bring_back(self, notes: Sequence[DiscardedNote]) -> None:
        """Move discarded notes back to where they were."""
        self._work(lambda vault: _bring_back(vault, notes), self._on_done)

    def delete_for_good(self, notes: Sequence[DiscardedNote], then: Callable[[], object]) -> None:
        """Move discarded notes to the system's trash, delete their versions, and call `then`."""
        self._work(lambda vault: _delete_for_good(vault, notes), lambda _: then())

    def import_files(self, sources: Sequence[Path], folder: str, then: Callable[[str], object]) -> None:
        """Import notes, notebooks and folders, and call `then` with the path of the first note.

        Files that cannot be imported are reported with the reason.
        """

        def done(found: tuple[_Step | None, tuple[str, ...], tuple[str, ...], tuple[KbError, ...]]) -> None:
            step, paths, code, errors = found
            self.imported.emit(code)
            if step is not None:
                self._on_done(step)
            for error in errors[:_ERRORS]:
                self.noticed.emit(of_error(error, topic=f"import {error}"))
            if first := next((path for path in paths if path.lower().endswith(_SUFFIXES)), None):
                then(first)

        self._work(lambda vault: _import(vault, sources, folder), done)

    def undo(self) -> bool:
        """Undo the last step; return False if there is none."""
        if not self._done:
            return False
        last = self._done.pop()
        self._work(last.undo, lambda change: self._on_undone(last, change))
        return True

    def _take(self, plan: Callable[[Vault], Transaction], zh: str, en: str) -> None:
        def work(vault: Vault) -> _Step:
            from kb.vault.transaction import apply

            return _step_of(apply(vault, plan(vault)), zh, en)

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

    def _on_done(self, step: _Step) -> None:
        change = step.change
        if not change.paths:
            return
        self._done = [*self._done[1 - _UNDOS :], step]
        self.arranged.emit(change)
        zh, en = f"{step.zh}。", f"{step.en}."
        if change.notes:
            notes = "1 note was" if change.notes == 1 else f"{change.notes} notes were"
            zh, en = f"{step.zh}；{change.notes} 篇笔记里的文字随之改了。", f"{step.en}; {notes} rewritten with it."
        undo = NotificationAction("撤销", "Undo", self.undo)
        self.noticed.emit(Notification(zh, en, choices=(undo,), topic="arranged"))

    def _on_undone(self, step: _Step, change: VaultChange) -> None:
        self.arranged.emit(change)
        zh, en = f"已撤销：{step.zh}。", f"Undone: {step.en}."
        if change.left:
            zh += f"{'、'.join(change.left)} 后来又改过，保持原样。"
            en += f" Edited since, and left as it is: {', '.join(change.left)}."
        self.noticed.emit(Notification(zh, en, topic="arranged", passing=not change.left))

    def failed(self, topic: str) -> Callable[[Exception], object]:
        """Return a callback that shows an error as a notification of this topic."""
        return lambda error: self.noticed.emit(of_error(error, topic=topic))


def _describe(entry: NoteEntry, key: str) -> tuple[str, str]:
    """Return the sentence for renaming or moving a note, in Chinese and English."""
    folder, name = posixpath.split(key)
    if name != entry.name or folder == entry.folder:
        return f"“{entry.name}”现在是 {key}", f'"{entry.name}" is {key} now'
    if not folder:
        return f"“{name}”已移到最上层", f'"{name}" was moved to the top'
    return f"“{name}”已移到 {folder}", f'"{name}" was moved to {folder}'


def _step_of(taken: AppliedTransaction, zh: str, en: str) -> _Step:
    from kb.vault.transaction import revert

    return _Step(zh, en, _change_of(taken), lambda vault: _change_of(revert(vault, taken.back)))


def _change_of(taken: AppliedTransaction) -> VaultChange:
    moves = {old: new for new, old in taken.back.moves}
    return VaultChange(moves, taken.back.paths, len(taken.back.texts), taken.left)


def _finish(vault: Vault) -> _Step | None:
    from kb.vault.transaction import finish

    if (done := finish(vault)) is None:
        return None
    zh, en = "上次改动多个文件时程序中断，现已补完", "A change of several files was interrupted and is finished now"
    if done.left:
        zh += f"；{'、'.join(done.left)} 此后另有改动，保持原样"
        en += f"; {', '.join(done.left)} changed since and stayed as it was"
    return _step_of(done, zh, en)


def _import(
    vault: Vault, sources: Sequence[Path], folder: str
) -> tuple[_Step | None, tuple[str, ...], tuple[str, ...], tuple[KbError, ...]]:
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
        return None, (), (), tuple(errors)

    def undo(vault: Vault) -> VaultChange:
        for path in paths:
            vault.discard(path)
        return VaultChange(paths=frozenset(paths))

    count = len(paths)
    zh, en = f"导入了 {count} 个文件", f"{count} file{'s were' if count > 1 else ' was'} imported"
    step = _Step(zh, en, VaultChange(paths=frozenset(paths)), undo)
    return step, tuple(paths), tuple(_code(vault, paths)), tuple(errors)


def _code(vault: Vault, paths: Iterable[str]) -> Iterator[str]:
    """Yield the code of imported notes and files; what cannot be read cannot be run."""
    for path in paths:
        with contextlib.suppress(KbError, SnippetError):
            if path.endswith(".py"):
                yield read_snippet(vault.inside(path)).code
            elif path.lower().endswith(_SUFFIXES):
                yield from code_of(vault.read(path))


def _discard(vault: Vault, paths: tuple[str, ...], zh: str, en: str) -> _Step:
    kept: list[tuple[Path, str]] = []

    def undo(vault: Vault) -> VaultChange:
        for place, path in kept:
            vault.bring_back(place, path)
        return VaultChange(paths=frozenset(paths))

    try:
        kept.extend((vault.discard(path), path) for path in paths)
    except KbError:
        undo(vault)
        raise
    return _Step(zh, en, VaultChange(paths=frozenset(paths)), undo)


def _bring_back(vault: Vault, notes: Sequence[DiscardedNote]) -> _Step:
    back: list[str] = []

    def undo(vault: Vault) -> VaultChange:
        for path in back:
            vault.discard(path)
        return VaultChange(paths=frozenset(back))

    try:
        for note in notes:
            _check_free(vault, note.path)
            vault.bring_back(note.kept, note.path)
            back.append(note.path)
    except KbError:
        undo(vault)
        raise
    name = notes[0].path if len(notes) == 1 else ""
    zh = f"“{name}”已移回笔记库" if name else f"{len(notes)} 篇笔记已移回笔记库"
    en = f'"{name}" is in the vault again' if name else f"{len(notes)} notes are in the vault again"
    return _Step(zh, en, VaultChange(paths=frozenset(back)), undo)


def _check_free(vault: Vault, path: str) -> None:
    if vault.inside(path).exists():
        raise KbError(
            f"There is a note {path} now; rename or move that one first.",
            f"现在已有笔记“{path}”；请先给它改名或换地方。",
        )


def _delete_for_good(vault: Vault, notes: Sequence[DiscardedNote]) -> None:
    for note in notes:
        if not QFile(str(note.kept)).moveToTrash():
            raise KbError(
                f"The system's trash does not take the note; its file is {note.kept}.",
                f"系统的回收站没有收下这篇笔记；它的文件是 {note.kept}。",
            )
        if not vault.inside(note.path).exists() and all(one.path != note.path for one in vault.discarded()):
            vault.versions.forget(note.path)
