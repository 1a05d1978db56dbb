"""Python's cyclic garbage is collected on the GUI thread alone: a widget that a worker's collection ends would crash.

A widget that nothing holds but a circle of references dies where the collector happens to run, and Qt's objects
must die on the thread that they live on.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_PAUSE_MS = 200


class GuiThreadGc(QObject):
    """Collects by Python's own thresholds, between two events, from `start` to `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Leave the collector as it is until `start`."""
        super().__init__(parent)
        self._timer = QTimer(self, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.sweep)
        self._was_on = False

    def start(self) -> None:
        """Take over; what is there already, the modules above all, is never gone through again."""
        self._was_on = gc.isenabled()
        gc.disable()
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """Leave the collector to Python again, if it was on before."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_on:
            self._was_on = False
            gc.enable()

    def sweep(self) -> None:
        """Collect the oldest generation that is due, and with it the younger ones."""
        counts, limits = gc.get_count(), gc.get_threshold()
        due = [age for age in range(3) if limits[age] and counts[age] > limits[age]]
        if due:
            gc.collect(due[-1])
