"""Earlier versions and deleted notes in the window: shown, compared, put back, and deleted for good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.commands.command_palette import fits
from app.commands.deleted_notes_dialog import DeletedNotesDialog
from app.commands.note_versions_dialog import NoteVersionsDialog

NOTE = "tensors/expand.md"


def save(run: Any, text: str) -> None:
    """Write the note as the editor does."""
    vault = run.workspace.vault
    vault.save(NOTE, text, expected_hash=vault.read(NOTE).hash)


def editing(run: Any) -> Any:
    """Open the note in the editor, and return the field one types into."""
    run.open(NOTE)
    run.window.central.edit(NOTE, 3)
    source = run.window.central.editor.source
    run.until(lambda: not source.loading)
    return source


def versions(run: Any) -> NoteVersionsDialog:
    """Open the versions of the note in view."""
    shown = run.window.deferred.version_commands.show_versions()
    assert isinstance(shown, NoteVersionsDialog)
    run.until(shown.said.text)
    return shown


def deleted(run: Any) -> DeletedNotesDialog:
    """Open the list of deleted notes, which has some."""
    shown = run.window.deferred.version_commands.show_deleted()
    assert isinstance(shown, DeletedNotesDialog)
    run.until(lambda: shown.list.count() and shown.text.toPlainText())
    return shown


def test_a_version_is_compared_and_put_back(run: Any) -> None:
    """What was typed is a version; the first one comes back to the byte, and undo takes that back."""
    first = (run.vault / NOTE).read_bytes()
    source = editing(run)
    QTest.keyClicks(source, "typed words ")
    run.window.central.editor.save_now()
    run.until(lambda: b"typed words" in (run.vault / NOTE).read_bytes())
    second = (run.vault / NOTE).read_bytes()
    shown = versions(run)
    run.until(lambda: shown.list.count() == 2)  # the save may still be adding them
    shown.list.setCurrentRow(1)
    run.until(lambda: "+typed words" in shown.lines.toPlainText())
    shown.view.setCurrentIndex(1)
    shown.view.activated.emit(1)
    assert shown.lines.toPlainText().encode() == first
    shown.restore.click()
    run.until(lambda: (run.vault / NOTE).read_bytes() == first)
    run.until(lambda: "typed words" not in source.text())
    run.window.commands.run("undo_arranging")
    run.until(lambda: (run.vault / NOTE).read_bytes() == second)
    run.window.words.switch("zh")
    assert "历史版本" in shown.windowTitle()
    shown.close()


def test_two_versions_are_compared(run: Any) -> None:
    """The older one with -, the newer one with +; neither can be put back then."""
    run.open(NOTE)
    for text in ("# expand\n\none\n", "# expand\n\ntwo\n", "# expand\n\nthree\n"):
        save(run, text)
    shown = versions(run)
    shown.list.item(1).setSelected(True)
    shown.list.item(2).setSelected(True)
    shown.list.item(0).setSelected(False)
    run.until(lambda: "-one\n+two" in shown.lines.toPlainText())
    assert not shown.restore.isEnabled()


def test_what_is_saved_meanwhile_is_listed(run: Any) -> None:
    """A save adds a version to the list that is shown; the version that is chosen stays chosen."""
    source = editing(run)
    QTest.keyClicks(source, "one ")
    run.window.central.editor.save_now()
    run.until(lambda: "one " in (run.vault / NOTE).read_text())
    shown = versions(run)
    run.until(lambda: shown.list.count() == 2)
    shown.list.setCurrentRow(1)
    run.until(lambda: "+one An" in shown.lines.toPlainText())
    QTest.keyClicks(source, "two ")
    run.window.central.editor.save_now()
    run.until(lambda: shown.list.count() == 3)
    run.until(lambda: "+one two An" in shown.lines.toPlainText())
    assert [row.row() for row in shown.list.selectedIndexes()] == [2]


def test_only_a_section_is_put_back(run: Any) -> None:
    """Its timeline has its own changes; what changed elsewhere since stays."""
    run.open(NOTE)
    for text in ("# expand\n\n## A\n\none\n\n## B\n\nx\n", "# expand\n\n## A\n\ntwo\n\n## B\n\nx\n"):
        save(run, text)
    save(run, "# expand\n\n## A\n\ntwo\n\n## B\n\ny\n")
    shown = versions(run)
    run.until(lambda: shown.part.count() == 4)
    shown.part.setCurrentIndex(2)
    shown.part.activated.emit(2)
    run.until(lambda: shown.list.count() == 2)
    shown.list.setCurrentRow(1)
    run.until(lambda: "-one\n+two" in shown.lines.toPlainText())
    shown.restore.click()
    run.until(lambda: (run.vault / NOTE).read_text() == "# expand\n\n## A\n\none\n\n## B\n\ny\n")


def test_a_note_without_versions_says_so(run: Any) -> None:
    """Nothing can be put back."""
    run.open(NOTE)
    shown = versions(run)
    assert "every save from now on" in shown.said.text()
    assert not shown.restore.isEnabled()


def test_a_deleted_note_comes_back(run: Any) -> None:
    """To the byte; where another note has its name by now, both stay and a sentence says so."""
    before = (run.vault / NOTE).read_bytes()
    run.open(NOTE)
    run.window.commands.run("put_away")
    run.until(lambda: not (run.vault / NOTE).exists())
    shown = deleted(run)
    assert shown.text.toPlainText().encode() == before
    (run.vault / NOTE).write_text("another")
    with run.qtbot.waitSignal(run.workspace.noticed, check_params_cb=lambda said: "move that one first" in said.en):
        shown.back.click()
    (run.vault / NOTE).unlink()
    QTest.keyClick(shown.list, Qt.Key.Key_Return)
    run.until(lambda: (run.vault / NOTE).exists() and shown.list.count() == 0)
    assert (run.vault / NOTE).read_bytes() == before
    assert "no deleted note" in shown.said.text()


def test_a_note_is_deleted_for_good(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its file is in the system's trash, its versions are gone; a trash that refuses is reported and nothing lost."""
    data = tmp_path / "xdg"  # without this folder there is no trash
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    run.open(NOTE)
    save(run, "# expand\n\nmore\n")
    run.window.commands.run("put_away")
    run.until(lambda: not (run.vault / NOTE).exists())
    shown = deleted(run)
    kept = shown.chosen()[0].kept
    with run.qtbot.waitSignal(run.workspace.noticed, check_params_cb=lambda said: str(kept) in said.en):
        shown.delete.click()
    assert kept.exists()
    data.mkdir()
    shown.delete.click()
    run.until(lambda: shown.list.count() == 0)
    assert not kept.exists()
    assert [one.name for one in tmp_path.rglob("expand.md")] == ["expand.md"]
    assert run.workspace.vault.versions.paths() == ()


@pytest.mark.parametrize("typed", ["delete", "trash", "restore", "deleted", "删除", "恢复", "回收站"])
def test_the_palette_finds_deleted_notes(run: Any, typed: str) -> None:
    """Under the words that people use for it."""
    names = {command.name for command in run.window.commands if fits(command, typed)}
    assert "deleted_notes" in names
    assert {"note_versions", "deleted_notes"} <= {one.name for one in run.window.commands if fits(one, "restore")}
