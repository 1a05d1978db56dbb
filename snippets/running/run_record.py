"""What this program keeps of a run, whatever its target: copies of its files, and its output."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection
from pathlib import Path

from snippets.results.file_replacement import replace_file
from snippets.supervisor.transcript import left_behind, write_transcript

MOST_BYTES = 1 << 28  # of all reports of files together, as a supervisor may be on another machine

_FORBIDDEN = frozenset({"", ".", ".."})


class RunRecord:
    """The folder of this program for one run. No process of an isolated run can write to it."""

    def __init__(self, runs: Path, run_id: str) -> None:
        self._root = runs / run_id
        self._files = self._root / "artifacts"
        self._log = self._root / "log"
        self._received = 0  # bytes

    def keep(self, name: str, data: bytes) -> Path:
        """Save a file that a run wrote; its name is a relative path with slashes.

        Raises ValueError for a name that leads elsewhere and for too much data, OSError.
        """
        path = self._files.joinpath(*file_parts(name))
        self._received += len(data)
        if self._received > MOST_BYTES:
            raise ValueError("too much data")
        self._make_root()
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data, mode=0o600, durable=False)
        return path

    def retain(self, paths: Collection[Path]) -> None:
        """Remove all files but these, once the run is over."""
        for place, _, names in os.walk(self._files):
            for path in (Path(place, name) for name in names):
                if path not in paths:
                    with contextlib.suppress(OSError):
                        path.unlink()
        if not paths:
            shutil.rmtree(self._files, ignore_errors=True)

    def keep_output(self, head: int, kept: bytes) -> None:
        """Save the records of the output, unless a supervisor on this machine wrote them here. Raises OSError."""
        if not self._log.exists():
            self._make_root()
            self._log.mkdir()
            write_transcript(self._log, head, kept)

    def _make_root(self) -> None:
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)

    def output(self) -> tuple[int, bytes]:
        """Return the records of the output, and how many bytes of them belong to its beginning."""
        return left_behind(self._log)


def file_parts(name: str) -> tuple[str, ...]:
    """Split the relative path of a file that a run wrote. Raises ValueError if it leads elsewhere."""
    parts = tuple(name.split("/"))
    if _FORBIDDEN & {*parts} or any("\0" in part or (os.name == "nt" and set(part) & set("\\:")) for part in parts):
        raise ValueError(f"no file of a run: {name!r}")
    return parts
