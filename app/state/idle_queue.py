"""What a start does once the first note is there: one thing after another, each in a turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

LONG_IN_COMING = 2_000  # ms after which the first note is waited for no longer


class IdleQueue(QObject):
    """Holds steps back until they are let go, or until they have waited long enough."""

    def __init__(self, parent: QObject) -> None:
        """Hold nothing yet."""
        super().__init__(parent)
        self._steps: list[Callable[[], object]] = []
        self._late = QTimer(self, singleShot=True, interval=LONG_IN_COMING)
        self._late.timeout.connect(self.start)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._take)

    @property
    def waiting(self) -> bool:
        """Whether something is held back still."""
        return bool(self._steps)

    def schedule(self, *steps: Callable[[], object]) -> None:
        """Hold these steps back, in the place of any before."""
        self._soon.stop()
        self._steps = list(steps)
        self._late.start()

    def start(self) -> None:
        """Do what is held back, from the next turn on."""
        self._late.stop()
        if self._steps and not self._soon.isActive():
            self._soon.start()

    def flush(self) -> None:
        """Do all that is held back now."""
        self._late.stop()
        self._soon.stop()
        while self._steps:
            self._steps.pop(0)()

    def stop(self) -> None:
        """Do nothing more."""
        self._steps.clear()
        self._late.stop()
        self._soon.stop()

    def _take(self) -> None:
        if self._steps:
            step = self._steps.pop(0)
            self._soon.start()
            step()
