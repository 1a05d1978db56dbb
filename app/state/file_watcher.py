"""The room that watches: tells on the GUI thread what other programs change in the open vault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject

from app.executor import GuiExecutor

Changed = Callable[[frozenset[str]], object]


class WatcherBackend(Protocol):
    """What tells of changes in a folder: `kb.vault.watch`."""

    def stop(self) -> None:
        """End."""


class FileWatcher(QObject):
    """Watches one vault at a time, in the background."""

    def __init__(self, door: GuiExecutor, parent: QObject) -> None:
        """Report through `door`."""
        super().__init__(parent)
        self._door = door
        self._turn = GuiExecutor(self, threads=1)  # a watcher is never stopped before it is started
        self._watcher: WatcherBackend | None = None

    def begin(self, root: Path, changed: Changed, watched: Callable[[], object]) -> None:
        """Tell `changed` which paths changed from now on; `watched` is called once nothing goes unnoticed any more."""
        from kb.vault.watch import Watcher as VaultWatcher  # noqa: PLC0415 - what it watches with is not needed before

        self.end()
        watcher = VaultWatcher(root, lambda paths: self._door.post(lambda: changed(paths)))
        self._watcher = watcher
        self._turn.run(watcher.start, lambda _: watched(), lambda _: None)

    def end(self) -> None:
        """Watch no longer; it ends in the background."""
        if (watcher := self._watcher) is not None:
            self._turn.run(watcher.stop, lambda _: None, lambda _: None)
            self._watcher = None

    def close(self) -> None:
        """Watch no longer, and wait until that is so."""
        watcher, self._watcher = self._watcher, None
        self._turn.close()
        if watcher is not None:
            watcher.stop()
