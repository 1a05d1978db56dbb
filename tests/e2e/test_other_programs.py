"""The window while other programs change, delete and bring back the notes that are open in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest


def edit(run: Any, words: str) -> Path:
    """Open a note in the editor, type at its end, and return its file."""
    run.open("tensors/expand.md")
    run.window.central.toggle_editor()
    source = run.window.central.editor.source
    source.moveCursor(source.textCursor().MoveOperation.End)
    QTest.keyClicks(source, words)
    return Path(run.vault / "tensors" / "expand.md")


def test_the_open_note_is_rewritten_elsewhere(run: Any) -> None:
    """Shown within two seconds, also in the editor where nothing was typed."""
    file = edit(run, "")
    file.write_text("# expand\n\nRewritten once.\n", "utf-8")
    run.until(lambda: "Rewritten once" in run.window.central.editor.text(), seconds=2)
    run.window.central.toggle_editor()
    run.until(lambda: "Rewritten once" in run.page(), seconds=2)
    file.with_name("new").write_text("# expand\n\nRewritten twice.\n", "utf-8")
    file.with_name("new").replace(file)
    run.until(lambda: "Rewritten twice" in run.page(), seconds=2)


def test_the_edited_note_is_rewritten_elsewhere(run: Any) -> None:
    """Both versions are on disk: theirs in the file, mine as a draft, and beside it as soon as that is chosen."""
    file = edit(run, "Mine.")
    file.write_text("Theirs.\n", "utf-8")
    editor = run.window.central.editor
    run.until(lambda: editor.state.kind == "conflict", seconds=5)
    assert file.read_text("utf-8") == "Theirs.\n"
    assert "Mine." in editor.text()
    drafts = run.workspace.places.for_vault(run.vault).drafts
    run.until(lambda: any("Mine." in path.read_text("utf-8") for path in drafts.glob("*.json")))
    next(choice for choice in editor.ask_bar.notice.choices if choice.en == "Keep both").act()
    run.until(lambda: editor.state.kind == "saved")
    texts = [path.read_text("utf-8") for path in file.parent.iterdir()]
    assert "Theirs.\n" in texts
    assert sum("Mine." in text for text in texts) == 1


def test_the_edited_note_is_deleted_elsewhere(run: Any) -> None:
    """It is not made again; what was typed is kept as a draft."""
    file = edit(run, "Mine.")
    file.unlink()
    editor = run.window.central.editor
    run.until(lambda: editor.state.kind == "gone", seconds=5)
    QTest.keyClicks(editor.source, " More.")
    run.qtbot.wait(2500)  # longer than any save waits
    assert not file.exists()
    drafts = run.workspace.places.for_vault(run.vault).drafts
    run.until(lambda: any("Mine. More." in path.read_text("utf-8") for path in drafts.glob("*.json")))


@pytest.mark.parametrize("edited", [True, False])
def test_a_note_that_comes_back_is_there_again(run: Any, *, edited: bool) -> None:
    """With the words it had, as when a branch is switched and switched back: the editor goes on saving, and nobody
    is told any longer that it is gone, where it is read either.
    """
    run.open("tensors/gather.en.md")
    central, file = run.window.central, run.vault / "tensors" / "gather.en.md"
    data = file.read_bytes()

    def told() -> bool:
        return any(card.notice.topic == "gone" for card in central.notification_bar.cards)

    file.with_name("gather.zh.md").unlink()
    run.until(lambda: len(run.workspace.notes.current.notes) == 1)
    if edited:
        central.edit("tensors/gather.en.md", 5)
    file.unlink()
    run.until(lambda: central.editor.state.kind == "gone" if edited else told(), seconds=5)
    file.with_name("back").write_bytes(data)
    file.with_name("back").replace(file)  # whole: half a file would be another text, for a moment
    if not edited:
        run.until(lambda: not told(), seconds=5)
        return
    run.until(lambda: central.editor.state.kind == "saved", seconds=5)
    assert not central.editor.ask_bar.isVisible()
    QTest.keyClicks(central.editor.source, "More.")
    run.until(lambda: b"More." in file.read_bytes())


def test_both_languages_are_put_away_while_the_other_is_edited(run: Any) -> None:
    """The note was opened in one language and is edited in the other: the editor says that its file is gone."""
    run.open("tensors/gather.en.md")
    run.window.central.edit("tensors/gather.zh.md", 3)
    run.workspace.vault_edits.delete_note(run.workspace.notes.current.entry)
    run.until(lambda: run.window.central.editor.state.kind == "gone", seconds=5)


def test_the_language_that_is_edited_is_deleted_elsewhere(run: Any) -> None:
    """The other one stays open; the editor says that its file is gone, before anything is typed."""
    run.open("tensors/gather.en.md")
    run.window.central.edit("tensors/gather.zh.md", 3)
    (run.vault / "tensors" / "gather.zh.md").unlink()
    run.until(lambda: run.window.central.editor.state.kind == "gone", seconds=5)


def test_changes_that_do_not_touch_are_merged(run: Any) -> None:
    """Theirs appears beside what was typed; it is said, nobody is asked, and one undo step takes theirs out."""
    place = run.vault / "tensors" / "expand.md"
    place.write_text("# expand\n\nfirst\n\nmiddle\n\nlast\n", "utf-8")
    run.open("tensors/expand.md")
    run.window.central.edit("tensors/expand.md", 3)
    source = run.window.central.editor.source
    run.until(lambda: not source.loading and "first" in source.text())
    QTest.keyClicks(source, "mine ")
    place.write_text(place.read_text("utf-8").replace("last", "theirs"), "utf-8")
    run.until(lambda: "theirs" in source.text())
    assert "mine first" in source.text()
    run.until(lambda: "mine first" in place.read_text("utf-8") and "theirs" in place.read_text("utf-8"))
    run.until(lambda: any("merged with yours" in card.notice.en for card in run.window.central.notification_bar.cards))
    assert not run.window.central.editor.ask_bar.isVisible()
    source.undo()
    assert source.text() == "# expand\n\nmine first\n\nmiddle\n\nlast\n"
