"""Finds and ends all processes of a run, whatever session, group or parent they have."""

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
    """Become the parent of every orphaned descendant. Linux only; a fork does not inherit this."""
    if LINUX:
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Tree:
    """All descendants of this process; it adopts orphans, so these stay descendants."""

    def __init__(self, apart: Collection[int] = ()) -> None:
        self.ended: set[int] = set()  # the processes that had to be ended
        self._apart = apart  # processes that do not count, unlike their descendants
        self._seen: set[int] = set()  # on systems without adoption, a former descendant still counts

    def alive(self) -> dict[int, int]:
        """Return the resident bytes of each living process, by its id."""
        found = _descendants(os.getpid(), self._seen, self._apart)
        if not LINUX:  # pragma: no cover - macOS only
            self._seen |= found.keys()
        return found

    def terminate(self, spare: str | None = None) -> None:
        """Ask all to end, except the wrapper named `spare`, which would kill its children."""
        for pid in self.alive():
            if spare is None or _command(pid) != spare:
                self._signal(pid, signal.SIGTERM)
                self._signal(pid, signal.SIGCONT)

    def kill(self, wrapper: str | None = None) -> None:
        """Kill all. They are stopped first, so that none starts another; a killed wrapper takes its children along."""
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
        """Return the processes in the job, without memory: the system limits that and reports it at the end."""
        return dict.fromkeys(self._job.processes(), 0)

    def terminate(self, spare: str | None = None) -> None:
        """End all: Windows cannot ask a process to end."""
        self.kill(spare)

    def kill(self, wrapper: str | None = None) -> None:
        """End all processes of the job."""
        del wrapper
        self.ended |= set(self._job.processes())
        self._job.end()


def _descendants(root: int, more: set[int], apart: Collection[int]) -> dict[int, int]:
    """Return the descendants of `root`, and those in `more` with their descendants, with the bytes of each.

    Those in `apart` are left out, but not their descendants.
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
    """Return the parent and the resident bytes of each living process, by its id."""
    page = os.sysconf("SC_PAGE_SIZE")
    table = {}
    for folder in os.listdir("/proc"):  # noqa: PTH208 - asked many times a second
        if folder.isdigit():
            with contextlib.suppress(OSError):
                fields = _read(f"/proc/{folder}/stat").rpartition(b")")[2].split()
                if fields[0] not in b"ZX" or int(fields[17]) > 1:  # its main thread has ended, others are active
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
