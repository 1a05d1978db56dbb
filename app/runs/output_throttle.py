"""Output of a run: merged into steps of 40 ms for the window, and kept there as a transcript."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QTimer

from app.executor import GuiExecutor
from app.reader.cell_state import Program
from app.runs.run_history import RunVerdict
from snippets.results.outcome import Artifact, Outcome
from snippets.running.run_progress import RunProgress
from snippets.running.runner import OutputChunk

PAUSE_MS = 40  # between two steps
PENDING_LIMIT = 1 << 20  # characters that wait for the next step; the run's log on disk has all
KEPT_RUNS = 60
KEPT_CHARACTERS = 512 * 1024  # of one run, from its beginning and its end


class OutputThrottle(QObject):
    """Collects chunks from a run's thread and passes them on, merged, on the GUI thread."""

    def __init__(
        self, executor: GuiExecutor, passed: Callable[[str, str], None], parent: QObject | None = None
    ) -> None:
        """Call `passed` with stream and text of each merged piece."""
        super().__init__(parent)
        self._executor = executor
        self._passed = passed
        self._lock = threading.Lock()
        self._pending: list[OutputChunk] = []
        self._size = 0
        self._cut = 0
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self.flush)

    def add(self, chunk: OutputChunk) -> None:
        """Add a chunk, from any thread; above the limit the oldest pending ones are dropped and counted."""
        with self._lock:
            first = not self._pending
            self._pending.append(chunk)
            self._size += len(chunk.text)
            while self._size > PENDING_LIMIT and len(self._pending) > 1:
                cut = len(self._pending.pop(0).text)
                self._size -= cut
                self._cut += cut
        if first:
            self._executor.post(self._timer.start)

    def flush(self) -> None:
        """Pass on all collected chunks now."""
        with self._lock:
            pending, cut = self._pending, self._cut
            self._pending, self._size, self._cut = [], 0, 0
        if cut:
            self._passed("stderr", f"\n… {cut:,} characters are not shown here; the log has them …\n")
        for stream, text in merged(pending):
            self._passed(stream, text)


def merged(chunks: list[OutputChunk]) -> list[tuple[str, str]]:
    """Join consecutive chunks of the same stream."""
    joined: list[tuple[str, list[str]]] = []
    for chunk in chunks:
        if not joined or joined[-1][0] != chunk.stream:
            joined.append((chunk.stream, []))
        joined[-1][1].append(chunk.text)
    return [(stream, "".join(texts)) for stream, texts in joined]


@dataclass
class RunTranscript:
    """Output, files and result of one run as shown in the window; the middle of a long output is dropped."""

    device: str
    program: Program = field(default_factory=Program)
    chunks: list[tuple[str, str]] = field(default_factory=list)  # stream, text
    artifacts: list[Artifact] = field(default_factory=list)
    outcome: Outcome | None = None
    judged: RunVerdict | None = None
    midway: RunProgress = field(default_factory=RunProgress)
    _size: int = 0

    def add(self, stream: str, text: str) -> None:
        """Add a piece of output."""
        self.chunks.append((stream, text))
        self._size += len(text)
        while self._size > KEPT_CHARACTERS and len(self.chunks) > 2:  # noqa: PLR2004 - the first and the last
            self._size -= len(self.chunks.pop(1)[1])

    def take_artifact(self, made: Artifact) -> None:
        """Add a file; one written again replaces its earlier version."""
        self.artifacts = [known for known in self.artifacts if known.path != made.path] + [made]

    def text(self) -> str:
        """Return the output; after the end of the run, all of its log."""
        return self.outcome.output if self.outcome is not None else "".join(text for _, text in self.chunks)

    def replay(self, take: Callable[[str, str], None]) -> None:
        """Call `take` with stream and text of each kept piece, in order."""
        for stream, text in self.chunks:
            take(stream, text)
