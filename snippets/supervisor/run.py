"""One run: a process and all that comes of it, from its start to the last report."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from snippets.supervisor import memory
from snippets.supervisor.launch import launch
from snippets.supervisor.limits import Limits
from snippets.supervisor.process_tree import WINDOWS, Tree, WindowsTree
from snippets.supervisor.run_files import RunFiles
from snippets.supervisor.send_queue import SendQueue
from snippets.supervisor.stack_dump import StackDump
from snippets.supervisor.stall_detection import SECONDS, StallDetector, last_questions
from snippets.supervisor.stdin_pipe import StdinPipe
from snippets.supervisor.transcript import Transcript
from snippets.supervisor.zygote_client import Ready

TICK_SECONDS = 0.02  # between two looks at a tree that is ending

_CHUNK = 1 << 16
_SAMPLE_SECONDS = 0.1  # between two looks at what it takes, on a machine with few processes
_RARELY_SECONDS = 0.3  # and with very many: a bomb of forks doubles in less
_LIMITS = frozenset({"memory", "disk", "processes"})
_LINGER_SECONDS = 0.3  # for descendants to leave on their own after the main process
_LOST_GRACE_SECONDS = 0.5  # nobody waits any more
_DRAIN_SECONDS = 1.0  # for a pipe that somebody outside the tree was handed
_ANSWER_SECONDS = 0.5  # beyond its time, for a process that was asked where it is
_NEVER = float("inf")


class SupervisedRun:
    """A run that was started. Raises OSError, ValueError when it cannot be."""

    def __init__(
        self, request: dict[str, Any], code: bytes, outbox: SendQueue, *, warm: Ready | None, apart: set[int]
    ) -> None:
        self.id: str = request["run"]
        self._outbox = outbox
        self._files = RunFiles(Path(request["cwd"]))
        self._grace = float(request.get("grace", 1.0))
        self._spare: str | None = request.get("spare")
        self._why = "exit"
        self._exit_code: int | None = None
        self._seconds: float | None = None  # known when the main process has ended
        self._first_output: float | None = None
        self._peak_rss = 0
        self._returned = 0  # bytes of memory that were held when it had to be ended
        self._over = False
        if request.get("file"):
            Path(request["file"]).write_bytes(code)
        self._taking = threading.Lock()
        self._transcript = Transcript(Path(request["log"]))
        self._limits = Limits(request, Path(request.get("scratch") or request["cwd"]))
        self._keyboard = StdinPipe(request.get("input"))
        self._told: tuple[object, ...] = (False, False, ())  # of how it stands
        self._silence = StallDetector(
            StackDump(request["env"].get("TORCHLEAF_STACKS"), str(request.get("program", ""))),
            ranks=bool(request.get("ranks")), after=float(request.get("silence") or SECONDS),
        )  # fmt: skip
        self._began = self._sample_at = self._looked_at = time.monotonic()
        timeout = float(request.get("timeout") or _NEVER)
        self._timeout_at = self._began + timeout
        self._last_questions = last_questions(timeout)
        self._term_at = self._kill_at = _NEVER
        try:
            self.main = launch(request, warm, self._limits)
        except (OSError, ValueError):
            self._transcript.close()
            self._keyboard.close()
            raise
        # Behind walls of its own a wrapper stands between, which tells of signals in the way of a shell.
        self._wrapped = bool(request.get("walls")) and self.main.process is not None
        if self.main.walls:
            apart |= self.main.walls.processes
        self._tree = self._find_tree(apart)
        self._outbox.send({"is": "started", "run": self.id, "pid": self.main.pid, "warm": self.main.warm})
        self._readers = self._start_readers()

    def _find_tree(self, apart: set[int]) -> Tree:
        if self.main.job:  # pragma: no cover - Windows only
            return WindowsTree(self.main.job)
        return Tree(apart)

    def _start_readers(self) -> list[threading.Thread]:
        pipes = self.main.pipes
        if WINDOWS:  # pragma: no cover - Windows only
            readers = [threading.Thread(target=self._read_apart, args=one, daemon=True) for one in enumerate(pipes)]
        else:
            readers = [threading.Thread(target=self._read, args=(pipes,), daemon=True)]
        for reader in readers:
            reader.start()
        return readers

    def _read(self, pipes: Sequence[IO[bytes]]) -> None:
        """Take what is printed; of what waits on both pipes standard output first, as a traceback comes last."""
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
            for stream, pipe in enumerate(pipes):
                selector.register(stack.enter_context(pipe), selectors.EVENT_READ, stream)
            while selector.get_map():
                for key, _ in sorted(selector.select(), key=lambda ready: ready[0].data):
                    if not self._read_once(key.fd, key.data):
                        selector.unregister(key.fileobj)

    def _read_apart(self, stream: int, pipe: IO[bytes]) -> None:  # pragma: no cover - Windows only
        """Take what is printed on one pipe, where two cannot be waited for."""
        with pipe:
            while self._read_once(pipe.fileno(), stream):
                pass

    def _read_once(self, handle: int, stream: int) -> bool:
        """Take what is there to the disk first, then to the reports; say whether there may be more."""
        data = os.read(handle, _CHUNK)
        with self._taking:
            if not data or self._over:
                return False
            if self._first_output is None:
                self._first_output = time.monotonic() - self._began
            self._print(stream, data)
        self._silence.note_output(data)
        return True

    def _print(self, stream: int, data: bytes) -> None:
        self._transcript.add(stream, data)
        self._outbox.output(self.id, stream, data)

    def type(self, line: bytes) -> None:
        """Take a line of input, which stands in the output as on a terminal; an empty one is the end of the input.

        Of a password nothing does: whoever asks for one ends the line.
        """
        with self._taking:
            if line and not self._over and not self._keyboard.secret:
                self._print(0, line)
        self._keyboard.type(line)
        self._tell()

    def end(self, why: str) -> None:
        """Ask the whole tree to end; what has not done so after the grace is killed. Only the first reason counts."""
        if self._why == "exit" and self._seconds is None:
            self._why = why
            self._returned = memory.held(self._tree.alive())
            graces = {"lost": min(self._grace, _LOST_GRACE_SECONDS), **dict.fromkeys(_LIMITS, 0.0)}
            self._kill_at = time.monotonic() + graces.get(why, self._grace)
            if time.monotonic() < self._kill_at:
                self._tree.terminate(self._spare)

    def main_ended(self, exit_code: int, largest_rss: int) -> None:
        """Note the end of the main process; what it left behind may leave by itself for a moment."""
        now = time.monotonic()
        self._exit_code = exit_code
        if self.main.process:
            self.main.process.returncode = exit_code
        self._peak_rss = max(self._peak_rss, largest_rss)
        self._seconds = now - self._began
        self._term_at = now + _LINGER_SECONDS

    def wakes_in(self) -> float:
        """Give the seconds until `over` is worth asking again."""
        if self._seconds is not None or self._why != "exit":
            return TICK_SECONDS
        return max(0.0, min(self._timeout_at, self._sample_at) - time.monotonic())

    def over(self) -> bool:
        """Move the run on; say whether nothing of it is left."""
        now = time.monotonic()
        if self._seconds is None and now >= self._timeout_at + _ANSWER_SECONDS * self._silence.asks:
            self.end("timeout")
        if self._seconds is None and self._why == "exit" and now < self._sample_at:
            return False
        alive = self._tree.alive()
        if self._seconds is None and self._why == "exit":
            self._attend(alive, now)
        self._peak_rss = max(self._peak_rss, sum(alive.values()))
        if self._seconds is not None and not alive:
            return True
        if limit := self._limits.broken(alive) if self._why == "exit" and self._seconds is None else None:
            self.end(limit)
        # On a machine with very many processes a look at them costs, so there it is taken less often.
        pause = min(_RARELY_SECONDS, max(_SAMPLE_SECONDS, 5 * (time.monotonic() - now)))
        self._sample_at = now + (TICK_SECONDS if self._silence.asks else pause)
        self._press(now)
        return False

    def _attend(self, alive: dict[int, int], now: float) -> None:
        """See to what it wants and what it has made, and whether it stands still."""
        waited = self._keyboard.waits
        self._keyboard.poll()
        if waited and self._keyboard.waits:  # the time is the user's
            self._timeout_at += now - self._looked_at
        self._looked_at = now
        for path, size in self._files.written():
            self._outbox.send({"is": "artifact", "run": self.id, "path": path, "bytes": size})
        if now >= self._timeout_at - self._last_questions:
            self._silence.ask_all(alive)
        elif not self._keyboard.waits:
            self._silence.poll(alive)
        self._tell()

    def _tell(self) -> None:
        """Report how it stands, where that has changed."""
        waits, secret, silent = self._keyboard.waits, self._keyboard.secret, self._silence.silent
        stands = (waits, secret, tuple((one.rank, one.spot) for one in silent))
        if stands != self._told:
            self._told = stands
            told = [one.document() for one in silent]
            self._outbox.send({"is": "midway", "run": self.id, "waits": waits, "secret": secret, "silent": told})

    def _press(self, now: float) -> None:
        if now >= self._kill_at:
            if self.main.walls:
                self.main.walls.close()
            self._tree.kill(self._spare)
        elif now >= self._term_at:
            self._tree.terminate(self._spare)
            self._term_at = _NEVER
            self._kill_at = min(self._kill_at, now + min(self._grace, _LOST_GRACE_SECONDS))

    def report(self) -> None:
        """Give the last reports, once the run is over."""
        if self.main.job:  # pragma: no cover - Windows only
            self._peak_rss = self.main.job.peak()
            self.main.job.close()
        if self.main.walls:
            self.main.walls.close()
        for reader in self._readers:
            reader.join(_DRAIN_SECONDS)
        with self._taking:
            self._over = True
        if self._why == "memory":
            self._limits.free_shared()
        self._keyboard.close()
        for path, size in self._files.left() if self._why != "disk" else ():
            self._outbox.send({"is": "artifact", "run": self.id, "path": path, "bytes": size})
        head, kept = self._transcript.close()
        self._outbox.send(
            {
                "is": "finished", "run": self.id, "why": self._why, "exit_code": self._exit_code,
                "seconds": self._seconds, "first_output_seconds": self._first_output, "peak_rss": self._peak_rss,
                "cut": self._transcript.cut, "ended": len(self._tree.ended), "head": head, "error": "",
                "wrapped": self._wrapped, "returned": self._returned, "limit": self._limits.of(self._why),
                "stood": [one.document() for one in self._silence.stood()] if self._why == "timeout" else [],
            }, kept,
        )  # fmt: skip
