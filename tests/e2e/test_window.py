"""Finding, reading and editing through the real window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QTreeView, QWidget

from app.state.settings import Preferences, VaultState, load
from kb.files.paths import UserPaths


def visible(widget: QWidget) -> bool:
    """Tell whether a part of the window would be seen."""
    return widget.isVisibleTo(widget.window())


def test_the_first_start_shows_the_users_own_vault(run: Any) -> None:
    """Notes are listed and indexed, one is open, its title is the window's, and the search field has the keyboard."""
    run.until(lambda: run.workspace.notes.current is not None)
    assert run.window.windowTitle().endswith("— 炬页 Torchleaf")
    assert run.window.focusWidget() is run.window.search_controller.field
    assert "2 notes" in run.window.status.index.text()
    assert "index up to date" in run.window.status.index.text()


def test_typing_finds_and_enter_opens_at_the_section_with_the_words_marked(run: Any) -> None:
    """From the field to the section, the keyboard alone."""
    field, popup = run.window.search_controller.field, run.window.search_controller.popup
    QTest.keyClicks(field, "bounds")
    run.until(lambda: popup.isVisible() and popup.current() is not None)
    assert run.window.focusWidget() is field
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        QTest.keyClick(field, Qt.Key.Key_Return)
    place = run.workspace.notes.current.place
    assert place.path == "tensors/gather.en.md"
    assert "bounds" in [word.lower() for word in run.window.central.reader.view.page.marked]
    assert not popup.isVisible()


def test_enter_before_the_answer_opens_the_first_hit_of_what_was_typed(run: Any) -> None:
    """A quick typist does not open the result of an older query."""
    field = run.window.search_controller.field
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000) as opened:
        QTest.keyClicks(field, "broadcasting")
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert opened.args[0].place.path == "tensors/expand.md"


def test_only_the_newest_query_is_answered(run: Any) -> None:
    """Answers to older queries are dropped."""
    answers: list[str] = []
    run.workspace.search_service.answered.connect(lambda result: answers.append(result.query))
    for query in ("g", "ga", "gat", "gather"):
        run.workspace.search_service.search(query)
    run.until(lambda: answers)
    assert answers == ["gather"]


def test_escape_gives_the_page_back_as_it_was(run: Any) -> None:
    """Nothing of the page or its place has changed."""
    run.open("tensors/gather.en.md", anchor="")
    before = run.page(), run.window.central.reader.view.verticalScrollBar().value()
    field = run.window.search_controller.field
    run.window.search_controller.enter()
    QTest.keyClicks(field, "expand")
    run.until(run.window.search_controller.popup.isVisible)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not run.window.search_controller.popup.isVisible()
    assert field.text() == ""
    assert (run.page(), run.window.central.reader.view.verticalScrollBar().value()) == before
    assert run.window.focusWidget() is run.window.central.reader.view


def test_composing_never_searches_and_its_enter_opens_nothing(run: Any) -> None:
    """What an input method has not committed is not a query, and the key that confirms is its own."""
    asked: list[str] = []
    opened: list[object] = []
    field = run.window.search_controller.field
    run.until(lambda: run.workspace.notes.current is not None)
    field.asked.connect(asked.append)
    run.workspace.notes.opening.connect(opened.append)
    QApplication.sendEvent(field, QInputMethodEvent("xia biao", []))
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.qWait(60)
    assert asked == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("下标")
    QApplication.sendEvent(field, commit)
    QTest.keyClick(field, Qt.Key.Key_Return)
    run.until(lambda: "下标" in asked)
    assert opened == []


def test_an_empty_query_shows_what_was_read_last(run: Any) -> None:
    """The newest first; Down in the empty field shows them."""
    run.open("tensors/expand.md")
    run.open("tensors/gather.en.md")
    run.window.search_controller.enter()
    rows = run.window.search_controller.popup.rows
    assert [row.path for row in rows[:2]] == ["tensors/gather.en.md", "tensors/expand.md"]


def test_nothing_found_is_said(run: Any) -> None:
    """An empty popup would leave one wondering."""
    QTest.keyClicks(run.window.search_controller.field, "zzqqxxyy")
    run.until(run.window.search_controller.popup.isVisible)
    assert "Nothing found" in run.window.search_controller.popup.message.text()


def test_ctrl_enter_opens_in_a_new_tab_and_tabs_close(run: Any) -> None:
    """Tabs appear with the second note and go with the last but one."""
    run.open("tensors/expand.md")
    QTest.keyClicks(run.window.search_controller.field, "bounds")
    run.until(lambda: run.window.search_controller.popup.current() is not None)
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        QTest.keyClick(run.window.search_controller.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    tabs = run.window.central.tabs
    assert [tabs.tabData(i) for i in range(tabs.count())] == ["tensors/expand.md", "tensors/gather.en.md"]
    assert visible(tabs)
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        run.window.commands.run("close_tab")
    assert run.workspace.state.tabs == ()
    assert not visible(tabs)


def test_languages_are_read_alone_or_side_by_side(run: Any) -> None:
    """The switch shows one or both, and the title follows."""
    run.open("tensors/gather.en.md")
    assert "按下标取值" in run.page()
    assert "pick by index" in run.page()
    run.workspace.choose_mode("zh")
    assert "pick by index" not in run.page()
    assert "按下标取值" in run.window.windowTitle()
    run.workspace.choose_mode("en")
    assert "按下标取值" not in run.page()


def test_the_interface_changes_its_language_at_once(run: Any) -> None:
    """Every part words itself again."""
    run.open("tensors/gather.en.md")
    run.window.deferred.view_commands.choose_language("zh")
    assert "搜索" in run.window.search_controller.field.placeholderText()
    assert "笔记" in run.window.status.index.text()
    assert run.window.commands.action("edit").text() == "编辑 / 阅读"
    assert load(run.workspace.places.data / "settings.json", Preferences).value.language == "zh"


def test_light_and_dark_are_worn_by_choice(run: Any) -> None:
    """The choice is kept."""
    run.open("tensors/gather.en.md")
    run.window.deferred.view_commands.choose_theme("dark")
    assert run.look.theme.dark
    assert run.window.grab().toImage().pixelColor(5, 300).lightness() < 80
    run.window.deferred.view_commands.choose_theme("light")
    assert not run.look.theme.dark
    assert run.window.grab().toImage().pixelColor(5, 300).lightness() > 200


def test_back_and_forward_walk_through_what_was_read(run: Any) -> None:
    """Also by the links of a note."""
    run.open("tensors/gather.en.md")
    run.open("tensors/expand.md")
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        run.workspace.notes.back()
    assert run.workspace.notes.current.place.path == "tensors/gather.en.md"
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        run.workspace.notes.forward()
    assert run.workspace.notes.current.place.path == "tensors/expand.md"


def test_a_wikilink_opens_its_note_and_a_missing_one_is_said(run: Any) -> None:
    """Nothing else happens by a click."""
    run.open("tensors/expand.md")
    view = run.window.central.reader.view
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        view.link_activated.emit("tensors/gather")
    assert run.workspace.notes.current.entry.key == "tensors/gather"
    view.link_activated.emit("nowhere.md")
    run.until(lambda: any("nowhere" in card.notice.en for card in run.window.central.notification_bar.cards))


def test_file_and_strange_schemes_are_shown_and_asked_about(run: Any) -> None:
    """The true target stands in the question; nothing is opened."""
    run.open("tensors/expand.md")
    for link in ("file:///etc/passwd", "vbscript:run"):
        run.window.central.reader.view.link_activated.emit(link)
        run.until(lambda link=link: any(link in card.notice.en for card in run.window.central.notification_bar.cards))
    assert all(card.notice.kind == "asked" for card in run.window.central.notification_bar.cards)


def test_the_outline_lists_headings_and_backlinks(run: Any) -> None:
    """What is on the page, and who links to it."""
    run.open("tensors/expand.md")
    outline = run.window.outline
    assert list(outline._headings) == ["expand-and-broadcasting"]
    run.until(lambda: run.workspace.vault_scanner.linked_from("tensors/expand") == ("tensors/gather",))
    assert visible(outline._links_part)


def test_an_edit_is_saved_shown_and_found_at_once(run: Any) -> None:
    """The key, a word, back: the file has it, the reader shows it, the search finds it."""
    run.open("tensors/expand.md")
    run.window.central.toggle_editor()
    assert run.window.central.editing
    source = run.window.central.editor.source
    source.moveCursor(source.textCursor().MoveOperation.End)
    QTest.keyClicks(source, "Kronecker products.")
    run.window.central.toggle_editor()
    file = run.vault / "tensors" / "expand.md"
    run.until(lambda: "Kronecker" in file.read_text("utf-8"))
    run.until(lambda: "Kronecker" in run.page())
    found: list[Any] = []
    run.workspace.search_service.answered.connect(found.append)
    run.workspace.search_service.indexed.connect(lambda _: run.workspace.search_service.search("kronecker"))
    run.workspace.search_service.search("kronecker")
    run.until(lambda: any(hit.path == "tensors/expand.md" for result in found for hit in result.hits))


def test_another_programs_change_is_shown(run: Any) -> None:
    """Within two seconds, at the same place, without a question."""
    run.open("tensors/expand.md")
    (run.vault / "tensors" / "expand.md").write_text("# expand\n\nRewritten elsewhere.\n", "utf-8")
    run.until(lambda: "Rewritten elsewhere" in run.page(), seconds=5)


def test_the_open_note_deleted_elsewhere_stays_in_view_and_is_said(run: Any) -> None:
    """It is not made again."""
    run.open("tensors/expand.md")
    (run.vault / "tensors" / "expand.md").unlink()
    run.until(
        lambda: any("no longer in the vault" in card.notice.en for card in run.window.central.notification_bar.cards)
    )
    assert "no memory" in run.page()
    assert not (run.vault / "tensors" / "expand.md").exists()


def test_a_new_note_is_made_and_edited(run: Any) -> None:
    """From the command to the editor; a path that leads out of the vault is refused while it is typed."""
    prompt = run.window.deferred.note_commands.prompt
    run.window.commands.run("new")
    prompt.field.setText("../freezing")
    assert not prompt.button.isEnabled()
    prompt.field.setText("training/freezing.en")
    prompt.take()
    run.until(lambda: run.window.central.editing)
    assert (run.vault / "training" / "freezing.en.md").read_text("utf-8") == "# freezing\n\n"


def test_a_note_that_is_asked_for_opens_whatever_changes_meanwhile(run: Any) -> None:
    """A change of the note in view, noticed while another is being opened, does not call that one off."""
    run.open("tensors/gather.en.md")
    run.workspace.open_note("tensors/expand.md")
    run.workspace.notes.changed(frozenset({"tensors/gather.en.md"}))
    run.until(lambda: run.workspace.notes.current.place.path == "tensors/expand.md")


def test_the_state_of_a_vault_comes_back(opened: Any, places: UserPaths) -> None:
    """Note, mode, panels: as they were left."""
    first = opened(None)
    first.until(lambda: first.workspace.notes.current is not None)
    first.open("tensors/expand.md")
    first.workspace.choose_mode("zh")
    first.window.toggle_outline()
    first.window.deferred.close_guard.force_close()
    first.until(lambda: not first.window.isVisible())
    kept = load(places.for_vault(places.user_vault).state, VaultState).value
    assert (kept.note, kept.mode, kept.outline_shown) == ("tensors/expand.md", "zh", False)
    second = opened(None)
    second.until(lambda: second.workspace.notes.current is not None)
    assert second.workspace.notes.current.place.path == "tensors/expand.md"
    assert not visible(second.window.outline)


def test_broken_settings_are_set_aside_and_told(opened: Any, places: UserPaths) -> None:
    """The window opens with the defaults; the broken file is kept."""
    places.data.mkdir(parents=True)
    (places.data / "settings.json").write_text('{"theme": ', "utf-8")
    run = opened(None)
    run.until(lambda: any("settings" in card.notice.en for card in run.window.central.notification_bar.cards))
    assert (places.data / "settings.json.broken").read_text("utf-8") == '{"theme": '
    assert json.loads((places.data / "settings.json").read_text("utf-8"))["theme"] == "system"


def test_a_missing_vault_is_a_sentence_with_a_way_out(opened: Any, tmp_path: Path) -> None:
    """The own vault opens from the notice."""
    run = opened(tmp_path / "gone")
    run.until(lambda: run.window.central.notification_bar.cards)
    card = run.window.central.notification_bar.cards[0]
    assert str(tmp_path / "gone") in card.notice.en
    button = next(button for button, choice in card.buttons if choice.en == "Open your own vault")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    run.until(lambda: run.workspace.notes.entries)


def test_an_exception_in_a_slot_is_told_once_and_logged(run: Any) -> None:
    """The window lives on, and what is typed is kept."""
    run.faults.install()
    try:
        for _ in range(3):
            run.faults._on_exception(RuntimeError, RuntimeError("a slot broke"), None)
        run.until(lambda: run.window.central.notification_bar.cards)
        assert sum("a slot broke" in card.notice.en for card in run.window.central.notification_bar.cards) == 1
        assert "a slot broke" in run.faults.log_file.read_text("utf-8")
    finally:
        run.faults.remove()


def test_every_control_has_a_name(run: Any) -> None:
    """A screen reader can say what each control is."""
    run.open("tensors/gather.en.md")
    for kind in (QAbstractButton, QLineEdit, QTreeView):
        for control in run.window.findChildren(kind):
            if control.isVisible() and control.focusPolicy() != Qt.FocusPolicy.NoFocus:
                named = control.accessibleName() or (control.text() if isinstance(control, QAbstractButton) else "")
                assert named, (
                    f"{type(control).__name__} {control.objectName()} at {control.mapTo(run.window, QPoint())}"
                )


def test_the_open_note_stays_in_sight_where_the_tree_becomes_lower(run: Any) -> None:
    """As when the tags are listed below it; what was scrolled away stays away."""
    for number in range(30):
        (run.vault / "tensors" / f"more-{number:02}.md").write_text(f"# More {number}\n", "utf-8")
    run.workspace.notes.reload()
    tree, bar = run.window.tree.view, run.window.tree.view.verticalScrollBar()
    run.until(lambda: len(run.workspace.notes.entries) > 30)
    run.open("tensors/more-29.md")
    run.until(lambda: tree.currentIndex().data() == "More 29")

    def seen() -> bool:
        return bool(tree.visualRect(tree.currentIndex()).bottom() <= tree.viewport().height())

    assert seen()
    tree.setMaximumHeight(tree.height() - 150)
    run.until(seen)
    bar.setValue(0)
    tree.setMaximumHeight(tree.height() - 50)
    QApplication.processEvents()
    assert bar.value() == 0


def test_the_palette_says_where_there_is_no_such_command(run: Any) -> None:
    """In place of an empty box, and in the language of the window; the field stays where it was."""
    palette = run.window.deferred.command_palette
    palette.ask()
    before = palette.field.geometry()
    palette.field.setText("zzzz")
    QApplication.processEvents()
    assert palette.none.isVisible()
    assert palette.none.text() == "There is no such command."
    assert palette.list.isHidden()
    assert palette.field.geometry() == before
    palette.field.setText("dark")
    QApplication.processEvents()
    assert palette.none.isHidden()
    assert palette.list.isVisible()
    palette.hide()


def test_the_palette_finds_commands_in_both_languages(run: Any) -> None:
    """Enter does the command."""
    palette = run.window.deferred.command_palette
    palette.ask()
    palette.field.setText("深色")
    assert palette.list.model().rowCount() == 1
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert run.look.theme.dark
    run.window.deferred.view_commands.choose_theme("light")


def test_a_folder_without_notes_says_so_in_either_language(opened: Any, tmp_path: Path) -> None:
    """Also after the language was changed: it is not being listed any more."""
    root = tmp_path / "bare"
    root.mkdir()
    run = opened(root)
    empty = run.window.tree._empty
    run.until(lambda: "No notes in this folder yet" in empty.text())
    run.words.switch("zh")
    assert "还没有笔记" in empty.text()
    (root / "a.md").write_text("# a\n", "utf-8")
    run.until(lambda: not empty.isVisible())
