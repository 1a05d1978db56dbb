"""The first start: nothing is made before the window has said what and where, and somebody has agreed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from app.state.settings import Preferences, load
from app.state.vault_setup import asks_first, count_shipped
from kb.files.paths import UserPaths
from kb.vault.vault import SHIPPED_NOTES, Vault
from tests.e2e.conftest import Opener, Run, write_vault
from tests.e2e.random_walk import without_dialogs
from tests.e2e.surfaces import said, texts
from tests.e2e.test_import_export import drop
from tests.e2e.test_surfaces import close_popups, strangers
from tests.pace import slowness

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from PySide6.QtCore import QTimer
from app.main_window import main_window
from app.startup.application import open_window
from kb.files.paths import UserPaths

class Window(main_window.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        QTimer.singleShot(0, self, lambda: print(self.central.empty.begins, flush=True))

main_window.MainWindow = Window
if __name__ == "__main__":
    sys.exit(open_window(None, UserPaths.of_user()))
"""


@pytest.fixture
def places(home: Path) -> UserPaths:
    """Give the places of somebody who never started the program."""
    made = UserPaths.of_user()
    assert {path.name for path in home.iterdir()} <= {".cache"}  # of fontconfig
    return made


@pytest.fixture
def asking(opened: Opener) -> Run:
    """Give a window that asks."""
    run = opened(None)
    assert run.window.central.empty.begins
    return run


def focused(run: Run) -> object:
    """Return what has the keyboard."""
    return run.window.focusWidget()


def choose(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Answer the dialog that asks for a folder."""
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))


def test_enter_makes_the_vault_that_the_page_tells_of(asking: Run, places: UserPaths, home: Path) -> None:
    """The page names the folder and how many notes are put there; only then it is made, and its first note opened."""
    window, page = asking.window, asking.window.deferred.welcome
    labels = [part for part in page.findChildren(QLabel) if part.isVisibleTo(page)]
    shown = " ".join(text for part in labels for _, text in texts(part))
    assert str(places.user_vault) in shown
    assert f" {len(Vault.open(SHIPPED_NOTES).entries())} notes " in shown
    assert not window.tree.isVisible()
    assert not window.outline.isVisible()
    assert {path.name for path in home.iterdir()} <= {".cache"}  # of fontconfig
    assert focused(asking) is page.make_button
    QTest.keyClick(page.make_button, Qt.Key.Key_Return)
    asking.until(lambda: asking.workspace.notes.current)
    assert asking.workspace.vault is not None
    assert asking.workspace.vault.root == places.user_vault
    assert asking.workspace.notes.current.entry.key == "index"  # type: ignore[union-attr]
    parts = (window.tree, window.outline, window.status, window.search_controller.field, window.central.reader.view)
    assert all(part.isVisible() for part in parts)
    assert focused(asking) is window.search_controller.field
    asking.until(lambda: len(asking.workspace.notes.entries) == count_shipped())


def test_closing_the_window_makes_nothing(asking: Run, places: UserPaths, home: Path) -> None:
    """Neither a vault nor an index; the next start asks again."""
    asking.window.close()
    asking.until(lambda: not asking.window.isVisible())
    assert {path.name for path in home.iterdir()} <= {".cache"}  # of fontconfig
    assert asks_first(None, places)


def test_another_folder_is_opened_as_it_is(
    asking: Run, places: UserPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And remembered; one's own vault is asked about again when it is wanted, beside a way back to the note."""
    other = write_vault(tmp_path / "other")
    before = sorted(path.name for path in other.rglob("*"))
    choose(monkeypatch, other)
    QTest.keyClick(asking.window.deferred.welcome.choose_button, Qt.Key.Key_Return)
    asking.until(lambda: asking.workspace.notes.current and asking.workspace.notes.entries)
    assert sorted(path.name for path in other.rglob("*")) == before
    assert load(places.data / "settings.json", Preferences).value.vault == str(other)
    window = asking.window
    window.commands.run("own")
    assert window.central.stack.currentWidget() is window.deferred.welcome
    assert not window.central.empty.begins
    assert window.deferred.welcome.accessibleName() == "Your own vault"
    assert window.tree.isVisible()
    QTest.keyClick(window.deferred.welcome, Qt.Key.Key_Escape)
    assert window.central.stack.currentWidget() is window.central.reader.view
    assert asks_first(None, places)
    window.commands.run("own")
    QTest.mouseClick(window.deferred.welcome.make_button, Qt.MouseButton.LeftButton)
    asking.until(lambda: asking.workspace.vault is not None and asking.workspace.vault.root == places.user_vault)
    asking.until(lambda: window.central.stack.currentWidget() is window.central.reader.view)


def test_an_empty_folder_begins_empty(asking: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is put into it, and the page says how the first note is written."""
    (tmp_path / "new").mkdir()
    choose(monkeypatch, tmp_path / "new")
    asking.window.deferred.welcome.choose_button.click()
    asking.until(lambda: "No notes yet" in asking.window.central.empty.sentence.text())
    assert asking.window.central.empty.sentence.isVisible()
    assert asking.window.search_controller.field.isVisible()
    assert list((tmp_path / "new").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_on_the_page(
    asking: Run, places: UserPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the language of the window; once mended the same button makes it, and until then another folder can be had."""
    places.documents.write_text("in the way", "utf-8")
    page = asking.window.deferred.welcome
    for _ in range(2):
        page.make_button.click()
        page.make_button.click()  # it is being made already
        assert page.make_button.text() == "Creating it…"
        asking.until(page._failed.isVisible)
    assert str(places.user_vault) in page._failed.text()
    assert page.make_button.text() == "Create it and start"
    asking.words.switch("zh")
    assert "无法建立" in page._failed.text()
    places.documents.unlink()
    choose(monkeypatch, tmp_path / "gone")
    page.choose_button.click()
    asking.until(lambda: [card.notice.topic for card in asking.window.central.notification_bar.cards] == ["vault"])
    assert asking.window.central.empty.begins
    page.make_button.click()
    assert not page._failed.isVisible()
    asking.until(lambda: asking.workspace.notes.current)


def test_every_command_waits_for_a_vault(asking: Run, places: UserPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs one says so, the rest works, and none makes one; whatever page it shows, Escape leads back."""
    without_dialogs(monkeypatch, random.Random(1), list)
    window, notices = asking.window, asking.window.central.notification_bar.cards
    needing = set()
    for command in [one for one in window.commands if one.name not in {"quit", "menu"}]:
        window.central.notification_bar.drop("vault first")
        window.commands.run(command.name)
        QApplication.processEvents()
        close_popups()
        if any(card.notice.topic == "vault first" for card in notices):
            needing.add(command.name)
        if (page := window.central.stack.currentWidget()) is not None and page is not window.central.empty:
            QTest.keyClick(page, Qt.Key.Key_Escape)
        assert window.central.stack.currentWidget() is window.central.empty
    assert needing >= {
        "search",
        "new",
        "find",
        "replace",
        "run",
        "verify",
        "import",
        "tree",
        "outline",
        "focus",
        "back",
    }
    assert not needing & {"open", "own", "settings", "palette", "zh", "theme_dark", "doctor", "log", "about"}
    window.resize(window.minimumSize())
    window.resize(1200, 800)
    assert not window.outline.isVisible()
    assert focused(asking) is window.deferred.welcome.make_button
    assert asks_first(None, places)


def test_what_is_dropped_is_a_vault_or_waits_for_one(asking: Run, tmp_path: Path) -> None:
    """A folder is opened; a note has no place to be brought to yet."""
    vault = write_vault(tmp_path / "dropped")
    drop(asking, vault / "tensors" / "expand.md")
    assert [card.notice.topic for card in asking.window.central.notification_bar.cards] == ["vault first"]
    assert "dropped" in asking.window.deferred.import_export.meant([vault])
    drop(asking, vault)
    asking.until(lambda: asking.workspace.vault is not None and asking.workspace.vault.root == vault)
    asking.until(lambda: not asking.window.central.notification_bar.cards)


def test_the_settings_of_a_vault_wait_for_it(asking: Run) -> None:
    """What is kept for each vault cannot be set before; the vault to be made can be opened there, which asks."""
    asking.window.commands.run("settings")
    page = asking.window.settings
    assert page is not None
    assert not any(part.isEnabled() for part in (page.text_size, page.python, page.isolated))
    assert page.theme.isEnabled()
    asking.window.deferred.view_commands.open_vault(None)
    assert asking.window.deferred.welcome.isVisible()
    asking.window.deferred.welcome.make_button.click()
    asking.until(lambda: asking.workspace.notes.current)
    assert page.text_size.isEnabled()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole_in_both_languages(asking: Run, theme: str) -> None:
    """In the smallest window, with the language switched on it; the buttons say to a screen reader what they do."""
    asking.window.deferred.view_commands.choose_theme(theme)
    asking.window.resize(asking.window.minimumSize())
    page = asking.window.deferred.welcome
    for language in ("en", "zh", "en"):
        asking.words.switch(language)
        QApplication.processEvents()
        assert strangers(asking, language) == []
        assert page.verticalScrollBar().maximum() == 0
        assert page.make_button.visibleRegion().boundingRect() == page.make_button.rect()
        told = {one.text(QAccessible.Text.Description) for one, _ in said(page)}
        assert any(str(asking.workspace.places.user_vault) in text for text in told)
    assert Preferences().vault == asking.workspace.settings_store.preferences.vault == ""


def test_the_keyboard_alone_reaches_everything(asking: Run) -> None:
    """Tab goes from the menu to both buttons and around again; F6 leads to the page."""
    page, window = asking.window.deferred.welcome, asking.window
    reached = []
    for _ in range(3):
        reached.append(focused(asking))
        window.focusNextPrevChild(True)
    assert reached == [page.make_button, page.choose_button, window.bar.menu_button]
    assert focused(asking) is page.make_button
    window.bar.menu_button.setFocus()
    window.commands.run("next_part")
    assert focused(asking) is page.make_button


def test_the_manual_follows_the_vault(asking: Run) -> None:
    """F1 says where the manual is; once the vault is made it is opened."""
    asking.window.commands.run("manual")
    asking.window.central.notification_bar.cards[0].buttons[0][0].click()
    asking.window.deferred.welcome.make_button.click()
    asking.until(lambda: (note := asking.workspace.notes.current) and note.entry.key == "manual/index")


def test_the_system_ends_a_window_that_asks(home: Path) -> None:
    """At once, with all its processes, and nothing is made."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home)}
    child = subprocess.Popen([sys.executable, "-c", PROGRAM], env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"True\n"
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=5 * slowness())
    assert child.returncode == 0, errors
    assert {path.name for path in home.iterdir()} - {".cache"} == {"data"}  # fontconfig may make a cache
