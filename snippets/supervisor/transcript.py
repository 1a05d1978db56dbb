"""What a run printed, on disk in the order of arrival: its beginning, its end, and the count of what lay between."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from snippets.supervisor.frame_protocol import write_all

KEPT_BYTES = 1 << 19  # as many from the beginning, and at least as many from the end

_RECORD = struct.Struct(">BI")  # stream, length of the bytes that follow
_HEAD = "head"
_TAILS = ("tail-0", "tail-1")


class Transcript:
    """The transcript of a run that goes on: one file for the beginning, and two for the end that take turns."""

    def __init__(self, folder: Path, kept: int = KEPT_BYTES) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.cut = 0  # bytes that were printed and are not kept
        self._kept = kept
        self._current = _HEAD
        self._sizes = dict.fromkeys((_HEAD, *_TAILS), 0)
        self._files = {name: (folder / name).open("w+b", buffering=0) for name in self._sizes}

    def add(self, stream: int, data: bytes) -> None:
        """Keep the bytes, or count what had to give way to them."""
        if self._sizes[self._current] + len(data) > self._kept:
            self._turn()
        file = self._files[self._current]
        place = file.tell()
        try:
            write_all(file.fileno(), _RECORD.pack(stream, len(data)) + data)
            self._sizes[self._current] += len(data)
        except OSError:  # the disk is full: the run goes on, the loss is counted
            file.seek(place)
            file.truncate()
            self.cut += len(data)

    def _turn(self) -> None:
        """Begin the other tail; what it held gives way."""
        self._current = _TAILS[self._current == _TAILS[0]]
        self.cut += self._sizes[self._current]
        self._sizes[self._current] = 0
        self._files[self._current].seek(0)
        self._files[self._current].truncate()

    def close(self) -> tuple[int, bytes]:
        """Return how many bytes of the records belong to the beginning, and all records."""
        parts = []
        for name in (_HEAD, *(_TAILS if self._current == _TAILS[1] else reversed(_TAILS))):
            self._files[name].seek(0)
            parts.append(self._files[name].read())
            self._files[name].close()
        return len(parts[0]), b"".join(parts)


def left_behind(folder: Path) -> tuple[int, bytes]:
    """Read the transcript of a run whose supervisor is gone, as `close` would have given it."""
    tails = [path for path in (folder / name for name in _TAILS) if path.is_file()]
    tails.sort(key=lambda path: path.stat().st_mtime_ns)
    head = (folder / _HEAD).read_bytes() if (folder / _HEAD).is_file() else b""
    return len(head), head + b"".join(path.read_bytes() for path in tails)


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Give the (stream, bytes) of each record; a torn last one is left out."""
    place = 0
    while place + _RECORD.size <= len(data):
        stream, length = _RECORD.unpack_from(data, place)
        place += _RECORD.size + length
        if place <= len(data):
            yield stream, data[place - length : place]
