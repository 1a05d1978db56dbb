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
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from kb.errors import RenderFailed
from kb.page import Page, Piece, joined
from kb.parts import Asked, Part, Shown
from kb.piecework import Receiver, Sent
from kb.plain import plain_page
from kb.workers import start_worker

COLD_START = 30.0  # seconds for the process to import what it needs, on a busy machine
READING = 200_000  # characters of a note for which the first piece has as long again
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
        self._receiver = Receiver()

    @property
    def alive(self) -> bool:
        """Whether it can be asked; a pipe that has something to say unasked is one that was closed."""
        return self._process.is_alive() and not (self._ready and self._pipe.poll(0))

    def render(self, text: str, path: str, timeout: float, plain: frozenset[int] = frozenset()) -> Page | int:
        """Give the page, or where the worker has to be replaced: the number of the piece that it did not end with.

        A piece has `timeout` seconds; those in `plain` come as they are written, as does a note that is none to render.
        """
        answer = self._ask(text, path, timeout, plain, None)
        return answer.page if isinstance(answer, Shown) else answer

    def render_part(self, text: str, path: str, timeout: float, asked: Asked) -> Shown | int:
        """Give the page of a part of a note, or as `render` does."""
        return self._ask(text, path, timeout, frozenset(), asked)

    def _ask(self, text: str, path: str, timeout: float, plain: frozenset[int], asked: Asked | None) -> Shown | int:
        pieces: list[Piece] = []
        part = Part()
        try:
            if not self._ready:
                if not self._pipe.poll(COLD_START):
                    return 0
                self._ready = bool(self._pipe.recv())
            self._pipe.send((text, path, timeout, plain, asked))
            left, wait = 1, timeout * (1 + len(text) / READING)  # its blocks are read before the first piece comes
            while left and self._pipe.poll(wait):
                wait = timeout
                answer: tuple[int, Sent | Part] | str = self._pipe.recv()
                if isinstance(answer, str):
                    if answer:
                        _LOG.error("%s could not be rendered: %s", path, answer)
                    return Shown(plain_page(text), Part())
                left, sent = answer
                if isinstance(sent, Part):
                    part = sent
                else:
                    pieces.append(self._receiver.take(sent))
        except (EOFError, OSError):
            return len(pieces)
        return len(pieces) if left else Shown(joined(pieces[-part.count :]), part)

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
    from kb.sending import PIECE_SECONDS, Sender  # noqa: PLC0415 - the program itself must not load python-markdown

    list(Sender().pieces(_SAMPLE, ""))
    sender = Sender()
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.suppress(EOFError, ConnectionError):  # noqa: PTH123 - a device
        pipe.send(True)
        while True:
            text, path, timeout, plain, asked = pipe.recv()

            def wait(seconds: float = timeout + 1) -> None:
                """End even while a regular expression holds the interpreter, with nobody left to kill this process."""
                faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)

            try:
                wait(timeout * (1 + len(text) / READING) + 1)
                seconds = min(PIECE_SECONDS, timeout / 2)
                for sent in sender.pieces(text, path, plain=plain, seconds=seconds, asked=asked):
                    pipe.send(sent)
                    wait()
            except ConnectionError:
                return
            except (RenderFailed, RecursionError, MemoryError):
                pipe.send("")
            except Exception as error:  # noqa: BLE001 - whatever it is, this note is shown as it was written
                pipe.send(repr(error))
            faulthandler.cancel_dump_traceback_later()


def _bound_memory() -> None:
    if sys.platform == "linux":  # pragma: no branch - elsewhere a note is bounded by its time alone
        import resource  # noqa: PLC0415 - only there

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
