"""A job object of Windows: all processes of a run, whatever they start, ended together when the job is closed.

The numbers and layouts are those of winnt.h. What fills and reads them is plain and can be tried on any system; the
calls are made on Windows alone.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

CREATE_SUSPENDED = 0x4  # of CreateProcess: nothing of the run goes on before it is in the job
_PROCESS_LIST, _EXTENDED_LIMITS = 3, 9  # of JOBOBJECTINFOCLASS
_ACTIVE_PROCESS, _JOB_MEMORY, _DIE_ON_UNHANDLED, _KILL_ON_CLOSE = 0x8, 0x200, 0x400, 0x2000
_ENDED = 1  # the exit code of what is ended


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
    """Lay out what a job may take; whatever is in it ends when the last handle of it is closed, as when we are killed.

    A breakaway is not allowed, and a crash shows no dialogue that would wait for a click.
    """
    block = ExtendedLimits()
    basic = block.BasicLimitInformation
    basic.LimitFlags = _KILL_ON_CLOSE | _DIE_ON_UNHANDLED | _JOB_MEMORY | _ACTIVE_PROCESS
    basic.ActiveProcessLimit = processes
    block.JobMemoryLimit = memory
    return block


def listed(data: bytes) -> list[int]:
    """Read the processes out of a JOBOBJECT_BASIC_PROCESS_ID_LIST: two counts, then numbers as wide as a pointer."""
    if len(data) < 8:  # noqa: PLR2004 - the two counts
        return []
    _, count = struct.unpack_from("=II", data)
    size = ctypes.sizeof(ctypes.c_size_t)
    count = min(count, (len(data) - 8) // size)
    return list(struct.unpack_from(f"={count}{'Q' if size == 8 else 'I'}", data, 8))  # noqa: PLR2004


class Job:  # pragma: no cover - Windows only
    """One job. Raises OSError when it cannot be made."""

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
        """Put a process that was started halted into the job, by its handle, and let it go on. Raises OSError."""
        handle = ctypes.c_void_p(process)
        if not self._kernel.AssignProcessToJobObject(self._handle, handle):
            raise _error()
        self._system.NtResumeProcess(handle)

    def processes(self) -> list[int]:
        """Give the processes that are in it."""
        room = ctypes.create_string_buffer(1 << 16)
        asked = (self._handle, _PROCESS_LIST, room, len(room), None)
        return listed(room.raw) if self._kernel.QueryInformationJobObject(*asked) else []

    def peak(self) -> int:
        """Give the most bytes of memory that all had committed at one time."""
        block = ExtendedLimits()
        asked = (self._handle, _EXTENDED_LIMITS, ctypes.byref(block), ctypes.sizeof(block), None)
        return int(block.PeakJobMemoryUsed) if self._kernel.QueryInformationJobObject(*asked) else 0

    def end(self) -> None:
        """End all that is in it."""
        self._kernel.TerminateJobObject(self._handle, _ENDED)

    def close(self) -> None:
        """Let go of it, which ends what is left."""
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
    """Give the bytes of memory that there are and those that programs can still get."""
    status = MemoryStatus(dwLength=ctypes.sizeof(MemoryStatus))
    kernel: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.ullTotalPhys), int(status.ullAvailPhys)


def _error() -> OSError:  # pragma: no cover - Windows only
    make: Any = getattr(ctypes, "WinError")  # noqa: B009 - there is none elsewhere
    last: Any = getattr(ctypes, "get_last_error")  # noqa: B009
    error: OSError = make(last())
    return error
