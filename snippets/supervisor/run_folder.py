"""The folder of a run: its code, its scratch folder, its temporary files and the transcript of its output."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from snippets.supervisor.folder_lock import lock_folder
from snippets.supervisor.stack_dump import signal_order

SHORT_LINKS = Path("/tmp")  # noqa: S108 - the end of a run's name is random
LINK_PREFIX = "torchleaf-"

_BACKEND = "torchleaf_figures"  # a module among the files that come with a request
_FONTS = "fontlist-*.json"  # matplotlib needs seconds to make it at its first start


def short_link(root: Path) -> Path:
    """Return the short name of the temporary files of a run."""
    return SHORT_LINKS / f"{LINK_PREFIX}{root.name[-8:]}"


class RunFolder:
    """The folder of one run. `work`, `log` and `code` stay after it; the rest is removed with the run."""

    def __init__(self, runs: Path, run_id: str) -> None:
        self.root = runs / run_id
        self.work = self.root / "work"
        self.log = self.root / "log"
        self.control = self.root / "control"  # where the run and its supervisor meet
        self.keyboard = self.control / "input"  # the pipe that typed lines come through
        self.temporary = self.root / "tmp"
        self._tmpdir = self.temporary  # the name that the run is given for it
        self._path = self.root / "path"
        self._code = self.root / "code"
        self._settings = self.temporary / "matplotlib"
        self._shared_settings = runs / "matplotlib"
        self._lock: int | None = None

    def make(self, modules: Mapping[str, str]) -> None:
        """Make it, readable by the user alone, with these modules on the path of the run. Raises OSError."""
        self.make_bare()
        for folder in (self.control, self._path, self._code, self._settings):
            folder.mkdir(parents=True)
        for name, text in modules.items():
            (self._path / name).write_text(text, encoding="utf-8")
        for fonts in self._shared_settings.glob(_FONTS):
            shutil.copyfile(fonts, self._settings / fonts.name)
        self._tmpdir = self._linked()

    def make_bare(self) -> None:
        """Make no more than a short command needs. Raises OSError."""
        self.root.mkdir(parents=True, mode=0o700)
        self._lock = lock_folder(self.root)
        self.work.mkdir()
        self.log.mkdir()

    def _linked(self) -> Path:
        """Link a short name to the temporary files: the path of a socket may have only some hundred characters.

        The workers of a DataLoader meet at such sockets.
        """
        link = short_link(self.root)
        try:
            link.symlink_to(self.temporary)
        except OSError:  # Windows needs a privilege for links, and its sockets have other names
            return self.temporary
        return link

    def links(self) -> dict[str, str]:
        """Return the symbolic links that the run needs, by name."""
        return {} if self._tmpdir == self.temporary else {str(self._tmpdir): str(self.temporary)}

    def write_code(self, name: str, code: bytes) -> Path:
        """Write the code of a snippet that is not run where it lies. Raises OSError."""
        path = self._code / name
        path.write_bytes(code)
        return path

    def variables(self) -> dict[str, str]:
        """Return the variables that lead a run to its own folders."""
        return {
            "PYTHONPATH": str(self._path),
            "MPLBACKEND": f"module://{_BACKEND}",
            "MPLCONFIGDIR": str(self._settings),
            "TORCHLEAF_FIGURES": str(self.work),
            "TMPDIR": str(self._tmpdir),
            "TEMP": str(self._tmpdir),
            "TMP": str(self._tmpdir),
        }

    def control_variables(self, *, asks: bool) -> dict[str, str]:
        """Return the variables that make a run read typed lines and answer to requests for its stack."""
        order = signal_order(str(self.control / "stacks"))
        stacks = {} if order is None else {"TORCHLEAF_STACKS": order}
        return {**stacks, **({"TORCHLEAF_INPUT": str(self.keyboard)} if asks else {})}

    def tidy(self, *, trusted: bool) -> None:
        """Remove what is not needed after the run.

        The font list of matplotlib is kept for later runs unless the run was isolated because it is not trusted.
        """
        if trusted:
            for fonts in self._settings.glob(_FONTS):
                with contextlib.suppress(OSError):
                    self._shared_settings.mkdir(exist_ok=True)
                    fonts.replace(self._shared_settings / fonts.name)
        if links_to(link := short_link(self.root), self.temporary):
            link.unlink(missing_ok=True)
        for folder in (self.temporary, self._path, self.control):
            shutil.rmtree(folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove(self) -> None:
        """Remove everything, once the run has ended."""
        self.tidy(trusted=False)
        shutil.rmtree(self.root, ignore_errors=True)

    def empty(self) -> None:
        """Free the disk space of a run that wrote too much."""
        shutil.rmtree(self.work, ignore_errors=True)
        with contextlib.suppress(OSError):  # the run put something else in its place
            self.work.mkdir(exist_ok=True)


def links_to(link: Path, place: Path) -> bool:
    """Return whether a path is a symbolic link to exactly this place. Raises OSError."""
    return link.is_symlink() and link.readlink() == place
