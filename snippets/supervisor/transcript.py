"""The output of a run on disk, in the order of arrival: its beginning, its end, and how much was cut in between."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

from snippets.supervisor.frame_protocol import write_all
from snippets.supervisor.run_files import read_inside

KEPT_BYTES = 1 << 19  # of the beginning, and at least as many of the end

_RECORD = struct.Struct(">BI")  # stream, length of the bytes that follow
_HEAD = "head"
_TAILS = ("tail-0", "tail-1")
_MOST_BYTES = 16 * KEPT_BYTES  # of a file: each byte may be in a record of its own


class Transcript:
    """The transcript of an active run: one file for the beginning, and two for the end that are used in turn."""

    def __init__(self, folder: Path, kept: int = KEPT_BYTES) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.cut = 0  # bytes of output that are not kept
        self._kept = kept
        self._current = _HEAD
        self._sizes = dict.fromkeys((_HEAD, *_TAILS), 0)
        self._files = {name: (folder / name).open("w+b", buffering=0) for name in self._sizes}

    def add(self, stream: int, data: bytes) -> None:
        """Keep the bytes, and count those that are dropped for them."""
        if self._sizes[self._current] + len(data) > self._kept:
            self._turn()
        file = self._files[self._current]
        place = file.tell()
        try:
            write_all(file.fileno(), _RECORD.pack(stream, len(data)) + data)
            self._sizes[self._current] += len(data)
        except OSError:  # the disk is full; the run goes on and the loss is counted
            file.seek(place)
            file.truncate()
            self.cut += len(data)

    def _turn(self) -> None:
        """Switch to the other tail and drop what it held."""
        self._current = _TAILS[self._current == _TAILS[0]]
        self.cut += self._sizes[self._current]
        self._sizes[self._current] = 0
        self._files[self._current].seek(0)
        self._files[self._current].truncate()

    def close(self) -> tuple[int, bytes]:
        """Return how many bytes of the records belong to the beginning, and all records."""
        parts = []
        for name in (_HEAD, *(_TAILS if self._current == _TAILS[1] else reversed(_TAILS))):
            written = self._files[name].tell()  # the run may have made the file longer, at no cost to its disk
            self._files[name].seek(0)
            parts.append(self._files[name].read(written))
            self._files[name].close()
        return len(parts[0]), b"".join(parts)


def left_behind(folder: Path) -> tuple[int, bytes]:
    """Read the transcript of a run whose supervisor is gone, as `close` would have returned it.

    The run may have put links in the place of the files; these are not followed.
    """
    tails = [name for name in _TAILS if os.path.lexists(folder / name)]
    tails.sort(key=lambda name: (folder / name).lstat().st_mtime_ns)
    head, *rest = (read_inside(folder, name, _MOST_BYTES) or b"" for name in (_HEAD, *tails))
    return len(head), head + b"".join(rest)


def write_transcript(folder: Path, head: int, data: bytes) -> None:
    """Write what `close` returned to another folder. Raises OSError."""
    (folder / _HEAD).write_bytes(data[:head])
    (folder / _TAILS[0]).write_bytes(data[head:])


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the (stream, bytes) of each record; an incomplete last one is left out."""
    place = 0
    while place + _RECORD.size <= len(data):
        stream, length = _RECORD.unpack_from(data, place)
        place += _RECORD.size + length
        if place <= len(data):
            yield stream, data[place - length : place]
