"""What one does with notes all day, in the window: beginning, naming, moving them, and leaving what is no note."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.runs.active_runs import CellKey
from app.state import vault_setup
from app.style.stylesheets import TEXT_PX
from kb.errors import VaultMissing
from kb.files.paths import UserPaths
from kb.notes.note import hash_of
from tests.e2e.test_note_commands import NOTE, answer, text_of


def source_of(run: Any, path: str) -> Any:
    """Wait for the editor to hold a note, and return its source."""
    editor = run.window.central.editor
    run.until(lambda: run.window.central.editing and editor.path == path and not editor.source.loading)
    return editor.source


def told(run: Any) -> list[str]:
    """Return the notices that stand above the page, in English."""
    return [card.notice.en for card in run.window.central.notification_bar.cards]


def test_one_writes_beneath_the_title_of_a_new_note(run: Any) -> None:
    """The title stands already: what is typed first comes under it, in a new note and in one of the other language."""
    answer(run, "new", "days/monday")
    QTest.keyClicks(source_of(run, "days/monday.md"), "first words")
    run.window.central.editor.save_now()
    run.until(lambda: text_of(run, "days/monday.md") == "# monday\n\nfirst words")
    run.window.commands.run("translate")
    QTest.keyClicks(source_of(run, "days/monday.zh.md"), "more")
    run.window.central.editor.save_now()
    run.until(lambda: text_of(run, "days/monday.zh.md").startswith("# monday\nmore"))


def test_a_note_begun_without_a_language_stands_beside_its_twin(run: Any) -> None:
    """x.md and x.zh.md are read side by side: neither hides the other."""
    (run.vault / "tensors" / "expand.zh.md").write_text("# 扩展\n\n并排的中文。\n", "utf-8")
    run.workspace.choose_mode("both")
    run.open("tensors/expand.md")
    run.until(lambda: "并排的中文" in run.page())
    assert "takes no memory" in run.page()


def test_a_heading_is_renamed_from_the_top_of_a_note(run: Any) -> None:
    """Above the first heading, where front matter is, the first one is meant; a note without any says so."""
    run.workspace.choose_mode("en")
    run.open(NOTE)
    answer(run, "rename_heading", "gather rows")
    run.until(lambda: "# gather rows" in text_of(run, NOTE))
    (run.vault / "plain.md").write_text("no heading at all\n", "utf-8")
    run.open("plain.md")
    run.window.commands.run("rename_heading")
    assert not run.window.deferred.note_commands.prompt.isVisible()
    assert "This note has no heading." in told(run)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("gather", '"gather" was moved to the top'),
        ("a/b/gather", '"gather" was moved to a/b'),
        ("tensors/collect", '"gather" is tensors/collect now'),
        ("collect", '"gather" is collect now'),
    ],
)
def test_it_is_said_what_became_of_a_note(run: Any, key: str, said: str) -> None:
    """Another folder, or another name: a note that keeps its name is not said to be itself."""
    run.open(NOTE)
    answer(run, "rename", key)
    run.until(lambda: any(one.startswith(said) for one in told(run)))


def test_templates_are_begun_with_and_not_in(run: Any) -> None:
    """A vault is not opened at a template, and no new note is proposed among them, unless their folder is asked for."""
    (run.vault / "templates").mkdir()
    (run.vault / "templates" / "a.md").write_text("# {{title}}\n", "utf-8")
    run.workspace.notes.list()
    run.until(lambda: any(entry.folder == "templates" for entry in run.workspace.notes.entries))
    assert vault_setup.start_note(run.workspace.notes.entries).folder == "tensors"
    run.open("templates/a.md")
    run.window.deferred.note_commands.new_note()
    assert run.window.deferred.note_commands.prompt.field.text() == ""
    run.window.deferred.note_commands.new_note("templates")
    assert run.window.deferred.note_commands.prompt.field.text() == "templates/"
    run.window.deferred.note_commands.prompt.hide()


def test_runs_follow_a_note_that_is_renamed(run: Any) -> None:
    """How its code stands, its output on the page and its past runs are those of the same code under the new path."""
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.open(NOTE)
    runs = run.workspace.runs
    before = CellKey(runs.page_key(run.workspace.notes.current), "tensors/gather.zh.md#hello")
    run.window.central.reader.view.run_requested.emit("fence:hello", "cpu")
    run.until(lambda: (known := runs.transcripts.get(before)) and known.judged)
    answer(run, "rename", "basics/collect")
    run.until(lambda: run.workspace.notes.current.entry.key == "basics/collect")
    page = runs.page_key(run.workspace.notes.current)
    run.until(lambda: runs.known.get(page, {}).get("basics/collect.zh.md#hello"))
    run.until(lambda: runs.known[page]["basics/collect.zh.md#hello"].status == "passed")
    run.until(
        lambda: (known := run.workspace.vault_scanner.facts.get("basics/collect")) and known.sign == ("passed", 1)
    )
    assert runs.transcripts[CellKey(page, "basics/collect.zh.md#hello")].judged
    run.window.commands.run("undo_arranging")
    run.until(lambda: run.workspace.notes.current.entry.key == "tensors/gather")
    run.until(lambda: runs.known[before.page]["tensors/gather.zh.md#hello"].status == "passed")


@pytest.mark.parametrize("command", ["settings", "doctor", "log", "about", "replace"])
def test_escape_leaves_any_page_that_is_no_note(run: Any, command: str) -> None:
    """From whatever is focused in it; in the note itself the key means nothing to the middle of the window."""
    run.open(NOTE)
    stack, view = run.window.central.stack, run.window.central.reader.view
    run.window.commands.run(command)
    run.until(lambda: stack.currentWidget() is not view)
    QTest.keyClick(run.window.focusWidget(), Qt.Key.Key_Escape)
    assert stack.currentWidget() is view
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert stack.currentWidget() is view


def test_the_keyboard_stays_where_one_replaces(run: Any) -> None:
    """The button says that words go where nothing comes instead; after replacing the keyboard is in the page still."""
    run.open(NOTE)
    run.window.commands.run("replace")
    page = run.window.central.replace_page
    page.pattern.setText("gather")
    run.until(lambda: page.button.text().startswith("Remove "))
    page.replacement.setText("collect")
    run.until(lambda: page.button.text().startswith("Replace "))
    page.button.setFocus()
    page.replace()
    run.until(lambda: not page.button.isEnabled())
    assert page.isAncestorOf(run.window.focusWidget())


def test_a_note_that_is_put_away_leaves_no_tab(run: Any) -> None:
    """The tab of a file that is gone goes, too, but for the note in view, which is shown still."""
    (run.vault / "third.md").write_text("# third\n", "utf-8")
    run.open(NOTE)
    for path in ("tensors/expand.md", "third.md"):
        run.workspace.open_note(path, new_tab=True)
        run.until(lambda path=path: run.workspace.notes.current.place.path == path)
    assert len(run.workspace.tabs.paths) == 3
    (run.vault / "third.md").unlink()
    (run.vault / "tensors" / "expand.md").unlink()
    run.workspace.notes.list()
    run.until(lambda: run.workspace.tabs.paths == (NOTE, "third.md"))
    run.until(lambda: run.window.central.tabs.count() == 2)


def test_a_list_that_cannot_be_made_is_said(run: Any) -> None:
    """The panel of notes does not go on saying that it is being made."""
    run.workspace.notes.list_failed.emit(VaultMissing(run.vault))
    shown = [label.text() for label in run.window.tree.findChildren(QLabel)]
    assert any(str(run.vault) in text for text in shown)


def test_newer_notes_of_the_program_come_to_ones_own_vault(
    opened: Any, places: UserPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody edited is renewed, what is new comes, and one notice says so and names what was left."""
    shipped, own = tmp_path / "shipped", places.user_vault
    (shipped / "tensors").mkdir(parents=True)
    (shipped / "new.en.md").write_text("# new\n", "utf-8")
    files = ("tensors/gather.en.md", "tensors/gather.zh.md", "tensors/expand.md")
    for path in files:
        (shipped / path).write_text("# newer\n", "utf-8")
    record = places.for_vault(own).shipped
    record.parent.mkdir(parents=True)
    hashes = {path: hash_of((own / path).read_bytes()) for path in files}
    record.write_text(json.dumps({"mark": "of before", "files": hashes}), "utf-8")
    (own / "tensors" / "expand.md").write_text("# mine\n", "utf-8")
    monkeypatch.setattr(vault_setup, "SHIPPED_NOTES", shipped)
    run = opened()
    run.until(lambda: any("1 updated, 1 new" in one for one in told(run)))
    assert any(one.endswith("1 that you edited was kept as it is: tensors/expand.") for one in told(run))
    assert (own / "tensors" / "gather.zh.md").read_text("utf-8") == "# newer\n"
    assert (own / "tensors" / "expand.md").read_text("utf-8") == "# mine\n"
    run.until(lambda: any(entry.key == "new" for entry in run.workspace.notes.entries))


def test_the_menu_stands_in_one_column(run: Any) -> None:
    """However low the screen: at the top is what is done often, and every command that is not hidden is there once."""
    menu = run.window.bar.menu_button.menu()
    menu.aboutToShow.emit()
    top = [action for action in menu.actions() if not action.isSeparator()]
    assert len(top) <= 22
    inner = [action for one in top if one.menu() for action in one.menu().actions() if not action.isSeparator()]
    shown = sorted(action.text() for action in (*top, *inner) if not action.menu())
    assert shown == sorted(run.words(one.zh, one.en) for one in run.window.commands if not one.hidden)


def test_a_long_note_is_there_again_as_it_was_left(opened: Any, places: UserPaths) -> None:
    """The same section at the top, in the same size, whatever fonts the window is given meanwhile."""
    text = "".join(f"## Part {number}\n\n{'Some words that fill a line or two. ' * 30}\n\n" for number in range(80))
    (places.user_vault / "long.md").write_text(f"# Long\n\n{text}", "utf-8")
    state = places.for_vault(places.user_vault).state
    state.parent.mkdir(parents=True)
    state.write_text(json.dumps({"note": "long.md", "anchor": "part-60", "zoom": "120", "mode": "en"}), "utf-8")
    run = opened()
    view = run.window.central.reader.view
    run.until(lambda: "Part 79" in run.page())
    run.until(lambda: view.section == "part-60")
    place = view.place()
    assert abs(place.line - text[: text.index("## Part 60")].count("\n") - 3) <= 1
    size = view.document().defaultFont().pixelSize()
    assert size == round(TEXT_PX * 1.2)
    for kind in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
        QApplication.sendEvent(view, QEvent(kind))
    assert view.document().defaultFont().pixelSize() == size
