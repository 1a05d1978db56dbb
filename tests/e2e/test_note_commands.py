"""Keeping a vault in order from the window: notes and headings renamed, moved and put away, with links, and back."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

NOTE = "tensors/gather.en.md"


def answer(run: Any, command: str, text: str) -> None:
    """Give a command and type its answer."""
    run.window.commands.run(command)
    prompt = run.window.deferred.note_commands.prompt
    assert prompt.isVisible()
    prompt.field.setText(text)
    QTest.keyClick(prompt.field, Qt.Key.Key_Return)


def text_of(run: Any, path: str) -> str:
    """Return what lies on disk."""
    return (run.vault / path).read_text("utf-8")  # type: ignore[no-any-return]


def test_a_note_is_renamed_with_its_links_and_back(run: Any) -> None:
    """Both files move, the page and its tab follow, links elsewhere follow; one undo brings every byte back."""
    before = {path: path.read_bytes() for path in run.vault.rglob("*.md")}
    run.open(NOTE)
    answer(run, "rename", "basics/collect")
    run.until(lambda: run.workspace.notes.current.place.path == "basics/collect.en.md")
    assert sorted(one.name for one in (run.vault / "basics").iterdir()) == ["collect.en.md", "collect.zh.md"]
    assert "[[basics/collect]]" in text_of(run, "tensors/expand.md")
    assert run.workspace.state.note == "basics/collect.en.md"
    run.window.commands.run("undo_arranging")
    run.until(lambda: run.workspace.notes.current.place.path == NOTE)
    run.until(lambda: {path: path.read_bytes() for path in run.vault.rglob("*.md")} == before)


def test_what_is_typed_goes_along(run: Any) -> None:
    """Text that was not saved yet is in the renamed file, and the editor goes on there at the same line."""
    run.open(NOTE)
    run.window.central.edit(NOTE, 3)
    source = run.window.central.editor.source
    run.until(lambda: not source.loading)
    QTest.keyClicks(source, "typed ")
    answer(run, "rename", "tensors/collect")
    run.until(lambda: run.window.central.editor.path == "tensors/collect.en.md")
    assert "typed " in text_of(run, "tensors/collect.en.md")
    assert run.window.central.editing
    QTest.keyClicks(source, "more ")
    run.window.central.editor.save_now()
    run.until(lambda: "more " in text_of(run, "tensors/collect.en.md"))
    assert not (run.vault / NOTE).exists()


def test_a_renamed_note_stays_open_where_another_cannot_be_opened(run: Any) -> None:
    """Asked for while it is renamed, one that is gone leaves the reader, with the note at its new place."""
    run.open(NOTE)
    run.window.central.edit(NOTE, 3)
    run.until(lambda: not run.window.central.editor.source.loading)
    arranging = run.workspace.vault_edits
    arranging.arranged.connect(lambda _: run.workspace.open_note("gone.md"))
    with run.qtbot.waitSignal(run.workspace.notes.open_failed, timeout=30_000):
        answer(run, "rename", "tensors/collect")
    run.until(lambda: run.workspace.notes.current.entry.key == "tensors/collect")
    assert run.workspace.notes.current.place.path == run.workspace.state.note == "tensors/collect.en.md"
    assert not run.window.central.editing
    assert "gather: pick by index" in run.page()


def test_a_heading_is_renamed_with_its_links(run: Any) -> None:
    """The heading in view gets other words, and a link to it in another note follows."""
    (run.vault / "tensors" / "expand.md").write_text("# expand\n\n[x](gather.en.md#fails)\n", "utf-8")
    (run.vault / NOTE).write_text("# gather\n\n## Fails\n\ntext\n", "utf-8")
    run.workspace.choose_mode("en")
    run.open(NOTE, anchor="fails")
    answer(run, "rename_heading", "How it fails")
    run.until(lambda: "gather.en.md#how-it-fails" in text_of(run, "tensors/expand.md"))
    run.until(lambda: "How it fails" in run.page())
    assert "## How it fails" in text_of(run, NOTE)


def test_a_note_is_put_away_and_brought_back(run: Any) -> None:
    """It leaves the vault and the tree; undoing brings it back, to the byte."""
    before = (run.vault / "tensors" / "expand.md").read_bytes()
    run.open("tensors/expand.md")
    run.window.commands.run("put_away")
    run.until(lambda: not (run.vault / "tensors" / "expand.md").exists())
    run.until(lambda: all(entry.name != "expand" for entry in run.workspace.notes.entries))
    run.window.commands.run("undo_arranging")
    run.until(lambda: any(entry.name == "expand" for entry in run.workspace.notes.entries))
    assert (run.vault / "tensors" / "expand.md").read_bytes() == before


def test_a_note_that_was_put_away_is_not_edited_as_if_it_were_there(run: Any) -> None:
    """Its page is still shown; the editor says that the file is gone, before anything is typed."""
    run.open("tensors/expand.md")
    run.window.commands.run("put_away")
    run.until(lambda: not (run.vault / "tensors" / "expand.md").exists())
    run.window.central.edit("tensors/expand.md")
    editor = run.window.central.editor
    run.until(lambda: editor.state.kind == "gone")
    assert "not recreated automatically" in editor.ask_bar.notice.en


def test_a_prompt_is_as_high_as_what_it_says(run: Any) -> None:
    """No line is kept free for a hint that has room in one; a long one gets the lines that it needs."""
    run.open(NOTE)
    run.window.commands.run("rename")
    prompt = run.window.deferred.note_commands.prompt
    line = prompt.hint.fontMetrics().lineSpacing()
    QApplication.processEvents()
    assert line <= prompt.hint.height() < 1.6 * line
    prompt.ask("A caption", lambda _: None, text="x", hint="a long hint of many words " * 8)
    QApplication.processEvents()
    assert prompt.hint.height() >= 2 * line
    assert prompt.rect().contains(prompt.button.geometry())
    prompt.hide()


def test_a_name_that_is_taken_is_refused_while_it_is_typed(run: Any) -> None:
    """Enter takes nothing as long as something is wrong, and what is wrong is said."""
    run.open(NOTE)
    run.window.commands.run("rename")
    prompt = run.window.deferred.note_commands.prompt
    for wrong in ("tensors/expand", "../out", "con", " "):
        prompt.field.setText(wrong)
        QTest.keyClick(prompt.field, Qt.Key.Key_Return)
        assert prompt.isVisible()
        assert prompt.hint.text()
    QTest.keyClick(prompt.field, Qt.Key.Key_Escape)
    assert not prompt.isVisible()


def test_a_note_is_dragged_to_another_folder(run: Any) -> None:
    """Dropping it on a caption or beside a note moves it there; the row goes when the file has gone."""
    (run.vault / "other").mkdir()
    (run.vault / "other" / "x.md").write_text("# x\n", "utf-8")
    run.open(NOTE)
    run.until(lambda: any(entry.key == "other/x" for entry in run.workspace.notes.entries))
    model = run.window.tree.view.model()
    data = model.mimeData([model.find("tensors/gather")])
    assert model.flags(model.find("tensors/gather")) & Qt.ItemFlag.ItemIsDragEnabled
    place = model.find("other/x")
    assert not model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, place)
    run.until((run.vault / "other" / "gather.zh.md").exists)
    run.until(lambda: any(entry.key == "other/gather" for entry in run.workspace.notes.entries))
    assert "was moved to other" in run.window.central.notification_bar.cards[-1].notice.en
    assert not model.dropMimeData(QMimeData(), Qt.DropAction.MoveAction, -1, -1, QModelIndex())


def test_the_folder_that_a_note_is_dragged_to_is_shown(run: Any) -> None:
    """Its caption is lit while the note is held over it, or over a note in it; dropped there, the note goes there."""
    (run.vault / "other").mkdir()
    (run.vault / "other" / "there.md").write_text("# There\n", "utf-8")
    run.until(lambda: any(entry.key == "other/there" for entry in run.workspace.notes.entries))
    view = run.window.tree.view
    view.setDragDropMode(view.DragDropMode.DragDrop)  # events that are sent here come from nowhere
    model, move, left = view.model(), Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton
    data, none = model.mimeData([model.find("tensors/expand")]), Qt.KeyboardModifier.NoModifier
    there = model.find("other/there")
    for index in (there.parent(), there):
        place = view.visualRect(index).center()
        for kind in (QDragEnterEvent, QDragMoveEvent):
            QApplication.sendEvent(view.viewport(), kind(place, move, data, left, none))
        assert view.target == there.parent()
    QApplication.sendEvent(view.viewport(), QDragLeaveEvent())
    assert not view.target.isValid()
    for kind in (QDragEnterEvent, QDragMoveEvent):
        QApplication.sendEvent(view.viewport(), kind(place, move, data, left, none))
    QApplication.sendEvent(view.viewport(), QDropEvent(place, move, data, left, none))
    assert not view.target.isValid()
    run.until((run.vault / "other" / "expand.md").exists)


def test_the_other_language_is_begun(run: Any) -> None:
    """From a note in one language: the twin has its headings, and is edited at once."""
    run.open("tensors/expand.md")
    run.window.commands.run("translate")
    run.until(lambda: run.window.central.editing)
    assert run.window.central.editor.path == "tensors/expand.zh.md"
    assert text_of(run, "tensors/expand.zh.md") == "# expand and broadcasting\n"


def test_a_command_that_has_nothing_to_do_says_so(run: Any) -> None:
    """Both languages are there, nothing was rearranged: a sentence in the window, instead of nothing at all."""
    run.open(NOTE)
    for command, sentence in (
        ("translate", "This note already has both languages."),
        ("undo_arranging", "There is nothing to undo."),
    ):
        run.window.commands.run(command)
        assert run.window.central.notification_bar.cards[-1].notice.en == sentence
    assert not run.window.central.editing


@pytest.mark.parametrize("key", ["tensors/expand", None])
def test_the_tree_offers_what_can_be_done(run: Any, key: str | None) -> None:
    """A note and a folder have their own menus, in the language of the interface."""
    run.open("tensors/expand.md")
    entry = next((one for one in run.workspace.notes.entries if one.key == key), None)
    menu = run.window.deferred.note_commands.menu(entry, "tensors")
    words = [action.text() for action in menu.actions()]
    assert run.words("重命名或移动…", "Rename or move…") in words if key else "folder" in " ".join(words)
    menu.deleteLater()


def test_words_are_replaced_in_the_whole_vault_and_back(run: Any) -> None:
    """Each place is listed first; a box that is not ticked keeps its place; one undo brings every byte back."""
    before = {path: path.read_bytes() for path in run.vault.rglob("*.md")}
    run.open(NOTE)
    run.window.commands.run("replace")
    page = run.window.central.replace_page
    page.pattern.setText("gather")
    page.replacement.setText("collect")
    run.until(lambda: page.list.topLevelItemCount() == 3 and page.button.isEnabled())
    page.replacement.setText("collects")
    assert not page.button.isEnabled()  # what is listed is not what is meant
    page.replacement.setText("collect")
    run.until(page.button.isEnabled)
    page.list.topLevelItem(0).setCheckState(0, Qt.CheckState.Unchecked)
    run.until(lambda: page.list.topLevelItem(0).child(0).checkState(0) == Qt.CheckState.Unchecked)
    kept = run.vault / page.list.topLevelItem(0).text(0)
    page.replace()
    run.until(lambda: page.list.topLevelItemCount() == 1)
    assert kept.read_bytes() == before[kept]
    assert all(b"gather" not in path.read_bytes() for path in before if path != kept)
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert run.window.central.stack.currentWidget() is run.window.central.reader.view
    run.window.commands.run("undo_arranging")
    run.until(lambda: {path: path.read_bytes() for path in before} == before)


def test_what_cannot_be_replaced_is_said(run: Any) -> None:
    """A wrong expression, and words that are nowhere; a place leads to its line."""
    run.open("tensors/expand.md")
    run.window.commands.run("replace")
    page = run.window.central.replace_page
    page.manner.regular.setChecked(True)
    page.pattern.setText("(")
    page.search()
    assert page.told.text()
    assert not page.button.isEnabled()
    page.pattern.setText("nowhere at all")
    run.until(lambda: page.told.text() in {"没有找到。", "Nothing found."})
    page.pattern.setText("hello from")
    run.until(lambda: page.list.topLevelItemCount() == 2)
    page.list.itemActivated.emit(page.list.topLevelItem(0).child(0), 0)
    run.until(lambda: run.workspace.notes.current.place.path.startswith("tensors/gather"))
