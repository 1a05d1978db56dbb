"""Large notes and hostile ones in a true window: how soon they are there, and how long the window keeps one waiting.

No screen, a vault of its own, everything warm. "shown" runs from the click to the first screen painted, "whole" to the
end of the page in the document. A lag is the longest turn of the event loop meanwhile; "own" is the time for which the
window's thread itself was at work in it. On a machine that others use that is what counts, and what is held to the
bound of a lag. Each bound is said with PASS or FAIL. `--note FILE` takes another note for the largest that is read
every day, `--only` one of the parts.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from kb.markdown.sections import sections
from tests.benchmarks.rendering import large_note, make_note
from tests.benchmarks.writing import PART

HUNDRED = 100
FRAME = 33.0  # ms
HOSTILE: dict[str, Callable[[], str]] = {
    "50,000 [": lambda: "[" * 50_000,
    "100 KB of spaces": lambda: "a" + " " * 100_000 + "b",
    "20,000 <a": lambda: "<a " * 20_000,
    "500 nested lists": lambda: "\n".join("  " * depth + "- x" for depth in range(500)),
    "a table of 50x1000": lambda: "|" + "a|" * 50 + "\n|" + "-|" * 50 + "\n" + ("|" + "b|" * 50 + "\n") * 1_000,
    "a table of 4x3000": lambda: "|a|b|c|d|\n|-|-|-|-|\n" + "|one|two|three|four|\n" * 3_000,
    "a word of 2 MB": lambda: "x" * 1_999_000,
    "backticks": lambda: " ".join("`" * (length % 300) for length in range(2_000)),
    "emphasis": lambda: "*a_ **b" * 20_000,
    "5,000 formulas": lambda: "".join(f"$x_{{{number}}}$ " for number in range(5_000)),
    "400 cells": lambda: "".join(f"```python\nprint({number})\n```\n\n" for number in range(400)),
    "2,000 footnotes": lambda: (
        "".join(f"[^{number}]: x\n\n" for number in range(2_000)) + "".join(f"[^{number}] " for number in range(2_000))
    ),
    "30,000 items": lambda: "- a\n" * 30_000,
    "20,000 headings": lambda: "# a\n" * 20_000,
    "10,000 lines of code": lambda: "```text\n" + "a line of some log\n" * 10_000 + "```\n",
}


class Bench:
    """A window on a vault of its own."""

    def __init__(self, home: Path) -> None:
        """Open it with a small note."""
        from PySide6.QtCore import QEvent, QObject  # noqa: PLC0415 - the home has to be set before
        from PySide6.QtWidgets import QApplication  # noqa: PLC0415

        from app.error_reporting import ErrorReporter  # noqa: PLC0415
        from app.main_window.main_window import MainWindow  # noqa: PLC0415
        from app.startup.application import TURN_SECONDS, chosen_appearance  # noqa: PLC0415
        from app.state.workspace import Workspace  # noqa: PLC0415
        from kb.files.paths import UserPaths  # noqa: PLC0415

        class Painted(QObject):
            """Counts how often the page was painted."""

            count = 0

            def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
                """Look at what comes by."""
                self.count += event.type() == QEvent.Type.Paint
                return False

        sys.setswitchinterval(TURN_SECONDS)
        known = QApplication.instance()
        self.application = known if isinstance(known, QApplication) else QApplication([])
        places, self.vault = UserPaths.under(home / "data"), home / "vault"
        places.data.mkdir(parents=True)
        self.vault.mkdir()
        (self.vault / "first.md").write_text("# First\n\nwords\n", "utf-8")
        self.workspace = Workspace(places)
        words, look = chosen_appearance(self.application, self.workspace.settings_store.preferences)
        self.window = MainWindow(self.workspace, words, look, ErrorReporter(places.data / "logs", debug=False))
        self.window.resize(1360, 860)
        self.window.show()
        self.workspace.open_vault(self.vault)
        self.painted = Painted()
        self.view: Any = self.window.central.reader.view
        self.view.viewport().installEventFilter(self.painted)
        self.until(lambda: self.workspace.notes.current is not None)
        self.rest(2)

    def until(self, holds: Callable[[], object], seconds: float = 60) -> tuple[float, float, float]:
        """Wait with the events running; return the milliseconds it took, the longest turn, and its own part at most."""
        began, worst, own = time.perf_counter(), 0.0, 0.0
        while not holds() and time.perf_counter() - began < seconds:
            before, busy = time.perf_counter(), time.thread_time()
            self.application.processEvents()
            worst, own = max(worst, time.perf_counter() - before), max(own, time.thread_time() - busy)
            time.sleep(0.0005)
        return 1000 * (time.perf_counter() - began), 1000 * worst, 1000 * own

    def rest(self, seconds: float) -> tuple[float, float]:
        """Let the events run for so long; return the longest turn, and its own part at most, in milliseconds."""
        end = time.perf_counter() + seconds
        _, worst, own = self.until(lambda: time.perf_counter() > end, seconds + 1)
        return worst, own

    def write(self, name: str, text: str) -> None:
        """Put a note into the vault."""
        (self.vault / name).write_text(text, "utf-8")

    def open(self, name: str, *, whole: float = 0, anchor: str = "") -> tuple[float, float, float]:
        """Open a note; return the milliseconds to its first screen, the longest turn and its own part at most.

        With an `anchor` it is that of the heading. Then up to `whole` seconds are waited for the rest of the note.
        """
        painted, began = self.painted.count, time.perf_counter()

        def shown() -> bool:
            note = self.workspace.notes.current
            key = self.workspace.runs.page_key(note) if note is not None else ""
            there = note is not None and note.lead.path == name and self.view.page.pages.key == key
            there = there and anchor in {"", self.view.section}
            if there and self.painted.count <= painted:
                self.view.viewport().update()
            return there and self.painted.count > painted

        self.workspace.open_note(name, anchor=anchor)
        _, worst, own = self.until(shown, 120)
        took = 1000 * (time.perf_counter() - began)
        if whole:
            notes = self.workspace.notes
            rest = self.until(lambda: not notes._begun and not self.view.page.filling.waiting, whole)
            after = self.rest(1)
            worst, own = max(worst, rest[1], after[0]), max(own, rest[2], after[1])
        return took, worst, own

    def close(self) -> None:
        """End everything."""
        self.window.deferred.close_guard.force_close()
        self.rest(0.3)
        self.workspace.close()


def said(what: str, value: float, most: float, *, unit: str = "ms", beside: str = "") -> None:
    """Say a measure and whether it is within its bound."""
    print(f"{'PASS' if value <= most else 'FAIL'}  {what}: {value:.0f} {unit} (at most {most:.0f}){beside}", flush=True)


def measure_opening(bench: Bench, note: str) -> None:
    """Measure what a click waits for."""
    structured = "# Structured\n\n" + "".join(PART.replace("{n}", str(number)) for number in range(4_500))
    for name, text, bound in (
        (f"the largest note ({len(note.encode()) / 1000:.0f} kB)", note, 60),
        ("1 MB of prose", large_note(), 400),
        ("1 MB of sections, lists, tables and 4,500 cells", structured[:1_000_000], 400),
    ):
        took, worst = [], []
        for turn in range(5):
            bench.write(f"note{turn}.md", f"{text}\n\n{turn}\n")
            found = bench.open(f"note{turn}.md", whole=1.5)
            took.append(found[0])
            worst.append(found[2])
            bench.open("first.md")
        beside = f", at best {min(took):.0f}, own lag {max(worst):.0f}"
        said(f"{name}, shown", statistics.median(took), bound, beside=beside)


def measure_places(bench: Bench, note: str) -> None:
    """Measure what a click waits for where a note stands in two languages, and where it is opened at a heading."""
    anchors = [section.anchor for section in sections(note) if section.level]
    middle = anchors[len(anchors) // 2] if anchors else ""
    for name, files, anchor, bound in (
        ("in two languages", ("both{}.zh.md", "both{}.en.md"), "", 100),
        ("at a heading in its middle", ("place{}.md",), middle, 200),
    ):
        took = []
        bench.workspace.choose_mode("both")
        for turn in range(5):
            paths = [path.format(turn) for path in files]
            for path in paths:
                bench.write(path, f"{note}\n\n{turn}\n")
            bench.rest(0.1)
            took.append(bench.open(paths[0], whole=1.5, anchor=anchor)[0])
            bench.open("first.md")
        said(f"the largest note {name}, shown", statistics.median(took), bound, beside=f", at best {min(took):.0f}")


def measure_hostile(bench: Bench) -> None:
    """Measure how soon something of a hostile note is there, and how long the window does not answer."""
    for number, (name, make) in enumerate(HOSTILE.items()):
        bench.write(f"storm{number}.md", make() + "\n\nquokka\n")
        took, worst, own = bench.open(f"storm{number}.md", whole=4)
        bench.open("first.md")
        said(f"{name}: something of it shown", took, 2_000)
        said(f"{name}: own lag", own, 100, beside=f", on the wall {worst:.0f}")


def measure_giant(bench: Bench) -> None:
    """Measure a note of 50 MB."""
    line = "A line of a log that somebody kept as a note, with a number at its end: "
    bench.write("giant.md", "# Giant\n\n" + "".join(f"{line}{number}\n" for number in range(660_000)))
    took, worst, own = bench.open("giant.md", whole=3)
    said("50 MB: own lag", own, 200, beside=f", on the wall {worst:.0f}; shown after {took / 1000:.1f} s")
    (bench.vault / "giant.md").unlink()
    bench.open("first.md")


def measure_hundred(bench: Bench, note: str) -> None:
    """Measure what a hundred notes leave behind."""
    own, marks = psutil.Process(), list[float]()
    bench.write("again.md", note)
    for number in range(HUNDRED):
        bench.write(f"hundred{number % 10}.md", f"{note}\n\n{number}\n")
        bench.open(f"hundred{number % 10}.md")
        bench.until(lambda: not bench.view.page.filling.waiting, 3)
        if number in {39, HUNDRED - 1}:
            marks.append(own.memory_info().rss / 1e6)
    more = f"memory after {HUNDRED} notes, more than after 40"
    said(more, marks[1] - marks[0], 15, unit="MB", beside=f" of {marks[1]:.0f}")


def measure_resizing(note: str) -> None:
    """Measure each step of a window that is dragged, with the two languages side by side."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    from app.i18n import Translator  # noqa: PLC0415
    from app.reader.notebook_view import NotebookView  # noqa: PLC0415
    from app.reader.page_set import PageSet  # noqa: PLC0415
    from app.style.theme import LIGHT  # noqa: PLC0415
    from kb.rendering.render import render  # noqa: PLC0415

    view = NotebookView(Translator("en"), LIGHT)
    view.resize(1200, 860)
    view.show()
    pages = {"zh": render(note, path="a.zh.md"), "en": render(note, path="a.en.md")}
    view.show_pages(PageSet("k", pages, "both"))  # type: ignore[arg-type]
    view.page.filling.finish()
    for where, part in (("at its top", 0.0), ("in its middle", 0.5), ("at its end", 1.0)):
        view.verticalScrollBar().setValue(round(part * view.verticalScrollBar().maximum()))
        QApplication.processEvents()
        steps = []
        for step in range(40):
            busy = time.thread_time()
            view.resize(1200 - 5 * step, 860)
            view.repaint()
            QApplication.processEvents()
            steps.append(1000 * (time.thread_time() - busy))
            time.sleep(0.01)
        said(
            f"a step of resizing, both languages of the largest note, {where}",
            statistics.median(steps),
            FRAME,
            beside=f", at most {max(steps):.0f}",
        )
    view.deleteLater()


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--note", type=Path, default=os.environ.get("TORCHLEAF_LARGEST"))
    parser.add_argument("--only", choices=("opening", "places", "hostile", "giant", "hundred", "resizing"))
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    note = Path(options.note).read_text("utf-8") if options.note else make_note()
    with tempfile.TemporaryDirectory() as home:
        os.environ["TORCHLEAF_HOME"] = home
        bench = Bench(Path(home))
        parts: dict[str, Callable[[], None]] = {
            "opening": lambda: measure_opening(bench, note),
            "places": lambda: measure_places(bench, note),
            "hostile": lambda: measure_hostile(bench),
            "giant": lambda: measure_giant(bench),
            "hundred": lambda: measure_hundred(bench, note),
            "resizing": lambda: measure_resizing(note),
        }
        for name, part in parts.items():
            if options.only in {None, name}:
                part()
        bench.close()


if __name__ == "__main__":
    main()
