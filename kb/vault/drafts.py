"""Drafts: unsaved text, stored outside the vault so that it survives a crash.

Each process has a file of its own for a note, so that two windows never replace each other's text. A process marks its
drafts as in use by a lock, which the system releases however the process ends; then another one offers them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import secrets
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from kb.errors import KbError, SaveFailed
from kb.files.atomic import replace_file, sweep
from kb.files.locks import hold_until_exit, is_held
from kb.files.paths import make_private
from kb.files.tree import read_own
from kb.notes.note import hash_of
from kb.vault.vault import Vault

_MOST_BYTES = 1 << 30  # of a draft
_OLD = 3600.0  # seconds


@dataclass(frozen=True)
class Draft:
    """An unsaved text. `base_hash` is the hash of the file that was edited, None for a new note.

    `kept_at` is in seconds since 1970, `file` the name of the draft's own file. `orphaned`: its note is missing.
    """

    note_path: str
    text: str
    base_hash: str | None
    kept_at: float
    file: str = field(default="", compare=False)
    orphaned: bool = field(default=False, compare=False)

    @classmethod
    def _read(cls, data: bytes, file: str) -> Self:
        """Read a draft from its file. Raises ValueError if it is damaged."""
        fields = json.loads(data)
        match fields:
            case {"note_path": str(path), "text": str(text), "base_hash": str() | None as base, "kept_at": float(kept)}:
                return cls(path, text, base, kept, file)
        raise ValueError("not a draft")


class Drafts:
    """The drafts of one vault."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._adopted: defaultdict[str, set[str]] = defaultdict(set)  # files of other processes, by path of the note

    def keep(self, note_path: str, text: str, base_hash: str | None) -> None:
        """Store the text of a note, replacing its earlier draft of this process and adopted ones. Raises SaveFailed."""
        try:
            make_private(self._folder)
            hold_until_exit(self._folder / f"{_process()}.lock")
        except OSError as error:
            raise SaveFailed(note_path, error.strerror or str(error)) from error
        self._write(Draft(note_path, text, base_hash, time.time(), draft_file(note_path)))
        self._remove(note_path, self._adopted.pop(note_path, set()))

    def pending(self) -> tuple[Draft, ...]:
        """Return the stored drafts that no other living process keeps, the newest last.

        Damaged files are renamed to .damaged.
        """
        sweep(self._folder)
        self._remove_old_locks()
        return tuple(sorted(self._left_behind(), key=lambda draft: draft.kept_at))

    def adopt(self, draft: Draft) -> None:
        """Treat a pending draft as one of this process: what is kept next for its note replaces it."""
        if draft.file:
            self._adopted[draft.note_path].add(draft.file)

    def drop(self, note_path: str) -> None:
        """Delete the draft of a note and adopted ones. Raises SaveFailed if one cannot be removed."""
        self._remove(note_path, {draft_file(note_path), *self._adopted.pop(note_path, set())})

    def follow(self, moves: Mapping[str, str]) -> None:
        """Give drafts the new paths of their notes; `moves` maps old paths to new ones. Raises SaveFailed."""
        self._move([(draft, moves[draft.note_path]) for draft in self._left_behind() if draft.note_path in moves])
        for old in moves.keys() & self._adopted.keys():
            self._adopted[moves[old]] |= {draft_file(moves[old], file) for file in self._adopted.pop(old)}

    def move(self, draft: Draft, path: str) -> Draft:
        """Store a draft as one of the note at another path, and return it. Raises SaveFailed."""
        return self._move([(draft, path)])[0]

    def _move(self, moves: Iterable[tuple[Draft, str]]) -> list[Draft]:
        """Write all drafts at their new places before any old one is deleted: two notes may swap their names."""
        pairs = [(old, replace(old, note_path=path, file=draft_file(path, old.file))) for old, path in moves]
        for _, new in pairs:
            self._write(new)
        for old, new in pairs:
            self._remove(new.note_path, {old.file} - {kept.file for _, kept in pairs})
        return [new for _, new in pairs]

    def _left_behind(self) -> Iterator[Draft]:
        in_use = functools.cache(lambda owner: owner != _process() and is_held(self._folder / f"{owner}.lock"))
        for place in sorted(self._folder.glob("*.json")):
            if in_use(_owner(place.name)):
                continue
            try:
                yield Draft._read(read_own(place, most=_MOST_BYTES), place.name)  # noqa: SLF001 - same module
            except (ValueError, RecursionError):
                with contextlib.suppress(OSError):
                    place.replace(place.with_suffix(".damaged"))
            except OSError:
                continue

    def _remove_old_locks(self) -> None:
        for lock in self._folder.glob("*.lock"):
            with contextlib.suppress(OSError):
                # A new one may not be locked yet.
                if lock.stem != _process() and time.time() - lock.stat().st_mtime > _OLD and not is_held(lock):
                    lock.unlink()

    def _write(self, draft: Draft) -> None:
        fields = {
            "note_path": draft.note_path,
            "base_hash": draft.base_hash,
            "kept_at": draft.kept_at,
            "text": draft.text,
        }
        replace_file(self._folder / draft.file, json.dumps(fields).encode(), name=draft.note_path)

    def _remove(self, note_path: str, files: Iterable[str]) -> None:
        for file in files:
            try:
                (self._folder / file).unlink(missing_ok=True)
            except OSError as error:
                raise SaveFailed(note_path, error.strerror or str(error)) from error


def rehome(vault: Vault, drafts: Drafts, found: Iterable[Draft]) -> tuple[Draft, ...]:
    """Return drafts with those of missing notes moved to the one note that has the text they began with.

    That is where another program renamed the note. Not on the GUI thread: it may read the whole vault.
    """
    checked = [replace(draft, orphaned=not _exists(vault, draft.note_path)) for draft in found]
    wanted = {draft.base_hash for draft in checked if draft.orphaned and draft.base_hash}
    places: defaultdict[str | None, list[str]] = defaultdict(list)
    for path in vault.files() if wanted else ():
        with contextlib.suppress(OSError, KbError):
            places[hash_of(read_own(vault.inside(path)))].append(path)
    return tuple(_rehomed(drafts, draft, places.get(draft.base_hash, [])) for draft in checked)


def _rehomed(drafts: Drafts, draft: Draft, places: Sequence[str]) -> Draft:
    if draft.orphaned and len(places) == 1:
        with contextlib.suppress(SaveFailed):
            return replace(drafts.move(draft, places[0]), orphaned=False)
    return draft


def _exists(vault: Vault, path: str) -> bool:
    try:
        return vault.inside(path).exists()
    except (KbError, OSError, ValueError):
        return False


def draft_file(note_path: str, file: str = "") -> str:
    """Return the name of the file for the draft of a note, of this process or of the owner of another file."""
    digest = hashlib.sha256(note_path.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    owner = _owner(file) if file else _process()
    return f"{digest}-{owner}.json" if owner else f"{digest}.json"


def _owner(file: str) -> str:
    return file.removesuffix(".json").partition("-")[2]


def _process() -> str:
    """Return a name for this process that no other one has or had."""
    return _process_name(os.getpid())


@functools.cache
def _process_name(pid: int) -> str:
    return f"{pid:x}{secrets.token_hex(6)}"
