"""Editing beside the live page: blocks run from the source, their output is there, and no copy is lost from sight."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from app.notebook import vault_snippets
from app.notebook.note_loader import cells
from kb.files.paths import UserPaths
from kb.vault.vault import Vault

NOTE = "tensors/gather.en.md"
CONTROL = Qt.KeyboardModifier.ControlModifier


def preview_text(run: Any) -> str:
    """Return what stands in the preview."""
    return run.window.central.preview.view.toPlainText().replace("\u00a0", " ")  # type: ignore[no-any-return]


def line_of(run: Any, words: str, path: str = NOTE) -> int:
    """Return the line of some words in a file of the vault."""
    lines = (run.vault / path).read_text("utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if words in line)


@pytest.fixture
def editing(run: Any) -> Any:
    """Give a window with the editor open on the English file, its preview drawn."""
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.open(NOTE)
    run.window.central.edit(NOTE, line_of(run, 'print("hello'))
    run.until(lambda: "pick by index" in preview_text(run))
    return run


def outcomes(run: Any) -> dict[str, str]:
    """Return how the runs of this window ended, by snippet."""
    known = run.workspace.runs.transcripts
    return {key.snippet: one.outcome.status for key, one in known.items() if one.outcome is not None}


def test_ctrl_enter_saves_runs_and_shows_the_output_beside(editing: Any) -> None:
    """The block as it was just typed; the editor stays, and the keyboard in it."""
    source = editing.window.central.editor.source
    source.moveCursor(source.textCursor().MoveOperation.EndOfLine)
    QTest.keyClicks(source, "; print(6 * 7)")
    QTest.keyClick(source, Qt.Key.Key_Return, CONTROL)
    editing.until(lambda: outcomes(editing) == {f"{NOTE}#hello": "passed"})
    editing.until(lambda: "42" in preview_text(editing).split("\n"))
    assert editing.window.central.editing
    assert editing.window.focusWidget() is source
    assert "print(6 * 7)" in (editing.vault / NOTE).read_text("utf-8")


def test_what_ran_beside_the_source_is_there_in_the_reader(editing: Any) -> None:
    """The block of either language has one box there."""
    QTest.keyClick(editing.window.central.editor.source, Qt.Key.Key_Return, CONTROL)
    editing.until(lambda: outcomes(editing) == {f"{NOTE}#hello": "passed"})
    editing.window.central.editor.close_editor()
    editing.until(lambda: "as recorded" in editing.page())


def test_the_output_is_seen_with_the_preview_hidden_before(editing: Any) -> None:
    """A run that shows nothing would be none."""
    pane = editing.window.central.editor
    pane.show_preview(on=False)
    QTest.keyClick(pane.source, Qt.Key.Key_Return, CONTROL)
    editing.until(lambda: outcomes(editing))
    assert editing.window.central.preview.view.isVisible()


def test_the_buttons_of_the_preview_run_and_stop(editing: Any) -> None:
    """Its run button saves first; its stop button ends the run."""
    view = editing.window.central.preview.view
    view.run_requested.emit("fence:sleeps", "cpu")
    editing.until(lambda: "begun" in preview_text(editing).split("\n"))
    view.stop_requested.emit("fence:sleeps")
    editing.until(lambda: outcomes(editing) == {f"{NOTE}#sleeps": "stopped"}, seconds=10)


def test_an_edit_elsewhere_leaves_the_output_where_it_is(editing: Any) -> None:
    """Typing prose renders the page anew; what a block printed is still under it."""
    editing.window.central.preview.view.run_requested.emit("fence:fails", "cpu")
    editing.until(lambda: "meant to fail" in preview_text(editing) and outcomes(editing))
    source = editing.window.central.editor.source
    source.go_to_line(line_of(editing, "The result has"))
    QTest.keyClicks(source, "Kronecker ")
    editing.until(lambda: "Kronecker" in preview_text(editing))
    assert "Traceback" in preview_text(editing)


def test_the_preview_shows_the_librarys_code_and_runs_it(editing: Any) -> None:
    """Also of a snippet whose link was just typed."""
    name = next(iter(sorted(vault_snippets.library(editing.workspace.vault).snippets)))
    source = editing.window.central.editor.source
    source.moveCursor(source.textCursor().MoveOperation.End)
    source.insertPlainText(f"\n[it](snippet:{name})\n")
    code = vault_snippets.library(editing.workspace.vault).snippets[name].code.strip().split("\n")[-1]
    editing.until(lambda: code in preview_text(editing))
    source.go_to_line(source.toPlainText().split("\n").index(f"[it](snippet:{name})") + 1)
    QTest.keyClick(source, Qt.Key.Key_Return, CONTROL)
    editing.until(lambda: name in outcomes(editing))


def test_a_link_of_the_preview_leads_on(editing: Any) -> None:
    """What was typed is saved on the way."""
    with editing.qtbot.waitSignal(editing.workspace.notes.opened, timeout=30_000):
        editing.window.central.preview.view.link_activated.emit("expand.md")
    assert editing.workspace.notes.current.place.path == "tensors/expand.md"


def test_a_conflict_says_where_the_copy_went_and_opens_it(editing: Any) -> None:
    """Both versions exist, and a button leads to ours."""
    pane = editing.window.central.editor
    QTest.keyClicks(pane.source, "# mine ")
    (editing.vault / NOTE).write_text("# gather\n\nTheirs.\n", "utf-8")
    editing.until(lambda: pane.state.kind == "conflict")
    pane._saver.keep_both()
    editing.until(lambda: any("kept as" in card.notice.en for card in editing.window.central.notification_bar.cards))
    card = next(card for card in editing.window.central.notification_bar.cards if "kept as" in card.notice.en)
    with editing.qtbot.waitSignal(editing.workspace.notes.opened, timeout=30_000):
        card.buttons[0][0].click()
    assert "(conflict" in editing.workspace.notes.current.place.path
    assert "mine" in editing.workspace.notes.current.lead.text


def answering(monkeypatch: pytest.MonkeyPatch, *answers: bool) -> list[str]:
    """Answer the questions to come, and return what was asked."""
    asked: list[str] = []
    left = list(answers)

    def answer(box: QMessageBox) -> int:
        asked.append(box.text())
        wanted = box.ButtonRole.AcceptRole if left.pop(0) else box.ButtonRole.RejectRole
        chosen = next(button for button in box.buttons() if box.buttonRole(button) == wanted)
        monkeypatch.setattr(QMessageBox, "clickedButton", lambda _: chosen)
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    return asked


def test_another_vault_with_a_run_going_asks(editing: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Staying keeps the run; switching stops it, and what was typed is in its file."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text("# a\n", "utf-8")
    editing.window.central.preview.view.run_requested.emit("fence:sleeps", "cpu")
    editing.until(lambda: editing.workspace.runs.active)
    asked = answering(monkeypatch, False, True)
    editing.window.deferred.view_commands.open_vault(tmp_path / "other")
    QTest.qWait(100)
    assert editing.workspace.vault.root == editing.vault
    assert editing.workspace.runs.active
    QTest.keyClicks(editing.window.central.editor.source, "# typed last ")
    editing.window.deferred.view_commands.open_vault(tmp_path / "other")
    editing.until(lambda: editing.workspace.vault.root == tmp_path / "other")
    assert len(asked) == 2
    assert not editing.workspace.runs.active
    editing.until(lambda: "typed last" in (editing.vault / NOTE).read_text("utf-8"))
    editing.until(lambda: editing.workspace.notes.current is not None)


def test_another_vault_with_nothing_running_asks_nothing(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A question is for what would be lost."""
    (tmp_path / "other").mkdir()
    asked = answering(monkeypatch)
    run.window.deferred.view_commands.open_vault(tmp_path / "other")
    run.until(lambda: run.workspace.vault.root == tmp_path / "other")
    assert asked == []


def test_what_killed_writers_left_is_swept_once_when_a_vault_opens(
    opened: Callable[..., Any], places: UserPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off the GUI thread, and the notes are untouched."""

    swept: list[tuple[Path, bool]] = []
    sweep = Vault.sweep

    def watched(vault: Vault) -> None:
        swept.append((vault.root, threading.current_thread() is threading.main_thread()))
        sweep(vault)

    monkeypatch.setattr(Vault, "sweep", watched)
    run = opened(None)
    run.until(lambda: run.workspace.notes.current is not None and swept)
    assert swept == [(places.user_vault, False)]


def test_an_isolated_run_can_read_the_vault(editing: Any) -> None:
    """Its request names the vault, whose files a note's code may load."""
    asked: list[Any] = []
    runner = editing.workspace.runs._services.runner
    start = runner.start

    def watched(request: Any, **calls: Any) -> Any:
        asked.append(request)
        return start(request, **calls)

    object.__setattr__(runner, "start", watched)
    QTest.keyClick(editing.window.central.editor.source, Qt.Key.Key_Return, CONTROL)
    editing.until(lambda: outcomes(editing))
    assert [request.vault for request in asked] == [editing.vault]


def test_the_cells_of_the_preview_are_those_of_the_page(editing: Any) -> None:
    """One box each, none twice."""
    page = editing.workspace.notes.current.pages["en"]
    assert {placed.key for placed, _ in editing.window.central.preview.view.page.cells.boxes} == {
        c.key for c in cells(page)
    }


def test_a_heading_that_is_typed_has_no_older_one_above_it(run: Any) -> None:
    """A note that begins below a title is headed by that alone, saved or not, here and in the reader."""
    (run.vault / "low.md").write_text("## Low\n\nText.\n", "utf-8")
    run.open("low.md")
    run.until(lambda: "Text." in run.page())
    assert run.page().count("Low") == 1
    run.window.central.edit("low.md", 1)
    run.until(lambda: "Text." in preview_text(run))
    source = run.window.central.editor.source
    source.moveCursor(source.textCursor().MoveOperation.EndOfLine)
    QTest.keyClicks(source, "er")
    run.until(lambda: "Lower" in preview_text(run))
    assert preview_text(run).count("Low") == 1
