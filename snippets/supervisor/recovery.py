"""What is done for a run whose supervisor was killed: its processes are ended, its output and files are saved."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator

from snippets.supervisor.process_tree import LINUX, WINDOWS
from snippets.supervisor.run_environment import MARKER

_START_SECONDS = 1.0  # more than the system takes to load a program
_LOOK_SECONDS = 0.01


def end_marked(run: str) -> int:
    """Kill all processes that carry the marker of a run; return how many there were.

    On Windows there are none: a job object ends them with the supervisor.
    """
    ended: set[int] = set()
    until = time.monotonic() + _START_SECONDS
    while True:
        found = dict(_marked(run))
        new = {pid for pid, is_marked in found.items() if is_marked}
        if not new and (None not in found.values() or time.monotonic() > until):
            return len(ended)
        for pid in new:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                ended.add(pid)
        time.sleep(_LOOK_SECONDS)


def _marked(run: str) -> Iterator[tuple[int, bool | None]]:
    """Yield each other living process and whether it carries the marker; None if that cannot be known yet."""
    wanted = f"{MARKER}={run}".encode()
    if LINUX:
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):  # noqa: PTH208
            if pid != os.getpid():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    yield pid, _carries(pid, wanted)
    elif not WINDOWS:  # pragma: no cover - macOS only
        listing = subprocess.run(["ps", "-axEww", "-o", "pid=,command="], check=False, capture_output=True)
        for line in listing.stdout.splitlines():
            number, _, command = line.strip().partition(b" ")
            yield int(number), wanted in command.split()


def _carries(pid: int, wanted: bytes) -> bool | None:
    """Return whether a process carries a marker; None while the system loads a program into it.

    During that time the process has no environment, but it has memory, unlike a zombie or a kernel thread.
    Raises OSError, ValueError, IndexError.
    """
    with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
        variables = file.read()
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
        fields = file.read().rpartition(b")")[2].split()
    if fields[0] in b"ZX":
        return False
    if not variables and int(fields[20]):
        return None
    return wanted in variables.split(b"\0")
