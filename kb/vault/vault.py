"""A vault: a folder of notes. Nothing outside the folder is read or written through it."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from kb.errors import (
    MoveFailed,
    NoteChanged,
    NoteMissing,
    NotText,
    OutsideVault,
    SaveFailed,
    VaultMissing,
    VaultNotMade,
)
from kb.files.atomic import create_file, move_new, relocate, replace_file, sweep, temporary_name
from kb.files.encoding import UTF8, TextForm, encode
from kb.files.paths import UserPaths, VaultPaths, make_private
from kb.files.tree import Skipped, inside, notes_in, read_regular, refuse_name, walk
from kb.notes.language import split_name
from kb.notes.link_resolver import LinkResolver, joined
from kb.notes.note import Note, hash_of, parse
from kb.notes.note_listing import MetadataCache, NoteEntry
from kb.vault.trash import DiscardedNote, discarded
from kb.vault.version_store import VersionsFailed, VersionStore

_LOG = logging.getLogger(__name__)
SHIPPED_NOTES = Path(__file__).parents[1] / "library"


class Vault:
    """An open vault. Safe to use from several threads."""

    def __init__(self, root: Path, places: UserPaths | None = None) -> None:
        self.root = root
        self._places = places
        self._shelf = MetadataCache(root)
        self._saving = threading.Lock()
        self._listing = threading.Lock()
        self._targets: LinkResolver | None = None
        self._listed_at = 0.0
        self._device = root.stat().st_dev

    @classmethod
    def open(cls, root: Path, *, places: UserPaths | None = None) -> Self:
        """Open a folder as a vault. Discarded notes go to `places`, by default the user's. Raises VaultMissing."""
        try:
            with os.scandir(root):
                return cls(Path(os.path.abspath(root)), places)  # noqa: PTH100 - resolve() would lose the link
        except OSError as error:
            raise VaultMissing(root) from error

    @property
    def journal(self) -> Path | None:
        """The file that lists an unfinished change of several files; None if no folders of the user were given."""
        return self._user_paths.journal if self._places is not None else None

    @functools.cached_property
    def _user_paths(self) -> VaultPaths:
        """The files of this vault in the user's folders."""
        return (self._places or UserPaths.of_user()).for_vault(self.root)

    @functools.cached_property
    def versions(self) -> VersionStore:
        """The earlier versions of the notes."""
        return VersionStore(self._user_paths.versions)

    def discarded(self) -> tuple[DiscardedNote, ...]:
        """Return the notes that `discard` moved out of the vault, the newest first."""
        return discarded(self._user_paths.trash)

    def files(self) -> Iterator[str]:
        """Yield the paths of the notes with /, relative to the root, depth first and sorted. Raises VaultMissing."""
        return (found for found in self._walk() if isinstance(found, str))

    def skipped(self) -> tuple[Skipped, ...]:
        """Return what `files` skips although it looks like a note, and why. Raises VaultMissing."""
        return tuple(found for found in self._walk() if isinstance(found, Skipped))

    def _walk(self) -> Iterator[str | Skipped]:
        try:
            device = self.root.stat().st_dev
        except OSError as error:
            raise VaultMissing(self.root) from error
        if device != self._device:  # the disk was removed: an empty mount point says nothing about the notes
            raise VaultMissing(self.root)
        return walk(self.root)

    def entries(self) -> tuple[NoteEntry, ...]:
        """Return the notes with languages, titles and tags; only heads of files are read. Raises VaultMissing."""
        return self._list().entries

    def _list(self) -> LinkResolver:
        with self._listing:
            self._targets = LinkResolver(self._shelf.entries(self.files()))
            self._listed_at = time.monotonic()
            return self._targets

    def entry_of(self, path: str) -> NoteEntry | None:
        """Return the note that a file belongs to, None if the vault has no such file.

        Before the vault is listed, only the file's folder is read.
        """
        if self._targets is None:
            for entry in self.named(split_name(path)[0]):
                if path in entry.paths.values():
                    return entry
        found = (self._targets or self._list()).owner(path)
        return found if found is not None else self._list().owner(path)

    def named(self, key: str) -> tuple[NoteEntry, ...]:
        """Return the notes whose files have this path without language and suffix; only their folder is read."""
        files = notes_in(self.root, key.rpartition("/")[0])
        return MetadataCache(self.root).entries(path for path in files if split_name(path)[0] == key)

    def inside(self, path: str) -> Path:
        """Return the absolute path of a path in the vault. Raises OutsideVault if it leads out of the vault."""
        return inside(self.root, path)

    def read(self, path: str) -> Note:
        """Read a note. Raises NoteMissing, NotText or OutsideVault."""
        return parse(path, self.data(path))

    def data(self, path: str) -> bytes:
        """Return the bytes of a note. Raises NoteMissing, NotText or OutsideVault."""
        place = self.inside(path)
        try:
            return read_regular(place, path)
        except OSError as error:
            reason = error.strerror or str(error)
            raise NotText(path, f"it cannot be read ({reason})", f"无法读取（{reason}）") from error

    def save(self, path: str, text: str, *, form: TextForm | None = None, expected_hash: str | None) -> Note:
        """Write a note in one step and return it as saved.

        `expected_hash` is the hash of the file that was read, None for a new one. Raises NoteChanged if the file on
        disk has another hash, NoteMissing if it was deleted, SaveFailed and OutsideVault; the file is unchanged then.
        `form` is the file's own by default; a text that an old encoding cannot represent is then written in UTF-8.
        """
        place = self.inside(path)
        if expected_hash is None:
            return self._create(place, path, text, form or UTF8)
        with self._saving:
            note, data = self._prepared(path, text, form)
            # The new hash is expected, too: a save may have failed after its last step.
            before = self._replace(path, data, {expected_hash, note.hash})
        self._remember(path, before, data)
        return note

    def restore(self, path: str, data: bytes, *, expected_hash: str) -> Note:
        """Replace the bytes of a note by those of an earlier version. Raises what `save` raises, and NotText."""
        note = parse(path, data)
        with self._saving:
            before = self._replace(path, data, {expected_hash})
        self._remember(path, before, data)
        return note

    def _replace(self, path: str, data: bytes, expected: set[str]) -> bytes:
        """Replace a file whose hash is one of the expected ones; return what it held."""
        place = self.inside(path)
        before: list[bytes] = []
        replace_file(place, data, check=lambda: before.append(self._unchanged(place, path, expected)), name=path)
        return before[-1]

    def keep_version(self, path: str, text: str, form: TextForm) -> None:
        """Add a text that is not saved to the versions of a note, in UTF-8 if the form cannot hold it."""
        try:
            data = encode(text, form, path)
        except SaveFailed:
            data = encode(text, UTF8, path)
        self._remember(path, data)

    def _remember(self, path: str, *texts: bytes) -> None:
        """Add what was saved to the history; without a history, saving goes on."""
        if self._places is not None:
            try:
                self.versions.record(path, *texts)
            except VersionsFailed as error:
                _LOG.warning("no version of %s was kept: %s", path, error)

    def _create(self, place: Path, path: str, text: str, form: TextForm) -> Note:
        refuse_name(path)
        data = encode(text, form, path)
        note = _legible(path, data)
        make_folder(place.parent, path)
        try:
            create_file(place, data, name=path)
        except FileExistsError as error:
            # A retried save that failed after its last step: the file is already right.
            if place.is_file() and read_regular(place, path) == data:
                return note
            raise NoteChanged(path) from error
        self._remember(path, data)
        return note

    def _prepared(self, path: str, text: str, form: TextForm | None) -> tuple[Note, bytes]:
        if form is not None:
            data = encode(text, form, path)
            return _legible(path, data), data
        before = self.read(path)
        try:
            data = encode(text, before.form, path)
            note = _legible(path, data)
        except SaveFailed:
            if not before.form.lossless:
                raise
            note = None
        if note is None or (note.text != text and not before.form.encoding.startswith("utf")):
            data = encode(text, UTF8, path)
            note = _legible(path, data)
        return note, data

    def _unchanged(self, place: Path, path: str, hashes: set[str]) -> bytes:
        data = read_regular(place, path)
        if hash_of(data) not in hashes:
            raise NoteChanged(path)
        return data

    def rename(self, path: str, new: str) -> str:
        """Give a note another path and return it. Raises NoteChanged if the path is taken, NoteMissing, SaveFailed."""
        source, target = self.inside(path), self.inside(new)
        refuse_name(new)
        if not os.path.lexists(source):
            raise NoteMissing(path)
        make_folder(target.parent, new)
        try:
            move_new(source, target)
        except FileExistsError as error:
            if not _same_name(source, target):
                raise NoteChanged(new) from error
            source.rename(target)  # the disk ignores letter case
        except OSError as error:
            raise MoveFailed(path, error.strerror or str(error)) from error
        if self._places is not None:
            with contextlib.suppress(VersionsFailed):  # the versions stay under the old path
                self.versions.follow({path: new})
        return new

    def discard(self, path: str) -> Path:
        """Move a note into the user's data folder; return its new path. Raises NoteMissing, SaveFailed."""
        source = self.inside(path)
        read_regular(source, path, most=1)
        stamp = time.strftime("%Y%m%d-%H%M%S") + f"-{time.time_ns() % 10**9:09d}"
        kept = self._user_paths.trash / stamp / path
        try:
            make_private(kept.parent)
            relocate(source, kept)
        except OSError as error:
            raise MoveFailed(path, error.strerror or str(error)) from error
        return kept

    def bring_back(self, kept: Path, path: str) -> None:
        """Move a discarded note back into the vault. Raises NoteChanged if the path is taken, SaveFailed."""
        place = self.inside(path)
        make_folder(place.parent, path)
        try:
            relocate(kept, place)
        except FileExistsError as error:
            raise NoteChanged(path) from error
        except OSError as error:
            raise MoveFailed(path, error.strerror or str(error)) from error

    def resolve_link(self, from_path: str, target: str) -> str | None:
        """Return the note or file of the vault that a link in `from_path` leads to, None if there is none.

        Understood: paths relative to the note or to the root, with or without suffix and language; names, titles and
        aliases as in a wikilink. The language of the linking note is preferred.
        """
        known = self._targets or self._list()
        found = known.resolve(from_path, target) or self.file_of(from_path, target)
        if found is None and time.monotonic() - self._listed_at > 1:
            found = self._list().resolve(from_path, target)
        return found

    def file_of(self, from_path: str, target: str) -> str | None:
        """Return the path of the file that a link in `from_path` names by its path, None if there is none."""
        for path in joined(from_path, target):
            try:
                if _is_file(self.inside(path)):
                    return path
            except OutsideVault:
                continue
        return None

    def attachment(self, from_path: str, target: str) -> Path:
        """Return the absolute path of a file shown in a note. Raises NoteMissing, OutsideVault for no plain file."""
        paths = joined(from_path, target)
        if not paths:
            raise OutsideVault(target)
        for path in paths:
            place = self.inside(path)
            if _is_file(place):
                return place
            if os.path.lexists(place):
                raise OutsideVault(target)
        raise NoteMissing(target)

    def sweep(self) -> int:
        """Remove files left in the vault by processes that died while saving; return how many."""
        return sum(sweep(Path(folder)) for folder in _folders(self.root))


def _same_name(source: Path, target: Path) -> bool:
    """Return whether two names are one entry of a folder, on a disk that ignores letter case."""
    try:
        names = os.listdir(target.parent)  # noqa: PTH208 - the names as they are written
        return target.samefile(source) and not {source.name, target.name} <= set(names)
    except OSError:
        return False


def _is_file(place: Path) -> bool:
    """Return whether a plain file exists; False for an invalid name."""
    try:
        return place.is_file()
    except OSError:
        return False


def _folders(root: Path) -> Iterator[str]:
    for folder, names, _ in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        yield folder


def make_folder(folder: Path, path: str) -> None:
    """Create the folder of a file. Raises SaveFailed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SaveFailed(path, error.strerror or str(error)) from error


def _legible(path: str, data: bytes) -> Note:
    """Parse a note that is about to be written. Raises SaveFailed if it could not be opened again."""
    try:
        return parse(path, data)
    except NotText as error:
        raise SaveFailed(path, error.reason, error.reason_zh) from error


def is_unmade(target: Path) -> bool:
    """Return whether opening this folder would create a vault from the shipped notes: nothing exists there yet."""
    return not os.path.lexists(target)


def make_user_vault(target: Path, shipped: Path) -> None:
    """Create a vault from the shipped notes in one step; an existing folder is left alone. Raises VaultNotMade."""
    if not is_unmade(target):
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent)
        temp = target.parent / temporary_name()
        temp.mkdir()
        try:
            _copy_notes(shipped, temp)
            temp.rename(target)
        except BaseException:
            shutil.rmtree(temp, ignore_errors=True)
            raise
    except OSError as error:
        if not target.is_dir():  # otherwise another window was quicker
            raise VaultNotMade(target, error.strerror or str(error)) from error
    except SaveFailed as error:
        raise VaultNotMade(target, error.reason, error.reason_zh) from error


def _copy_notes(shipped: Path, temp: Path) -> None:
    for folder, names, files in os.walk(shipped):
        names[:] = [name for name in names if not name.startswith((".", "__"))]
        there = temp / Path(folder).relative_to(shipped)
        there.mkdir(exist_ok=True)
        for name in files:
            source = Path(folder, name)
            if not name.startswith(".") and source.is_file() and not source.is_symlink():
                replace_file(there / name, source.read_bytes())
