"""What a run said so far, kept so that a note that was left shows it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.reader.cell_state import Program
from app.runs.run_verification import RunVerdict
from snippets.results.outcome import Artifact, Outcome
from snippets.running.run_progress import RunProgress

KEPT_RUNS = 60
KEPT_CHARACTERS = 512 * 1024  # of one run, from its beginning and its end


@dataclass
class RunTranscript:
    """One run as the window knows it; of a long output the middle is dropped."""

    device: str
    program: Program = field(default_factory=Program)
    chunks: list[tuple[str, str]] = field(default_factory=list)  # stream, text
    artifacts: list[Artifact] = field(default_factory=list)
    outcome: Outcome | None = None
    judged: RunVerdict | None = None
    midway: RunProgress = field(default_factory=RunProgress)
    _size: int = 0

    def add(self, stream: str, text: str) -> None:
        """Keep a piece of output."""
        self.chunks.append((stream, text))
        self._size += len(text)
        while self._size > KEPT_CHARACTERS and len(self.chunks) > 2:  # noqa: PLR2004 - the first and the last
            self._size -= len(self.chunks.pop(1)[1])

    def take_artifact(self, made: Artifact) -> None:
        """Keep a file; one that was written anew takes its own place."""
        self.artifacts = [known for known in self.artifacts if known.path != made.path] + [made]

    def text(self) -> str:
        """Return what was printed, all that the run's log has once it has ended."""
        return self.outcome.output if self.outcome is not None else "".join(text for _, text in self.chunks)

    def replay(self, take: Callable[[str, str], None]) -> None:
        """Give everything kept to `take`, in order."""
        for stream, text in self.chunks:
            take(stream, text)
