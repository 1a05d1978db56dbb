"""Whether the last start ended well: a crash is told once, and after two in a row nothing is opened again by itself."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import psutil

from kb.atomic import replace_file
from kb.errors import SaveFailed

SAFE_AFTER = 2  # crashes in a row


class Starts:
    """A mark in the data folder that stands while the program runs; one that is left behind tells of a crash."""

    def __init__(self, folder: Path) -> None:
        """Look at what the last start left in `folder`; nothing is written yet."""
        self._file = folder / "running.json"
        pid, crashes = self._read()
        # Another window of the same user is at work, and has not crashed.
        self._shared = pid != os.getpid() and pid > 0 and psutil.pid_exists(pid)
        self.crashed = bool(pid) and not self._shared
        self.crashes = crashes + 1 if self.crashed else 0

    @property
    def safe(self) -> bool:
        """Whether to open nothing by itself, because that may be what crashes."""
        return self.crashes >= SAFE_AFTER

    def begin(self) -> None:
        """Leave the mark."""
        if not self._shared:
            with contextlib.suppress(SaveFailed, OSError):  # then a crash of this start goes untold
                replace_file(self._file, json.dumps({"pid": os.getpid(), "crashes": self.crashes}).encode())

    def settle(self) -> None:
        """Forget earlier crashes: this start has gone well."""
        self.crashes = 0
        self.begin()

    def end(self) -> None:
        """Take the mark away."""
        if not self._shared:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True)

    def _read(self) -> tuple[int, int]:
        try:
            document = json.loads(self._file.read_text("utf-8"))
            return int(document["pid"]), int(document["crashes"])
        except FileNotFoundError:
            return 0, 0
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return -1, 0  # left behind, but by whom is not known
