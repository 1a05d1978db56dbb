"""Updates the shipped notes in the user's own vault, except those that were edited.

A record, stored with the vault's state, lists each file that was installed. A file that is still as installed is
replaced by the current version, and new files are added. What was edited, moved or deleted since is left alone, and so
is everything if there is no record or no installed file is left.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb.errors import KbError, NoteChanged
from kb.files.atomic import create_file, replace_file
from kb.files.paths import make_private
from kb.files.tree import read_own, read_regular
from kb.notes.note import hash_of
from kb.vault.vault import Vault, make_folder


@dataclass(frozen=True)
class UpdatedNotes:
    """The files of a vault that were updated, those that are new, and those left alone because they were edited."""

    updated: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is anything to report."""
        return bool(self.updated or self.added or self.left)


@dataclass(frozen=True)
class _Brought:
    """What was installed in a vault: a mark of the source folder, and the hash of each file by its path."""

    mark: str
    hashes: Mapping[str, str]


def update_shipped(vault: Vault, shipped: Path, record: Path) -> UpdatedNotes:
    """Update a vault made of the notes in `shipped`; `record` is the file that lists what was installed before.

    No file is read as long as `shipped` is unchanged. Raises OSError or SaveFailed if the record cannot be written.
    """
    mark, before = _mark(shipped), _read(record)
    if before is not None and before.mark == mark:
        return UpdatedNotes()
    found = {path: (shipped / path).read_bytes() for path in _files(shipped)}
    hashes = {path: hash_of(data) for path, data in found.items()}
    fates: dict[str, str] = {}
    failed: set[str] = set()
    known = before.hashes if before is not None else {}
    ours = any(os.path.lexists(vault.root / path) for path in known)  # otherwise it is a folder of the user's own notes
    for path, data in found.items() if ours else ():
        try:
            fates[path] = _bring(vault, path, data, was=known.get(path))
        except (KbError, OSError):  # tried again at the next start
            failed.add(path)
    kept = {path: known.get(path, "") if path in failed else hashed for path, hashed in hashes.items()}
    _write(record, _Brought("" if failed else mark, kept))
    return UpdatedNotes(
        *(tuple(path for path, one in fates.items() if one == fate) for fate in ("updated", "added", "left"))
    )


def _bring(vault: Vault, path: str, data: bytes, *, was: str | None) -> str:
    """Install a file; `was` is the hash last installed, None if never. Return "same", "added", "updated" or "left"."""
    place = vault.inside(path)
    now = hash_of(read_regular(place, path)) if os.path.lexists(place) else None
    new = hash_of(data)
    if new in {now, was}:  # already installed, or the shipped file did not change
        return "same"
    if was is None and now is None:
        make_folder(place.parent, path)
        create_file(place, data, name=path)
        return "added"
    if now is None:  # the user has moved or deleted it
        return "same"
    if now != was:
        return "left"

    def check() -> None:
        if hash_of(read_regular(place, path)) != was:
            raise NoteChanged(path)

    replace_file(place, data, check=check, name=path)
    return "updated"


def _files(shipped: Path) -> Iterator[str]:
    """Yield the paths of the files that a vault is made of."""
    for folder, names, files in os.walk(shipped):
        names[:] = sorted(name for name in names if not name.startswith((".", "__")))
        for name in sorted(files):
            source = Path(folder, name)
            if not name.startswith(".") and source.is_file() and not source.is_symlink():
                yield source.relative_to(shipped).as_posix()


def _mark(shipped: Path) -> str:
    """Return a string that changes whenever a file in the folder does."""
    told = []
    for path in _files(shipped):
        state = (shipped / path).stat()
        told.append(f"{path}\t{state.st_size}\t{state.st_mtime_ns}")
    return hash_of("\n".join(told).encode("utf-8", "surrogateescape"))


def _read(record: Path) -> _Brought | None:
    """Return the record; None if there is none or it makes no sense."""
    try:
        document = json.loads(read_own(record))
        mark, hashes = document["mark"], document["files"]
        if isinstance(mark, str) and all(isinstance(one, str) for pair in hashes.items() for one in pair):
            return _Brought(mark, hashes)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    return None


def _write(record: Path, brought: _Brought) -> None:
    make_private(record.parent)
    text = json.dumps({"mark": brought.mark, "files": dict(brought.hashes)}, ensure_ascii=False, indent=1)
    replace_file(record, text.encode("utf-8", "surrogateescape"))
