"""How soon the window is there, how soon its note, how far the event loop lags behind after that, and the memory.

Each measurement is a program of its own on one home, no screen, the disk warm: five starts as a user makes them,
after a first one that makes the vault and its index. Times run from the start of the process.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROUNDS = 5
WATCHED = 3.0  # seconds of the event loop that are watched once the window is there
LABELS = {
    "visible": ("window painted", "ms"),
    "opened": ("first note shown", "ms"),
    "lag": (f"worst lag in the {WATCHED:.0f} s after", "ms"),
    "memory": ("memory of the window", "MB"),
    "family": ("  with its processes", "MB"),
}
CHILD = """
import json, sys, time
import psutil
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
import main

began, watched = float(sys.argv[1]), float(sys.argv[2])
found, ticks = {}, []

def since():
    return 1000 * (time.monotonic() - began)

class Watch(QObject):
    def begin(self):
        # The first event of the loop: the window is made, and not painted yet.
        self.window = next(one for one in QApplication.topLevelWidgets() if isinstance(one, QMainWindow))
        self.window.installEventFilter(self)
        self.window.workspace.notes.opened.connect(lambda _: QTimer.singleShot(0, self.note_shown))
        self.window.update()

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.window.removeEventFilter(self)
            QTimer.singleShot(0, self.painted)
        return False

    def painted(self):
        found["visible"] = since()
        self.ticker = QTimer(self, interval=2, timerType=Qt.TimerType.PreciseTimer)
        self.ticker.timeout.connect(lambda: ticks.append(since()))
        self.ticker.start()
        ticks.append(since())
        QTimer.singleShot(int(1000 * watched), self.report)

    def note_shown(self):
        found.setdefault("opened", since())

    def report(self):
        lags = [(later - sooner, sooner) for sooner, later in zip(ticks, ticks[1:])]
        own = psutil.Process()
        sizes = [one.memory_info().rss for one in (own, *own.children(recursive=True))]
        found.update(lag=max(lags)[0], memory=sizes[0] / 1e6, family=sum(sizes) / 1e6, lags=sorted(lags)[-6:])
        print(json.dumps(found), flush=True)
        self.window.leaving.force()

if __name__ == "__main__":
    application, watch = QApplication(sys.argv[:1]), Watch()
    QTimer.singleShot(0, watch.begin)
    sys.exit(main.main(["gui"]))
"""


def start(home: Path) -> dict[str, float]:
    """Open the window once, in a process of its own, and return what it measured."""
    script = home / "child.py"
    script.write_text(CHILD, "utf-8")
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    words = [sys.executable, str(script), repr(time.monotonic()), str(WATCHED)]
    done = subprocess.run(words, env=known, stdout=subprocess.PIPE, timeout=120, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def main() -> None:
    """Measure and print a line for each figure."""
    with tempfile.TemporaryDirectory() as folder:
        first = start(Path(folder))
        measured = [start(Path(folder)) for _ in range(ROUNDS)]
    if "--lags" in sys.argv:
        for one in measured:
            print([f"{lag:.0f} ms at {at:.0f}" for lag, at in one["lags"]])  # type: ignore[attr-defined]
    print(f"opening the window, {ROUNDS} starts after the first one")
    print(f"{'':28}{'median':>9} {'least':>9} {'most':>9} {'first':>9}")
    for name, (label, unit) in LABELS.items():
        row = [one[name] for one in measured]
        print(f"{label:28}{statistics.median(row):9.0f} {min(row):9.0f} {max(row):9.0f} {first[name]:9.0f} {unit}")


if __name__ == "__main__":
    main()
