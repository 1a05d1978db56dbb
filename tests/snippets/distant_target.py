"""A target like another machine: its supervisor has another home, and its run folders cannot be read here."""

from __future__ import annotations

from pathlib import Path

from snippets.process.connection import Connection, supervisor_command
from snippets.supervisor.bubblewrap import WRAPPER
from snippets.targets.target import LocalTarget


class DistantTarget(LocalTarget):
    """Mounts its run folders where this process sees an empty folder. It needs bubblewrap."""

    name = "distant"
    sees_files = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "distant-runs")
        self._disk = folder / "distant-disk"
        self._home = folder / "distant-home"
        for place in (self._runs, self._disk, self._home):
            place.mkdir()

    def connect(self, log: Path) -> Connection:
        """Start a supervisor that sees the disk in the place of the run folders."""
        mounts = [
            "--dev-bind",
            "/",
            "/",
            "--bind",
            str(self._disk),
            str(self._runs),
            "--setenv",
            "HOME",
            str(self._home),
        ]
        return Connection([WRAPPER, *mounts, "--", *supervisor_command(self._runs)], log)

    def folder(self, run_id: str) -> Path | None:
        """Return None: only copies come here."""
        del run_id
        return None

    def is_clean(self) -> bool:
        """Return whether neither place keeps anything of a run."""
        return not any(self._runs.iterdir()) and {path.name for path in self._disk.iterdir()} <= {"matplotlib", "warm"}
