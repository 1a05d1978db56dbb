"""Starts kb's worker processes without what the program itself has loaded."""

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
    """Start a daemon process that imports the target's module and calls it; it ends with this process."""
    process = get_context("spawn").Process(target=target, args=args, name=name, daemon=True)
    with _STARTING, _working_folder_left_out(), _main_left_out(), _deaf_to_ctrl_c():
        process.start()
    return process


@contextmanager
def _working_folder_left_out() -> Iterator[None]:
    """Keep the new process from importing from its working folder, which may be a vault: Python's -P.

    multiprocessing starts its processes, and its resource tracker, by `python -c`, which looks there first. There is no
    public way to pass a flag: PYTHONSAFEPATH would also reach a run that another thread starts at that moment.
    """
    flags = util._args_from_interpreter_flags  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
    util._args_from_interpreter_flags = lambda: [*flags(), "-P"]  # type: ignore[attr-defined]  # noqa: SLF001
    try:
        yield
    finally:
        util._args_from_interpreter_flags = flags  # type: ignore[attr-defined]  # noqa: SLF001


@contextmanager
def _main_left_out() -> Iterator[None]:
    """Keep the new process from importing the main module, and with it the window or the command line.

    It is not imported if its spec's name is "__main__" (`_fixup_main_from_name` in multiprocessing/spawn.py).
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
        """Start the process with SIGINT blocked: a Ctrl+C in the terminal is for the program itself.

        The signal mask is inherited. The resource tracker would unblock the signal, so it is started before.
        """
        ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
