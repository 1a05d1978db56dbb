"""What the notes say of each other, found in the background: who links to whom, and how their snippets stand."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

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

Changed = Callable[[frozenset[str]], object]


class WatcherBackend(Protocol):
    """What tells of changes in a folder: `kb.vault.watch`."""

    def stop(self) -> None:
        """End."""


class FileWatcher(QObject):
    """Watches one vault at a time, in the background."""

    def __init__(self, door: GuiExecutor, parent: QObject) -> None:
        """Report through `door`."""
        super().__init__(parent)
        self._door = door
        self._turn = GuiExecutor(self, threads=1)  # a watcher is never stopped before it is started
        self._watcher: WatcherBackend | None = None

    def begin(self, root: Path, changed: Changed, watched: Callable[[], object]) -> None:
        """Tell `changed` which paths changed from now on; `watched` is called once nothing goes unnoticed any more."""
        from kb.vault.watch import Watcher as VaultWatcher  # noqa: PLC0415 - what it watches with is not needed before

        self.end()
        watcher = VaultWatcher(root, lambda paths: self._door.post(lambda: changed(paths)))
        self._watcher = watcher
        self._turn.run(watcher.start, lambda _: watched(), lambda _: None)

    def end(self) -> None:
        """Watch no longer; it ends in the background."""
        if (watcher := self._watcher) is not None:
            self._turn.run(watcher.stop, lambda _: None, lambda _: None)
            self._watcher = None

    def close(self) -> None:
        """Watch no longer, and wait until that is so."""
        watcher, self._watcher = self._watcher, None
        self._turn.close()
        if watcher is not None:
            watcher.stop()


BATCH_SECONDS = 0.1
REST_SECONDS = 0.01  # after each note the GUI thread has the interpreter to itself
HUSH_MS = 1000  # after each answer to what is typed


@dataclass(frozen=True)
class NoteFacts:
    """What one entry of the vault says: the keys of entries that it links to, and the statuses of its snippets."""

    targets: frozenset[str]
    statuses: Mapping[str, str]  # by cell key

    @property
    def sign(self) -> tuple[str, int]:
        """The status that counts for the whole note, and how many snippets have it; ("", 0) without snippets."""
        return worst(list(self.statuses.values()))


class VaultScanner(QObject):
    """Goes through the notes of a vault at leisure; every signal comes on the GUI thread."""

    found = Signal(object)  # frozenset of entry keys that have new facts

    def __init__(self, status_of: Callable[[Mapping[str, Snippet]], Mapping[str, str]], parent: QObject | None) -> None:
        """Ask `status_of`, off the GUI thread, how snippets stand."""
        super().__init__(parent)
        self._status_of = status_of
        self._door = GuiExecutor(self, threads=1)
        self._turn = 0
        self._vault: Vault | None = None
        self._waiting: dict[str, NoteEntry] = {}
        self._busy = False
        self._then: Callable[[], object] | None = None  # what goes on when nobody types any more
        self._hush = QTimer(self, singleShot=True, interval=HUSH_MS)
        self._hush.timeout.connect(self._on_quiet)
        self.facts: dict[str, NoteFacts] = {}

    def attach(self, vault: Vault) -> None:
        """Turn to a vault."""
        self._turn += 1
        self._vault, self._waiting, self._busy = vault, {}, False
        self.facts = {}

    def scan(self, entries: Iterable[NoteEntry]) -> None:
        """Look at these entries, a few at a time; one that waits already is looked at once."""
        self._waiting.update({entry.key: entry for entry in entries})
        if not self._busy and self._waiting and (vault := self._vault) is not None:
            self._busy = True
            turn = self._turn
            self._door.run(
                lambda: vault_snippets.library(vault),
                lambda library: self._next(turn, library),
                lambda _: self._rest(turn),
            )

    def pause(self) -> None:
        """Let whoever types have the machine to himself for a while."""
        self._hush.start()

    def _on_quiet(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many snippets of the whole vault stand how, as far as it has been gone through."""
        found = {  # a file that several notes attach is one
            cell if cell.startswith("snippet:") else f"{key} {cell}": status
            for key, facts in self.facts.items()
            for cell, status in facts.statuses.items()
        }
        return Counter(found.values())

    def linked_from(self, key: str) -> tuple[str, ...]:
        """Return the keys of the entries that link to this one."""
        return tuple(sorted(other for other, facts in self.facts.items() if key in facts.targets and other != key))

    def close(self) -> None:
        """Stop looking."""
        self._turn += 1
        self._hush.stop()
        self._door.close()

    def _next(self, turn: int, library: Catalog) -> None:
        vault = self._vault
        if turn != self._turn or vault is None or not self._waiting:
            self._rest(turn)
            return
        if self._hush.isActive():
            self._then = lambda: self._next(turn, library)
            return
        waiting = list(self._waiting.values())
        self._door.run(
            lambda: self._batch(vault, waiting, library),
            lambda facts: self._on_batch(turn, facts, library),
            lambda _: self._rest(turn),
        )

    def _rest(self, turn: int) -> None:
        """Stop for now; a vault that cannot be read is looked at again after the next change."""
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
            time.sleep(REST_SECONDS)
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
    """Return the snippets of a note by cell key: its python fences and its links to the library."""
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
