"""The process that renders notes, and can be killed: what it is asked, and what it does.

It is imported when the first note is to be rendered: all that multiprocessing brings is not needed before.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from kb.errors import RenderFailed
from kb.page import Page
from kb.plain import plain_page
from kb.workers import start_worker

COLD_START = 30.0  # seconds for the process to import what it needs, on a busy machine
MEMORY = 2 << 30  # bytes of address space for it

_LOG = logging.getLogger(__name__)
_SAMPLE = "# A\n\n- *b* $x^2$\n\n| c |\n|---|\n| d |\n\n```python\nprint(1)\n```\n\n```bash\nls\n```\n"


class RenderProcess:
    """One process that renders, and the pipe to it."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        self._process: SpawnProcess = start_worker(_work, theirs, name="render")
        theirs.close()
        self._ready = False

    @property
    def alive(self) -> bool:
        """Whether it can be asked; a pipe that has something to say unasked is one that was closed."""
        return self._process.is_alive() and not (self._ready and self._pipe.poll(0))

    def render(self, text: str, path: str, timeout: float) -> Page | None:
        """Give the page, or None if the worker has to be replaced; a note that cannot be rendered comes back plain."""
        try:
            if not self._ready:
                if not self._pipe.poll(COLD_START):
                    return None
                self._ready = bool(self._pipe.recv())
            self._pipe.send((text, path, timeout))
            answer: Page | str | None = self._pipe.recv() if self._pipe.poll(timeout) else None
        except (EOFError, OSError):
            return None
        if isinstance(answer, str):
            if answer:
                _LOG.error("%s could not be rendered: %s", path, answer)
            return plain_page(text)
        return answer

    def kill(self) -> None:
        """End it, also in the middle of a note."""
        self._process.kill()

    def end(self) -> None:
        """End it and wait until it is gone."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _work(pipe: Connection) -> None:
    """Render what comes through the pipe until it is closed, which it also is when the program dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl+C is the program's to act on
    _bound_memory()
    from kb.render import render  # noqa: PLC0415 - the program itself must not load python-markdown and what it brings

    render(_SAMPLE, path="")
    pipe.send(True)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a device
        while True:
            try:
                text, path, timeout = pipe.recv()
            except EOFError:
                return
            # Works even while a regular expression holds the interpreter, and when nobody is left to kill this process.
            faulthandler.dump_traceback_later(timeout + 1, exit=True, file=nowhere)
            try:
                answer: Page | str = render(text, path=path)
            except (RenderFailed, RecursionError, MemoryError):
                answer = ""
            except Exception as error:  # noqa: BLE001 - whatever it is, this note is shown as it was written
                answer = repr(error)
            faulthandler.cancel_dump_traceback_later()
            pipe.send(answer)


def _bound_memory() -> None:
    if sys.platform == "linux":  # pragma: no branch - elsewhere a note is bounded by its time alone
        import resource  # noqa: PLC0415 - only there

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
