"""The start: the note of last time first, from the page that was kept of it, and all else after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.error_reporting import ErrorReporter
from app.i18n import Translator
from app.main_window.deferred_setup import DeferredSetup
from app.main_window.main_window import MainWindow
from app.state.related_notes import Related
from app.state.search_service import SearchService
from app.state.workspace import Workspace
from kb.files.paths import UserPaths
from kb.rendering.renderer import RenderBackend, Renderer
from tests.e2e.conftest import Opener, Run

ROOT = Path(__file__).parents[2]
LATER = {  # what a start does not load before its note is shown
    "typer",
    "rich",
    "numpy",
    "whoosh",
    "watchdog",
    "markdown",
    "ruamel.yaml",
    "pygments.lexers",
    "multiprocessing",
    "PySide6.QtNetwork",
    "kb.search.searcher",
    "kb.index.indexer",
    "kb.analysis.glossary",
    "kb.rendering.render_process",
    "kb.vault.watch",
    "app.editor.editor_pane",
    "app.cli.command_line",
    "app.commands.view_commands",
    "app.commands.command_palette",
    "app.pages.settings_page",
    "app.search.results_popup",
    "app.pages.welcome_page",
    "app.central.preview_pane",
    "app.cells.cell_menu",
    "pynvml",
    "snippets.targets.nvidia",
    "QWizard",
    "QStyle",
    "QAccessible",
}
PROGRAM = """
import json, sys
from app.startup.gui_launch import gui_arguments
opened = gui_arguments(["gui", "--vault", sys.argv[1]]).loaded()
from app.main_window.main_window import MainWindow
from app.state import idle_queue
from app.state.workspace import Workspace
from PySide6 import QtGui, QtWidgets
from PySide6.QtCore import QTimer
entered = Workspace._on_vault_opened
def on_vault_opened(self, *found):
    entered(self, *found)
    self.rescan()  # as where the window comes to the front just then
Workspace._on_vault_opened = on_vault_opened
idle_queue.FIRST_NOTE_MS = 60_000  # on a busy machine the note comes late, and is to be waited for all the same
shown = MainWindow._on_note_opened
loaded = []
def on_note_opened(self, note):
    shown(self, note)
    if not loaded:
        loaded.extend([*sys.modules, *vars(QtGui), *vars(QtWidgets)])
        text = self.central.reader.view.toPlainText()
        print(json.dumps({"loaded": loaded, "text": text, "title": self.windowTitle()}), flush=True)
        QTimer.singleShot(0, self, self.close_now)
MainWindow._on_note_opened = on_note_opened
sys.exit(opened())
"""


def start(vault: Path, home: Path) -> dict[str, object]:
    """Start the program on a vault; return what was loaded and shown when the note was there, and close it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(vault)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TORCHLEAF_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told


def test_the_note_of_last_time_needs_little(tmp_path: Path) -> None:
    """It is rendered at the first start; at the second its kept page is shown before anything else is loaded."""
    vault, home = tmp_path / "vault", tmp_path / "home"
    vault.mkdir()
    (vault / "note.md").write_text("# Heading\n\n*Prose* and `code`.\n", "utf-8")
    first, second = start(vault, home), start(vault, home)
    assert first["text"] == second["text"]
    assert second["title"] == "Heading — 炬页 Torchleaf"
    loaded = second["loaded"]
    assert isinstance(loaded, list)
    assert "app.reader.notebook_view" in loaded
    assert not LATER.intersection(loaded)
    assert "kb.rendering.render_process" in (first["loaded"] or ())  # type: ignore[operator]


class Broken(Renderer):
    """One whose process cannot be had."""

    held = True

    def _running(self) -> RenderBackend | None:
        assert not self.held, "a page was to be rendered"
        return super()._running()


@pytest.fixture
def kept(opened: Opener, places: UserPaths) -> Path:
    """Give the file of the kept page of a window that was closed over the note on gather."""
    run = opened(None)
    run.until(lambda: run.workspace.notes.entries)
    run.open("tensors/gather.en.md")
    run.window.deferred.close_guard.force_close()
    run.until(lambda: not run.window.isVisible())
    return places.for_vault(places.user_vault).pages


def again(places: UserPaths, run: Run, renderer: Renderer) -> MainWindow:
    """Open another window, as the next start does, and wait for its note."""
    workspace = Workspace(places, renderer=renderer)
    faults = ErrorReporter(places.data / "logs", debug=False)
    window = MainWindow(workspace, Translator("en"), run.look, faults)
    with run.qtbot.waitSignal(workspace.notes.opened, timeout=30_000):
        workspace.open_vault(None)
    return window


def test_the_kept_page_is_shown_without_a_renderer(
    kept: Path, places: UserPaths, qapp: QApplication, opened: Opener
) -> None:
    """It is there while the process that renders is held back, with its sections, cells and what they run."""
    renderer = Broken()
    assert renderer.recall(kept)
    run = opened(None)
    window = again(places, run, renderer)
    note = window.workspace.notes.current
    assert note is not None
    assert [cell for _, cell in note.snippets] == ["fence:hello", "fence:fails", "fence:sleeps"] * 2
    assert "Bounds and errors" in window.central.reader.view.toPlainText()
    renderer.held = False
    window.close_now()


def test_a_note_that_changed_since_is_rendered(
    kept: Path, places: UserPaths, qapp: QApplication, opened: Opener
) -> None:
    """What is shown is what the file says now. A start with a damaged page is one without."""
    note = places.user_vault / "tensors" / "gather.en.md"
    note.write_text(note.read_text("utf-8") + "\n## Said since\n", "utf-8")
    renderer = Renderer()
    assert renderer.recall(kept)
    window = again(places, opened(None), renderer)
    assert "Said since" in window.central.reader.view.toPlainText()
    window.close_now()
    for damage in (b"", b"torchleaf kept 1 00\n{}", b"\x80\x04."):
        kept.write_bytes(damage)
        assert not renderer.recall(kept)


def test_the_first_key_finds_all_in_its_place(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shortcut pressed before anything is at hand does what it does later, and typed words are searched for."""
    monkeypatch.setattr(DeferredSetup, "start", lambda _: None)
    monkeypatch.setattr("app.state.idle_queue.FIRST_NOTE_MS", 600_000)
    run = opened(None)
    run.until(lambda: run.window.isActiveWindow() and run.workspace.notes.current)
    assert run.window.commands.expecting
    QTest.keyClick(run.window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert not run.window.commands.expecting
    assert run.window.deferred.command_palette.isVisible()
    QTest.keyClick(run.window.deferred.command_palette, Qt.Key.Key_Escape)
    run.window.search_controller.field.setFocus()
    QTest.keyClicks(run.window.search_controller.field, "broadcasting")
    run.until(lambda: run.window.search_controller.popup.isVisible() and run.window.search_controller.popup.rows)


def test_everything_comes_by_itself(opened: Opener) -> None:
    """Nobody has to do anything: commands, editor and search are there a moment after the note."""
    run = opened(None)
    run.until(lambda: not run.window.commands.expecting and run.workspace.notes.current)
    assert "editor" in vars(run.window.central)
    run.window.search_controller.enter()
    assert run.window.search_controller.popup in run.window.deferred.create_all()
    assert run.window.search_controller.popup.isVisible()  # what is in use is left alone
    run.until(lambda: run.workspace.search_service.report)


def test_what_belongs_to_the_note_is_kept_with_it(
    opened: Opener, places: UserPaths, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands beside the note again, and what searches is loaded when something is looked for, not before."""
    scatter = "# scatter_\n\nIt writes where an expanded tensor takes memory. See expand and broadcasting.\n"
    (places.user_vault / "scatter.md").write_text(scatter, "utf-8")
    run = opened(None)
    run.until(lambda: run.workspace.notes.current)
    run.open("tensors/expand.md")
    lookup, kinship = run.workspace.search_service, run.workspace.related_notes
    run.until(lambda: lookup.report and lookup.progress is None and kinship.kin.mentions)
    run.until(lambda: not kinship.busy)  # what is looked for once more is not kept
    before = kinship.kin
    run.window.deferred.close_guard.force_close()
    run.until(lambda: not run.window.isVisible())
    asked: list[int] = []
    truly = SearchService.get_ready

    def get_ready(room: SearchService) -> None:
        asked.append(1)
        truly(room)

    monkeypatch.setattr(SearchService, "get_ready", get_ready)
    window = again(places, run, Renderer())
    run.until(lambda: window.workspace.related_notes.kin == before and window.workspace.search_service.report)
    assert asked == []
    (places.user_vault / "more.md").write_text("# expand and broadcasting\n\nAn expanded tensor.\n", "utf-8")
    run.until(lambda: window.workspace.related_notes.kin not in {before, Related(before.key)})
    assert asked != []
    window.close_now()
