"""Starts a process of this program for one of kb's workers, without what the program itself has loaded."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib.machinery import ModuleSpec
from multiprocessing import get_context, util
from multiprocessing.context import SpawnProcess

_STARTING = threading.Lock()


def start_worker(target: Callable[..., None], *args: object, name: str) -> SpawnProcess:
    """Start a process that imports the target's module and calls it; it ends with this one."""
    process = get_context("spawn").Process(target=target, args=args, name=name, daemon=True)
    with _STARTING, _working_folder_left_out(), _main_left_out(), _deaf_to_ctrl_c():
        process.start()
    return process


@contextmanager
def _working_folder_left_out() -> Iterator[None]:
    """Keep what is started from importing out of the folder that it is started in, which may be a vault: Python's -P.

    multiprocessing starts its processes, the tracker too, by `python -c`, which looks there before all else.
    """
    flags = util._args_from_interpreter_flags  # type: ignore[attr-defined]  # noqa: SLF001 - no public way to give one
    util._args_from_interpreter_flags = lambda: [*flags(), "-P"]  # type: ignore[attr-defined]  # noqa: SLF001
    try:
        yield
    finally:
        util._args_from_interpreter_flags = flags  # type: ignore[attr-defined]  # noqa: SLF001


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


if sys.platform == "win32":  # pragma: no cover
    _deaf_to_ctrl_c = nullcontext

else:
    from multiprocessing.resource_tracker import ensure_running

    @contextmanager
    def _deaf_to_ctrl_c() -> Iterator[None]:
        """Have what is started not hear a Ctrl-C in the terminal, from its first moment: that is for the program.

        A program inherits which signals are held back. The tracker that multiprocessing starts on the way would let
        them through again, so it is started before.
        """
        ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
