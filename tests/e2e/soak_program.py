"""A program that has its window used for long, and tells after each round what it holds: run by `test_soak.py`.

A round is always the same but for the notes that are read, and ends where it began: what it leaves behind shows.
"""

from __future__ import annotations

import gc
import itertools
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import psutil
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import getAllValidWrappers

from app.main_window import main_window
from app.startup.application import open_window
from app.startup.pyside_workarounds import disable_feature_scan
from kb.files.paths import UserPaths

NOTE = "soaked.md"
TEXT = """# Soaked

Some words, $x^2$, and code.

```python id=soaked
for number in range(200):
    print("line", number)
```

- [ ] a task
"""
PATIENCE = 60.0  # seconds
READ = 4  # notes in a round
QUERIES = ("gather", "显存不足", "RuntimeError: index out of bounds", "tag:tensors", "boradcast")
SIZES = ((1360, 860), (640, 480), (1900, 1000), (1360, 860))


class Soak:
    """Uses a window in rounds."""

    def __init__(self, run: Any) -> None:
        """Stand before a window with a vault that is open."""
        self._run = run
        self._numbers = itertools.count()

    def begin(self) -> None:
        """Make the note that is edited and run."""
        workspace = self._run.workspace
        (workspace.vault.root / NOTE).write_text(TEXT, "utf-8")
        until(lambda: any(NOTE in entry.paths.values() for entry in workspace.notes.entries))
        until(lambda: workspace.search_service.report is not None and workspace.search_service.progress is None)
        until(lambda: workspace.device_model.devices and workspace.device_model.interpreter is not None)

    def round(self) -> None:
        """Read, search, edit beside the page, run, and wear everything else for a while."""
        for act in (self._read, self._search, self._edit, self._run_code, self._change, self._visit, self._open_tabs):
            act()
        self._open(NOTE)

    def measure(self) -> dict[str, float]:
        """Return what there is, once what waits to be deleted is.

        Not by asking Qt for all objects there are: that gives each a wrapper, and PySide keeps it when it has died. Nor
        by asking Python for all: another thread may just be making a tuple, which fails when somebody else has it, too.
        """
        until(lambda: self._run.workspace.search_service.progress is None)
        for _ in range(3):
            gc.collect()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QTest.qWait(20)
        process = psutil.Process()
        family = process.children(recursive=True)
        known = [one for one in getAllValidWrappers() if isinstance(one, QObject)]
        return {
            "rss": process.memory_info().rss / 1e6,
            "descriptors": process.num_fds(),
            "threads": len(process.threads()),
            "processes": len(family),
            "family": sum(map(_rss, family)) / 1e6,
            "widgets": len(QApplication.allWidgets()),
            "objects": len(known),
        }

    # --- what is done in a round

    def _open(self, path: str) -> None:
        notes = self._run.workspace.notes
        self._run.workspace.open_note(path)
        until(lambda: notes.current is not None and notes.current.place.path == path)

    def _read(self) -> None:
        entries = self._run.workspace.notes.entries
        for number in itertools.islice(self._numbers, READ):
            entry = entries[number % len(entries)]
            self._open(next(iter(entry.paths.values())))
            bar = self._run.central.reader.view.verticalScrollBar()
            for at in (0.3, 1.0, 0.0):
                bar.setValue(int(bar.maximum() * at))
                QTest.qWait(5)

    def _search(self) -> None:
        searching = self._run.search_controller
        answered: list[object] = []
        self._run.workspace.search_service.answered.connect(answered.append)
        for query in QUERIES:
            answered.clear()
            searching.enter()
            searching.field.put(query)
            until(lambda: answered)
        self._run.workspace.search_service.answered.disconnect(answered.append)
        searching.field.clear()
        searching.leave()

    def _edit(self) -> None:
        self._open(NOTE)
        central = self._run.central
        central.edit(NOTE, 3)
        source = central.editor.source
        until(lambda: not source.loading)
        QTest.keyClicks(source, "typed ")
        QTest.keyClick(source, Qt.Key.Key_Return)
        QTest.qWait(150)  # for the page beside it
        for _ in range(2):
            source.undo()
        source.selectAll()
        source.insertPlainText(TEXT)
        central.editor.save_now()
        until(central.editor.flush)
        central.editor.close_editor()
        until(lambda: not central.editing)

    def _run_code(self) -> None:
        self._open(NOTE)
        runs, view = self._run.workspace.runs, self._run.central.reader.view
        until(lambda: self._run.workspace.notes.shown)
        finished: list[object] = []

        def take(_: object, outcome: object) -> None:
            finished.append(outcome)

        runs.finished.connect(take)
        view.run_current()
        until(lambda: finished and not runs.active)
        runs.finished.disconnect(take)

    def _change(self) -> None:
        for language in ("zh", "en"):
            self._run.deferred.view_commands.choose_language(language)
            QTest.qWait(20)
        for theme in ("dark", "light"):
            self._run.deferred.view_commands.choose_theme(theme)
            QTest.qWait(20)
        for size in SIZES:
            self._run.resize(*size)
            QTest.qWait(10)
        for mode in ("zh", "en", "both"):
            self._run.workspace.choose_mode(mode)
            QTest.qWait(20)

    def _visit(self) -> None:
        """Look at every page that is no note, and at the windows of a box."""
        for command in ("settings", "replace", "manual", "doctor", "palette", "past", "options"):
            self._run.commands.run(command)
            QTest.qWait(30)
            if (popup := QApplication.activePopupWidget()) is not None:
                popup.close()
            for other in QApplication.topLevelWidgets():
                if other.isVisible() and other is not self._run:
                    other.close()
        self._run.central.leave_page()

    def _open_tabs(self) -> None:
        workspace = self._run.workspace
        for entry in workspace.notes.entries[:3]:
            workspace.open_note(next(iter(entry.paths.values())), new_tab=True)
            QTest.qWait(60)
        workspace.open_at(workspace.tabs.close_others(NOTE))
        QTest.qWait(60)


def until(holds: Callable[[], object]) -> None:
    """Wait, with the events running, until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        QTest.qWait(5)


def _rss(child: psutil.Process) -> int:
    try:
        return int(child.memory_info().rss)
    except psutil.Error:
        return 0


def use(run: QWidget, *, rounds: int, minutes: float) -> None:
    """Soak a window, tell each measurement in a line of standard output, and close it."""
    soak = Soak(run)
    end = time.monotonic() + 60 * minutes
    try:
        soak.begin()
        for number in itertools.count():
            if number >= rounds and time.monotonic() > end:
                break
            soak.round()
            sys.stdout.write(f"{json.dumps({'at': round(time.monotonic(), 1), **soak.measure()})}\n")
            sys.stdout.flush()
    finally:
        run.close_now()  # type: ignore[attr-defined]


def main() -> int:
    """Open the window with somebody before it: so many rounds at least, and so many minutes."""
    disable_feature_scan()
    rounds, minutes = int(sys.argv[1]), float(sys.argv[2])

    class Soaked(main_window.MainWindow):
        def showEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
            super().showEvent(event)
            self.workspace.notes.opened.connect(self._on_opened, Qt.ConnectionType.UniqueConnection)

        def _on_opened(self, _: object) -> None:
            self.workspace.notes.opened.disconnect(self._on_opened)
            QTimer.singleShot(0, self, lambda: use(self, rounds=rounds, minutes=minutes))

    main_window.MainWindow = Soaked  # type: ignore[misc]
    return open_window(None, UserPaths.of_user())


if __name__ == "__main__":
    sys.exit(main())
