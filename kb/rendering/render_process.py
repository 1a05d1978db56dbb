"""The process that renders notes and can be killed: both ends of its pipe.

Imported for the first note to render, because multiprocessing is not needed before.
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
READING = 200_000  # characters of a note that extend the time for its first piece by another timeout
MEMORY = 2 << 30  # bytes of address space for the process

_LOOK_SECONDS = 0.05  # between two checks whether a note is still wanted
_Answer: TypeAlias = tuple[int, Sent | Viewport] | str  # how many follow, and one of them; or an error
_ENOUGH = None  # request to stop a note, and the answer to it

_LOG = logging.getLogger(__name__)
_SAMPLE = "# A\n\n- *b* $x^2$\n\n| c |\n|---|\n| d |\n\n```python\nprint(1)\n```\n\n```bash\nls\n```\n"


def _always() -> bool:
    return True


class RenderProcess:
    """The program's end: one rendering process and the pipe to it."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        self._process: SpawnProcess = start_worker(_work, theirs, name="render")
        theirs.close()
        self._ready = False
        self._receiver = PieceReceiver()

    @property
    def alive(self) -> bool:
        """Whether it accepts requests. Data in the pipe without a request means that it was closed."""
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
        """Return the page, or the number of the piece that did not end; then the process has to be replaced.

        A piece has `timeout` seconds. Pieces in `plain`, and notes that cannot be rendered, are shown as written.
        Raises Cancelled if `wanted` returns False before the note is complete.
        """
        answer = self._ask(text, path, timeout, plain=plain, wanted=wanted)
        return answer.page if isinstance(answer, ViewportPage) else answer

    def render_part(self, text: str, path: str, timeout: float, asked: ViewportRequest) -> ViewportPage | int:
        """Return the page of a part of a note, or a number as `render` does."""
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
        """Yield the answers, the first one within `first` seconds: the note is parsed before. Raises Cancelled."""
        told, until = False, time.monotonic() + first
        while (left := until - time.monotonic()) > 0:
            if not (told or wanted()):
                told = True
                self._pipe.send(_ENOUGH)  # it confirms, or has just sent the last piece
            if self._pipe.poll(min(left, _LOOK_SECONDS)):
                if (answer := self._pipe.recv()) is _ENOUGH:
                    raise Cancelled
                yield answer
                until = time.monotonic() + timeout

    def kill(self) -> None:
        """Kill it, also in the middle of a note."""
        self._process.kill()

    def end(self) -> None:
        """Kill it and wait until it has ended."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _work(pipe: Connection) -> None:
    """Render requests from the pipe until it is closed, also by the end of the program."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program itself handles Ctrl+C
    _bound_memory()
    from kb.rendering.render_worker import RenderWorker  # noqa: PLC0415 - the program itself must not load python-markdown

    list(RenderWorker().pieces(_SAMPLE, ""))
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.suppress(EOFError, ConnectionError):  # noqa: PTH123 - a device
        side = _WorkerSide(pipe, RenderWorker, nowhere)
        pipe.send(True)
        while True:
            if (request := pipe.recv()) is not _ENOUGH:  # that was for a note which is complete already
                side.answer(*request)


class _WorkerSide:
    """The process's end, which renders one note after another."""

    def __init__(self, pipe: Connection, sender: Callable[[Callable[[], None]], RenderWorker], nowhere: TextIO) -> None:
        self._pipe = pipe
        self._sender = sender(self._listen)
        self._nowhere = nowhere

    def answer(
        self, text: str, path: str, timeout: float, plain: frozenset[int], asked: ViewportRequest | None
    ) -> None:
        """Send the pieces of a note, or an error."""
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
        except Exception as error:  # noqa: BLE001 - whatever it is, this note is shown as written
            self._pipe.send(repr(error))
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _listen(self) -> None:
        """Raise Cancelled if the pipe has data: during a note this can only be the request to stop."""
        if self._pipe.poll(0):
            raise Cancelled

    def _end_after(self, seconds: float) -> None:
        """Exit after so many seconds, even while a regular expression runs and the program is gone."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._nowhere)


def _bound_memory() -> None:
    if sys.platform == "linux":  # pragma: no branch - elsewhere only time is limited
        import resource  # noqa: PLC0415 - only there

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
