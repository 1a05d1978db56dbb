"""The processes of a run, found and ended, whatever session, group or parent they have taken."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Collection

from snippets.supervisor.job_object import Job

LINUX = sys.platform.startswith("linux")
WINDOWS = os.name == "nt"

_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_ENOUGH = 1 << 12  # bytes of a file of /proc


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own. Linux only; not inherited by a fork."""
    if LINUX:
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Tree:
    """All that descends from this process; what loses its parent meanwhile is adopted and still does."""

    def __init__(self, apart: Collection[int] = ()) -> None:
        self.ended: set[int] = set()  # the processes that had to be ended
        self._apart = apart  # what stands around it and does not count, unlike what descends from that
        self._seen: set[int] = set()  # where nothing is adopted, what was once a descendant stays one

    def alive(self) -> dict[int, int]:
        """Give the living, and the bytes of memory that each holds."""
        found = _descendants(os.getpid(), self._seen, self._apart)
        if not LINUX:  # pragma: no cover - macOS only
            self._seen |= found.keys()
        return found

    def terminate(self, spare: str | None = None) -> None:
        """Ask all to end, except the wrapper of that name: it would take its own down without asking them."""
        for pid in self.alive():
            if spare is None or _command(pid) != spare:
                self._signal(pid, signal.SIGTERM)
                self._signal(pid, signal.SIGCONT)

    def kill(self, wrapper: str | None = None) -> None:
        """End all. They are halted first, so that none starts another; a wrapper takes what is in it along."""
        for pid in self.alive() if wrapper else ():
            if _command(pid) == wrapper:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        halted: set[int] = set()
        while new := self.alive().keys() - halted:
            for pid in new:
                self._signal(pid, signal.SIGSTOP)
            halted |= new
        for pid in halted:
            self._signal(pid, signal.SIGKILL)

    def _signal(self, pid: int, number: int) -> None:
        self.ended.add(pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


class WindowsTree(Tree):  # pragma: no cover - Windows only
    """The processes of a job object."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def alive(self) -> dict[int, int]:
        """Give the processes in the job; its memory is limited by the system, and is told at the end."""
        return dict.fromkeys(self._job.processes(), 0)

    def terminate(self, spare: str | None = None) -> None:
        """End all: there is no way of asking."""
        self.kill(spare)

    def kill(self, wrapper: str | None = None) -> None:
        """End all that is in the job."""
        del wrapper
        self.ended |= set(self._job.processes())
        self._job.end()


def _descendants(root: int, more: set[int], apart: Collection[int]) -> dict[int, int]:
    """Give what descends from the root, or is or descends from one of `more`, with the memory of each in bytes.

    What is apart is left out, but not what descends from it.
    """
    table = _processes() if LINUX else _listed_processes()
    children = collections.defaultdict(list)
    for pid, (parent, _) in table.items():
        children[parent].append(pid)
    found = {pid: table[pid][1] for pid in more & table.keys()}
    waiting = [root, *found]
    while waiting:
        for pid in children[waiting.pop()]:
            if pid not in found:
                found[pid] = table[pid][1]
                waiting.append(pid)
    return {pid: memory for pid, memory in found.items() if pid not in apart}


def _processes() -> dict[int, tuple[int, int]]:
    """Give each living process its parent and the bytes of memory it holds."""
    page = os.sysconf("SC_PAGE_SIZE")
    table = {}
    for folder in os.listdir("/proc"):  # noqa: PTH208 - asked many times a second
        if folder.isdigit():
            with contextlib.suppress(OSError):
                fields = _read(f"/proc/{folder}/stat").rpartition(b")")[2].split()
                if fields[0] not in b"ZX" or int(fields[17]) > 1:  # a leader may be gone and its threads go on
                    table[int(folder)] = (int(fields[1]), int(fields[21]) * page)
    return table


def _listed_processes() -> dict[int, tuple[int, int]]:  # pragma: no cover - macOS only
    listing = subprocess.run(["ps", "-axo", "pid=,ppid=,rss=,stat="], check=False, capture_output=True)
    rows = [line.split() for line in listing.stdout.splitlines()]
    return {int(row[0]): (int(row[1]), int(row[2]) * 1024) for row in rows if not row[3].startswith(b"Z")}


def _command(pid: int) -> str:
    try:
        return os.fsdecode(_read(f"/proc/{pid}/comm")).strip()
    except OSError:
        return ""


def _read(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, _ENOUGH)
    finally:
        os.close(handle)
