"""Stands above the service, which a snippet may kill or halt as its parent, and ends what it would leave behind."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from snippets.supervisor.process_tree import LINUX, Tree, adopt_orphans
from snippets.supervisor.run import TICK_SECONDS
from snippets.supervisor.service import Service


def serve() -> None:
    """Serve the connection on standard input and output, on Linux under a guard."""
    adopt_orphans()
    worker = os.fork() if LINUX else 0
    if worker:
        os.close(0)  # the end of the input is the worker's to see
        _watch(worker)
        _sweep()
        return
    adopt_orphans()
    Service(0, 1).serve()


def _watch(worker: int) -> None:
    """Return when the worker has ended; wake it when it was halted, hand on the wish that it end."""
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
