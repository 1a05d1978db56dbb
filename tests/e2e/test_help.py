"""Help in the window: the manual, the machine, the log, and which program this is."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton

import torchleaf
from app.commands.registry import Commands
from app.error_reporting import LOG
from kb.files.paths import UserPaths
from kb.vault.vault import SHIPPED_NOTES


def told(page: Any) -> str:
    """Return all that a page says."""
    return "\n".join(label.text() for label in page.findChildren(QLabel))


def test_the_machine_is_checked_in_the_window(run: Any) -> None:
    """What the command line's doctor finds, in the language of the interface; Escape gives the page back."""
    run.open("tensors/expand.md")
    run.window.commands.run("doctor")
    page = run.window.central.stack.currentWidget()
    run.until(lambda: "PySide6" in told(page))
    run.words.switch("zh" if run.words.language == "en" else "en")
    assert run.words("中文字体", "Chinese font") in told(page)
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert run.window.central.stack.currentWidget() is run.window.central.reader.view


def test_the_log_is_shown(run: Any) -> None:
    """Its last lines, or why it cannot be read."""
    LOG.error("a line of the log")
    run.window.commands.run("log")
    page = run.window.central.stack.currentWidget()
    assert str(run.faults.log_file) in page.text.toPlainText()
    run.window.commands.run("about")
    assert f"torchleaf {torchleaf.__version__} (MIT)\n" in page.text.toPlainText()
    for library, licence in (("PySide6-Essentials", "LGPL-3.0"), ("spylls", "MPL-2.0")):
        assert f"{library} {version(library)} ({licence})\n" in page.text.toPlainText()


def test_every_key_is_told_as_the_commands_have_it(run: Any) -> None:
    """The first of each in the manual, and whatever names one before there are commands: buttons, fields, the editor.

    The manual tells those of headings together.
    """
    window = run.window
    keyed = [command for command in window.commands if command.keys and not command.name.startswith("heading_")]
    for page in ("keys.zh.md", "keys.en.md"):
        text = (SHIPPED_NOTES / "manual" / page).read_text("utf-8")
        assert [command.keys[0] for command in keyed if f"`{command.keys[0]}`" not in text] == []
    commands, editor = {command.name: command for command in window.commands}, window.central.editor.source.keys
    told = {button.text(): button.toolTip() for button in window.bar.findChildren(QToolButton)}
    assert Commands.keys(commands["menu"]) in window.bar.menu_button.toolTip()
    assert Commands.keys(commands["search"]) in window.search_controller.field.toolTip()
    for mode, name in (("zh", "中"), ("en", "EN"), ("both", "中 + EN")):
        assert Commands.keys(commands[f"mode_{mode}"]) in told[name]
    for own, name in (
        ("save", "save"),
        ("close", "edit"),
        ("find", "find"),
        ("replace", "replace_here"),
        ("run", "run_block"),
    ):
        assert editor.shortcut_hint(own) == f" ({Commands.keys(commands[name])})"


@pytest.mark.parametrize("there", ["nothing", "a folder"])
def test_a_log_that_says_nothing(run: Any, there: str) -> None:
    """That there is none yet, or why it cannot be read, is said in the language of the interface."""
    run.words.switch("zh")
    log = run.window.deferred.help_commands._log = run.faults.log_file.with_name("other.log")
    if there == "a folder":
        log.mkdir(parents=True)
    run.window.commands.run("log")
    said = run.window.central.stack.currentWidget().text.toPlainText().partition("\n\n")[2]
    assert said == "还没有任何记录。" if there == "nothing" else said.endswith("。")


def test_the_manual_is_opened_or_offered(run: Any) -> None:
    """F1 opens the first note of the manual; a vault without one says where it is."""
    run.window.commands.run("manual")
    assert any("manual" in card.notice.en for card in run.window.central.notification_bar.cards)
    (run.vault / "manual").mkdir()
    (run.vault / "manual" / "index.en.md").write_text("# Manual\n", "utf-8")
    run.workspace.rescan()
    run.until(lambda: any(entry.key == "manual/index" for entry in run.workspace.notes.entries))
    run.window.commands.run("manual")
    run.until(lambda: run.workspace.notes.current is not None)
    run.until(lambda: run.workspace.notes.current.entry.key == "manual/index")


def test_the_manual_comes_with_the_vault_that_it_lies_in(opened: Any, places: UserPaths, tmp_path: Path) -> None:
    """From another vault one step leads to it; who rather stays, for what runs, is not led there later either."""
    (places.user_vault / "manual").mkdir(parents=True)
    (places.user_vault / "manual" / "index.en.md").write_text("# Manual\n", "utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text("# a\n", "utf-8")
    run = opened(tmp_path / "other")
    run.until(lambda: run.workspace.notes.entries)
    agrees: list[bool] = [False, True]
    run.window.deferred.close_guard.may_switch = lambda: agrees.pop(0)
    for stays in (True, False):
        run.window.commands.run("manual")
        next(card for card in run.window.central.notification_bar.cards if card.notice.topic == "manual").buttons[0][
            0
        ].click()
        assert run.window.deferred.help_commands._wants_manual is not stays
    run.until(lambda: (note := run.workspace.notes.current) and note.entry.key == "manual/index")
    assert run.workspace.vault.root == places.user_vault
