"""The lock on a run folder, held while a run is active in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def lock_folder(folder: Path) -> int | None:
    """Lock a folder and return the descriptor that holds the lock; None if another process holds it, and on Windows.

    The lock ends when the descriptor is closed, at the latest with this process. Raises OSError.
    """
    if sys.platform == "win32":
        return None
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
