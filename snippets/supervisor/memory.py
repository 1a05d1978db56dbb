"""The memory of the machine, and how much of it processes hold."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from snippets.supervisor.job_object import machine_memory
from snippets.supervisor.process_tree import LINUX, WINDOWS

_CONTAINER = Path("/sys/fs/cgroup/memory.max")
_COMFORT = 3 << 28  # bytes: a process with torch, and a run of it
_SHARED = "/dev/shm"  # noqa: S108 - only its size is read


def total() -> int:
    """Return the bytes of memory of the machine, or of the container."""
    if WINDOWS:  # pragma: no cover - Windows only
        return machine_memory()[0]
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):
        return min(machine, int(_CONTAINER.read_text(encoding="ascii")))
    return machine


def available() -> int:
    """Return the bytes that programs can still allocate; all memory where that is not known."""
    with contextlib.suppress(OSError, LookupError, ValueError):
        return _fields("/proc/meminfo")["MemAvailable"]
    return machine_memory()[1] if WINDOWS else total()  # pragma: no cover - not on Linux


def short() -> bool:
    """Return whether too little is available to keep processes warm."""
    return available() < max(_COMFORT, total() // 20)


def shared() -> int:
    """Return the bytes of the files in shared memory, mapped or not."""
    with contextlib.suppress(OSError):
        facts = os.statvfs(_SHARED)
        return (facts.f_blocks - facts.f_bfree) * facts.f_frsize
    return 0  # pragma: no cover - not on Linux


def held(processes: dict[int, int], shared_files: int = 0) -> int:
    """Return the bytes that processes hold together, shared pages counted once.

    `processes` has the resident bytes of each; `shared_files` are the bytes of their files in shared memory.
    """
    if not LINUX:  # pragma: no cover - macOS only
        return sum(processes.values())
    own = mapped = 0
    for pid, resident in processes.items():
        try:
            fields = _fields(f"/proc/{pid}/smaps_rollup")
            own += fields["Pss_Anon"] + fields["Pss_File"]
            mapped += fields["Pss_Shmem"]
        except (OSError, LookupError, ValueError):  # it has ended, or belongs to another user
            own += resident if os.path.exists(f"/proc/{pid}/smaps_rollup") else 0  # noqa: PTH110
    return own + max(mapped, shared_files)


def _fields(path: str) -> dict[str, int]:
    """Parse lines of the form "NAME: NUMBER kB" into bytes. Raises OSError, ValueError."""
    with open(path, encoding="ascii", errors="replace") as file:  # noqa: PTH123 - asked often
        rows: Iterable[list[str]] = [line.split() for line in file]
        return {row[0].rstrip(":"): int(row[1]) * 1024 for row in rows if row[-1] == "kB"}


def shared_files() -> set[str]:
    """Return the names of the files in shared memory."""
    with contextlib.suppress(OSError):
        return set(os.listdir(_SHARED))  # noqa: PTH208
    return set()  # pragma: no cover - not on Linux


def shared_of(processes: Iterable[int]) -> set[str]:
    """Return the paths of the files in shared memory that these processes have open or mapped."""
    return {path for path in _in_use(processes) if path.startswith(f"{_SHARED}/")}


def free_shared(before: set[str], own: set[str]) -> None:
    """Remove files in shared memory that a killed run left: those of `own`, unless they are older or in use.

    A file that the run had closed again may as well be another program's, and is left.
    """
    new = {f"{_SHARED}/{name}" for name in shared_files() - before} & own
    new = {path for path in new if os.path.isfile(path) and os.stat(path).st_uid == os.getuid()}  # noqa: PTH113, PTH116
    everyone = map(int, filter(str.isdigit, os.listdir("/proc"))) if new else ()  # noqa: PTH208
    for path in new - set(_in_use(everyone)):
        with contextlib.suppress(OSError):
            os.remove(path)  # noqa: PTH107


def _in_use(processes: Iterable[int]) -> Iterator[str]:
    """Yield the paths that processes have open or mapped."""
    for pid in processes:
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as handles:
            for handle in handles:
                with contextlib.suppress(OSError):
                    yield os.readlink(handle.path)  # noqa: PTH115
        with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            yield from (line.split(maxsplit=5)[5].rstrip("\n") for line in file if _SHARED in line)
