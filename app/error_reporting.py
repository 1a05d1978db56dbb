"""Reports internal errors: written to a log file, and shown once in the window.

Sources: uncaught exceptions in the GUI thread (slots, timers) and in other threads, exceptions caught and logged by
threads of `kb` or `snippets`, and warnings of Qt, which are only logged. An error never ends the program.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

LOG = logging.getLogger("torchleaf")
_PACKAGES = ("kb", "snippets")  # names of their loggers
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class ErrorReporter(QObject):
    """Logs errors while installed; emits `happened` once for each error type and place."""

    happened = Signal(str)  # last line of the error message

    def __init__(self, folder: Path, *, debug: bool, parent: QObject | None = None) -> None:
        """Log into `folder`/torchleaf.log, with `debug` also to standard error."""
        super().__init__(parent)
        self.log_file = folder / "torchleaf.log"
        self._debug = debug
        self._reported: set[str] = set()
        self._handlers: list[logging.Handler] = []
        self._caught = _CaughtErrorHandler(self._report)
        self._hooks: tuple[Any, Any, Any] | None = None

    def install(self) -> None:
        """Set the exception hooks and Qt's message handler, and open the log."""
        self._handlers = [logging.StreamHandler()] if self._debug else []
        try:
            self.log_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._handlers.append(RotatingFileHandler(self.log_file, maxBytes=1 << 20, backupCount=1, encoding="utf-8"))
        except OSError as error:
            sys.stderr.write(f"torchleaf: no log can be written: {error}\n")
        for handler in self._handlers:
            handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(message)s"))
            for log in (LOG, *map(logging.getLogger, _PACKAGES)):
                log.addHandler(handler)
        for name in _PACKAGES:
            logging.getLogger(name).addHandler(self._caught)
        LOG.setLevel(logging.DEBUG if self._debug else logging.INFO)
        self._hooks = sys.excepthook, threading.excepthook, qInstallMessageHandler(self._on_qt_message)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def remove(self) -> None:
        """Restore the hooks and close the log; does nothing if they were not set."""
        if self._hooks is None:
            return
        sys.excepthook, threading.excepthook, qt_hook = self._hooks
        self._hooks = None
        qInstallMessageHandler(qt_hook)
        for name in _PACKAGES:
            logging.getLogger(name).removeHandler(self._caught)
        for handler in self._handlers:
            for log in (LOG, *map(logging.getLogger, _PACKAGES)):
                log.removeHandler(handler)
            handler.close()

    def _on_exception(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        LOG.error("%s", "".join(traceback.format_exception(kind, error, where)))
        if not issubclass(kind, KeyboardInterrupt):
            self._report(kind, error, where)

    def _report(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        line = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
        place = traceback.extract_tb(where)[-1:] if where else []
        known = f"{kind.__name__} {[(frame.filename, frame.lineno) for frame in place]}"
        if known not in self._reported:
            self._reported.add(known)
            self.happened.emit(line)

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        error = args.exc_value or args.exc_type()
        self._on_exception(args.exc_type, error, args.exc_traceback)

    def _on_qt_message(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        LOG.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s (%s:%s)", message, context.file, context.line)


class _CaughtErrorHandler(logging.Handler):
    """Reports exceptions that any thread caught and logged."""

    def __init__(self, report: Callable[[type[BaseException], BaseException, TracebackType | None], object]) -> None:
        super().__init__(logging.ERROR)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        """Report the exception of a record, if it has one."""
        if record.exc_info and record.exc_info[0] is not None and record.exc_info[1] is not None:
            self._report(record.exc_info[0], record.exc_info[1], record.exc_info[2])
