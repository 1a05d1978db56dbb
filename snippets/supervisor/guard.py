"""The parent of the service. A snippet may kill or halt the service; the guard then ends what is left of the run."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from snippets.supervisor.process_tree import LINUX, Tree, adopt_orphans
from snippets.supervisor.run import TICK_SECONDS
from snippets.supervisor.service import Service


def serve() -> None:
    """Serve the connection on standard input and output, on Linux under a guard.

    The command line may name the folder for runs; by default it is in the user's cache folder.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    runs = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(cache, "torchleaf", "runs")
    adopt_orphans()
    worker = os.fork() if LINUX else 0
    if worker:
        os.close(0)  # only the worker reads the input
        _watch(worker)
        _sweep()
        return
    adopt_orphans()
    Service(0, 1, runs.absolute()).serve()


def _watch(worker: int) -> None:
    """Return when the worker has ended; continue it if it was stopped, and pass SIGTERM and SIGINT on to it."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os.kill(worker, signal.SIGTERM))
    while True:
        pid, status = os.waitpid(worker, os.WUNTRACED)
        if pid == worker and not os.WIFSTOPPED(status):
            return
        os.kill(worker, signal.SIGCONT)


def _sweep() -> None:
    tree = Tree()
    while tree.alive():
        tree.kill()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(TICK_SECONDS)
