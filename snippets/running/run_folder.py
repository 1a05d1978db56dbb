"""The folder of a run: its code, its scratch folder, its temporary files and the transcript of what it printed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import time
from pathlib import Path

if sys.platform != "win32":
    import fcntl

from snippets.process import environment
from snippets.supervisor.stack_dump import signal_order

_BACKEND = "torchleaf_figures"
_ON_THE_PATH = {
    "matplotlib_backend.py": f"{_BACKEND}.py",
    "interpreter_startup.py": "sitecustomize.py",
}  # of this folder: its name in a run
_FONTS = "fontlist-*.json"  # what matplotlib makes at its first start, in seconds
_KEPT_RUNS = 100
_KEPT_SECONDS = 7 * 86400
_SHORT = Path("/tmp")  # noqa: S108 - the end of a run's name is drawn by chance
_PREFIX = "torchleaf-"
_PROBED = frozenset({"log", "supervisor.log"})  # what a short command leaves in a folder
_PROBE_SECONDS = 3600.0  # many times what one may take


def _link(root: Path) -> Path:
    return _SHORT / f"{_PREFIX}{root.name[-8:]}"


class RunFolder:
    """One run's folder. `work` and what the run leaves in it stay; the rest goes with the run."""

    def __init__(self, runs: Path, run_id: str) -> None:
        self.root = runs / run_id
        self.work = self.root / "work"
        self.log = self.root / "log"
        self.keyboard = self.root / "input"  # the pipe that what is typed comes through
        self._temporary = self.root / "tmp"
        self._called = self._temporary  # by what name the run knows it
        self._path = self.root / "path"
        self._code = self.root / "code"
        self._settings = self._temporary / "matplotlib"
        self._shared_settings = runs / "matplotlib"
        self._hold: int | None = None  # on the folder, as long as this process has a run in it

    def make(self) -> None:
        """Make it, readable by the user alone. Raises OSError."""
        self.root.mkdir(parents=True, mode=0o700)
        self._hold = _held(self.root)
        for folder in (self.work, self.log, self._path, self._code, self._settings):
            folder.mkdir(parents=True)
        for name, name_there in _ON_THE_PATH.items():
            shutil.copyfile(Path(__file__).with_name(name), self._path / name_there)
        for fonts in self._shared_settings.glob(_FONTS):
            shutil.copyfile(fonts, self._settings / fonts.name)
        self._called = self._shortly()

    def _shortly(self) -> Path:
        """Give the folder of temporary files a short name: a socket in it may have some hundred characters in all.

        The workers of a DataLoader meet at such sockets.
        """
        link = _link(self.root)
        try:
            link.symlink_to(self._temporary)
        except OSError:  # on Windows, where sockets have names of another kind, as a rule
            return self._temporary
        return link

    def links(self) -> dict[str, str]:
        """Give the names that lead to other places, and to which."""
        return {} if self._called == self._temporary else {str(self._called): str(self._temporary)}

    def code_file(self, name: str) -> Path:
        """Say where the code of a snippet without a file of its own is written."""
        plain = re.sub(r"[^\w-]+", "_", name).strip("_-")[:60] or "snippet"
        return self._code / f"{plain}.py"

    def variables(self) -> dict[str, str]:
        """Give the variables that lead a run to its own places."""
        return {
            "PYTHONPATH": str(self._path),
            "MPLBACKEND": f"module://{_BACKEND}",
            "MPLCONFIGDIR": str(self._settings),
            "TORCHLEAF_FIGURES": str(self.work),
            "TMPDIR": str(self._called),
            "TEMP": str(self._called),
            "TMP": str(self._called),
        }

    def ears(self, *, asks: bool) -> dict[str, str]:
        """Give the variables that have a run listen: for lines that are typed, and to the question where it stands."""
        order = signal_order(str(self.root / "stacks"))
        stacks = {} if order is None else {"TORCHLEAF_STACKS": order}
        return {**stacks, **({"TORCHLEAF_INPUT": str(self.keyboard)} if asks else {})}

    def tidy(self, *, trusted: bool) -> None:
        """Take away what nobody needs after the run; the font list stays unless the run was locked in for distrust.

        Of a run whose program was killed another one does it.
        """
        if trusted:
            for fonts in self._settings.glob(_FONTS):
                self._shared_settings.mkdir(exist_ok=True)
                with contextlib.suppress(OSError):
                    fonts.replace(self._shared_settings / fonts.name)
        if _leads_to(link := _link(self.root), self._temporary):
            link.unlink(missing_ok=True)
        for folder in (self._temporary, self._path):
            shutil.rmtree(folder, ignore_errors=True)
        for file in (self.root / "stacks", self.keyboard):
            file.unlink(missing_ok=True)
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None

    def empty(self) -> None:
        """Give back the room that a run took which wrote too much."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(exist_ok=True)


def full_environment(folder: RunFolder, device: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    """Put together all variables of a run; what the caller gives stands above the defaults, the device above all."""
    return {**environment.clean(), **environment.python_variables(), **folder.variables(), **given, **device}


def sweep() -> None:
    """Remove what programs of this user that were killed have left in the folder of short names.

    A run of a program that lives holds its folder from before it has a short name until after that is gone.
    """
    for path in _SHORT.glob(f"{_PREFIX}*") if sys.platform != "win32" else ():
        with contextlib.suppress(OSError):
            facts = path.lstat()
            if facts.st_uid != os.getuid():
                continue
            if path.is_symlink():
                _sweep_run(path)
            elif time.time() - facts.st_mtime > _PROBE_SECONDS and {one.name for one in path.iterdir()} <= _PROBED:
                shutil.rmtree(path, ignore_errors=True)


def _sweep_run(link: Path) -> None:
    """Tidy the folder of a run, if it is one and nobody holds it. Raises OSError."""
    root = link.readlink().parent
    if _link(root) != link or not _leads_to(link, root / "tmp"):
        return
    if not root.is_dir():
        link.unlink()
    elif (hold := _held(root)) is not None:
        RunFolder(root.parent, root.name).tidy(trusted=False)
        os.close(hold)


def _leads_to(link: Path, place: Path) -> bool:
    return link.is_symlink() and link.readlink() == place


def _held(folder: Path) -> int | None:
    """Take hold of a folder, which ends with this process at the latest; None where somebody else has it."""
    if sys.platform == "win32":
        return None
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def forget_old_runs(runs: Path) -> None:
    """Remove the folders of runs that are both old and not among the latest, and what killed programs have left."""
    sweep()
    if not runs.is_dir():
        return
    for folder in runs.glob("warm/*"):  # what stood ready and was killed while it imported torch
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _PROBE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
    folders = sorted((path for path in runs.iterdir() if (path / "log").is_dir()), key=lambda path: path.name)
    for folder in folders[:-_KEPT_RUNS]:
        if time.time() - folder.stat().st_mtime > _KEPT_SECONDS:
            with contextlib.suppress(OSError):
                _link(folder).unlink()  # of a run whose window was killed
            shutil.rmtree(folder, ignore_errors=True)
