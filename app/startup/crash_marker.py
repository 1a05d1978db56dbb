"""Whether the last start ended well: a crash is told once, and after two in a row nothing is opened again by itself."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

SAFE_AFTER = 2  # crashes in a row


class CrashMarker:
    """A mark in the data folder that stands while the program runs; one that is left behind tells of a crash."""

    def __init__(self, folder: Path) -> None:
        """Look at what the last start left in `folder`; nothing is written yet."""
        self._file = folder / "running.json"
        pid, crashes = self._read()
        # Another window of the same user is at work, and has not crashed.
        self._shared = pid != os.getpid() and pid > 0 and _runs(pid)
        self.crashed = bool(pid) and not self._shared
        self.crashes = crashes + 1 if self.crashed else 0

    @property
    def safe(self) -> bool:
        """Whether to open nothing by itself, because that may be what crashes."""
        return self.crashes >= SAFE_AFTER

    def begin(self) -> None:
        """Leave the mark."""
        if not self._shared:
            mark = json.dumps({"pid": os.getpid(), "crashes": self.crashes})
            with contextlib.suppress(OSError):  # then a crash of this start goes untold
                self._file.write_text(mark, "utf-8")  # a torn one tells of a crash as well, and nothing is waited for

    def confirm(self) -> None:
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


def _runs(pid: int) -> bool:
    import psutil  # noqa: PLC0415 - only a mark that was left behind asks for it

    return psutil.pid_exists(pid)
