"""What Qt deletes later survives the garbage collector until then: else the program ends without a word."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSizeF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QApplication, QDialog, QLayout, QLayoutItem, QMainWindow, QMenu, QMessageBox, QWidget
from shiboken6 import isValid

from app.cells.device_comparison import DeviceComparison
from app.reader.image_viewer import ImageViewer

SWITCHES = 150
TIMES = 200 if os.environ.get("TORCHLEAF_THOROUGH") else 8


def test_what_goes_is_not_collected_before_qt_deletes_it(run: Any) -> None:
    """Lines, cards and documents that are made anew with each switch of the language, and the collector at work."""
    run.open("tensors/gather.en.md")
    for number in range(SWITCHES):
        run.words.switch("zh" if number % 2 else "en")
        if number % 3 == 0:
            gc.collect()
        if number % 5 == 0:
            run.qtbot.wait(1)
    assert run.window.isVisible()


def test_no_item_of_a_layout_outlives_its_widget(run: Any) -> None:
    """PySide keeps those of a layout within a layout when Qt has deleted them; another object may then lie there."""
    notes = ("tensors/expand.md", "tensors/gather.en.md")
    for path in notes:
        run.open(path)
    before = items()
    for path in notes * 3:
        run.open(path)
        run.words.switch("zh" if run.words.language == "en" else "en")
    assert items() == before


def items() -> int:
    """Count what Python knows of the items of layouts."""
    return sum(isinstance(one, QLayoutItem) and not isinstance(one, QLayout) for one in gc.get_objects())


def test_no_dialog_stays_behind_its_answer(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the printer's, which watches the file system, nor a question; what was accepted is on paper."""
    run.open("tensors/gather.en.md")
    papers = iter([None, tmp_path / "a.pdf", None, tmp_path / "b.pdf"])

    def answer(dialog: QPrintDialog) -> QDialog.DialogCode:
        dialog.show()
        run.qtbot.waitUntil(dialog.isVisible)
        if (paper := next(papers)) is not None:
            dialog.printer().setOutputFileName(str(paper))
        dialog.hide()
        return QDialog.DialogCode.Rejected if paper is None else QDialog.DialogCode.Accepted

    monkeypatch.setattr(QPrintDialog, "exec", answer)
    monkeypatch.setattr(QMessageBox, "exec", lambda _: 0)
    before = set(run.window.findChildren(QDialog))
    for _ in range(4):
        run.window.commands.run("print")
        gc.collect()
        assert not run.window.deferred.close_guard._ask("Leave?", "Leave", "Stay")
    run.until(lambda: set(run.window.findChildren(QDialog)) == before)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "b.pdf").stat().st_size == (tmp_path / "a.pdf").stat().st_size


def test_every_window_of_a_box_comes_and_goes(run: Any) -> None:
    """Opened, closed and deleted with the collector at each step: nothing of it stays, and no signal fails."""
    run.open("tensors/gather.en.md")
    run.until(lambda: run.workspace.notes.shown and run.workspace.device_model.devices)
    finished: list[object] = []
    run.workspace.runs.finished.connect(lambda *_: finished.append(1))
    run.window.commands.run("run")
    run.until(lambda: finished and not run.workspace.runs.active)
    outputs = run.window.central.reader.cell_controller
    (cell,) = outputs._holders
    key, snippet = outputs._holders[cell], run.workspace.notes.shown[0]
    devices = ("cpu", "cuda:0")
    ways: dict[str, Callable[[], object]] = {
        "options": lambda: outputs.menu.choose_options(key, snippet),
        "past": lambda: outputs.menu.show_past(key, snippet),
        "differs": lambda: outputs.menu.show_difference(key, snippet),
        "log": lambda: outputs._on_log_requested(cell),
        "everywhere": lambda: _shown(
            DeviceComparison(key, devices, runs=run.workspace.runs, words=run.words, parent=run.window)
        ),
        "device": lambda: outputs._on_device_menu(cell, QPoint(10, 10)),
        "tree": lambda: run.window.tree.menu_asked.emit(None, "tensors", QPoint(10, 10)),
        "tab": lambda: run.window.central._on_tab_menu(run.window.central.tabs.tabRect(0).center()),
        "enlarged": lambda: _enlarged(run.window),
        "context": lambda: _context_menu(run),
    }
    run.workspace.open_note("tensors/expand.md", new_tab=True)
    run.until(lambda: run.window.central.tabs.count() == 2)
    open_and_close(run, ways, 2)  # what is made once, such as a database's connection, is there then
    before = {type(one).__name__ for one in run.window.findChildren(QWidget)}, len(QApplication.allWidgets())
    open_and_close(run, ways, TIMES)
    after = {type(one).__name__ for one in run.window.findChildren(QWidget)}, len(QApplication.allWidgets())
    assert after[0] == before[0]
    assert after[1] <= before[1] + len(ways)


def open_and_close(run: Any, ways: dict[str, Callable[[], object]], times: int) -> None:
    """Open and close each so often, with the collector and Qt's own deletions in every order between."""
    for number in range(times):
        for way, act in ways.items():
            act()
            gc.collect(number % 3)
            if number % 4 == 0:
                run.qtbot.wait(1)  # for what it asks for off this thread
            opened = (*QApplication.topLevelWidgets(), *run.window.findChildren(ImageViewer))
            for one in opened:
                if isValid(one) and one is not run.window and one.isVisible() and not isinstance(one, QMainWindow):
                    one.close() if way != "enlarged" else run.qtbot.keyClick(one, Qt.Key.Key_Escape)
            del opened
            if number % 2:
                gc.collect()
            if number % 5 == 0:
                run.words.switch("zh" if run.words.language == "en" else "en")
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()


def _shown(one: QWidget) -> None:
    one.show()


def _context_menu(run: Any) -> None:
    """Ask for the menu of the page, which waits until it is closed."""
    view = run.window.central.reader.view
    QTimer.singleShot(0, view, lambda: [one.close() for one in view.findChildren(QMenu)])
    view.contextMenuEvent(QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(5, 5), QPoint(10, 10)))


def _enlarged(window: QWidget) -> None:
    made = ImageViewer(window, QSizeF(40, 30), lambda painter, rect: None, name="one", paper="#ffffff")
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


def test_a_menu_that_is_filled_anew_keeps_no_menu_of_before(run: Any) -> None:
    """Neither that of the window, nor that of the source, however often they are opened."""
    run.open("tensors/gather.en.md")
    run.window.central.toggle_editor()
    source = run.window.central.editor.source
    source.load("| a | b |\n|---|---|\n| c | d |\n", line=3)
    menus = (run.window.bar.menu_button.menu(), run.window.deferred.editor_commands.checking.menu.menu)

    def counted() -> list[int]:
        run.window.bar.menu_button.menu().popup(QPoint())
        run.window.bar.menu_button.menu().hide()
        run.window.deferred.editor_commands.checking.menu.open_at(source.textCursor(), QPoint())
        menus[1].hide()
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return [len(menu.findChildren(QMenu)) for menu in menus]

    first = counted()
    assert min(first) > 0
    assert [counted() for _ in range(3)] == [first] * 3
