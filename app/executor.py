"""Background work: runs calls on worker threads and calls back on the GUI thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from kb.errors import KbError
from snippets.errors import SnippetError

Result = TypeVar("Result")
EXPECTED = (KbError, SnippetError, OSError)  # errors that work may end with; any other is a bug


class GuiExecutor(QObject):
    """Runs work on a few threads and calls back on the GUI thread, in the order in which work ends."""

    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None, *, threads: int = 4) -> None:
        """Use up to `threads` worker threads, started on demand."""
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="worker")
        self._closed = False
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Callable[[], Result],
        done: Callable[[Result], object],
        failed: Callable[[Exception], object],
    ) -> Future[Result]:
        """Run `work` on a worker thread; then call `done` with its result or `failed` with its error on the GUI thread.

        After `close()`, submitted work is dropped and the returned future is cancelled.
        """
        if self._closed:
            never: Future[Result] = Future()
            never.cancel()
            return never
        future = self._pool.submit(work)
        future.add_done_callback(lambda ended: self.post(lambda: _report(ended, done, failed)))
        return future

    def post(self, call: Callable[[], object]) -> None:
        """Run `call` on the GUI thread, from any thread; dropped after `close()`."""
        if not self._closed:
            self._arrived.emit(call)

    def close(self) -> None:
        """Wait for work in progress and drop pending work and callbacks."""
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
        if not isinstance(error, EXPECTED):  # a bug, which `failed` may not report
            sys.excepthook(type(error), error, error.__traceback__)
    else:
        raise error
