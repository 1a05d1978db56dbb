"""Removal of old runs, and of what killed programs left behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from pathlib import Path

from snippets.process.connection import COMMAND_RUN, SUPERVISOR_LOG
from snippets.supervisor.folder_lock import lock_folder
from snippets.supervisor.run_folder import LINK_PREFIX, SHORT_LINKS, RunFolder, links_to, short_link

_KEPT_RUNS = 100
_KEPT_SECONDS = 7 * 86400
_COMMAND_FILES = frozenset({COMMAND_RUN, SUPERVISOR_LOG})  # what a short command leaves in its folder
_COMMAND_SECONDS = 3600.0  # many times what a short command may take


def sweep() -> None:
    """Remove what killed programs of this user left in the folder of short names.

    A living run holds the lock on its folder for as long as it has a short name.
    """
    for path in SHORT_LINKS.glob(f"{LINK_PREFIX}*") if sys.platform != "win32" else ():
        with contextlib.suppress(OSError):
            facts = path.lstat()
            if facts.st_uid != os.getuid():
                continue
            if path.is_symlink():
                _sweep_run(path)
            elif time.time() - facts.st_mtime > _COMMAND_SECONDS and {p.name for p in path.iterdir()} <= _COMMAND_FILES:
                shutil.rmtree(path, ignore_errors=True)


def _sweep_run(link: Path) -> None:
    """Tidy the run folder that a short name leads to, if no process holds its lock. Raises OSError."""
    root = link.readlink().parent
    if short_link(root) != link or not links_to(link, root / "tmp"):
        return
    if not root.is_dir():
        link.unlink()
    elif (lock := lock_folder(root)) is not None:
        RunFolder(root.parent, root.name).tidy(trusted=False)
        os.close(lock)


def forget_old_runs(runs: Path) -> None:
    """Remove the folders of runs that are both old and not among the latest, and what killed programs left."""
    sweep()
    if not runs.is_dir():
        return
    for folder in runs.glob("warm/*"):  # of a zygote that was killed while it imported torch
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _COMMAND_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
    folders = sorted((path for path in runs.iterdir() if (path / "log").is_dir()), key=lambda path: path.name)
    for folder in folders[:-_KEPT_RUNS]:
        with contextlib.suppress(OSError):  # another window may remove it at the same time
            if time.time() - folder.stat().st_mtime > _KEPT_SECONDS:
                with contextlib.suppress(OSError):
                    short_link(folder).unlink()  # of a run whose window was killed
                shutil.rmtree(folder, ignore_errors=True)
