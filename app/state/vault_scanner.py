"""Background work on the open vault: file changes by other programs, links between notes, statuses of snippets."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.executor import GuiExecutor
from app.notebook import vault_snippets
from kb.errors import KbError
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.vault.vault import Vault
from snippets.errors import SnippetError
from snippets.model.catalog import Catalog
from snippets.model.snippet import Snippet
from snippets.results.snippet_status import worst

if TYPE_CHECKING:  # loads watchdog, which the first note does not need
    from kb.vault.watch import Watcher

BATCH_SECONDS = 0.1
PAUSE_SECONDS = 0.01  # after each note, so that the GUI thread gets the interpreter
TYPING_PAUSE_MS = 1000  # without work after each search

Changed = Callable[[frozenset[str]], object]


class FileWatcher(QObject):
    """Watches the files of one vault at a time, in the background."""

    def __init__(self, executor: GuiExecutor, parent: QObject) -> None:
        """Call back through `executor`."""
        super().__init__(parent)
        self._executor = executor
        self._own = GuiExecutor(self, threads=1)  # one thread: a watcher is never stopped before it is started
        self._watcher: Watcher | None = None

    def begin(self, root: Path, changed: Changed, watched: Callable[[], object]) -> None:
        """Call `changed` with the paths that change from now on, and `watched` once the watcher is running."""
        from kb.vault.watch import Watcher  # noqa: PLC0415 - see above

        self.end()
        watcher = Watcher(root, lambda paths: self._executor.post(lambda: changed(paths)))
        self._watcher = watcher
        self._own.run(watcher.start, lambda _: watched(), lambda _: None)

    def end(self) -> None:
        """Stop watching; the watcher ends in the background."""
        if (watcher := self._watcher) is not None:
            self._own.run(watcher.stop, lambda _: None, lambda _: None)
            self._watcher = None

    def close(self) -> None:
        """Stop watching, and wait until the watcher has ended."""
        watcher, self._watcher = self._watcher, None
        self._own.close()
        if watcher is not None:
            watcher.stop()


@dataclass(frozen=True)
class NoteFacts:
    """Facts about one entry of the vault: the keys of the entries it links to, and the statuses of its snippets."""

    targets: frozenset[str]
    statuses: Mapping[str, str]  # by cell key

    @property
    def sign(self) -> tuple[str, int]:
        """The worst status of the note's snippets and how many of them have it; ("", 0) without snippets."""
        return worst(list(self.statuses.values()))


class VaultScanner(QObject):
    """Reads the notes of a vault a few at a time, off the GUI thread; signals are emitted on the GUI thread."""

    found = Signal(object)  # frozenset of the keys of entries with new facts

    def __init__(self, status_of: Callable[[Mapping[str, Snippet]], Mapping[str, str]], parent: QObject | None) -> None:
        """Call `status_of` off the GUI thread for the statuses of snippets, by cell key."""
        super().__init__(parent)
        self._status_of = status_of
        self._executor = GuiExecutor(self, threads=1)
        self._turn = 0
        self._vault: Vault | None = None
        self._waiting: dict[str, NoteEntry] = {}
        self._busy = False
        self._resume: Callable[[], object] | None = None  # called when the pause ends
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._on_pause_over)
        self.facts: dict[str, NoteFacts] = {}

    def attach(self, vault: Vault) -> None:
        """Switch to a vault, without facts yet."""
        self._turn += 1
        self._vault, self._waiting, self._busy = vault, {}, False
        self.facts = {}

    @property
    def busy(self) -> bool:
        """Whether notes are being read or wait to be."""
        return self._busy

    def scan(self, entries: Iterable[NoteEntry]) -> None:
        """Read these entries in batches; an entry that already waits is read once."""
        self._waiting.update({entry.key: entry for entry in entries})
        if not self._busy and self._waiting and (vault := self._vault) is not None:
            self._busy = True
            turn = self._turn
            self._executor.run(
                lambda: vault_snippets.library(vault),
                lambda library: self._next(turn, library),
                lambda _: self._stop(turn),
            )

    def pause(self) -> None:
        """Stop reading for a second, so that a search as one types is not slowed down."""
        self._pause.start()

    def _on_pause_over(self) -> None:
        resume, self._resume = self._resume, None
        if resume is not None:
            resume()

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of snippets by status, over all notes read so far."""
        found = {  # a file attached to several notes counts once
            cell if cell.startswith("snippet:") else f"{key} {cell}": status
            for key, facts in self.facts.items()
            for cell, status in facts.statuses.items()
        }
        return Counter(found.values())

    def linked_from(self, key: str) -> tuple[str, ...]:
        """Return the sorted keys of the other entries that link to this one."""
        return tuple(sorted(other for other, facts in self.facts.items() if key in facts.targets and other != key))

    def close(self) -> None:
        """Stop reading and drop pending work."""
        self._turn += 1
        self._pause.stop()
        self._executor.close()

    def _next(self, turn: int, library: Catalog) -> None:
        vault = self._vault
        if turn != self._turn or vault is None or not self._waiting:
            self._stop(turn)
            return
        if self._pause.isActive():
            self._resume = lambda: self._next(turn, library)
            return
        waiting = list(self._waiting.values())
        self._executor.run(
            lambda: self._batch(vault, waiting, library),
            lambda facts: self._on_batch(turn, facts, library),
            lambda _: self._stop(turn),
        )

    def _stop(self, turn: int) -> None:
        """Become idle. An unreadable vault is tried again after the next change."""
        if turn == self._turn:
            self._busy = False
            self._waiting.clear()

    def _on_batch(self, turn: int, facts: Mapping[str, NoteFacts], library: Catalog) -> None:
        if turn == self._turn:
            for key in facts:
                self._waiting.pop(key, None)
            self.facts.update(facts)
            self.found.emit(frozenset(facts))
            self._next(turn, library)

    def _batch(self, vault: Vault, waiting: Iterable[NoteEntry], library: Catalog) -> Mapping[str, NoteFacts]:
        until = time.monotonic() + BATCH_SECONDS
        found: dict[str, NoteFacts] = {}
        for entry in waiting:
            found[entry.key] = self._facts(vault, entry, library)
            time.sleep(PAUSE_SECONDS)
            if time.monotonic() > until:
                break
        return found

    def _facts(self, vault: Vault, entry: NoteEntry, library: Catalog) -> NoteFacts:
        targets: set[str] = set()
        statuses: dict[str, str] = {}
        for path in entry.paths.values():
            try:
                note = vault.read(path)
            except KbError:
                continue
            targets |= _targets(vault, note)
            for key, status in self._status_of(runnable(note, library)).items():
                if statuses.get(key, "never") == "never":  # a run in either language counts
                    statuses[key] = status
        return NoteFacts(frozenset(targets), statuses)


def runnable(note: Note, library: Catalog) -> dict[str, Snippet]:
    """Return the snippets of a note by cell key: python fences and links to library snippets."""
    found: dict[str, Snippet] = {}
    for fence in note.fences:
        if fence.runnable:
            try:
                found[f"fence:{fence.id}"] = vault_snippets.fence_snippet(note, fence)
            except SnippetError:
                continue
    for link in note.links:
        if link.kind == "snippet" and link.target in library.snippets:
            found[f"snippet:{link.target}"] = library.snippets[link.target]
    return found


def _targets(vault: Vault, note: Note) -> set[str]:
    paths = (vault.resolve_link(note.path, link.target) for link in note.links if link.kind in {"wiki", "note"})
    entries = (vault.entry_of(path) for path in paths if path is not None)
    return {entry.key for entry in entries if entry is not None}
