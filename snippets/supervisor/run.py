"""One run: a process and all its descendants, from the start to the last report."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from snippets.supervisor import memory
from snippets.supervisor.launch import launch
from snippets.supervisor.limits import Limits
from snippets.supervisor.process_tree import WINDOWS, Tree, WindowsTree
from snippets.supervisor.run_environment import read_at_import
from snippets.supervisor.run_files import RunFile, RunFiles
from snippets.supervisor.run_folder import RunFolder
from snippets.supervisor.run_setup import set_up
from snippets.supervisor.send_queue import SendQueue
from snippets.supervisor.stack_dump import StackDump
from snippets.supervisor.stall_detection import SECONDS, StallDetector, last_questions
from snippets.supervisor.stdin_pipe import StdinPipe
from snippets.supervisor.transcript import Transcript
from snippets.supervisor.zygote_client import Ready

TICK_SECONDS = 0.02  # between two looks at a process tree that is ending

_CHUNK = 1 << 16
_SAMPLE_SECONDS = 0.1  # between two looks at its resources, on a machine with few processes
_RARELY_SECONDS = 0.3  # and with very many: a fork bomb doubles in less
_LIMITS = frozenset({"memory", "disk", "processes"})
_LINGER_SECONDS = 0.3  # for descendants to leave on their own after the main process
_LOST_GRACE_SECONDS = 0.5  # the client is gone
_DRAIN_SECONDS = 1.0  # for a pipe that a process outside the tree may hold
_ANSWER_SECONDS = 0.5  # after the time limit, for a process to write its stack
_NEVER = float("inf")


class SupervisedRun:
    """A run that was started in a folder below `runs`. Raises OSError, ValueError if that fails."""

    def __init__(
        self,
        request: dict[str, Any],
        code: bytes,
        outbox: SendQueue,
        *,
        runs: Path,
        warm: Ready | None,
        apart: set[int],
    ) -> None:
        self.id: str = request["run"]
        self._request = request
        self._outbox = outbox
        self._folder = RunFolder(runs, self.id)
        self._files = RunFiles(self._folder.work)
        self._grace = float(request.get("grace", 1.0))
        self._spare: str | None = request.get("spare")
        self._why = "exit"
        self._exit_code: int | None = None
        self._seconds: float | None = None  # None until the main process has ended
        self._first_output: float | None = None
        self._peak_rss = 0
        self._returned = 0  # bytes of memory that it held when it had to be ended
        self._over = False
        self._taking = threading.Lock()
        with contextlib.ExitStack() as undo:
            undo.callback(self._clear_up)
            self._start(code, warm, undo)
            undo.pop_all()
        if self.main.walls:
            apart |= self.main.walls.processes
        self._tree = self._find_tree(apart)
        self._outbox.send({"is": "started", "run": self.id, "pid": self.main.pid, "warm": self.main.warm})
        self._readers = self._start_readers()

    def _start(self, code: bytes, warm: Ready | None, undo: contextlib.ExitStack) -> None:
        """Make the folder and start the process; what has to be closed if that fails is left to `undo`."""
        request = self._request
        command = set_up(request, code, self._folder)
        self._transcript = Transcript(self._folder.log)
        undo.callback(self._transcript.close)
        self._limits = Limits(request, self._folder.root)
        self._keyboard = StdinPipe(str(self._folder.keyboard) if request.get("asks") else None)
        undo.callback(self._keyboard.close)
        self._program = command.program
        self._told: tuple[object, ...] = (False, False, ())  # the last progress report
        self._silence = StallDetector(
            StackDump(command.environment.get("TORCHLEAF_STACKS"), command.program),
            ranks=bool(request.get("ranks")),
            after=float(request.get("silence") or SECONDS),
        )
        self._began = self._sample_at = self._looked_at = time.monotonic()
        timeout = float(request.get("timeout") or _NEVER)
        self._timeout_at = self._began + timeout
        self._last_questions = last_questions(timeout)
        self._term_at = self._kill_at = _NEVER
        if warm and warm.read_at_import != read_at_import(command.environment):
            warm = None
        self.main = launch(command, warm, self._limits)
        # A cold start in a sandbox has bubblewrap in between, which reports signals as a shell does.
        self._wrapped = bool(command.sandbox) and self.main.process is not None

    def _clear_up(self) -> None:
        """Remove what the run needed, and all of its folder unless that is to be kept."""
        if self._request.get("keep"):
            self._folder.tidy(trusted=not self._request["isolate"])
        else:
            self._folder.remove()

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
        """Read what is printed. If both pipes are ready, standard output goes first, because a traceback comes last."""
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
            for stream, pipe in enumerate(pipes):
                selector.register(stack.enter_context(pipe), selectors.EVENT_READ, stream)
            while selector.get_map():
                for key, _ in sorted(selector.select(), key=lambda ready: ready[0].data):
                    if not self._read_once(key.fd, key.data):
                        selector.unregister(key.fileobj)

    def _read_apart(self, stream: int, pipe: IO[bytes]) -> None:  # pragma: no cover - Windows only
        """Read what is printed on one pipe, on systems that cannot wait for two."""
        with pipe:
            while self._read_once(pipe.fileno(), stream):
                pass

    def _read_once(self, handle: int, stream: int) -> bool:
        """Read what there is, write it to disk, then report it; return whether there may be more."""
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
        """Pass on a line of input and echo it in the output, as a terminal does; an empty one is the end of the input.

        A password is not echoed, nor its line end: the program that reads it ends the line.
        """
        with self._taking:
            if line and not self._over and not self._keyboard.secret:
                self._print(0, line)
        self._keyboard.type(line)
        self._tell()

    def end(self, why: str) -> None:
        """Ask the whole tree to end, and kill what is left after the grace period. Only the first reason counts."""
        if self._why == "exit" and self._seconds is None:
            self._why = why
            alive = self._tree.alive()
            self._returned = memory.held(alive)
            if why == "memory":
                self._limits.note_shared(alive)
            graces = {"lost": min(self._grace, _LOST_GRACE_SECONDS), **dict.fromkeys(_LIMITS, 0.0)}
            self._kill_at = time.monotonic() + graces.get(why, self._grace)
            if time.monotonic() < self._kill_at:
                self._tree.terminate(self._spare)

    def main_ended(self, exit_code: int, largest_rss: int) -> None:
        """Note the end of the main process; its descendants get a moment to end by themselves."""
        now = time.monotonic()
        self._exit_code = exit_code
        if self.main.process:
            self.main.process.returncode = exit_code
        self._peak_rss = max(self._peak_rss, largest_rss)
        self._seconds = now - self._began
        self._term_at = now + _LINGER_SECONDS

    def wakes_in(self) -> float:
        """Return the seconds until `over` should be called again."""
        if self._seconds is not None or self._why != "exit":
            return TICK_SECONDS
        return max(0.0, min(self._timeout_at, self._sample_at) - time.monotonic())

    def over(self) -> bool:
        """Do what is due; return whether no process of the run is left."""
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
        # With very many processes on the machine, each look at them takes long, so look less often.
        pause = min(_RARELY_SECONDS, max(_SAMPLE_SECONDS, 5 * (time.monotonic() - now)))
        self._sample_at = now + (TICK_SECONDS if self._silence.asks else pause)
        self._press(now)
        return False

    def _attend(self, alive: dict[int, int], now: float) -> None:
        """Pass on input, report new files, and detect ranks that do not make progress."""
        waited = self._keyboard.waits
        self._keyboard.poll()
        if waited and self._keyboard.waits:  # waiting for the user does not count
            self._timeout_at += now - self._looked_at
        self._looked_at = now
        self._send_files(self._files.written())
        if now >= self._timeout_at - self._last_questions:
            self._silence.ask_all(alive)
        elif not self._keyboard.waits:
            self._silence.poll(alive)
        self._tell()

    def _send_files(self, files: Iterable[RunFile]) -> None:
        for file in files:
            self._outbox.send({**file.report(), "run": self.id}, file.content or b"")

    def _tell(self) -> None:
        """Report whether it waits for input and which ranks are silent, if that has changed."""
        waits, secret, silent = self._keyboard.waits, self._keyboard.secret, self._silence.silent
        progress = (waits, secret, tuple((one.rank, one.spot) for one in silent))
        if progress != self._told:
            self._told = progress
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
        """Send the last reports, once the run is over."""
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
        if self._why == "disk":
            self._folder.empty()
        self._send_files(self._files.left())
        head, kept = self._transcript.close()
        self._clear_up()
        self._outbox.send(
            {
                "is": "finished",
                "run": self.id,
                "why": self._why,
                "exit_code": self._exit_code,
                "seconds": self._seconds,
                "first_output_seconds": self._first_output,
                "peak_rss": self._peak_rss,
                "cut": self._transcript.cut,
                "ended": len(self._tree.ended),
                "head": head,
                "error": "",
                "wrapped": self._wrapped,
                "returned": self._returned,
                "limit": self._limits.of(self._why),
                "stood": [one.document() for one in self._silence.stood()] if self._why == "timeout" else [],
                "program": self._program,
                "files": self._files.present,
            },
            kept,
        )
