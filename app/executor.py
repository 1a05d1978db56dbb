"""The one executor between threads: work leaves the GUI thread here, and its result comes back here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from kb.errors import KbError
from snippets.errors import SnippetError

Result = TypeVar("Result")
EXPECTED = (KbError, SnippetError, OSError)  # what work may end with where all is well with the program


class GuiExecutor(QObject):
    """Runs work on a few threads and calls back on the GUI thread, in the order in which the work ended."""

    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None, *, threads: int = 4) -> None:
        """Keep up to `threads` workers; none starts before there is work."""
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="executor")
        self._closed = False
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Callable[[], Result],
        done: Callable[[Result], object],
        failed: Callable[[Exception], object],
    ) -> Future[Result]:
        """Do `work` off the GUI thread; then call `done` with its result or `failed` with its error, on it.

        Through a closed executor nothing is done any more.
        """
        if self._closed:
            never: Future[Result] = Future()
            never.cancel()
            return never
        future = self._pool.submit(work)
        future.add_done_callback(lambda ended: self.post(lambda: _report(ended, done, failed)))
        return future

    def post(self, call: Callable[[], object]) -> None:
        """Have `call` made on the GUI thread; the way in for the callables of kb and snippets."""
        if not self._closed:
            self._arrived.emit(call)

    def close(self) -> None:
        """Wait for the work in hand, drop the rest, and let nothing in any more."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    @Slot(object)
    def _on_arrived(self, call: Callable[[], object]) -> None:
        if not self._closed:
            call()


def _report(ended: Future[Any], done: Callable[[Any], object], failed: Callable[[Exception], object]) -> None:
    if ended.cancelled():
        return
    error = ended.exception()
    if error is None:
        done(ended.result())
    elif isinstance(error, Exception):
        failed(error)
        if not isinstance(error, EXPECTED):  # a fault of the program: whoever asked may have no word for it
            sys.excepthook(type(error), error, error.__traceback__)
    else:
        raise error
