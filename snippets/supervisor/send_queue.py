"""The queue of outgoing reports."""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable
from typing import Any

from snippets.supervisor.frame_protocol import STREAMS, pack, write_all

PENDING_BYTES = 1 << 18
FLUSH_SECONDS = 0.04  # between two reports of output

_LAST_WORDS_SECONDS = 0.5


class SendQueue:
    """Writes reports from a thread of its own, so that a slow reader does not delay the run.

    Output that waits for the reader is bounded: the latest is kept, and the number of dropped bytes is reported.
    """

    def __init__(self, sink: int, *, lost: Callable[[], None]) -> None:
        self._sink = sink
        self._lost = lost  # called once when the reader is gone
        self._changed = threading.Condition()
        self._frames = bytearray()
        self._parts: collections.deque[tuple[str, int, bytearray]] = collections.deque()
        self._size = 0
        self._skipped = [0, 0]
        self._writing = False
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        """Send a report at once, after all output so far."""
        with self._changed:
            self._settle()
            self._frames += pack(header, payload)
            self._changed.notify_all()

    def output(self, run: str, stream: int, data: bytes) -> None:
        """Send output: the first at once, what follows shortly after in one piece."""
        with self._changed:
            if not self._parts or self._parts[-1][1] != stream:
                self._parts.append((run, stream, bytearray()))
            self._parts[-1][2].extend(data)
            self._size += len(data)
            while self._size > PENDING_BYTES:
                self._shorten()
            self._changed.notify_all()

    def close(self) -> None:
        """Wait a moment for the reader to take the last reports, then end the thread."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._frames or self._parts or self._writing), _LAST_WORDS_SECONDS)
            self._closed = True
            self._changed.notify_all()
        self._thread.join(_LAST_WORDS_SECONDS)

    def _shorten(self) -> None:
        _, stream, part = self._parts[0]
        gone = min(self._size - PENDING_BYTES, len(part))
        del part[:gone]
        self._size -= gone
        self._skipped[stream] += gone
        if not part:
            self._parts.popleft()

    def _settle(self) -> None:
        parts, self._parts, self._size = self._parts, collections.deque(), 0
        for run, stream, part in parts:
            header = {"is": "output", "run": run, "stream": STREAMS[stream], "skipped": self._skipped[stream]}
            self._skipped[stream] = 0
            self._frames += pack(header, bytes(part))

    def _work(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._frames or self._parts or self._closed)
                if self._closed:
                    return
                printed = bool(self._parts)
                self._settle()
                frames, self._frames, self._writing = self._frames, bytearray(), True
            try:
                write_all(self._sink, frames)
            except OSError:
                self._lost()
                return
            with self._changed:
                if printed:
                    self._changed.wait_for(lambda: self._frames or self._closed, FLUSH_SECONDS)
