"""Locks between processes, which the system releases when the process that holds one ends, however it ends.

They are locks on open descriptors (flock, or LockFileEx on Windows), never marker files: nothing is left after a kill.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_PAUSE = 0.02  # seconds between two tries
_PATIENCE = 1.0  # seconds; another process holds it for a moment when it looks
_kept: dict[tuple[int, str], int] = {}  # descriptors of locks held until the process ends


@contextlib.contextmanager
def held(path: Path, *, patience: float) -> Iterator[bool]:
    """Hold the lock of a file while the block runs; wait for it at most `patience` seconds.

    Yields False if another process kept it. The file stays. Raises OSError if it cannot be created or locked.
    """
    # O_CLOEXEC: a program started meanwhile does not inherit the lock.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _taken(handle, patience)
    finally:
        os.close(handle)  # also releases the lock


@contextlib.contextmanager
def update_held(file: Path) -> Iterator[None]:
    """Hold the lock beside a small file while the block reads, changes and writes it.

    The block also runs without the lock: after a fifth of a second, or where the lock cannot be made.
    """
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(OSError):
            opened.enter_context(held(file.with_name(f".{file.name}.lock"), patience=0.2))
        yield


def hold_until_exit(path: Path) -> None:
    """Hold the lock of a file as long as this process runs; calling it again does nothing.

    Nothing is raised where the file system has no locks. Raises OSError if the file cannot be created.
    """
    key = (os.getpid(), str(path))
    if key in _kept and path.exists():
        return
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    with contextlib.suppress(OSError):
        _taken(handle, _PATIENCE)
    if (old := _kept.pop(key, None)) is not None:
        os.close(old)
    _kept[key] = handle


def is_held(path: Path) -> bool:
    """Return whether a process holds the lock of a file; False if that cannot be found out."""
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        return not _taken(handle, 0.0)
    except OSError:
        return False
    finally:
        os.close(handle)


@contextlib.contextmanager
def folder_held(folder: Path, *, patience: float) -> Iterator[None]:
    """Hold the lock of a folder while the block runs, which it does also without the lock.

    That is after `patience` seconds, on a file system without locks, and on Windows, where a folder has none.
    Nothing is written into the folder. Raises OSError if it cannot be opened.
    """
    if sys.platform == "win32":  # pragma: no cover
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            _taken(handle, patience)
        yield
    finally:
        os.close(handle)


def _taken(handle: int, patience: float) -> bool:
    from filelock import lock_descriptor  # noqa: PLC0415 - it takes 40 ms to load, and a start locks nothing

    deadline = time.monotonic() + patience
    while not (taken := lock_descriptor(handle, blocking=False)) and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    return taken
