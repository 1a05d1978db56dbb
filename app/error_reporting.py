"""What went wrong inside the program: written to a log file, and told once in the window.

Four ways lead here: an exception nobody caught in the GUI thread (a slot, a timer), one in another thread, one that a
thread of `kb` or `snippets` survived and logged, and a warning of Qt. A fault never ends the program.
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

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

LOG = logging.getLogger("torchleaf")
_ROOMS = ("kb", "snippets")  # which log by their own names
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class ErrorReporter(QObject):
    """Listens for faults while installed; `happened` gives each kind of fault once, on the GUI thread."""

    happened = Signal(str)  # one line: the error's own words

    def __init__(self, folder: Path, *, debug: bool, parent: QObject | None = None) -> None:
        """Log into `folder`/torchleaf.log, and to standard error as well when debugging."""
        super().__init__(parent)
        self.log_file = folder / "torchleaf.log"
        self._debug = debug
        self._told: set[str] = set()
        self._handlers: list[logging.Handler] = []

    def install(self) -> None:
        """Listen from now on."""
        self._handlers = [logging.StreamHandler()] if self._debug else []
        try:
            self.log_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._handlers.append(RotatingFileHandler(self.log_file, maxBytes=1 << 20, backupCount=1, encoding="utf-8"))
        except OSError as error:
            sys.stderr.write(f"torchleaf: no log can be written: {error}\n")
        for handler in self._handlers:
            handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(message)s"))
            for log in (LOG, *map(logging.getLogger, _ROOMS)):
                log.addHandler(handler)
        self._survived = _Survived(self._tell)
        for name in _ROOMS:
            logging.getLogger(name).addHandler(self._survived)
        LOG.setLevel(logging.DEBUG if self._debug else logging.INFO)
        self._hooks = sys.excepthook, threading.excepthook, qInstallMessageHandler(self._on_qt_message)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def remove(self) -> None:
        """Give the hooks back and close the log."""
        sys.excepthook, threading.excepthook, qt_hook = self._hooks
        qInstallMessageHandler(qt_hook)
        for name in _ROOMS:
            logging.getLogger(name).removeHandler(self._survived)
        for handler in self._handlers:
            for log in (LOG, *map(logging.getLogger, _ROOMS)):
                log.removeHandler(handler)
            handler.close()

    def _on_exception(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        LOG.error("%s", "".join(traceback.format_exception(kind, error, where)))
        if not issubclass(kind, KeyboardInterrupt):
            self._tell(kind, error, where)

    def _tell(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        line = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
        place = traceback.extract_tb(where)[-1:] if where else []
        known = f"{kind.__name__} {[(frame.filename, frame.lineno) for frame in place]}"
        if known not in self._told:
            self._told.add(known)
            self.happened.emit(line)

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        error = args.exc_value or args.exc_type()
        self._on_exception(args.exc_type, error, args.exc_traceback)

    def _on_qt_message(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        LOG.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s (%s:%s)", message, context.file, context.line)


class _Survived(logging.Handler):
    """Hears of exceptions that were caught and logged, by any thread."""

    def __init__(self, tell: Callable[[type[BaseException], BaseException, TracebackType | None], object]) -> None:
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of an exception that a record has with it."""
        if record.exc_info and record.exc_info[0] is not None and record.exc_info[1] is not None:
            self._tell(record.exc_info[0], record.exc_info[1], record.exc_info[2])
