"""Steps of the start-up that run after the first note is shown, one per turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

FIRST_NOTE_MS = 2_000  # the longest wait for the first note


class IdleQueue(QObject):
    """Holds steps until `start` is called or 2 seconds have passed."""

    def __init__(self, parent: QObject) -> None:
        """Start empty."""
        super().__init__(parent)
        self._steps: list[Callable[[], object]] = []
        self._deadline = QTimer(self, singleShot=True, interval=FIRST_NOTE_MS)
        self._deadline.timeout.connect(self.start)
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._run_next)

    @property
    def waiting(self) -> bool:
        """Whether steps are still to run."""
        return bool(self._steps)

    def schedule(self, *steps: Callable[[], object]) -> None:
        """Hold these steps instead of those held before."""
        self._turn.stop()
        self._steps = list(steps)
        self._deadline.start()

    def start(self) -> None:
        """Run the steps, beginning with the next turn of the event loop."""
        self._deadline.stop()
        if self._steps and not self._turn.isActive():
            self._turn.start()

    def flush(self) -> None:
        """Run all remaining steps now."""
        self._deadline.stop()
        self._turn.stop()
        while self._steps:
            self._steps.pop(0)()

    def stop(self) -> None:
        """Drop all remaining steps."""
        self._steps.clear()
        self._deadline.stop()
        self._turn.stop()

    def _run_next(self) -> None:
        if self._steps:
            step = self._steps.pop(0)
            self._turn.start()
            step()
