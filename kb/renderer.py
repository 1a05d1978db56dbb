"""Renders notes in a process that can be killed, for there are notes that python-markdown never ends with."""

from __future__ import annotations

import faulthandler
import hashlib
import logging
import os
import signal
import sys
import threading
from collections import OrderedDict
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from kb.errors import RenderFailed
from kb.page import Page
from kb.plain import plain_page
from kb.workers import start_worker

TIMEOUT = 1.7  # seconds for one note, so that its plain page is there within two
COLD_START = 30.0  # seconds for the worker to import what it needs, on a busy machine
LONGEST = 2_000_000  # characters; a longer note is not rendered at all
MOST_KEPT = 24  # pages that are kept for going back and forward, ...
LONGEST_KEPT = 2_000_000  # ... of notes of so many characters together
MEMORY = 2 << 30  # bytes of address space for the worker

_LOG = logging.getLogger(__name__)
_SAMPLE = "# A\n\n- *b* $x^2$\n\n| c |\n|---|\n| d |\n\n```python\nprint(1)\n```\n\n```bash\nls\n```\n"


class Renderer:
    """Owns the worker. `render` may be called from any thread, one note is rendered at a time."""

    def __init__(self) -> None:
        self._turn = threading.Lock()  # one note at a time
        self._change = (
            threading.Lock()
        )  # one worker at a time, and none after close; never held while a note is rendered
        self._worker: _Worker | None = None
        self._closed = False
        self._kept: OrderedDict[bytes, tuple[Page, int]] = (
            OrderedDict()
        )  # the latest pages, with the length of their notes

    def warm(self) -> None:
        """Start the worker, so that the first note does not wait for it. Returns at once."""
        if self._turn.acquire(blocking=False):  # otherwise a worker is at work already
            try:
                self._running()
            finally:
                self._turn.release()

    def render(self, text: str, *, path: str, timeout: float = TIMEOUT) -> Page:
        """Render a note, within `timeout` seconds of the worker's time.

        A note that takes longer, or that cannot be rendered, is given as it was written: `Page.plain` says so.
        """
        if len(text) > LONGEST:
            return plain_page(text)
        with self._turn:
            key = hashlib.blake2b(f"{path}\0{text}".encode(errors="surrogatepass"), digest_size=16).digest()
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            worker = self._running()
            page = worker.render(text, path, timeout) if worker else None
            if page is None:
                self._replace()
            elif not page.plain:
                self._keep(key, page, len(text))
        return page or plain_page(text)

    def _keep(self, key: bytes, page: Page, length: int) -> None:
        """Keep a page, and let go of the oldest ones while they are too many."""
        self._kept[key] = page, length
        while len(self._kept) > MOST_KEPT or sum(length for _, length in self._kept.values()) > LONGEST_KEPT:
            self._kept.popitem(last=False)

    def close(self) -> None:
        """End the worker, also in the middle of a note. What is rendered afterwards is plain."""
        with self._change:
            self._closed = True
            if self._worker:
                self._worker.kill()
        with self._turn:
            self._replace()

    def _running(self) -> _Worker | None:
        with self._change:
            if self._closed:
                return None
            if self._worker and not self._worker.alive:
                self._worker.end()
                self._worker = None
            if not self._worker:
                self._worker = _Worker()
            return self._worker

    def _replace(self) -> None:
        """End the worker that failed and have the next one warm up meanwhile."""
        with self._change:
            if self._worker:
                self._worker.end()
                self._worker = None
        self._running()


class _Worker:
    """One process and the pipe to it."""

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
        self._process.kill()

    def end(self) -> None:
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
