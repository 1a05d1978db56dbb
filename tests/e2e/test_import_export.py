"""Notes going out to other programs and coming in from them, by the window: by dialogs and by dropping files on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

NOTE = "tensors/gather.en.md"
BOOK = {
    "cells": [{"cell_type": "markdown", "metadata": {}, "source": "# From elsewhere"}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}


def said(run: Any) -> str:
    """Return what the strip above the page says."""
    return "\n".join(card.notice.en for card in run.window.central.notification_bar.cards)


def drop(run: Any, *paths: Path) -> None:
    """Drop files on the window as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPointF(300, 300).toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    run.window.dragEnterEvent(entering)
    assert entering.isAccepted()
    run.window.dropEvent(QDropEvent(QPointF(300, 300), Qt.DropAction.CopyAction, data, buttons, keys))


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.html", b"<!DOCTYPE"), ("a.pdf", b"%PDF-"), ("a.ipynb", b"{"), ("a.py", b"# %%"), ("a", b"<!")],
)
def test_the_open_note_is_exported(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, start: bytes
) -> None:
    """In the format of the name, or of the choice in the dialog; the strip says where it is."""
    run.open(NOTE)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), "? (*.html)"))
    run.window.commands.run("export")
    out = tmp_path / (name if "." in name else f"{name}.html")
    run.until(out.exists)
    assert out.read_bytes().startswith(start)
    run.until(lambda: str(out) in said(run))


def test_an_export_that_fails_is_said(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a sentence in the strip; a dialog that is closed does nothing."""
    run.open(NOTE)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    run.window.commands.run("export")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "a.html"), ""))
    run.window.commands.run("export")
    run.until(lambda: str(tmp_path / "none") in said(run))


def test_a_notebook_is_dropped_on_the_window_and_taken_back(run: Any, tmp_path: Path) -> None:
    """It lies beside the open note and is opened; one undo takes it out again."""
    book = tmp_path / "book.ipynb"
    book.write_text(json.dumps(BOOK))
    run.open(NOTE)
    drop(run, book)
    run.until(lambda: run.workspace.notes.current.place.path == "tensors/book.md")
    run.window.commands.run("undo_arranging")
    run.until(lambda: not (run.vault / "tensors" / "book.md").exists())


def test_a_note_of_the_vault_is_opened_where_it_is(run: Any) -> None:
    """Nothing is copied."""
    run.open(NOTE)
    before = sorted(run.vault.rglob("*"))
    drop(run, run.vault / "tensors" / "expand.md")
    run.until(lambda: run.workspace.notes.current.place.path == "tensors/expand.md")
    assert sorted(run.vault.rglob("*")) == before


def test_a_folder_is_asked_about(run: Any, tmp_path: Path) -> None:
    """Dropped: opened as a vault, or imported; what could not be taken in is named."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "a.md").write_bytes("# 这是一篇中文笔记，讲的是张量。\n".encode("gb18030"))
    (folder / "bad.ipynb").write_text("{")
    run.open(NOTE)
    drop(run, folder)
    assert "mine" in said(run)
    run.window.deferred.import_export.import_files([folder])
    run.until((run.vault / "tensors" / "mine" / "a.md").exists)
    run.until(lambda: "bad.ipynb" in said(run))
    assert "张量" in (run.vault / "tensors" / "mine" / "a.md").read_text("utf-8")


def test_what_is_held_over_the_window_is_told_what_dropping_it_does(run: Any, tmp_path: Path) -> None:
    """In the language of the window, as long as it is held there; what is no file of this machine says nothing."""
    (tmp_path / "folder").mkdir()
    hint, window = run.window.deferred.import_export.hint, run.window

    def hold(*addresses: QUrl) -> None:
        data = QMimeData()
        data.setUrls(list(addresses))
        none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
        QApplication.sendEvent(window, QDragEnterEvent(QPoint(300, 300), Qt.DropAction.CopyAction, data, left, none))

    hold(QUrl("https://example.org/a.md"))
    assert not hint.isVisible()
    for files, told in (
        ((run.vault / "tensors" / "expand.md",), "open expand.md"),
        ((tmp_path / "folder",), "folder as a vault"),
        ((tmp_path / "a.ipynb",), "import a.ipynb"),
        ((tmp_path / "a.md", tmp_path / "b.md"), "these 2 files"),
    ):
        hold(*(QUrl.fromLocalFile(str(file)) for file in files))
        assert hint.isVisible()
        assert told in hint.text()
        QApplication.sendEvent(window, QDragLeaveEvent())
        assert not hint.isVisible()


def test_files_and_folders_are_chosen(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the dialogs of the system."""
    (tmp_path / "x.md").write_text("# x\n")
    run.open(NOTE)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(tmp_path / "x.md")], ""))
    run.window.commands.run("import")
    run.until((run.vault / "tensors" / "x.md").exists)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    run.open(NOTE)
    run.window.commands.run("import_folder")
    run.until((run.vault / "tensors" / tmp_path.name / "x.md").exists)


def test_a_dropped_folder_stops_no_run_unasked(run: Any, tmp_path: Path) -> None:
    """Opening it as a vault asks first where code is running, like every other way to another vault."""
    (tmp_path / "folder").mkdir()
    asked: list[bool] = []

    def refused() -> bool:
        asked.append(True)
        return False

    run.window.deferred.close_guard.may_switch = refused
    drop(run, tmp_path / "folder")
    card = next(card for card in run.window.central.notification_bar.cards if card.notice.topic == "drop")
    card.buttons[0][0].click()
    assert asked == [True]
    assert run.workspace.vault.root == run.vault
