"""What a run said so far, kept so that a note left and opened again shows it, and handed on in quiet steps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QTimer

from app.threads import Door
from snippets.outcome import Artifact, Outcome
from snippets.runner import OutputChunk

PAUSE_MS = 50  # output reaches the window at most so often
PENDING_LIMIT = 256 * 1024  # characters waiting for the next step; the run's log on disk has all
KEPT_LIMIT = 512 * 1024  # characters kept for coming back


@dataclass
class Transcript:
    """One run as the window knows it."""

    device: str
    chunks: list[tuple[str, str]] = field(default_factory=list)  # stream, text
    artifacts: list[Artifact] = field(default_factory=list)
    outcome: Outcome | None = None
    size: int = 0

    def add(self, stream: str, text: str) -> None:
        """Keep a piece of output; the oldest goes when there is too much."""
        self.chunks.append((stream, text))
        self.size += len(text)
        while self.size > KEPT_LIMIT and len(self.chunks) > 1:
            self.size -= len(self.chunks.pop(0)[1])


class Flow(QObject):
    """Collects chunks from a run's thread and passes them on, merged, on the GUI thread."""

    def __init__(self, door: Door, passed: Callable[[str, str], None], parent: QObject | None = None) -> None:
        """Call `passed` with stream and text."""
        super().__init__(parent)
        self._door = door
        self._passed = passed
        self._lock = threading.Lock()
        self._pending: list[OutputChunk] = []
        self._size = 0
        self._left_out = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self.flush)

    def take(self, chunk: OutputChunk) -> None:
        """Take in a chunk, from any thread."""
        with self._lock:
            first = not self._pending
            self._pending.append(chunk)
            self._size += len(chunk.text)
            while self._size > PENDING_LIMIT and len(self._pending) > 1:
                cut = len(self._pending.pop(0).text)
                self._size -= cut
                self._left_out += cut
        if first:
            self._door.post(self._timer.start)

    def flush(self) -> None:
        """Pass on what has been collected."""
        with self._lock:
            pending, left_out = self._pending, self._left_out
            self._pending, self._size, self._left_out = [], 0, 0
        if left_out:
            self._passed("stderr", f"\n… {left_out:,} characters not shown here …\n")
        for stream, text in _merged(pending):
            self._passed(stream, text)


def _merged(chunks: list[OutputChunk]) -> list[tuple[str, str]]:
    runs: list[tuple[str, list[str]]] = []
    for chunk in chunks:
        if not runs or runs[-1][0] != chunk.stream:
            runs.append((chunk.stream, []))
        runs[-1][1].append(chunk.text)
    return [(stream, "".join(texts)) for stream, texts in runs]
