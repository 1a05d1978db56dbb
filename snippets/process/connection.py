"""A supervisor and the talk with it; the one place of the program that starts processes for code to run in."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import psutil

from snippets import supervisor
from snippets.errors import RunnerFailed
from snippets.supervisor.frame_protocol import pack, read_frame, write_all
from snippets.supervisor.transcript import records

MARKER = "TORCHLEAF_RUN"  # the variable that every process of a run carries

_PROGRAM = Path(supervisor.__file__).with_name("__main__.py")
_LOOK_SECONDS = 0.01  # where one cannot wait for a pipe
_START_SECONDS = 1.0  # more than the system takes to load a program
_CLOSE_SECONDS = 3.0  # more than a supervisor takes to end the most stubborn run


class Connection:
    """One supervisor. It serves several runs, one after another. Raises RunnerFailed when it cannot be started."""

    def __init__(self, log: Path) -> None:
        self.warm = ""  # the key of the Python that stands ready in it, as far as it has told
        self._sending = threading.Lock()
        try:
            with log.open("ab") as complaints:
                # Isolated, and in a session of its own: a Ctrl-C in the terminal is the program's to hear, not its.
                self._process = subprocess.Popen(
                    [sys.executable, "-I", str(_PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=complaints, bufsize=0, start_new_session=True,
                )  # fmt: skip
        except OSError as error:
            raise RunnerFailed(
                f"The supervisor of runs could not be started ({error}); free memory or processes and try again.",
                f"无法启动运行监督进程（{error}）；请释放内存或进程后重试。",
            ) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inward = self._process.stdin
        self._outward = self._process.stdout

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        """Send a request; a supervisor that is gone is noticed by `receive`. Any thread may call."""
        with self._sending, contextlib.suppress(OSError, ValueError):
            write_all(self._inward.fileno(), pack(header, payload))

    def receive(self, timeout: float | None = None) -> tuple[dict[str, Any], bytes] | None:
        """Wait for a report, if need be no longer than `timeout` seconds; None when there is none, ever or so soon."""
        if timeout is not None and not _tells(self._outward, timeout):
            return None
        with contextlib.suppress(OSError, ValueError):
            frame = read_frame(self._outward.fileno())
            if frame is not None and frame[0]["is"] == "warm":
                self.warm = "" if frame[0]["error"] else frame[0]["key"]
            return frame
        return None

    def close(self) -> None:
        """Have the supervisor end what it runs, and itself."""
        with self._sending:
            self._inward.close()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._outward.close()


def _tells(pipe: IO[bytes], timeout: float) -> bool:
    """Wait until there is something to read, or the end, for so many seconds at the most; say whether there is."""
    if os.name != "nt":
        return bool(select.select([pipe], [], [], timeout)[0])
    until = time.monotonic() + timeout  # pragma: no cover - Windows only
    while not (found := _waiting(pipe)) and time.monotonic() < until:  # pragma: no cover - Windows only
        time.sleep(_LOOK_SECONDS)
    return found  # pragma: no cover - Windows only


def _waiting(pipe: IO[bytes]) -> bool:  # pragma: no cover - Windows only
    """Ask by PeekNamedPipe whether there is something to read; of a pipe that is broken, the end is."""
    import msvcrt  # noqa: PLC0415 - there is none elsewhere

    kernel: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    handle: Any = getattr(msvcrt, "get_osfhandle")(pipe.fileno())  # noqa: B009
    count = ctypes.c_uint32()
    asked = (ctypes.c_void_p(handle), None, 0, None, ctypes.byref(count), None)
    return not kernel.PeekNamedPipe(*asked) or count.value > 0


@dataclass(frozen=True)
class CompletedCommand:
    """How a short command ended."""

    exit_code: int | None  # None: it could not be started, or did not end in time
    stdout: str
    stderr: str
    error: str


def run_to_end(argv: Sequence[str], *, environment: Mapping[str, str], timeout: float) -> CompletedCommand:
    """Run a command under a supervisor of its own and wait; `timeout` in seconds. Raises RunnerFailed."""
    with TemporaryDirectory(prefix="torchleaf-") as folder, contextlib.closing(_connection(folder)) as connection:
        request = {"argv": list(argv), "env": dict(environment), "timeout": timeout, "grace": 0.2}
        connection.send({"do": "run", "run": "command", "cwd": folder, "log": str(Path(folder, "log")), **request})
        while report := connection.receive():
            header, payload = report
            if header["is"] == "finished":
                return _ended(header, payload)
    return CompletedCommand(None, "", "", "the supervisor ended")


def _connection(folder: str) -> Connection:
    return Connection(Path(folder, "supervisor.log"))


def _ended(header: dict[str, Any], payload: bytes) -> CompletedCommand:
    texts = [b"".join(data for stream, data in records(payload) if stream == wanted) for wanted in (0, 1)]
    stdout, stderr = (text.decode("utf-8", "replace") for text in texts)
    error = {"unstarted": header["error"], "timeout": f"no answer after {header['seconds']:.0f} s"}.get(
        header["why"], ""
    )
    return CompletedCommand(None if error else header["exit_code"], stdout, stderr, error)


def end_marked(run: str) -> int:
    """End what carries a run's marker after its supervisor was killed; return how many there were."""
    ended, until = 0, time.monotonic() + _START_SECONDS
    while True:
        others = {process: _environment(process) for process in psutil.process_iter() if process.pid != os.getpid()}
        found = [process for process, variables in others.items() if variables and variables.get(MARKER) == run]
        if not found:
            if None not in others.values() or time.monotonic() > until:
                return ended
            time.sleep(_LOOK_SECONDS)
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
                ended += 1
        psutil.wait_procs(found, timeout=1.0)


def _environment(process: psutil.Process) -> dict[str, str] | None:
    """Return the variables of a living process that tells them; None where there are none yet.

    While a program is loaded into a process, the system has emptied its environment and not written the new one.
    """
    with contextlib.suppress(psutil.Error, OSError):
        variables = process.environ()
        if not variables and process.memory_info().vms:  # a zombie, and a thread of the kernel, has no memory
            return None
        if process.status() != psutil.STATUS_ZOMBIE:
            return variables
    return {}
