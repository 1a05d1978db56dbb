"""The connection to a supervisor, and short commands; no other module of the program starts processes."""

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

from snippets import supervisor
from snippets.errors import RunnerFailed
from snippets.supervisor.frame_protocol import pack, read_frame, write_all
from snippets.supervisor.transcript import records

COMMAND_RUN = "command"  # the run folder of a short command
SUPERVISOR_LOG = "supervisor.log"

_PROGRAM = Path(supervisor.__file__).with_name("__main__.py")
_LOOK_SECONDS = 0.01  # on systems that cannot wait for a pipe
_MOST_BYTES = 1 << 26  # of a report: more than any has, so that a broken supervisor cannot fill the memory
_CLOSE_SECONDS = 3.0  # more than a supervisor takes to end the most stubborn run


class Connection:
    """One supervisor. It serves several runs, one after another.

    `command` starts a program that speaks the supervisor's protocol over its standard input and output; `log` takes its
    standard error. Raises RunnerFailed if it cannot be started, OSError if the log cannot be written.
    """

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self.warm = ""  # the key of its warm Python, once it has reported one
        self._sending = threading.Lock()
        try:
            with log.open("ab") as complaints:
                # In a session of its own, so that a Ctrl-C in the terminal does not reach it.
                self._process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    bufsize=0,
                    start_new_session=True,
                )
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
        """Send a request. If the supervisor is gone, `receive` reports that. Any thread may call this."""
        with self._sending, contextlib.suppress(OSError, ValueError):
            write_all(self._inward.fileno(), pack(header, payload))

    def receive(self, timeout: float | None = None) -> tuple[dict[str, Any], bytes] | None:
        """Wait for a report, at most `timeout` seconds; None if there is none by then, or if the supervisor is gone."""
        if timeout is not None and not _tells(self._outward, timeout):
            return None
        with contextlib.suppress(OSError, ValueError):
            frame = read_frame(self._outward.fileno(), most=_MOST_BYTES)
            if frame is not None and frame[0]["is"] == "warm":
                self.warm = "" if frame[0]["error"] else frame[0]["key"]
            return frame
        return None

    def close(self) -> None:
        """End the supervisor and what it runs."""
        with self._sending:
            self._inward.close()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._outward.close()


def _tells(pipe: IO[bytes], timeout: float) -> bool:
    """Wait at most `timeout` seconds for data or the end of a pipe; return whether there is any."""
    if os.name != "nt":
        return bool(select.select([pipe], [], [], timeout)[0])
    until = time.monotonic() + timeout  # pragma: no cover - Windows only
    while not (found := _waiting(pipe)) and time.monotonic() < until:  # pragma: no cover - Windows only
        time.sleep(_LOOK_SECONDS)
    return found  # pragma: no cover - Windows only


def _waiting(pipe: IO[bytes]) -> bool:  # pragma: no cover - Windows only
    """Return whether there is something to read, the end of a broken pipe included."""
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


def supervisor_command(runs: Path) -> list[str]:
    """Return the command that starts a supervisor here, with its run folders in `runs`."""
    return [sys.executable, "-I", str(_PROGRAM), str(runs)]


def run_to_end(argv: Sequence[str], *, environment: Mapping[str, str], timeout: float) -> CompletedCommand:
    """Run a command under a supervisor of its own and wait; `timeout` in seconds. Raises RunnerFailed."""
    with TemporaryDirectory(prefix="torchleaf-") as folder, contextlib.closing(_connection(folder)) as connection:
        request = {"argv": list(argv), "env": dict(environment), "timeout": timeout, "grace": 0.2}
        connection.send({"do": "run", "run": COMMAND_RUN, **request})
        while report := connection.receive():
            header, payload = report
            if header["is"] == "finished":
                return _ended(header, payload)
    return CompletedCommand(None, "", "", "the supervisor ended")


def _connection(folder: str) -> Connection:
    return Connection(supervisor_command(Path(folder)), Path(folder, SUPERVISOR_LOG))


def _ended(header: dict[str, Any], payload: bytes) -> CompletedCommand:
    texts = [b"".join(data for stream, data in records(payload) if stream == wanted) for wanted in (0, 1)]
    stdout, stderr = (text.decode("utf-8", "replace") for text in texts)
    error = {"unstarted": header["error"], "timeout": f"no answer after {header['seconds']:.0f} s"}.get(
        header["why"], ""
    )
    return CompletedCommand(None if error else header["exit_code"], stdout, stderr, error)
