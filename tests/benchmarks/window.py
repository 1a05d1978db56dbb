"""How soon the window is there, how soon its note, how far the event loop lags behind after that, and the memory.

Each measurement is a program of its own on one home, no screen, the disk warm: five starts as a user makes them,
after a first one that makes the index. Times run from the start of the process.

Then a window on 10,000 sections (`--sections`, or the notes of `--vault`): how far its event loop lags behind while the
index is built, while a person types as it is built, and while one types once it is there. A lag is how much later than
asked for a timer of one millisecond fires; the same window at rest is the row to compare with. "own" is the time for
which the window's thread itself was at work in one turn of the loop: on a machine that others use, it is what counts.
`--causes` tells what the window was doing in lags of more than a frame.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from kb.files.paths import UserPaths
from kb.vault.vault import SHIPPED_NOTES, make_user_vault
from tests.benchmarks.searching.made_notes import make_notes

ROOT = Path(__file__).parents[2]
ROUNDS = 5
WATCHED = 3.0  # seconds of the event loop that are watched once the window is there
LABELS = {
    "visible": ("window painted", "ms"),
    "opened": ("first note shown", "ms"),
    "lag": (f"worst lag in the {WATCHED:.0f} s after", "ms"),
    "memory": ("memory of the window", "MB"),
    "part": ("  its part of what is shared", "MB"),
    "alone": ("  what it has alone", "MB"),
    "family": ("  with its processes", "MB"),
    "searched": ("  after a first search", "MB"),
}
CHILD = """
import json, sys, time
import psutil
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
from app.startup.pyside_workarounds import disable_feature_scan
disable_feature_scan()  # the program imports PySide later
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
        if sys.platform == "linux":
            found.update(part=own.memory_full_info().pss / 1e6, alone=own.memory_full_info().uss / 1e6)
        found.update(lag=max(lags)[0], memory=sizes[0] / 1e6, family=sum(sizes) / 1e6, lags=sorted(lags)[-6:])
        self.window.workspace.search_service.answered.connect(lambda _: QTimer.singleShot(500, self.searched))
        self.window.workspace.search_service.search("tensor")

    def searched(self):
        found["searched"] = psutil.Process().memory_info().rss / 1e6
        print(json.dumps(found), flush=True)
        self.window.deferred.close_guard.force_close()

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
    known |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(home / "compiled")}  # as users have it
    words = [sys.executable, str(script), repr(time.monotonic()), str(WATCHED)]
    done = subprocess.run(words, env=known, stdout=subprocess.PIPE, timeout=120, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


LAGGING = """
import collections, json, sys, threading, time, traceback
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow
import main
from app.search.results_popup import rows_of

vault, told = sys.argv[1], sys.argv[2] == "causes"
QUERIES = (
    "mixed precision", "torch.nn.Linear", "cunobi rikas", "\u6df7\u5408\u7cbe\u5ea6", "gradient lang:en", "distrubuted",
    "tag:",
)
KEY_MS, FRAME_MS = 70, 16.7
IDLE = {"wait", "_worker", "run", "_recv", "get", "_next", "read_events", "_read_exactly", "_check_inotify_fd"}

class Loop(QObject):
    def __init__(self):
        super().__init__()
        self.phase, self.causes, self.last, self.busy = "opening", collections.Counter(), 0.0, 0.0
        self.lags, self.own, self.shown = (collections.defaultdict(list) for _ in range(3))
        self.ticker = QTimer(self, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self.ticker.timeout.connect(self.tick)
        self.keys, self.typist = [], QTimer(self, interval=KEY_MS)
        self.typist.timeout.connect(self.type)

    def begin(self):
        self.window = next(one for one in QApplication.topLevelWidgets() if isinstance(one, QMainWindow))
        self.lookup = self.window.workspace.search_service
        self.searching = self.window.search_controller
        self.lookup.indexed.connect(lambda _: self.on_indexed())
        self.lookup.answered.connect(lambda _: self.on_answered())
        self.typed = self.last = time.perf_counter()
        self.busy = time.thread_time()
        self.ticker.start()
        self.window.workspace.notes.opened.connect(lambda _: QTimer.singleShot(300, self.on_opened))
        if told:
            threading.Thread(target=self.watch, daemon=True).start()

    def on_answered(self):
        self.shown[self.phase].append(1000 * (time.perf_counter() - self.typed))

    def on_opened(self):
        if self.phase == "opening":
            self.enter("indexing")
            if len(sys.argv) > 3:
                self.start_typing("typing while it is built")

    def enter(self, phase):
        self.phase = phase

    def tick(self):
        now, busy = time.perf_counter(), time.thread_time()
        self.lags[self.phase].append(max(0.0, 1000 * (now - self.last) - 1))
        self.own[self.phase].append(1000 * (busy - self.busy))
        self.last, self.busy = now, busy

    def watch(self):
        main_thread, seen = threading.main_thread().ident, 0.0
        while True:
            time.sleep(0.004)
            late = 1000 * (time.perf_counter() - self.last)
            if late > FRAME_MS and self.last != seen:
                seen = self.last
                frames = sys._current_frames()
                stack = [self.told(one) for one in traceback.extract_stack(frames.pop(main_thread))]
                frames.pop(threading.get_ident())
                own = [one for one in stack if not one.startswith(("runpy", "child", "main.py"))][-4:]
                tops = [traceback.extract_stack(frame)[-1] for frame in frames.values()]
                busy = sorted(self.told(one) for one in tops if one.name not in IDLE)
                doing = " < ".join(reversed(own)) or "in the loop"
                self.causes[f"{self.phase}: {doing}  [{', '.join(busy)}]"] += 1

    @staticmethod
    def told(frame):
        return f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}"

    def start_typing(self, phase):
        self.enter(phase)
        self.searching.enter()
        self.keys = [key for query in QUERIES for key in (*query, None)]
        self.typist.start()

    def type(self):
        field = self.searching.field
        if not self.keys:
            if self.phase == "typing while it is built" and not self.lookup.report:
                self.keys = [key for query in QUERIES for key in (*query, None)]
                return
            self.typist.stop()
            if self.phase == "typing, all indexed":
                self.enter("at rest")
                field.left.emit()
                QTimer.singleShot(3000, self.report)
            return
        key = self.keys.pop(0)
        self.typed = time.perf_counter()
        if key is None:
            field.clear()
        else:
            field.insert(key)

    def on_indexed(self):
        if self.lookup.report.sections and self.phase not in ("typing, all indexed", "at rest"):
            self.typist.stop()
            self.enter("")
            QTimer.singleShot(2500, lambda: self.start_typing("typing, all indexed"))

    def draw(self):
        # Forty hits, another one first each time, until they are on the screen.
        popup, took = self.searching.popup, []
        hits = max((self.lookup._searcher.search(query, limit=40).hits for query in ("ba", "ten")), key=len)
        for turn in range(20):
            began = time.perf_counter()
            popup.show_rows(rows_of(hits[turn:] + hits[:turn], "a", self.window.words), query=str(turn))
            popup.place(self.searching._corner(), 640)
            QApplication.processEvents()
            took.append(1000 * (time.perf_counter() - began))
        return sorted(took)

    def report(self):
        found = {"drawn": self.draw(), "lags": self.lags, "own": self.own, "shown": self.shown}
        found["causes"] = dict(self.causes.most_common(40))
        print(json.dumps(found), flush=True)
        self.window.deferred.close_guard.force_close()

if __name__ == "__main__":
    application, loop = QApplication(sys.argv[:1]), Loop()
    QTimer.singleShot(0, loop.begin)
    sys.exit(main.main(["gui", "--vault", vault]))
"""


def lags_of(vault: Path, *words: str) -> dict[str, Any]:
    """Open a window on a vault that was never indexed, and return how its event loop lagged behind."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        script = home / "child.py"
        script.write_text(LAGGING, "utf-8")
        known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
        asked = [sys.executable, str(script), str(vault), *words]
        done = subprocess.run(asked, env=known, stdout=subprocess.PIPE, timeout=600, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def measure_lags(vault: Path, *, causes: bool) -> None:
    """Print how far the event loop lags behind, phase by phase, and how long the window itself was at work."""
    told = "causes" if causes else "figures"
    runs = [lags_of(vault, told), lags_of(vault, told, "typing")]
    titles = ("lag p50", "p95", "p99", "worst", "> 16", "own p99", "worst", "answer")
    print("the event loop, in ms     " + "".join(f"{title:>9}" for title in titles))
    for phase, number in (("indexing", 0), ("typing while it is built", 1), ("typing, all indexed", 1), ("at rest", 1)):
        lags, own = sorted(runs[number]["lags"][phase]), sorted(runs[number]["own"][phase])
        answers = runs[number]["shown"].get(phase, [])
        answer = f"{statistics.median(answers):9.1f}" if answers else f"{'':9}"
        middle, most, last = (lags[int(share * (len(lags) - 1))] for share in (0.5, 0.95, 0.99))
        print(
            f"{phase:26}{middle:9.2f}{most:9.1f}{last:9.1f}{lags[-1]:9.1f}{sum(lag > 16 for lag in lags):9}"
            f"{own[int(0.99 * (len(own) - 1))]:9.1f}{own[-1]:9.1f}{answer}"
        )
    drawn = runs[1]["drawn"]
    print(f"40 hits drawn in {drawn[len(drawn) // 2]:.1f} ms (worst of {len(drawn)}: {drawn[-1]:.1f} ms)")
    told_of = Counter[str]()
    for run in runs:
        told_of.update(run["causes"])
    for cause, times in told_of.most_common(40) if causes else ():
        print(f"{times:5}  {cause}")


def measure_starts(*, lags: bool) -> None:
    """Measure and print a line for each figure of a start."""
    with tempfile.TemporaryDirectory() as folder:
        make_user_vault(UserPaths.under(Path(folder)).user_vault, SHIPPED_NOTES)
        first = start(Path(folder))
        measured = [start(Path(folder)) for _ in range(ROUNDS)]
    if lags:
        for one in measured:
            print([f"{lag:.0f} ms at {at:.0f}" for lag, at in one["lags"]])  # type: ignore[attr-defined]
    print(f"opening the window, {ROUNDS} starts after the first one")
    print(f"{'':28}{'median':>9} {'least':>9} {'most':>9} {'first':>9}")
    for name, (label, unit) in LABELS.items():
        row = [one[name] for one in measured if name in one]
        if not row:  # only Linux tells of what is shared
            continue
        print(
            f"{label:28}{statistics.median(row):9.0f} {min(row):9.0f} {max(row):9.0f} {first.get(name, 0):9.0f} {unit}"
        )


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lags", action="store_true", help="list the longest lags of each start")
    parser.add_argument("--causes", action="store_true")
    parser.add_argument("--only", choices=("starts", "typing"))
    parser.add_argument("--sections", type=int, default=10_000)
    parser.add_argument("--vault", type=Path)
    options = parser.parse_args()
    if options.only != "typing":
        measure_starts(lags=options.lags)
    if options.only != "starts":
        with tempfile.TemporaryDirectory() as folder:
            vault = options.vault or Path(folder)
            if options.vault is None:
                make_notes(vault, options.sections)
            measure_lags(vault, causes=options.causes)


if __name__ == "__main__":
    main()
