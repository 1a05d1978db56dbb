"""The layouts of a job object, which are the same wherever they are filled and read."""

from __future__ import annotations

import ctypes
import struct

import pytest

from snippets.supervisor.job_object import BasicLimits, ExtendedLimits, MemoryStatus, limits, listed

wide = pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the sizes of a 64-bit system")


@wide
def test_the_layout_is_that_of_windows() -> None:
    """Sizes and places as winnt.h gives them on 64 bits."""
    assert ctypes.sizeof(BasicLimits) == 64
    assert ctypes.sizeof(ExtendedLimits) == 144
    assert ctypes.sizeof(MemoryStatus) == 64
    assert BasicLimits.LimitFlags.offset == 16
    assert BasicLimits.ActiveProcessLimit.offset == 40
    assert ExtendedLimits.JobMemoryLimit.offset == 120
    assert ExtendedLimits.PeakJobMemoryUsed.offset == 136


@wide
def test_what_a_job_may_take() -> None:
    """Memory and processes are limited, all ends with the last handle, and nothing may break away."""
    data = bytes(limits(memory=3 << 30, processes=50))
    (flags,) = struct.unpack_from("=I", data, 16)
    assert flags == 0x2000 | 0x400 | 0x200 | 0x8
    assert not flags & (0x800 | 0x1000)  # the two kinds of breaking away
    assert struct.unpack_from("=I", data, 40) == (50,)
    assert struct.unpack_from("=Q", data, 120) == (3 << 30,)


@wide
def test_the_processes_that_are_listed() -> None:
    """As many as the list says and has room for; what is no list names none."""
    data = struct.pack("=IIQQ", 2, 2, 100, 7)
    assert listed(data + bytes(64)) == [100, 7]
    assert listed(struct.pack("=IIQ", 5, 5, 100)) == [100]
    assert listed(struct.pack("=II", 0, 0)) == []
    assert listed(b"") == []
