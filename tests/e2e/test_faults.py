"""A fault of the program while something is typed: in a slot, a timer, a thread, a painter. It costs nobody a word."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kb.files.paths import UserPaths

ROOT = Path(__file__).parents[2]
NOTE = "a.md"
KINDS = ("slot", "timer", "worker", "thread", "painter", "page", "process", "override")
PROGRAM = """
import json, sys, time
from PySide6.QtCore import QTimer, Qt
from PySide6.QtTest import QTest
from app.startup.gui_launch import GuiArguments
open_window = GuiArguments().loaded()
import app.commands.note_commands, app.editor.source_editor, app.reader.live_cells, app.editor.document_store
import app.search.search_controller, kb.vault.vault, kb.vault.watch, kb.rendering.renderer
from app.main_window import main_window

KINDS, NOTE = json.loads(sys.argv[1]), sys.argv[2]
SEAMS = {
    "slot": (app.commands.note_commands, "refuse_name"),
    "timer": (app.editor.document_store, "Draft"),
    "worker": (kb.vault.vault.Vault, "entries"),
    "thread": (kb.vault.watch, "is_ignored"),
    "painter": (app.editor.source_editor, "paint_backgrounds"),
    "page": (app.reader.live_cells.LiveCells, "attach"),
    "process": (kb.rendering.renderer.Renderer, "render"),
    "override": (app.search.search_controller.SearchController, "place"),
}

class Window(main_window.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        self.told = []
        self.workspace.noticed.connect(lambda notice: self.told.append((notice.topic, notice.en)))
        self.workspace.notes.opened.connect(self.begin)

    def begin(self, note):
        self.workspace.notes.opened.disconnect(self.begin)
        self.steps, self.awaited, self.since = self.work(), lambda: True, time.monotonic()
        self.clock = QTimer(self, interval=10)
        self.clock.timeout.connect(self.go_on)
        self.clock.start()

    def go_on(self):
        # Each step is an event of its own: Qt would hand what fails in a painter to a step that waits within it.
        if time.monotonic() - self.since > 60:
            raise SystemExit("in vain")
        if self.awaited():
            self.awaited, self.since = next(self.steps), time.monotonic()

    def work(self):
        for kind in KINDS:
            yield from self.fail(kind)
        said = [text for topic, text in self.told if topic == "fault"]
        print(json.dumps([said, self.central.editor.source.toPlainText()]), flush=True)
        self.clock.stop()
        self.deferred.close_guard.force_close()
        yield lambda: False

    def fail(self, kind):
        where, name = SEAMS[kind]
        real, called = getattr(where, name), []
        def broken(*_, **__):
            called.append(1)
            # Raised by C, for which PySide has another way than for what Python raises.
            exec(compile(f"int('a fault in a {kind}')", f"<{kind}>", "exec"))
        self.central.edit(NOTE)
        setattr(where, name, broken)
        for times in (1, 2):
            source = self.central.editor.source
            source.moveCursor(source.textCursor().MoveOperation.End)
            QTest.keyClicks(source, f"{kind}{times} ")
            before = len(called)
            self.provoke(kind, times)
            yield lambda: len(called) > before
            yield lambda: any(f"a fault in a {kind}" in text for _, text in self.told)
        setattr(where, name, real)
        self.central.edit(NOTE)
        yield self.central.editor.flush

    def provoke(self, kind, times):
        if kind == "slot":
            self.commands.run("new")
            QTest.keyClicks(self.deferred.note_commands.prompt.field, "x")
            self.deferred.note_commands.prompt.hide()
        elif kind == "worker":
            self.workspace.notes.list()
        elif kind == "thread":
            (self.workspace.vault.root / f"by another {times}.md").write_text("# x", "utf-8")
        elif kind == "painter":
            self.central.editor.source.viewport().update()
        elif kind in ("page", "process"):
            self.central.show_reader()
            self.deferred.view_commands.choose_theme("dark" if times == 1 else "light")
            self.workspace.notes.open(self.workspace.notes.current.place)
            self.central.reader.view.viewport().update()
            QTimer.singleShot(100, self, lambda: self.central.edit(NOTE))
        elif kind == "override":
            QTimer.singleShot(0, self, lambda: self.resize(1000 + 100 * times, 700))

main_window.MainWindow = Window
if __name__ == "__main__":
    sys.exit(open_window())
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Have one program live through all of it; give its home, and what it told and showed at the end."""
    home = tmp_path_factory.mktemp("faults")
    vault = UserPaths.under(home).user_vault
    vault.mkdir(parents=True)
    (vault / NOTE).write_text("# a\n\n$x$\n\n", "utf-8")
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home), "PYTHONFAULTHANDLER": "1"}
    words = [sys.executable, "-c", PROGRAM, json.dumps(KINDS), NOTE]
    ended = subprocess.run(words, env=known, capture_output=True, timeout=200, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    return home, json.loads(ended.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_is_logged_and_told_once(done: tuple[Path, Any], kind: str) -> None:
    """It came at least twice: the log has each with its traceback, the window one sentence."""
    home, (told, _) = done
    words = f"a fault in a {kind}"
    assert sum(words in one for one in told) == 1
    log = (UserPaths.under(home).data / "logs" / "torchleaf.log").read_text("utf-8")
    assert len(re.findall(rf"^ValueError: .*{words}", log, re.MULTILINE)) >= 2
    assert f'File "<{kind}>"' in log.partition(words)[0].rpartition("Traceback")[2]


def test_what_was_typed_meanwhile_is_kept(done: tuple[Path, Any]) -> None:
    """Every word that was typed before and after each fault is in the editor, and in the file."""
    home, (_, shown) = done
    words = [f"{kind}{number}" for kind in KINDS for number in (1, 2)]
    assert shown.split()[-len(words) :] == words
    assert (UserPaths.under(home).user_vault / NOTE).read_text("utf-8") == shown
