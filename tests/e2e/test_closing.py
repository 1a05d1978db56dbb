"""Closing the window while something would be lost: a conflict, a run, both, or text that could be written nowhere."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from typing import Any

import psutil
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from app.commands import close_guard
from kb.vault.drafts import Drafts

NOTE = "tensors/gather.en.md"
THEIRS = "# theirs\n\nWritten by another program.\n"
MINE = "typed here "


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[str]], list[str]]:
    """Give a way to answer questions, one after another, by the words of a button; it returns what is asked."""

    def give(words: Iterable[str]) -> list[str]:
        asked: list[str] = []
        coming = iter(words)

        def answer(box: QMessageBox) -> int:
            asked.append(box.text())
            wanted = next(coming, f"no more questions were expected: {box.text()}")
            (chosen,) = (button for button in box.buttons() if button.text() == wanted)
            monkeypatch.setattr(QMessageBox, "clickedButton", lambda _: chosen)
            return 0

        monkeypatch.setattr(QMessageBox, "exec", answer)
        return asked

    return give


@pytest.fixture
def torn(run: Any) -> Any:
    """Give a window whose open note was edited here and by another program."""
    run.open(NOTE)
    run.window.central.edit(NOTE, 3)
    editor = run.window.central.editor
    run.until(lambda: not editor.source.loading)
    QTest.keyClicks(editor.source, MINE)
    (run.vault / NOTE).write_text(THEIRS, "utf-8")
    run.until(lambda: editor.state.kind == "conflict")
    return run


def versions(run: Any) -> tuple[str, list[str], list[str]]:
    """Return what the file says, what copies beside it say, and what drafts say."""
    folder = (run.vault / NOTE).parent
    copies = [path.read_text("utf-8") for path in folder.glob("gather (conflict *.en.md")]
    drafts = Drafts(run.workspace.places.for_vault(run.vault).drafts).pending()
    return (run.vault / NOTE).read_text("utf-8"), copies, [one.text for one in drafts]


def test_a_conflict_is_asked_about_and_kept_as_a_draft(torn: Any, answers: Any) -> None:
    """Keep open keeps it open; closing leaves their file, and ours is offered at the next start."""
    asked = answers(["Keep open", "Close"])
    torn.window.close()
    torn.until(lambda: asked)
    assert torn.window.isVisible()
    assert torn.window.central.editor.state.kind == "conflict"
    torn.window.close()
    torn.until(lambda: not torn.window.isVisible(), seconds=8)
    file, copies, drafts = versions(torn)
    assert (file, copies) == (THEIRS, [])
    assert [MINE in text for text in drafts] == [True]
    assert all("Another program changed this note" in text for text in asked)
    assert len(asked) == 2


def test_both_versions_are_made_files_before_it_closes(torn: Any, answers: Any) -> None:
    """Chosen so, ours lies beside theirs, and no draft is left to be offered."""
    answers(["Keep both as files and close"])
    torn.window.close()
    torn.until(lambda: not torn.window.isVisible(), seconds=8)
    file, copies, drafts = versions(torn)
    assert (file, drafts) == (THEIRS, [])
    assert [MINE in text for text in copies] == [True]


def test_a_copy_that_cannot_be_written_keeps_it_open(torn: Any, answers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The question comes again instead of the text going; the draft is there all the while."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("kb.vault.vault.create_file", full)
    asked = answers(["Keep both as files and close", "Keep open"])
    torn.window.close()
    torn.until(lambda: len(asked) == 2)
    assert torn.window.isVisible()
    file, copies, drafts = versions(torn)
    assert (file, copies) == (THEIRS, [])
    assert [MINE in text for text in drafts] == [True]


@pytest.mark.parametrize("stays", [True, False])
def test_a_run_and_a_conflict_are_both_asked_about(torn: Any, answers: Any, *, stays: bool) -> None:
    """The run is stopped, and the text is a choice of its own; whoever stays then is asked about a new run again."""
    torn.window.central.show_reader()
    page = torn.workspace.runs.page_key(torn.workspace.notes.current)
    torn.until(lambda: any(one.name.endswith("#sleeps") for one in torn.workspace.notes.shown))
    sleeps = next(one for one in torn.workspace.notes.shown if one.name.endswith("#sleeps"))
    torn.workspace.runs.start(page, [sleeps])
    torn.until(lambda: torn.workspace.runs.active)
    asked = answers(["Keep open", "Stop and close", "Keep open" if stays else "Keep both as files and close"])
    torn.window.close()
    assert torn.workspace.runs.active
    assert torn.window.isVisible()
    torn.window.close()
    torn.until(lambda: len(asked) == 3)
    assert ["still running" in text for text in asked] == [True, True, False]
    torn.until(lambda: not torn.workspace.runs.active or not torn.window.isVisible())
    if not stays:
        torn.until(lambda: not torn.window.isVisible(), seconds=8)
    assert torn.window.isVisible() == stays
    file, copies, drafts = versions(torn)
    assert file == THEIRS
    assert [MINE in text for text in (drafts if stays else copies)] == [True]
    sleeping = [p for p in psutil.Process().children(recursive=True) if "sleeps" in " ".join(p.cmdline())]
    assert sleeping == []


def test_text_that_is_nowhere_else_is_not_lost_unasked(run: Any, answers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk takes neither file nor draft: the question says so, and Escape and Enter mean to stay."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    run.open(NOTE)
    run.window.central.edit(NOTE, 3)
    editor = run.window.central.editor
    run.until(lambda: not editor.source.loading)
    monkeypatch.setattr("kb.vault.vault.replace_file", full)
    monkeypatch.setattr("kb.vault.drafts.replace_file", full)
    QTest.keyClicks(editor.source, MINE)
    run.until(lambda: editor.only_here)
    asked = answers(["Keep open"])
    run.window.close()
    run.until(lambda: asked)
    assert "closing loses it" in asked[0]
    assert run.window.isVisible()
    assert MINE in editor.source.toPlainText()
    monkeypatch.undo()
    editor.save_now()
    run.until(lambda: MINE in (run.vault / NOTE).read_text("utf-8"))
    run.until(lambda: not editor.only_here)


def test_logging_out_asks_nothing_unless_it_was_given_up(
    torn: Any, answers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is typed is kept at once; where the session goes on after all, closing asks as ever."""
    monkeypatch.setattr(close_guard, "SOON_MS", 1)
    torn.window.deferred.close_guard.session_ends()
    torn.until(lambda: MINE in "".join(versions(torn)[2]))
    torn.until(lambda: not torn.window.deferred.close_guard._forced)
    asked = answers(["Keep open"])
    torn.window.close()
    torn.until(lambda: asked)
    assert torn.window.isVisible()
    monkeypatch.setattr(close_guard, "SOON_MS", 60_000)
    torn.window.deferred.close_guard.session_ends()
    torn.window.close()
    torn.until(lambda: not torn.window.isVisible(), seconds=8)
    assert len(asked) == 1


def test_enter_and_escape_mean_to_stay(torn: Any) -> None:
    """In the question as it truly stands on the screen."""
    keys = [Qt.Key.Key_Escape, Qt.Key.Key_Return]
    for key in keys:
        pressed: list[QMessageBox] = []

        def press(key: Qt.Key = key, pressed: list[QMessageBox] = pressed) -> None:
            for box in torn.window.findChildren(QMessageBox)[:1]:
                if box.isVisible():
                    pressed.append(box)
                    QTest.keyClick(box, key)

        often = QTimer(torn.window, interval=20)
        often.timeout.connect(press)
        often.start()
        torn.window.close()
        torn.until(lambda pressed=pressed: pressed)
        often.stop()
        torn.until(lambda: not torn.window.findChildren(QMessageBox))
        assert torn.window.isVisible()
    assert (torn.vault / NOTE).read_text("utf-8") == THEIRS
