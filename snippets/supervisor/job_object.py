"""Windows job objects: all processes of a run and what they start end together when the job is closed.

Numbers and layouts are those of winnt.h. The code that fills and reads them can be tested on any system; the calls are
made on Windows only.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

CREATE_SUSPENDED = 0x4  # of CreateProcess: the process starts only once it is in the job
_PROCESS_LIST, _EXTENDED_LIMITS = 3, 9  # of JOBOBJECTINFOCLASS
_ACTIVE_PROCESS, _JOB_MEMORY, _DIE_ON_UNHANDLED, _KILL_ON_CLOSE = 0x8, 0x200, 0x400, 0x2000
_ENDED = 1  # the exit code of ended processes


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, with the six counters of IO_COUNTERS in the middle."""

    _fields_ = (
        ("BasicLimitInformation", BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def limits(*, memory: int, processes: int) -> ExtendedLimits:
    """Return the limits of a job; `memory` in bytes. Its processes end when its last handle is closed.

    That includes the end of this process. Breakaway is not allowed, and a crash shows no dialog.
    """
    block = ExtendedLimits()
    basic = block.BasicLimitInformation
    basic.LimitFlags = _KILL_ON_CLOSE | _DIE_ON_UNHANDLED | _JOB_MEMORY | _ACTIVE_PROCESS
    basic.ActiveProcessLimit = processes
    block.JobMemoryLimit = memory
    return block


def listed(data: bytes) -> list[int]:
    """Return the process ids in a JOBOBJECT_BASIC_PROCESS_ID_LIST: two counts, then numbers as wide as a pointer."""
    if len(data) < 8:  # noqa: PLR2004 - the two counts
        return []
    _, count = struct.unpack_from("=II", data)
    size = ctypes.sizeof(ctypes.c_size_t)
    count = min(count, (len(data) - 8) // size)
    return list(struct.unpack_from(f"={count}{'Q' if size == 8 else 'I'}", data, 8))  # noqa: PLR2004


class Job:  # pragma: no cover - Windows only
    """One job. Raises OSError if it cannot be created."""

    def __init__(self, *, memory: int, processes: int) -> None:
        self._kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
        self._system: Any = ctypes.WinDLL("ntdll")  # type: ignore[attr-defined,unused-ignore]
        self._kernel.CreateJobObjectW.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
        if not self._handle:
            raise _error()
        block = limits(memory=memory, processes=processes)
        size = ctypes.sizeof(block)
        if not self._kernel.SetInformationJobObject(self._handle, _EXTENDED_LIMITS, ctypes.byref(block), size):
            raise _error()

    def add_process(self, process: int) -> None:
        """Put a suspended process into the job, by its handle, and resume it. Raises OSError."""
        handle = ctypes.c_void_p(process)
        if not self._kernel.AssignProcessToJobObject(self._handle, handle):
            raise _error()
        self._system.NtResumeProcess(handle)

    def processes(self) -> list[int]:
        """Return the ids of its processes."""
        room = ctypes.create_string_buffer(1 << 16)
        asked = (self._handle, _PROCESS_LIST, room, len(room), None)
        return listed(room.raw) if self._kernel.QueryInformationJobObject(*asked) else []

    def peak(self) -> int:
        """Return the most bytes of memory that its processes had committed together."""
        block = ExtendedLimits()
        asked = (self._handle, _EXTENDED_LIMITS, ctypes.byref(block), ctypes.sizeof(block), None)
        return int(block.PeakJobMemoryUsed) if self._kernel.QueryInformationJobObject(*asked) else 0

    def end(self) -> None:
        """End all its processes."""
        self._kernel.TerminateJobObject(self._handle, _ENDED)

    def close(self) -> None:
        """Close it, which ends what is left."""
        self._kernel.CloseHandle(self._handle)


class MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("dwLength", ctypes.c_uint32),
        ("dwMemoryLoad", ctypes.c_uint32),
        ("ullTotalPhys", ctypes.c_uint64),
        ("ullAvailPhys", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 5),
    )


def machine_memory() -> tuple[int, int]:  # pragma: no cover - Windows only
    """Return the bytes of memory, in all and available."""
    status = MemoryStatus(dwLength=ctypes.sizeof(MemoryStatus))
    kernel: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.ullTotalPhys), int(status.ullAvailPhys)


def _error() -> OSError:  # pragma: no cover - Windows only
    make: Any = getattr(ctypes, "WinError")  # noqa: B009 - there is none elsewhere
    last: Any = getattr(ctypes, "get_last_error")  # noqa: B009
    error: OSError = make(last())
    return error
