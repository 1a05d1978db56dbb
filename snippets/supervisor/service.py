"""Serves one connection: reads requests, runs one at a time, sends reports."""

from __future__ import annotations

import collections
import contextlib
import os
import queue
import signal
import threading
import time
from pathlib import Path
from typing import Any

from snippets.supervisor import memory
from snippets.supervisor.frame_protocol import read_frame
from snippets.supervisor.process_tree import LINUX, WINDOWS
from snippets.supervisor.recovery import end_marked
from snippets.supervisor.run import TICK_SECONDS, SupervisedRun
from snippets.supervisor.run_files import RunFiles
from snippets.supervisor.run_folder import RunFolder
from snippets.supervisor.run_setup import set_up_zygote
from snippets.supervisor.send_queue import SendQueue
from snippets.supervisor.transcript import left_behind
from snippets.supervisor.zygote_client import Ready, SingleUseClient, ZygoteClient

_Request = tuple[dict[str, Any], bytes]
_LOOK: _Request = ({"do": "look"}, b"")
_LOST: _Request = ({"do": "lose"}, b"")
_TRIES = 2
_LOOK_SECONDS = 5.0  # between two looks at the free memory while nothing runs
_NOTHING: dict[str, Any] = {
    "exit_code": None,
    "first_output_seconds": None,
    "seconds": 0,
    "peak_rss": 0,
    "cut": 0,
    "ended": 0,
    "head": 0,
    "wrapped": False,
    "returned": 0,
    "limit": 0,
    "stood": [],
    "program": "",
    "files": [],
    "error": "",
}


class Service:
    """Works in the main thread, which starts all runs: bubblewrap ends with the thread that started it.

    Requests come from the descriptor `source`, reports go to `sink`; each run gets a folder in `runs`.
    """

    def __init__(self, source: int, sink: int, runs: Path) -> None:
        self._runs = runs
        self._inbox: queue.SimpleQueue[_Request] = queue.SimpleQueue()  # a signal handler may fill it
        self._outbox = SendQueue(sink, lost=self.lose)
        self._waiting: collections.deque[_Request] = collections.deque()
        self._run: SupervisedRun | None = None
        self._warm: Ready | None = None
        self._unfit: dict[str, int] = {}  # how often a zygote failed, by its key
        self._apart: set[int] = set()  # children that belong to no run
        self._lost = False
        self._lease = self._lease_until = float("inf")
        self._source = source

    def lose(self, *_: object) -> None:
        """End the run, then the service, because the client is gone."""
        self._inbox.put(_LOST)

    def serve(self) -> None:
        """Work until the client is gone and nothing is left running."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.lose)
        if not WINDOWS:
            signal.signal(signal.SIGCHLD, lambda *_: self._inbox.put(_LOOK))
        threading.Thread(target=self._listen, daemon=True).start()
        while self._run or not self._lost:
            with contextlib.suppress(queue.Empty):
                self._take(*self._inbox.get(timeout=self._patience()))
            self._move_on()
        self._cool()
        self._outbox.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while frame := read_frame(self._source):
                self._inbox.put(frame)
        self.lose()

    def _patience(self) -> float | None:
        until_lost = self._lease_until - time.monotonic()
        if self._run is None:
            until_lost = min(until_lost, _LOOK_SECONDS) if self._warm else until_lost
            return None if until_lost == float("inf") else max(0.0, until_lost)
        nearest = min(until_lost, self._run.wakes_in())
        return max(0.0, min(nearest, TICK_SECONDS) if WINDOWS else nearest)

    def _take(self, header: dict[str, Any], payload: bytes) -> None:
        what = header["do"]
        if what == "lose":
            self._lost = True
        elif what not in {"look", "warmed"}:
            self._lease_until = time.monotonic() + self._lease
        if what == "run":
            self._waiting.append((header, payload))
        elif what == "stop":
            self._stop(header["run"])
        elif what == "input":
            self._type(header["run"], payload)
        elif what == "recover":
            self._recover(header)
        elif what == "warm":
            self._warm_up(header)
        elif what == "warmed":
            self._warmed(header["key"], header["error"])

    def _stop(self, run: str) -> None:
        if self._run and self._run.id == run:
            self._run.end("stop")
        for request in [one for one in self._waiting if one[0]["run"] == run]:
            self._waiting.remove(request)
            self._refuse(run, "stop", "")

    def _recover(self, request: dict[str, Any]) -> None:
        """Finish a run whose supervisor was killed: end its processes and send what it printed and wrote."""
        run, folder = request["run"], RunFolder(self._runs, request["run"])
        ended = end_marked(run)
        head, kept = left_behind(folder.log)
        files = RunFiles(folder.work)
        for file in files.left():
            self._outbox.send({**file.report(), "run": run}, file.content or b"")
        if request["keep"]:
            folder.tidy(trusted=False)
        else:
            folder.remove()
        found = {"head": head, "ended": ended, "files": files.present}
        self._outbox.send({**_NOTHING, "is": "finished", "run": run, "why": "killed", **found}, kept)

    def _type(self, run: str, line: bytes) -> None:
        if self._run and self._run.id == run:
            self._run.type(line)

    def _warm_up(self, request: dict[str, Any]) -> None:
        """Start a zygote with this key, and end the one with another key."""
        key = request["key"]
        if self._warm and self._warm.key == key and not self._warm.ended:
            if self._warm.ready:
                self._outbox.send({"is": "warm", "key": key, "error": ""})
            return
        self._cool()
        if self._unfit.get(key, 0) >= _TRIES or memory.short():
            self._outbox.send({"is": "warm", "key": key, "error": "it was tried before, or memory is short"})
            return
        try:
            kind = SingleUseClient if request.get("once") else ZygoteClient
            command = set_up_zygote(request, self._runs)
            self._warm = kind(key, command, lambda *told: self._inbox.put((_warmed(*told), b"")))
            self._apart.add(self._warm.pid)
        except (OSError, ValueError) as error:
            self._outbox.send({"is": "warm", "key": key, "error": str(error) or type(error).__name__})

    def _warmed(self, key: str, error: str) -> None:
        if self._warm and self._warm.key == key:
            if error:
                self._unfit[key] = self._unfit.get(key, 0) + 1
                self._cool()
            self._outbox.send({"is": "warm", "key": key, "error": error})

    def _cool(self) -> None:
        if self._warm:
            self._warm.close()
            self._warm = None

    def _move_on(self) -> None:
        self._reap()
        if time.monotonic() >= self._lease_until:
            self._lost = True
        if self._warm and not self._run and memory.short():
            self._cool()
        if self._run and self._lost:
            self._run.end("lost")
        if self._run and self._run.over():
            self._run.report()
            self._run = None
            self._apart = {self._warm.pid} if self._warm else set()
        if self._waiting and not self._run and not self._lost:
            self._begin(*self._waiting.popleft())

    def _begin(self, request: dict[str, Any], code: bytes) -> None:
        self._lease = float(request.get("lease") or "inf")
        self._lease_until = time.monotonic() + self._lease
        try:
            warm = self._warm if self._warm and self._warm.key == request.get("warm") else None
            self._run = SupervisedRun(request, code, self._outbox, runs=self._runs, warm=warm, apart=self._apart)
            if isinstance(warm, SingleUseClient) and warm.used:
                self._apart.discard(warm.pid)
                self._warm = None
                self._outbox.send({"is": "warm", "key": warm.key, "error": "it has become a run"})
        except (OSError, ValueError) as error:
            self._refuse(request["run"], "unstarted", str(error))

    def _reap(self) -> None:
        """Reap what has ended, adopted processes included."""
        run = self._run
        if WINDOWS:  # pragma: no cover - Windows only
            process = run.main.process if run else None
            if run and process and process.returncode is None and (code := process.poll()) is not None:
                run.main_ended(code, 0)
            return
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    return
                if run and pid == run.main.pid:
                    run.main_ended(os.waitstatus_to_exitcode(status), usage.ru_maxrss * (1024 if LINUX else 1))
                elif self._warm and pid == self._warm.pid:
                    self._warm.ended, self._warm.ready = True, False

    def _refuse(self, run: str, why: str, error: str) -> None:
        self._outbox.send({**_NOTHING, "is": "finished", "run": run, "why": why, "error": error})


def _warmed(key: str, error: str) -> dict[str, Any]:
    return {"do": "warmed", "key": key, "error": error}
