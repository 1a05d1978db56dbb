"""Fixtures for real runs: what they report, and which processes they leave."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from snippets.model.snippet import Snippet
from snippets.results.outcome import Artifact, Outcome
from snippets.running.run_progress import RunProgress
from snippets.running.runner import OutputChunk, Run, Runner, RunRequest
from snippets.targets.target import Target
from tests.pace import slowness

_LOOKS = 5
PATIENCE = 60.0  # seconds; only a broken test ever waits for so long


@pytest.fixture
def make_snippet() -> Callable[..., Snippet]:
    """Return a function that makes a snippet as a fence of a note does, with some changes."""
    return _make_snippet


def _make_snippet(code: str, **changes: Any) -> Snippet:
    facts: dict[str, Any] = {
        "name": "note#block1",
        "code": code,
        "path": None,
        "title": {"zh": "例", "en": "Example"},
        "devices": ("any",),
        "needs_gpus": 0,
        "timeout": 60.0,
        "raises": None,
        "session": None,
        "args": (),
        "recorded": {},
        "origin": "note.en.md",
        "line": 1,
    }
    return Snippet(**{**facts, **changes})


@dataclass
class Watched:
    """A run and its reports so far."""

    run: Run | None = None
    chunks: list[OutputChunk] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    midways: list[RunProgress] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)
    after_the_end: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self, where: list[Any], what: Any) -> None:
        """Record a report."""
        with self._changed:
            self.after_the_end += bool(self.outcomes)
            where.append(what)
            self.threads.add(threading.get_ident())
            self._changed.notify_all()

    def printed(self, stream: str = "stdout") -> str:
        """Return what was printed on a stream so far."""
        return "".join(chunk.text for chunk in self.chunks if chunk.stream == stream)

    def wait_for(self, text: str) -> None:
        """Wait until it has been printed."""
        with self._changed:
            assert self._changed.wait_for(lambda: text in self.printed() or self.outcomes, PATIENCE)
        assert text in self.printed(), self.outcomes

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until the reports fulfil a condition."""
        with self._changed:
            assert self._changed.wait_for(lambda: holds() or self.outcomes, PATIENCE)
        assert holds(), self.outcomes

    def wait_to_be_asked(self) -> None:
        """Wait until the run waits for a line."""
        self.until(lambda: self.midways and self.midways[-1].waits)

    def type(self, line: str) -> None:
        """Type a line, once the run waits for one."""
        self.wait_to_be_asked()
        assert self.run is not None
        seen = len(self.midways)
        self.run.type(line)
        self.until(lambda: len(self.midways) > seen)

    def outcome(self) -> Outcome:
        """Wait for the end."""
        assert self.run is not None
        return self.run.wait(PATIENCE)


@pytest.fixture
def target() -> Target | None:
    """Return where runs happen: on this machine, unless a file of tests says otherwise."""
    return None


@pytest.fixture
def runner(tmp_path: Path, target: Target | None) -> Iterator[Runner]:
    """Return a runner; when it is closed, nothing that it started may be alive."""
    before = set(psutil.Process().children(recursive=True))
    with Runner(runs_folder=tmp_path / "runs", target=target) as made:
        yield made
    left = set(psutil.Process().children(recursive=True)) - before
    assert not psutil.wait_procs(left, timeout=0)[1]  # as the first process of a container it inherits those that ended


@pytest.fixture
def start(runner: Runner) -> Callable[..., Watched]:
    """Return a function that starts a run of some code, or of a snippet, and watches it."""

    def begin(code: str | Snippet, **request: Any) -> Watched:
        snippet = code if isinstance(code, Snippet) else _make_snippet(code)
        watched = Watched()
        watched.run = runner.start(
            RunRequest(snippet, **request),
            output=lambda chunk: watched.take(watched.chunks, chunk),
            artifact=lambda artifact: watched.take(watched.artifacts, artifact),
            midway=lambda midway: watched.take(watched.midways, midway),
            finished=lambda outcome: watched.take(watched.outcomes, outcome),
        )
        return watched

    return begin


@pytest.fixture
def bearing() -> Callable[[str], list[psutil.Process]]:
    """Return a function that finds the living processes with a token in their command or environment."""
    return _bearing


def _bearing(token: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            signs = [*process.cmdline(), *process.environ().values()]
            if process.status() != psutil.STATUS_ZOMBIE and any(token in sign for sign in signs):
                found.append(process)
    return found


@pytest.fixture
def gone_within() -> Callable[[str, float], bool]:
    """Return a function that waits until no process bears a token, and returns whether that happened in time.

    The seconds are those of an idle machine.
    """

    def wait(token: str, seconds: float) -> bool:
        until = time.monotonic() + seconds * slowness()
        looks = 0  # several, because a process that is being started bears nothing for a moment
        while looks < _LOOKS:
            looks = 0 if _bearing(token) else looks + 1
            if not looks and time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    return wait
