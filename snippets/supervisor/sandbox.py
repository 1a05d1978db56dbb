"""Sandboxes that a forked process joins: bubblewrap makes the namespaces without starting the run."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, cast

_NAMESPACES = ("ipc", "uts", "net", "pid", "cgroup", "mnt", "user")
_GET_USERS = 0xB701  # of ioctl_ns(2)
# The first process inside: it cannot be killed from there, and it reaps orphans.
_HOLDER = "sleep 2147483647 & echo; wait; read end"
_PATIENCE_SECONDS = 5.0


class Sandbox:
    """Namespaces made by bubblewrap, without a process of the run. Raises OSError, ValueError."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        told, tell = os.pipe()
        try:
            options = ["--as-pid-1", "--info-fd", str(tell), "--", "/bin/sh", "-c", _HOLDER]
            self._process = subprocess.Popen(
                [*command, *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(tell,),
                bufsize=0,
                env=dict(environment),  # processes inside can read it
            )
        except (OSError, ValueError):
            os.close(told)
            raise
        finally:
            os.close(tell)
        with os.fdopen(told, "rb") as facts:
            self._stand(facts)

    def _stand(self, facts: IO[bytes]) -> None:
        """Wait until they exist, and read which process is the first inside."""
        output = cast("IO[bytes]", self._process.stdout)
        ready, _, _ = select.select([output], [], [], _PATIENCE_SECONDS)
        if not ready or not output.read(1):
            self.close()
            raise OSError("the sandbox of the run was not ready in time")
        output.close()
        self._first: int = json.loads(facts.read())["child-pid"]
        self.processes = {self._process.pid, self._first, *_children(self._first)}

    def openings(self) -> list[int]:
        """Return open descriptors of the namespaces to join, in the order in which they can be joined.

        An ordinary user may join them only after the user namespace that owns them; the first process may be in yet
        another user namespace below that one. Raises OSError.
        """
        handles: list[int] = []
        try:
            for name in _NAMESPACES:
                handle = os.open(f"/proc/{self._first}/ns/{name}", os.O_RDONLY)
                handles.append(handle)
            handles.insert(0, _owner(handles[-2]))
        except OSError:
            for handle in handles:
                os.close(handle)
            raise
        return _without_own(handles)

    def close(self) -> None:
        """End all processes inside."""
        for pid in (getattr(self, "_first", None), self._process.pid):
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.returncode = -signal.SIGKILL  # the service reaps it


def _owner(namespace: int) -> int:
    """Open the user namespace that owns a namespace. Raises OSError."""
    import fcntl  # noqa: PLC0415 - not on Windows

    return fcntl.ioctl(namespace, _GET_USERS)


def _without_own(handles: list[int]) -> list[int]:
    """Close the namespaces that this process is in already, and duplicates; return the rest."""
    known = {os.stat(f"/proc/self/ns/{name}").st_ino for name in _NAMESPACES}  # noqa: PTH116 - not an ordinary path
    kept = []
    for handle in handles:
        number = os.fstat(handle).st_ino
        if number in known:
            os.close(handle)
        else:
            known.add(number)
            kept.append(handle)
    return kept


def _children(pid: int) -> set[int]:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:  # noqa: PTH123
        return {int(child) for child in file.read().split()}
