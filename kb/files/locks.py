"""A lock between processes that ends with the process that holds it, however that ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":  # pragma: no cover
    import msvcrt
else:
    import fcntl

_PAUSE = 0.02  # seconds between two tries


@contextlib.contextmanager
def held(path: Path, *, patience: float) -> Iterator[bool]:
    """Hold the lock of a file while the block runs; wait for it at most `patience` seconds.

    Yields False where another process kept it. The file stays: it is the system that locks it, not its presence.
    Raises OSError where the file cannot be made.
    """
    # Opened so that a program that is started meanwhile does not inherit it.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        deadline = time.monotonic() + patience
        taken = _try(handle)
        while not taken and time.monotonic() < deadline:
            time.sleep(_PAUSE)
            taken = _try(handle)
        yield taken
    finally:
        os.close(handle)  # gives the lock back, too


if sys.platform == "win32":  # pragma: no cover

    def _try(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
