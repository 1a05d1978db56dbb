"""Notices what other programs change in a vault."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from kb.files.tree import is_ignored

_GATHER = 0.08  # seconds for which changes are collected before they are reported
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
_log = logging.getLogger(__name__)


class Watcher:
    """Reports which files and folders of a vault changed, as paths with / relative to it.

    `changed` is called from a thread of the watcher, at most every 80 ms. A reported path may be new, changed or gone,
    a file or a folder; the receiver looks at the disk. Hidden and temporary files are left out.
    """

    def __init__(self, root: Path, changed: Callable[[frozenset[str]], None]) -> None:
        self._root = os.path.realpath(root)
        self._changed = changed
        self._paths: set[str] = set()
        self._lock = threading.Lock()
        self._some = threading.Event()
        self._stopped = threading.Event()
        self._observer: BaseObserver | None = None
        self._teller: threading.Thread | None = None

    def start(self) -> None:
        """Start watching; falls back to polling if the system's watches are used up."""
        self._observer = self._observing(Observer) or self._observing(PollingObserver)
        self._teller = threading.Thread(target=self._tell, name="vault-watcher", daemon=True)
        self._teller.start()

    def stop(self) -> None:
        """End all threads of the watcher; changes not yet reported are dropped."""
        self._stopped.set()
        self._some.set()
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
        if self._teller is not None and self._teller is not threading.current_thread():
            self._teller.join()
            self._teller = None

    def _observing(self, kind: Callable[[], BaseObserver]) -> BaseObserver | None:
        observer: BaseObserver | None = None
        try:
            observer = kind()
            observer.schedule(_Handler(self._note), self._root, recursive=True, event_filter=_EVENTS)
            observer.start()
        except OSError as error:  # no more watches, or no more of their instances
            _log.info("watching %s failed: %s", self._root, error)
            if observer is not None:
                observer.stop()
            return None
        return observer

    def _note(self, path: str) -> None:
        relative = os.path.relpath(path, self._root).replace(os.sep, "/")
        if relative == "." or relative.startswith("../") or any(is_ignored(part) for part in relative.split("/")):
            return
        with self._lock:
            self._paths.add(relative)
            self._some.set()

    def _tell(self) -> None:
        while not self._stopped.is_set():  # it may have been set just before `_some` was cleared
            self._some.wait()
            if self._stopped.wait(_GATHER):
                return
            with self._lock:
                self._some.clear()
                paths, self._paths = frozenset(self._paths), set()
            self._call(paths)

    def _call(self, paths: frozenset[str]) -> None:
        try:
            self._changed(paths)
        except Exception:  # noqa: BLE001 - an error of the receiver does not end the watch
            _log.exception("the receiver of changes in the vault failed")


class _Handler(FileSystemEventHandler):
    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def on_any_event(self, event: FileSystemEvent) -> None:
        try:
            for path in (event.src_path, event.dest_path):
                if path:
                    self._note(os.fsdecode(path))
        except Exception:  # noqa: BLE001 - it would end the watching thread
            _log.exception("a change in the vault could not be taken in")
