"""The process that renders notes, and can be killed: what it is asked, and what it does.

It is imported when the first note is to be rendered: all that multiprocessing brings is not needed before.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, TextIO, TypeAlias

from kb.errors import Cancelled, RenderFailed
from kb.rendering.piece_cache import PieceReceiver, Sent
from kb.rendering.plain_page import plain_page
from kb.rendering.rendered_page import Page, PagePiece, joined
from kb.rendering.viewport import Viewport, ViewportPage, ViewportRequest
from kb.worker_process import start_worker

if TYPE_CHECKING:  # the program itself must not load python-markdown
    from kb.rendering.render_worker import RenderWorker

COLD_START = 30.0  # seconds for the process to import what it needs, on a busy machine
READING = 200_000  # characters of a note for which the first piece has as long again
MEMORY = 2 << 30  # bytes of address space for it

_LOOK_SECONDS = 0.05  # between two looks whether a note is wanted still
_Answer: TypeAlias = tuple[int, Sent | Viewport] | str  # how much follows, and what there is; or what is wrong
_ENOUGH = None  # what is said, and answered, where nobody waits for the rest of a note

_LOG = logging.getLogger(__name__)
_SAMPLE = "# A\n\n- *b* $x^2$\n\n| c |\n|---|\n| d |\n\n```python\nprint(1)\n```\n\n```bash\nls\n```\n"


def _always() -> bool:
    return True


class RenderProcess:
    """One process that renders, and the pipe to it."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        self._process: SpawnProcess = start_worker(_work, theirs, name="render")
        theirs.close()
        self._ready = False
        self._receiver = PieceReceiver()

    @property
    def alive(self) -> bool:
        """Whether it can be asked; a pipe that has something to say unasked is one that was closed."""
        return self._process.is_alive() and not (self._ready and self._pipe.poll(0))

    def render(
        self,
        text: str,
        path: str,
        timeout: float,
        plain: frozenset[int] = frozenset(),
        *,
        wanted: Callable[[], bool] = _always,
    ) -> Page | int:
        """Give the page, or where the worker has to be replaced: the number of the piece that it did not end with.

        A piece has `timeout` seconds; those in `plain` come as they are written, as does a note that is none to render.
        Raises Cancelled where it is not wanted any more before all of it is there.
        """
        answer = self._ask(text, path, timeout, plain=plain, wanted=wanted)
        return answer.page if isinstance(answer, ViewportPage) else answer

    def render_part(self, text: str, path: str, timeout: float, asked: ViewportRequest) -> ViewportPage | int:
        """Give the page of a part of a note, or as `render` does."""
        return self._ask(text, path, timeout, asked=asked)

    def _ask(
        self,
        text: str,
        path: str,
        timeout: float,
        *,
        plain: frozenset[int] = frozenset(),
        asked: ViewportRequest | None = None,
        wanted: Callable[[], bool] = _always,
    ) -> ViewportPage | int:
        pieces: list[PagePiece] = []
        part, left = Viewport(), 1
        try:
            if not self._ready:
                if not self._pipe.poll(COLD_START):
                    return 0
                self._ready = bool(self._pipe.recv())
            self._pipe.send((text, path, timeout, plain, asked))
            for answer in self._answers(timeout * (1 + len(text) / READING), timeout, wanted):
                if isinstance(answer, str):
                    if answer:
                        _LOG.error("%s could not be rendered: %s", path, answer)
                    return ViewportPage(plain_page(text), Viewport())
                left, sent = answer
                if isinstance(sent, Viewport):
                    part = sent
                else:
                    pieces.append(self._receiver.receive(sent))
                if not left:
                    break
        except (EOFError, OSError):
            return len(pieces)
        return len(pieces) if left else ViewportPage(joined(pieces[-part.count :]), part)

    def _answers(self, first: float, timeout: float, wanted: Callable[[], bool]) -> Iterator[_Answer]:
        """Yield what it says, the `first` within so many seconds, as its blocks are read before. Raises Cancelled."""
        told, until = False, time.monotonic() + first
        while (left := until - time.monotonic()) > 0:
            if not (told or wanted()):
                told = True
                self._pipe.send(_ENOUGH)  # it says so, or has just sent the last piece
            if self._pipe.poll(min(left, _LOOK_SECONDS)):
                if (answer := self._pipe.recv()) is _ENOUGH:
                    raise Cancelled
                yield answer
                until = time.monotonic() + timeout

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
    from kb.rendering.render_worker import RenderWorker  # noqa: PLC0415 - the program itself must not load python-markdown

    list(RenderWorker().pieces(_SAMPLE, ""))
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.suppress(EOFError, ConnectionError):  # noqa: PTH123 - a device
        desk = _WorkerSide(pipe, RenderWorker, nowhere)
        pipe.send(True)
        while True:
            if (request := pipe.recv()) is not _ENOUGH:  # of a note that was all sent when that came
                desk.answer(*request)


class _WorkerSide:
    """What renders one note after another."""

    def __init__(self, pipe: Connection, sender: Callable[[Callable[[], None]], RenderWorker], nowhere: TextIO) -> None:
        self._pipe = pipe
        self._sender = sender(self._listen)
        self._nowhere = nowhere

    def answer(
        self, text: str, path: str, timeout: float, plain: frozenset[int], asked: ViewportRequest | None
    ) -> None:
        """Send a note's pieces, or what is wrong with it."""
        try:
            self._end_after(timeout * (1 + len(text) / READING) + 1)
            for sent in self._sender.pieces(text, path, plain=plain, seconds=timeout / 2, asked=asked):
                self._pipe.send(sent)
                self._end_after(timeout + 1)
                if sent[0]:
                    self._listen()
        except Cancelled:
            self._pipe.send(self._pipe.recv())
        except (RenderFailed, RecursionError, MemoryError):
            self._pipe.send("")
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, this note is shown as it was written
            self._pipe.send(repr(error))
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _listen(self) -> None:
        """Raise Cancelled where something is said: while a note is rendered it can be nothing else."""
        if self._pipe.poll(0):
            raise Cancelled

    def _end_after(self, seconds: float) -> None:
        """End even while a regular expression holds the interpreter, with nobody left to kill this process."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._nowhere)


def _bound_memory() -> None:
    if sys.platform == "linux":  # pragma: no branch - elsewhere a note is bounded by its time alone
        import resource  # noqa: PLC0415 - only there

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
