"""How long a key takes in the editor, and how soon the page beside it shows what was typed.

A true window on a vault of its own, no screen: a note of ordinary length and one of a megabyte, keys at a
writer's pace. "key" runs from the key until every event it caused is done with, "own" is the time for which the
window's thread was itself at work meanwhile: on a machine that others use, it is what counts. "stall" is the longest
that the event loop was kept from a timer between two keys, "page" runs from the last key to the page that has it, and
"turn" is the longest that the window's thread was at work meanwhile without a break, on account of the page alone.
Unknown words are marked meanwhile, and at last the keys go to five carets. `--profile` tells what the thread did.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PART = """## Part {n}

Some **bold** text with `code`, a [[link]] and 一段足够长的中文，用来让这一行折成几行, then more words so that it wraps.

- an item
- another *item*

```python id=part{n}
x = {n}
print(x)
```

| a | b |
|---|---|
| {n} | 2 |

"""
KEY_MS = 90
OWN_MS = 16  # of work for a key, in nineteen of twenty, and of one turn for the page
PAGE_MS = 100  # for the page after the last key, however long the note
WORDS = "the gradient of (this) `x` flows **on** "


class Bench:
    """A window with a note in its editor."""

    def __init__(self, home: Path, parts: int) -> None:
        """Open a note of so many parts, and wait until it is coloured and its page is there."""
        from PySide6.QtWidgets import QApplication  # noqa: PLC0415 - the home has to be set before

        from app.error_reporting import ErrorReporter  # noqa: PLC0415
        from app.main_window.main_window import MainWindow  # noqa: PLC0415
        from app.startup.application import TURN_SECONDS, chosen_appearance  # noqa: PLC0415
        from app.state.workspace import Workspace  # noqa: PLC0415
        from kb.files.paths import UserPaths  # noqa: PLC0415

        sys.setswitchinterval(TURN_SECONDS)
        known = QApplication.instance()
        self.application = known if isinstance(known, QApplication) else QApplication([])
        places, vault = UserPaths.under(home / "data"), home / "vault"
        places.data.mkdir(parents=True)
        vault.mkdir()
        text = "# A note\n\n" + "".join(PART.replace("{n}", str(number)) for number in range(parts))
        (vault / "note.md").write_text(text, "utf-8")
        self.size = len(text.encode())
        self.workspace = Workspace(places)
        self.workspace.settings_store.set_preference(spelling="all")
        words, look = chosen_appearance(self.application, self.workspace.settings_store.preferences)
        self.window = MainWindow(self.workspace, words, look, ErrorReporter(places.data / "logs", debug=False))
        self.window.resize(1360, 860)
        self.window.show()
        self.workspace.open_vault(vault)
        self.until(lambda: self.workspace.notes.current is not None)
        self.window.activateWindow()
        self.window.central.edit("note.md", 3)
        self.source = self.window.central.editor.source
        self.until(lambda: not (self.source.loading or self.source.highlighter.busy))
        self.until(lambda: self.has("Part 0"), 60)
        self.rest(1.5)
        self.showing: list[float] = []  # milliseconds of work for each page that was shown
        view: Any = self.window.central.preview.view
        show = view.show_pages

        def showing(pages: Any) -> None:
            busy = time.thread_time()
            show(pages)
            self.showing.append(1000 * (time.thread_time() - busy))

        view.show_pages = showing

    def has(self, word: str) -> bool:
        """Tell whether the page beside the source has a word."""
        view: Any = self.window.central.preview.view
        return not view.document().find(word).isNull()

    def until(self, holds: Callable[[], object], seconds: float = 120) -> float:
        """Wait with the events running; return how many milliseconds it took."""
        began = time.perf_counter()
        while not holds() and time.perf_counter() - began < seconds:
            self.application.processEvents()
            time.sleep(0.001)
        return 1000 * (time.perf_counter() - began)

    def rest(self, seconds: float) -> float:
        """Let the events run for so long; return the longest time in milliseconds that one turn kept the others."""
        end, worst = time.perf_counter() + seconds, 0.0
        while (began := time.perf_counter()) < end:
            self.application.processEvents()
            worst = max(worst, time.perf_counter() - began)
            time.sleep(0.001)
        return 1000 * worst

    def type(self, keys: str) -> tuple[list[float], list[float], list[float]]:
        """Type at a writer's pace; return what each key took, of that the thread's own time, and the stalls between."""
        from PySide6.QtTest import QTest  # noqa: PLC0415

        took, own, stalls = [], [], []
        for key in keys:
            began, busy = time.perf_counter(), time.thread_time()
            QTest.keyClicks(self.source, key)
            self.application.processEvents()
            took.append(1000 * (time.perf_counter() - began))
            own.append(1000 * (time.thread_time() - busy))
            stalls.append(self.rest(KEY_MS / 1000))
        return took, own, stalls

    def shown(self, word: str) -> tuple[float, float]:
        """Type a word and return how long after its last key the page has it, and the longest turn, in milliseconds."""
        from PySide6.QtTest import QTest  # noqa: PLC0415

        for key in word:
            QTest.keyClicks(self.source, key)
            self.rest(0.02)  # as quick as any writer
        began, worst = time.perf_counter(), 0.0
        while not self.has(word) and time.perf_counter() - began < 30:
            busy = time.thread_time()
            self.application.processEvents()
            worst = max(worst, time.thread_time() - busy)
            time.sleep(0.001)
        took = 1000 * (time.perf_counter() - began)
        self.rest(0.6)  # a part of a long note grows meanwhile
        return took, 1000 * worst

    def close(self) -> None:
        """End everything."""
        self.window.deferred.close_guard.force_close()
        self.rest(0.3)
        self.workspace.close()


def _row(name: str, values: list[float]) -> str:
    ordered = sorted(values)
    middle, most = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95))
    return f"  {name:8}{middle:9.1f}{most:9.1f}{ordered[-1]:9.1f}"


def _verdict(value: float, most: float, said: str) -> None:
    print(f"{'PASS' if value <= most else 'FAIL'}  {said} (at most {most})", flush=True)


def measure(parts: int, *, profile: bool) -> None:
    """Open a note of so many parts, type into it and print what that took."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), parts)
        print(f"a note of {bench.size / 1000:.0f} kB, in ms     p50      p95    worst")
        own: list[float] = []
        for place, line in (("its top", 5), ("its middle", bench.source.blockCount() // 2), ("its end", 10**9)):
            _go(bench, line)
            profiler = cProfile.Profile()
            if profile:
                profiler.enable()
            rows = bench.type(WORDS * 2)
            own += rows[1]
            pages = [bench.shown(f"w{number}ord{line}") for number in range(8)]
            profiler.disable()
            print(f" at {place}")
            for name, values in zip(("key", "own", "stall"), rows, strict=True):
                print(_row(name, values))
            _page(bench, place, pages)
            if profile:
                pstats.Stats(profiler).sort_stats("tottime").print_stats(18)
        _verdict(sorted(own)[int(0.95 * (len(own) - 1))], OWN_MS, f"a key in {bench.size / 1000:.0f} kB")
        _go(bench, 5)
        for _ in range(4):
            bench.source.carets.below(1)
        rows = bench.type(WORDS)
        print(" at five carets")
        for name, values in zip(("key", "own", "stall"), rows, strict=True):
            print(_row(name, values), flush=True)
        bench.close()


def _go(bench: Bench, line: int) -> None:
    """Put one caret at the end of the prose at a line, or near it, and wait until the page is there and at rest."""
    source = bench.source
    source.carets.leave()
    source.go_to_line(line)
    while not source.textCursor().block().text().startswith("Some"):
        source.moveCursor(source.textCursor().MoveOperation.Up)
    source.moveCursor(source.textCursor().MoveOperation.EndOfBlock)
    bench.rest(2)


def _page(bench: Bench, place: str, pages: list[tuple[float, float]]) -> None:
    """Say how soon the page had what was typed."""
    took, turns = [one for one, _ in pages], [one for _, one in pages]
    print(_row("page", took))
    print(_row("turn", turns))
    middle, work = statistics.median(took), statistics.median(bench.showing)
    size = f"{bench.size / 1000:.0f} kB"
    _verdict(middle, PAGE_MS, f"the page of {size} has what was typed at {place}: {middle:.0f} ms after the last key")
    turn = statistics.median(turns)
    _verdict(turn, OWN_MS, f"for which no turn is longer than {turn:.0f} ms, and it is shown by {work:.0f} ms of work")


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--parts", type=int, nargs="*", default=[20, 260, 4_500])
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TORCHLEAF_HOME"] = home
        for parts in options.parts:
            measure(parts, profile=options.profile)


if __name__ == "__main__":
    main()
