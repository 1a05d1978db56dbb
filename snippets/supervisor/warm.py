"""The other end of a Python that stands ready to fork runs."""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from snippets.supervisor.prepared import CONTROL, ROOM

_LENGTH = struct.Struct(">I")
_IMPORT_SECONDS = 120.0  # for the import of torch from a slow disk
_FORK_SECONDS = 3.0


class WarmPython:
    """A Python that imports torch and then waits. It counts as ready only when that went without a word and a doubt.

    Raises OSError, ValueError when it cannot be started.
    """

    def __init__(self, request: dict[str, Any], told: Callable[[str, str], None]) -> None:
        self.key: str = request["key"]
        self.ready = False
        self.ended = False  # the service has taken note of its end, and the number of the process is free again
        self._told = told  # called once from a thread, with the key and why it will never be ready, "" when it is
        self._folder = Path(request["folder"])
        self._ear, far = socket.socketpair()
        try:
            self._furnish(request["startup"].encode("utf-8"), Path(request["env"]["PYTHONPATH"]))
            self._process = self._start(request, far)
        except (OSError, ValueError):
            self._ear.close()
            raise
        finally:
            far.close()
        self.pid = self._process.pid
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def _furnish(self, startup: bytes, path: Path) -> None:
        """Lay out what it reads at its start: ours, and behind it what a run's Python would find."""
        path.mkdir(parents=True)
        (path / "sitecustomize.py").write_bytes(startup)
        (self._folder / "sitecustomize.py").write_bytes(pkgutil.get_data(__package__ or "", "prepared.py") or b"")

    def _start(self, request: dict[str, Any], far: socket.socket) -> subprocess.Popen[bytes]:
        environment = {**request["env"], CONTROL: str(far.fileno())}
        environment["PYTHONPATH"] = os.pathsep.join((str(self._folder), environment["PYTHONPATH"]))
        argv = [*request["argv"], "-m", "prepared", " " * ROOM]
        with _program(argv[0], sealed=request["sealed"]) as program:
            return subprocess.Popen(
                argv, executable=program, cwd=self._folder, env=environment, start_new_session=True, bufsize=0,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=(far.fileno(), *([int(program.rpartition("/")[2])] if request["sealed"] else [])),
            )  # fmt: skip

    def _wait(self) -> None:
        reason = "it ended"
        with contextlib.suppress(OSError, ValueError):
            self._ear.settimeout(_IMPORT_SECONDS)
            answer = self._answer()
            reason = answer["error"] or self._said()
            self.ready = not reason
        shutil.rmtree(self._folder, ignore_errors=True)
        self._told(self.key, reason)

    def _answer(self) -> dict[str, Any]:
        """Wait for an answer. Raises OSError, ValueError."""
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        answer: dict[str, Any] = json.loads(self._exactly(length))
        return answer

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self._ear.recv(size - len(data))
            if not piece:
                raise OSError("it ended")
            data += piece
        return data

    def _said(self) -> str:
        """Say so when the import printed something: a cold start shows it, a fork could not."""
        pipes = [pipe for pipe in (self._process.stdout, self._process.stderr) if pipe is not None]
        return "the import of torch printed something" if select.select(pipes, [], [], 0)[0] else ""

    def fork(self, order: dict[str, Any], handles: Sequence[int]) -> int:
        """Have it fork a run; give its process, a child of this one. Raises OSError; it is closed then."""
        text = json.dumps(order).encode("ascii")
        try:
            self._ear.settimeout(_FORK_SECONDS)
            socket.send_fds(self._ear, [_LENGTH.pack(len(text))], list(handles))
            self._ear.sendall(text)
            answer = self._answer()
            return int(answer["pid"])  # None, where it tells of an error
        except (OSError, ValueError, TypeError) as error:
            self.close()
            raise OSError("the run could not be forked") from error

    def close(self) -> None:
        """End it, from the thread of the service. What it has forked is not its own and goes on."""
        self.ready = False
        if not self.ended:
            os.kill(self.pid, signal.SIGKILL)
            self._process.returncode = -signal.SIGKILL  # it is the service that takes note of its end
        self._thread.join()
        for end in (self._ear, self._process.stdout, self._process.stderr):
            if end is not None:
                end.close()


@contextlib.contextmanager
def _program(path: str, *, sealed: bool) -> Any:
    """Give the path to start a program by; sealed, it is a copy in memory that nobody can write to.

    Whoever is behind walls reaches the file of his own program through /proc/self/exe, past the walls. Of a process
    that was put there later it would be the true file.
    """
    if not sealed:
        yield path
        return
    import fcntl  # noqa: PLC0415 - there is none on Windows

    handle = os.memfd_create("python", os.MFD_ALLOW_SEALING)
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            while os.sendfile(handle, file.fileno(), None, 1 << 24):
                pass
        seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, seals)
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)
