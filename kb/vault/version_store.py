"""Versions of notes: every saved text is one, outside the vault, fewer with age, within a bound of bytes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.errors import KbError
from kb.files.paths import make_private

MOST_BYTES = 256 << 20  # of all texts of a vault, compressed
_LARGE = 1 << 20  # bytes; of a larger note only one version a minute is kept
_WAIT = 5.0  # seconds for another window
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0
# Versions up to this age are thinned to one in this time, seconds both; 0: all are kept.
_THINNED = ((10 * _MINUTE, 0.0), (2 * _HOUR, _MINUTE), (2 * _DAY, 10 * _MINUTE), (60 * _DAY, _HOUR), (1e12, _DAY))
_SCHEMA = """
PRAGMA journal_mode=WAL;
CREATE TABLE IF NOT EXISTS texts (hash BLOB PRIMARY KEY, data BLOB NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS versions (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL, saved_at REAL NOT NULL, hash BLOB NOT NULL REFERENCES texts (hash)
);
CREATE INDEX IF NOT EXISTS by_path ON versions (path, id);
CREATE INDEX IF NOT EXISTS by_hash ON versions (hash);
CREATE TABLE IF NOT EXISTS total (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
INSERT OR IGNORE INTO total VALUES (1, 0);
CREATE TRIGGER IF NOT EXISTS grown AFTER INSERT ON texts BEGIN UPDATE total SET bytes = bytes + LENGTH(NEW.data); END;
CREATE TRIGGER IF NOT EXISTS shrunk AFTER DELETE ON texts BEGIN UPDATE total SET bytes = bytes - LENGTH(OLD.data); END;
PRAGMA user_version = 1;
"""


class VersionsFailed(KbError):
    """The versions cannot be read or written."""


@dataclass(frozen=True)
class Version:
    """A saved version of a note: when, in seconds since 1970, and how many bytes."""

    number: int
    path: str
    saved_at: float
    bytes: int


class VersionStore:
    """The versions of the notes of one vault. Safe to use from several threads and windows."""

    def __init__(self, file: Path, *, most: int = MOST_BYTES) -> None:
        self._file = file
        self._most = most

    def record(self, path: str, *texts: bytes, at: float | None = None) -> None:
        """Add the bytes of a note, oldest first, as versions of now; one equal to the latest adds nothing.

        Raises VersionsFailed.
        """
        now = time.time() if at is None else at
        with self._open(make=True, write=True) as database:
            for data in texts:
                _add(database, _key(path), data, now, last=data is texts[-1])
            _thin(database, _key(path), now)
            self._bound(database)

    def versions(self, path: str) -> tuple[Version, ...]:
        """Return the versions of a note, newest first. Raises VersionsFailed."""
        with self._open() as database:
            found = database.execute(
                "SELECT id, saved_at, bytes FROM versions JOIN texts USING (hash) WHERE path = ? ORDER BY id DESC",
                (_key(path),),
            )
            return tuple(Version(number, path, saved_at, size) for number, saved_at, size in found)

    def data(self, version: Version) -> bytes:
        """Return the bytes of a version. Raises VersionsFailed, also if it was thinned out meanwhile."""
        with self._open() as database:
            row = database.execute(
                "SELECT data, hash FROM versions JOIN texts USING (hash) WHERE id = ? AND path = ?",
                (version.number, _key(version.path)),
            ).fetchone()
        try:
            data = zlib.decompress(row[0])
        except (zlib.error, TypeError) as error:
            raise _damaged() from error
        if hashlib.sha256(data).digest() != row[1]:
            raise _damaged()
        return data

    def paths(self) -> tuple[str, ...]:
        """Return the paths of all notes that have versions, sorted. Raises VersionsFailed."""
        with self._open() as database:
            return tuple(
                sorted(os.fsdecode(path) for (path,) in database.execute("SELECT DISTINCT path FROM versions"))
            )

    def follow(self, moves: Mapping[str, str]) -> None:
        """Give versions the new paths of renamed notes; `moves` maps old paths to new ones. Raises VersionsFailed."""
        if not self._file.exists():
            return
        with self._open(write=True) as database:
            numbers = {new: _numbers(database, old) for old, new in moves.items()}
            for new, found in numbers.items():
                database.executemany(
                    "UPDATE versions SET path = ? WHERE id = ?", [(_key(new), number) for number in found]
                )

    def forget(self, path: str) -> None:
        """Delete all versions of a note. Raises VersionsFailed."""
        with self._open(write=True) as database:
            _delete(database, _numbers(database, path))

    @contextlib.contextmanager
    def _open(self, *, make: bool = False, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the database for one change; without a file, and unless it is to be made, it is an empty one."""
        try:
            if make:
                make_private(self._file.parent)
            place = str(self._file) if make or self._file.exists() else ":memory:"
            with contextlib.closing(sqlite3.connect(place, timeout=_WAIT)) as database:
                if database.execute("PRAGMA user_version").fetchone()[0] == 0:
                    database.executescript(_SCHEMA)
                database.execute("PRAGMA synchronous=NORMAL")
                if write:
                    database.execute("BEGIN IMMEDIATE")  # no other window between what is read and what is written
                with database:
                    yield database
        except (sqlite3.Error, OSError) as error:
            en = f"The earlier versions of the notes cannot be read or written ({error}); the file is {self._file}."
            zh = f"笔记的历史版本无法读写（{error}）；文件是 {self._file}。"
            raise VersionsFailed(en, zh) from error

    def _bound(self, database: sqlite3.Connection) -> None:
        """Delete the oldest versions while all texts together are larger than allowed."""
        while _size(database) > self._most:
            old = database.execute("SELECT id FROM versions ORDER BY id LIMIT 20").fetchall()
            if len(old) <= 1:
                return
            _delete(database, [number for (number,) in old[: len(old) - 1]])


def _damaged() -> VersionsFailed:
    return VersionsFailed(
        "This version is gone or damaged; choose another one.", "这个版本已不在或已损坏；请另选一个。"
    )


def _add(database: sqlite3.Connection, path: bytes, data: bytes, now: float, *, last: bool) -> None:
    """Add a version; the `last` text of a large note takes the place of one that was saved within a minute before."""
    latest = database.execute(
        "SELECT id, hash, saved_at FROM versions WHERE path = ? ORDER BY id DESC LIMIT 1", (path,)
    ).fetchone()
    digest = hashlib.sha256(data).digest()
    if latest is not None and latest[1] == digest:
        return
    if latest is not None and last and len(data) > _LARGE and 0 < now - latest[2] < _MINUTE:
        _delete(database, [latest[0]])
    database.execute("INSERT OR IGNORE INTO texts VALUES (?, ?, ?)", (digest, zlib.compress(data), len(data)))
    database.execute("INSERT INTO versions (path, saved_at, hash) VALUES (?, ?, ?)", (path, now, digest))


def _thin(database: sqlite3.Connection, path: bytes, now: float) -> None:
    rows = database.execute("SELECT id, saved_at FROM versions WHERE path = ? ORDER BY id DESC", (path,)).fetchall()
    _delete(database, superfluous(rows, now))


def superfluous(rows: Sequence[tuple[int, float]], now: float) -> list[int]:
    """Return which versions to delete: `rows` are their numbers and times, the last one that was recorded first.

    Of each span of time the newest one stays; the newest of all always stays.
    """
    gone, kept = [], set[tuple[float, int]]()
    for number, saved_at in rows:
        span = next(span for age, span in _THINNED if now - saved_at <= age)
        bucket = span, int(saved_at // span) if span else number
        if bucket in kept:
            gone.append(number)
        kept.add(bucket)
    return gone


def _delete(database: sqlite3.Connection, numbers: Sequence[int]) -> None:
    """Delete versions, and their texts where no other version has the same."""
    for number in numbers:
        (digest,) = database.execute("DELETE FROM versions WHERE id = ? RETURNING hash", (number,)).fetchone()
        database.execute(
            "DELETE FROM texts WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.hash = texts.hash)",
            (digest,),
        )


def _numbers(database: sqlite3.Connection, path: str) -> list[int]:
    return [number for (number,) in database.execute("SELECT id FROM versions WHERE path = ?", (_key(path),))]


def _size(database: sqlite3.Connection) -> int:
    return int(database.execute("SELECT bytes FROM total").fetchone()[0])


def _key(path: str) -> bytes:
    return os.fsencode(path)
