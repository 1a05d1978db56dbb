"""Other programs change the edited file: reloads, conflicts, deletions; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from kb.errors import KbError, NoteMissing, SaveFailed
from kb.notes.note import Note
from tests.app.conftest import FakeStore
from tests.app.editor.screen_host import PATH, Screen


def test_unedited_note_is_reloaded(screen: Screen) -> None:
    """If another program writes a note without edits, the text becomes theirs, and nothing is written."""
    screen.others_write("theirs")
    assert screen.text == "theirs"
    assert screen.store.count("save") == 0
    assert screen.saver.state.kind == "saved"
    screen.type("theirs and mine")
    screen.saver.save_now()
    assert screen.on_disk == "theirs and mine"


def test_the_same_change_is_no_conflict(screen: Screen) -> None:
    """If another program wrote the same text, there is no conflict."""
    screen.type("two")
    screen.others_write("two")
    assert screen.saver.state.kind == "saved"
    assert screen.store.count("save") == 0


def test_conflict_keeps_both_versions(screen: Screen, qtbot: QtBot) -> None:
    """If another program rewrites an edited note, theirs stays in the file and ours is kept as a draft."""
    screen.saver._rest.setInterval(20)
    screen.type("mine")
    screen.others_write("theirs")
    screen.type("mine, more")
    qtbot.wait(100)
    assert screen.states[-1] == "conflict"
    assert screen.states.count("conflict") == 1
    assert screen.on_disk == "theirs"
    qtbot.waitUntil(lambda: screen.store.drafts[PATH][0] == "mine, more", timeout=30_000)
    screen.saver.save_now()
    assert screen.on_disk == "theirs"


BASE = "one\ntwo\nthree\nfour\n"


def test_changes_that_do_not_touch_are_merged(store: FakeStore, qtbot: QtBot) -> None:
    """Nobody is asked; the text with both changes is saved, and further typing goes on."""
    screen = Screen(store, BASE)
    screen.saver._rest.setInterval(20)
    screen.type(BASE.replace("one", "mine"))
    screen.others_write(BASE.replace("four", "theirs"))
    assert "conflict" not in screen.states
    assert screen.text == "mine\ntwo\nthree\ntheirs\n"
    screen.type(screen.text + "more\n")
    qtbot.waitUntil(lambda: screen.on_disk == "mine\ntwo\nthree\ntheirs\nmore\n", timeout=30_000)
    assert screen.saver.state.kind == "saved"


def test_a_refused_save_is_merged_too(store: FakeStore) -> None:
    """And their change is not taken for a late report of one of our saves afterwards."""
    screen = Screen(store, BASE)
    screen.type(BASE.replace("one", "mine"))
    theirs = BASE.replace("four", "theirs")
    store.put(PATH, theirs)
    screen.saver.save_now()
    screen.saver.save_now()
    assert screen.on_disk == "mine\ntwo\nthree\ntheirs\n"
    screen.others_write(theirs)
    assert screen.text == theirs


def test_stale_save_becomes_a_conflict(screen: Screen) -> None:
    """A save that is refused because the file changed leads to the same conflict."""
    screen.type("mine")
    screen.store.put(PATH, "theirs")
    screen.saver.save_now()
    assert screen.saver.state.kind == "conflict"
    assert screen.saver.theirs is not None
    assert screen.saver.theirs.text == "theirs"
    assert screen.on_disk == "theirs"
    assert screen.store.drafts[PATH][0] == "mine"


def test_change_told_while_saving(screen: Screen) -> None:
    """If a change is reported during a save, the file is read afterwards."""
    screen.store.held = True
    screen.type("mine")
    screen.saver.save_now()
    screen.others_write("theirs")
    screen.store.go()
    assert screen.saver.state.kind == "conflict"
    assert screen.on_disk == "theirs"


def test_deletion_told_while_saving(screen: Screen) -> None:
    """If a deletion is reported during a save, the file is read afterwards."""
    screen.store.held = True
    screen.type("mine")
    screen.saver.save_now()
    screen.saver.deleted_outside()
    screen.store.step()
    del screen.store.files[PATH]
    screen.store.go()
    assert screen.saver.state.kind == "gone"


def test_keep_mine(screen: Screen) -> None:
    """If the user keeps ours, it overwrites the version that was shown."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.saver.keep_mine()
    assert screen.on_disk == "mine"
    assert screen.saver.state.kind == "saved"
    assert screen.store.drafts == {}


def test_keep_mine_meets_another_change(screen: Screen) -> None:
    """If they write again before the answer, the user is asked again, and their newest version stays."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.store.put(PATH, "theirs again")
    screen.saver.keep_mine()
    assert screen.on_disk == "theirs again"
    assert screen.saver.state.kind == "conflict"


def test_take_theirs(screen: Screen) -> None:
    """If the user takes theirs, it is shown, and nothing is written."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.saver.take_theirs()
    assert screen.text == screen.on_disk == "theirs"
    assert screen.store.count("save") == 0
    assert screen.store.versions == ["mine"]
    assert screen.store.drafts == {}


def test_keep_both(screen: Screen) -> None:
    """If the user keeps both, ours is saved under a name that says so, also if that name is taken."""
    for turn in ("mine", "mine again"):
        screen.type(turn)
        screen.others_write(f"theirs before {turn}")
        screen.saver.keep_both()
    assert len(screen.beside) == 2
    assert [screen.store.files[path].decode() for path in screen.beside] == ["mine", "mine again"]
    assert all(path.startswith("a/gather (conflict ") and path.endswith(").zh.md") for path in screen.beside)
    assert screen.text == screen.on_disk == "theirs before mine again"
    assert screen.saver.state.kind == "saved"


def test_keep_both_fails(screen: Screen) -> None:
    """If the copy cannot be written, the conflict stays and says why."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.store.broken = SaveFailed(PATH, "no space left", "磁盘已满")
    screen.saver.keep_both()
    assert screen.saver.state.kind == "conflict"
    assert screen.saver.state.reason()[1] == "no space left"
    assert screen.text == "mine"
    assert screen.store.drafts[PATH][0] == "mine"


def test_conflict_dissolves(screen: Screen) -> None:
    """If they revert their change, the conflict ends, and autosave continues."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.others_write("one\n")
    assert screen.saver.state.kind == "unsaved"
    assert screen.saver.due


def test_deleted_note_is_not_made_again(screen: Screen, qtbot: QtBot) -> None:
    """If the file is deleted, edits are only kept as a draft until the user decides."""
    screen.saver._rest.setInterval(20)
    del screen.store.files[PATH]
    screen.saver.deleted_outside()
    screen.type("two")
    screen.saver.save_now()
    qtbot.wait(60)
    assert screen.on_disk is None
    assert screen.saver.state.kind == "gone"
    qtbot.waitUntil(lambda: screen.store.drafts.get(PATH, ("",))[0] == "two", timeout=30_000)
    screen.saver.save_again()
    assert screen.on_disk == "two"
    assert screen.states[-1] == "saved"
    assert screen.store.drafts == {}


def test_deleted_between_keys_and_save(screen: Screen) -> None:
    """If the file vanishes before the save, the save does not recreate it."""
    screen.type("two")
    del screen.store.files[PATH]
    screen.saver.save_now()
    assert screen.on_disk is None
    assert screen.saver.state.kind == "gone"
    assert screen.store.drafts[PATH][0] == "two"


def test_replaced_file_is_not_gone(screen: Screen) -> None:
    """If a deletion is reported during an atomic replace by another editor, reading finds the file."""
    screen.store.put(PATH, "theirs")
    screen.saver.deleted_outside()
    assert screen.text == "theirs"
    assert screen.saver.state.kind == "saved"


def test_file_comes_back(screen: Screen) -> None:
    """If the file is restored unchanged, the note is as before."""
    data = screen.store.files.pop(PATH)
    screen.saver.deleted_outside()
    screen.store.files[PATH] = data
    screen.saver.changed_outside(screen.note)
    assert screen.saver.state.kind == "saved"


def test_a_file_that_was_away_for_a_moment(screen: Screen) -> None:
    """Any report may notice it; a late answer about an older version changes nothing."""
    older = screen.note
    data = screen.store.files.pop(PATH)
    screen.saver.deleted_outside()
    screen.store.files[PATH] = data
    screen.saver.confirmed(older)
    assert screen.saver.state.safe
    screen.type("two")
    screen.saver.save_now()
    screen.saver.confirmed(older)
    assert (screen.text, screen.on_disk, screen.saver.state.kind) == ("two", "two", "saved")


def test_an_older_look_is_no_news(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the file is reported before failed reads answer, it counts as present and is read once more."""
    looks: list[Callable[[Exception], object]] = []
    find: list[Callable[[Note], object]] = []

    def read(_: str, *, done: Callable[[Note], object], failed: Callable[[Exception], object]) -> None:
        looks.append(failed)
        find.append(done)

    monkeypatch.setattr(screen.store, "read", read)
    screen.saver.deleted_outside()
    screen.saver.deleted_outside()
    screen.saver.changed_outside(screen.note)
    for late in tuple(looks):
        late(NoteMissing(PATH))
    assert screen.saver.state.kind == "saved"
    assert len(looks) == 3
    find[-1](screen.store.put(PATH, "theirs"))
    assert screen.text == "theirs"


def test_save_again_meets_a_new_file(screen: Screen) -> None:
    """A file that another program recreated is not overwritten."""
    screen.type("two")
    del screen.store.files[PATH]
    screen.saver.save_now()
    screen.store.put(PATH, "theirs")
    screen.saver.save_again()
    assert screen.on_disk == "theirs"
    assert screen.saver.state.kind == "conflict"


def test_unreadable_file_is_told(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the file cannot be read, the state says why, and the draft is kept."""
    screen.type("two")
    monkeypatch.setattr(
        screen.store, "read", lambda path, *, done, failed: failed(KbError("the disk is away", "磁盘已断开"))
    )
    screen.saver.deleted_outside()
    assert screen.saver.state.kind == "failed"
    assert screen.saver.state.reason() == ("磁盘已断开", "the disk is away")
    assert screen.store.drafts[PATH][0] == "two"
