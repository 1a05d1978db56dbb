"""Detects crashes of earlier sessions; after two in a row no note is opened automatically."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from kb.files.tree import read_own

SAFE_AFTER = 2  # crashes in a row
_CLOCK_SECONDS = 2.0  # between the time of a process and that of a file


class CrashMarker:
    """A file in the data folder that exists while the program runs; one left behind means a crash."""

    def __init__(self, folder: Path) -> None:
        """Read the marker of the last session in `folder`; write nothing."""
        self._file = folder / "running.json"
        pid, crashes = self._read()
        # Another window of the same user is running and has not crashed.
        self._shared = pid != os.getpid() and pid > 0 and _runs(pid, self._marked_at())
        self.crashed = bool(pid) and not self._shared
        self.crashes = crashes + 1 if self.crashed else 0

    @property
    def safe(self) -> bool:
        """Whether to open no note automatically, because that may cause the crashes."""
        return self.crashes >= SAFE_AFTER

    def begin(self) -> None:
        """Write the marker."""
        if not self._shared:
            mark = json.dumps({"pid": os.getpid(), "crashes": self.crashes})
            with contextlib.suppress(OSError):  # then a crash of this session is not detected
                self._file.write_text(mark, "utf-8")  # not atomic, to save time: a torn file also means a crash

    def confirm(self) -> None:
        """Reset the count of crashes, because this session runs well."""
        self.crashes = 0
        self.begin()

    def end(self) -> None:
        """Delete the marker."""
        if not self._shared:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True)

    def _marked_at(self) -> float:
        """Return when the marker was written, in seconds since 1970."""
        try:
            return self._file.stat().st_mtime
        except OSError:
            return 0.0

    def _read(self) -> tuple[int, int]:
        try:
            document = json.loads(read_own(self._file))
            return int(document["pid"]), int(document["crashes"])
        except FileNotFoundError:
            return 0, 0
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return -1, 0  # left behind by an unknown process


def _runs(pid: int, marked_at: float) -> bool:
    """Return whether the process that wrote the marker still runs, and not a later one with its number."""
    import psutil  # noqa: PLC0415 - needed only if a marker was left behind

    try:
        return psutil.Process(pid).create_time() < marked_at + _CLOCK_SECONDS
    except psutil.Error:  # it has ended, or belongs to another user
        return False
