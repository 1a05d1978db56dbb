"""Serves one connection: requests in, one run at a time, reports out."""

from __future__ import annotations

import collections
import contextlib
import os
import queue
import signal
import threading
import time
from typing import Any

from snippets.supervisor.frames import read_frame
from snippets.supervisor.outbox import Outbox
from snippets.supervisor.run import TICK_SECONDS, Run
from snippets.supervisor.tree import LINUX, WINDOWS

_Request = tuple[dict[str, Any], bytes]
_LOOK: _Request = ({"do": "look"}, b"")
_LOST: _Request = ({"do": "lose"}, b"")
_NOTHING = {
    "exit_code": None,
    "first_output_seconds": None,
    "seconds": 0,
    "peak_rss": 0,
    "cut": 0,
    "ended": 0,
    "head": 0,
}


class Service:
    """Works in the main thread, which starts all runs: bubblewrap's life is tied to the thread that started it."""

    def __init__(self, source: int, sink: int) -> None:
        self._inbox: queue.SimpleQueue[_Request] = queue.SimpleQueue()  # may be filled from a signal's handler
        self._outbox = Outbox(sink, lost=self.lose)
        self._waiting: collections.deque[_Request] = collections.deque()
        self._run: Run | None = None
        self._lost = False
        self._lease = self._lease_until = float("inf")
        self._source = source

    def lose(self, *_: object) -> None:
        """Take the other end for gone: end the run, then the service."""
        self._inbox.put(_LOST)

    def serve(self) -> None:
        """Work until the other end is gone and nothing is left."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.lose)
        if not WINDOWS:
            signal.signal(signal.SIGCHLD, lambda *_: self._inbox.put(_LOOK))
        threading.Thread(target=self._listen, daemon=True).start()
        while self._run or not self._lost:
            with contextlib.suppress(queue.Empty):
                self._take(*self._inbox.get(timeout=self._patience()))
            self._move_on()
        self._outbox.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while frame := read_frame(self._source):
                self._inbox.put(frame)
        self.lose()

    def _patience(self) -> float | None:
        until_lost = self._lease_until - time.monotonic()
        if self._run is None:
            return None if until_lost == float("inf") else max(0.0, until_lost)
        nearest = min(until_lost, self._run.wakes_in())
        return max(0.0, min(nearest, TICK_SECONDS) if WINDOWS else nearest)

    def _take(self, header: dict[str, Any], payload: bytes) -> None:
        what = header["do"]
        if what == "lose":
            self._lost = True
        elif what != "look":
            self._lease_until = time.monotonic() + self._lease
        if what == "run":
            self._waiting.append((header, payload))
        elif what == "stop":
            self._stop(header["run"])

    def _stop(self, run: str) -> None:
        if self._run and self._run.id == run:
            self._run.end("stop")
        for request in [one for one in self._waiting if one[0]["run"] == run]:
            self._waiting.remove(request)
            self._refuse(run, "stop", "")

    def _move_on(self) -> None:
        _reap(self._run)
        if time.monotonic() >= self._lease_until:
            self._lost = True
        if self._run and self._lost:
            self._run.end("lost")
        if self._run and self._run.over():
            self._run.report()
            self._run = None
        if self._waiting and not self._run and not self._lost:
            self._begin(*self._waiting.popleft())

    def _begin(self, request: dict[str, Any], code: bytes) -> None:
        self._lease = float(request.get("lease") or "inf")
        self._lease_until = time.monotonic() + self._lease
        try:
            self._run = Run(request, code, self._outbox)
        except (OSError, ValueError) as error:
            self._refuse(request["run"], "unstarted", str(error))

    def _refuse(self, run: str, why: str, error: str) -> None:
        self._outbox.send({"is": "finished", "run": run, "why": why, "error": error, **_NOTHING})


def _reap(run: Run | None) -> None:
    """Take note of what has ended, adopted processes included."""
    if WINDOWS:  # pragma: no cover - Windows only
        if run and run.process.returncode is None and (code := run.process.poll()) is not None:
            run.main_ended(code, 0)
        return
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            if run and pid == run.process.pid:
                run.main_ended(os.waitstatus_to_exitcode(status), usage.ru_maxrss * (1024 if LINUX else 1))
