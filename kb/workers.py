"""Starts a process of this program for one of kb's workers, without what the program itself has loaded."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess

_STARTING = threading.Lock()


def start_worker(target: Callable[..., None], *args: object, name: str) -> SpawnProcess:
    """Start a process that imports the target's module and calls it; it ends with this one."""
    process = get_context("spawn").Process(target=target, args=args, name=name, daemon=True)
    with _STARTING, _main_left_out():
        process.start()
    return process


@contextmanager
def _main_left_out() -> Iterator[None]:
    """Keep a spawned process from importing the main module anew, and with it the window or the command line.

    It does not do so when the main module's name is said to be "__main__" (`_fixup_main_from_name` in
    multiprocessing/spawn.py).
    """
    main = sys.modules["__main__"]
    spec = main.__spec__
    main.__spec__ = ModuleSpec("__main__", None)
    try:
        yield
    finally:
        main.__spec__ = spec
