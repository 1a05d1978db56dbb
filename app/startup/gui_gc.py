"""Runs Python's cyclic garbage collector on the GUI thread only.

A widget in a reference cycle is destroyed on the thread that runs the collector, and a QObject destroyed on another
thread than its own crashes the program.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_PAUSE_MS = 200


class GuiThreadGc(QObject):
    """Collects garbage between events by Python's thresholds, from `start` to `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Change nothing until `start`."""
        super().__init__(parent)
        self._timer = QTimer(self, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.sweep)
        self._was_on = False

    def start(self) -> None:
        """Disable automatic collection; existing objects, mostly modules, are frozen and never scanned again."""
        self._was_on = gc.isenabled()
        gc.disable()
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """Restore automatic collection, if it was enabled before."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_on:
            self._was_on = False
            gc.enable()

    def sweep(self) -> None:
        """Collect the oldest generation over its threshold, with the younger ones."""
        counts, limits = gc.get_count(), gc.get_threshold()
        due = [age for age in range(3) if limits[age] and counts[age] > limits[age]]
        if due:
            gc.collect(due[-1])
