"""Starts and uses warm Pythons: zygotes that fork runs, and those that become one run."""

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
from typing import IO, Any, cast

from snippets.supervisor.frame_protocol import write_all
from snippets.supervisor.job_object import Job
from snippets.supervisor.run_environment import read_at_import
from snippets.supervisor.run_setup import ZygoteCommand
from snippets.supervisor.zygote import CONTROL, ONCE, PROGRAM, ROOM, TAKEN

_LENGTH = struct.Struct(">I")
_IMPORT_SECONDS = 120.0  # for the import of torch from a slow disk
_FORK_SECONDS = 3.0


class ZygoteClient:
    """A Python that imports torch and then waits. It is ready only if the import succeeded and printed nothing.

    Raises OSError, ValueError if it cannot be started.
    """

    def __init__(self, key: str, command: ZygoteCommand, told: Callable[[str, str], None]) -> None:
        self.key = key
        self.read_at_import = read_at_import(command.environment)
        self.ready = False
        self.ended = False  # the service has reaped it, and its process id is free again
        self._told = told  # called once from a thread, with the key and why it will never be ready, "" when it is
        self._folder = command.folder
        self._ear, far = socket.socketpair()
        try:
            write_startup(command)
            self._process = self._start(command, far)
        except (OSError, ValueError):
            self._ear.close()
            raise
        finally:
            far.close()
        self.pid = self._process.pid
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def _start(self, command: ZygoteCommand, far: socket.socket) -> subprocess.Popen[bytes]:
        argv, environment = command_line(command, str(far.fileno()))
        with _program(argv[0], sealed=command.sealed) as program:
            return subprocess.Popen(
                argv,
                executable=program,
                cwd=self._folder,
                env=environment,
                start_new_session=True,
                bufsize=0,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(far.fileno(), *([int(program.rpartition("/")[2])] if command.sealed else [])),
            )

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
        """Wait for its answer. Raises OSError, ValueError."""
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
        """Return an error if the import printed something: a cold start shows that, a fork could not."""
        pipes = [pipe for pipe in (self._process.stdout, self._process.stderr) if pipe is not None]
        return "the import of torch printed something" if select.select(pipes, [], [], 0)[0] else ""

    def fork(self, order: dict[str, Any], handles: Sequence[int]) -> int:
        """Make it fork a run; return the process id, of a child of this process. Raises OSError; it is closed then."""
        text = json.dumps(order).encode("ascii")
        try:
            self._ear.settimeout(_FORK_SECONDS)
            socket.send_fds(self._ear, [_LENGTH.pack(len(text))], list(handles))
            self._ear.sendall(text)
            answer = self._answer()
            return int(answer["pid"])  # None if there was an error
        except (OSError, ValueError, TypeError) as error:
            self.close()
            raise OSError("the run could not be forked") from error

    def close(self) -> None:
        """End it, from the thread of the service. Runs that it forked go on."""
        self.ready = False
        if not self.ended:
            _end(self._process)
        self._thread.join()
        for end in (self._ear, self._process.stdout, self._process.stderr):
            if end is not None:
                end.close()


class SingleUseClient:
    """A Python that imports torch, waits, and becomes one run, for systems on which a fork is not safe.

    What its import prints is part of the run's output, as after a cold start. Raises OSError, ValueError.
    """

    def __init__(self, key: str, command: ZygoteCommand, told: Callable[[str, str], None]) -> None:
        self.key = key
        self.read_at_import = read_at_import(command.environment)
        self.ready = False
        self.ended = False  # the service has reaped it
        self._told = told  # called once from a thread, as by a ZygoteClient
        self._folder = command.folder
        write_startup(command)
        argv, environment = command_line(command, ONCE)
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            argv,
            cwd=self._folder,
            env=environment,
            start_new_session=True,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.pid = self._process.pid
        self._thread = threading.Thread(target=self._wait, args=(self._process.stdout,), daemon=True)
        self._thread.start()

    def _wait(self, output: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            said = output.read(_LENGTH.size)
            self.ready = json.loads(output.read(_LENGTH.unpack(said)[0]))["ready"] is True
        shutil.rmtree(self._folder, ignore_errors=True)
        self._told(self.key, "" if self.ready else "it ended, or said something else")

    def hand_over(self, order: dict[str, Any], job: Job | None) -> subprocess.Popen[bytes]:
        """Make it become a run, on Windows in a job object. Raises OSError; it is closed then."""
        process, text = self._process, json.dumps(order).encode("ascii")
        assert process is not None
        assert process.stdin is not None
        try:
            if job is not None:  # pragma: no cover - Windows only
                job.add_process(int(vars(process)["_handle"]))
            with process.stdin as orders:
                write_all(orders.fileno(), _LENGTH.pack(len(text)) + text)
            self._hear_yes(process)
        except OSError:
            self.close()
            raise
        self.ready, self._process = False, None
        return process

    @staticmethod
    def _hear_yes(process: subprocess.Popen[bytes]) -> None:
        """Wait for its confirmation: an order written to the pipe may never be read."""
        output = cast("IO[bytes]", process.stdout)
        in_time = os.name == "nt" or select.select([output], [], [], _FORK_SECONDS)[0]
        if not in_time or output.read(1) != TAKEN:
            raise OSError("it does not answer")

    @property
    def used(self) -> bool:
        """Whether it has become a run."""
        return self._process is None

    def close(self) -> None:
        """End it, unless it has become a run."""
        self.ready = False
        if (process := self._process) is None:
            return
        if not self.ended:
            _end(process)
        self._thread.join()
        for end in (process.stdin, process.stdout, process.stderr):
            if end is not None:
                end.close()


Ready = ZygoteClient | SingleUseClient


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a child without Popen, which would reap it; the service does that."""
    if os.name == "nt":  # pragma: no cover - Windows only
        process.kill()
        return
    os.kill(process.pid, signal.SIGKILL)
    process.returncode = -signal.SIGKILL


def write_startup(command: ZygoteCommand) -> None:
    """Write what it reads at its start: the `sitecustomize` of runs, and the zygote's program. Raises OSError."""
    path = Path(command.environment["PYTHONPATH"])
    path.mkdir(parents=True)
    (path / "sitecustomize.py").write_bytes(command.startup.encode("utf-8"))
    (command.folder / PROGRAM).write_bytes(pkgutil.get_data(__package__ or "", "zygote.py") or b"")


def command_line(command: ZygoteCommand, control: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the environment to start it with."""
    return [*command.argv, str(command.folder / PROGRAM), " " * ROOM], {**command.environment, CONTROL: control}


@contextlib.contextmanager
def _program(path: str, *, sealed: bool) -> Any:
    """Yield the path to start a program by; `sealed`, it is a copy in memory that cannot be written to.

    A process reaches the file of its own program through /proc/self/exe. For a process that joined its sandbox later,
    that would be the real file, outside the sandbox.
    """
    if not sealed:
        yield path
        return
    import fcntl  # noqa: PLC0415 - not on Windows

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
