"""Others write the file that is being edited: reloads, conflicts, deletions; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from kb.errors import KbError, NoteMissing, SaveFailed
from kb.notes.note import Note
from tests.app.editor.screen_host import PATH, Screen


def test_unedited_note_is_reloaded(screen: Screen) -> None:
    """Another program writes the note while nothing was typed: the text becomes theirs, and nothing is written."""
    screen.others_write("theirs")
    assert screen.text == "theirs"
    assert screen.desk.count("save") == 0
    assert screen.saver.state.kind == "saved"
    screen.type("theirs and mine")
    screen.saver.save_now()
    assert screen.on_disk == "theirs and mine"


def test_the_same_change_is_no_conflict(screen: Screen) -> None:
    """Another program wrote what we typed: there is nothing to decide."""
    screen.type("two")
    screen.others_write("two")
    assert screen.saver.state.kind == "saved"
    assert screen.desk.count("save") == 0


def test_conflict_keeps_both_versions(screen: Screen, qtbot: QtBot) -> None:
    """Another program rewrites an edited note: theirs is the file, ours a draft, and nothing is written by itself."""
    screen.saver._rest.setInterval(20)
    screen.type("mine")
    screen.others_write("theirs")
    screen.type("mine, more")
    qtbot.wait(100)
    assert screen.states[-1] == "conflict"
    assert screen.states.count("conflict") == 1
    assert screen.on_disk == "theirs"
    qtbot.waitUntil(lambda: screen.desk.drafts[PATH][0] == "mine, more", timeout=30_000)
    screen.saver.save_now()
    assert screen.on_disk == "theirs"


def test_stale_save_becomes_a_conflict(screen: Screen) -> None:
    """A save refused because the file changed unseen turns into the same conflict."""
    screen.type("mine")
    screen.desk.put(PATH, "theirs")
    screen.saver.save_now()
    assert screen.saver.state.kind == "conflict"
    assert screen.saver.theirs is not None
    assert screen.saver.theirs.text == "theirs"
    assert screen.on_disk == "theirs"
    assert screen.desk.drafts[PATH][0] == "mine"


def test_change_told_while_saving(screen: Screen) -> None:
    """Word of another's change comes while a save is under way: it is looked into afterwards."""
    screen.desk.held = True
    screen.type("mine")
    screen.saver.save_now()
    screen.others_write("theirs")
    screen.desk.go()
    assert screen.saver.state.kind == "conflict"
    assert screen.on_disk == "theirs"


def test_deletion_told_while_saving(screen: Screen) -> None:
    """Word of a deletion comes while a save is under way: it is looked into afterwards."""
    screen.desk.held = True
    screen.type("mine")
    screen.saver.save_now()
    screen.saver.deleted_outside()
    screen.desk.step()
    del screen.desk.files[PATH]
    screen.desk.go()
    assert screen.saver.state.kind == "gone"


def test_keep_mine(screen: Screen) -> None:
    """The user keeps theirs out: our version is written over the one that was seen."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.saver.keep_mine()
    assert screen.on_disk == "mine"
    assert screen.saver.state.kind == "saved"
    assert screen.desk.drafts == {}


def test_keep_mine_meets_another_change(screen: Screen) -> None:
    """They wrote again after the question was put: it is put again, and their newest stays."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.desk.put(PATH, "theirs again")
    screen.saver.keep_mine()
    assert screen.on_disk == "theirs again"
    assert screen.saver.state.kind == "conflict"


def test_take_theirs(screen: Screen) -> None:
    """The user takes theirs: it is shown, and nothing is written."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.saver.take_theirs()
    assert screen.text == screen.on_disk == "theirs"
    assert screen.desk.count("save") == 0
    assert screen.desk.drafts == {}


def test_keep_both(screen: Screen) -> None:
    """The user keeps both: ours lies beside under a name that says so, also where that name is taken."""
    for turn in ("mine", "mine again"):
        screen.type(turn)
        screen.others_write(f"theirs before {turn}")
        screen.saver.keep_both()
    assert len(screen.beside) == 2
    assert [screen.desk.files[path].decode() for path in screen.beside] == ["mine", "mine again"]
    assert all(path.startswith("a/gather (conflict ") and path.endswith(").zh.md") for path in screen.beside)
    assert screen.text == screen.on_disk == "theirs before mine again"
    assert screen.saver.state.kind == "saved"


def test_keep_both_fails(screen: Screen) -> None:
    """The copy cannot be written: the conflict stays and says why."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.desk.broken = SaveFailed(PATH, "no space left", "磁盘已满")
    screen.saver.keep_both()
    assert screen.saver.state.kind == "conflict"
    assert screen.saver.state.reason()[1] == "no space left"
    assert screen.text == "mine"
    assert screen.desk.drafts[PATH][0] == "mine"


def test_conflict_dissolves(screen: Screen) -> None:
    """They take their change back: there is no conflict any more, and autosave goes on."""
    screen.type("mine")
    screen.others_write("theirs")
    screen.others_write("one\n")
    assert screen.saver.state.kind == "unsaved"
    assert screen.saver.due


def test_deleted_note_is_not_made_again(screen: Screen, qtbot: QtBot) -> None:
    """The file is deleted: typing goes into a draft only, until the user says where it belongs."""
    screen.saver._rest.setInterval(20)
    del screen.desk.files[PATH]
    screen.saver.deleted_outside()
    screen.type("two")
    screen.saver.save_now()
    qtbot.wait(60)
    assert screen.on_disk is None
    assert screen.saver.state.kind == "gone"
    qtbot.waitUntil(lambda: screen.desk.drafts.get(PATH, ("",))[0] == "two", timeout=30_000)
    screen.saver.save_again()
    assert screen.on_disk == "two"
    assert screen.states[-1] == "saved"
    assert screen.desk.drafts == {}


def test_deleted_between_keys_and_save(screen: Screen) -> None:
    """The file vanishes before the save: the save does not bring it back."""
    screen.type("two")
    del screen.desk.files[PATH]
    screen.saver.save_now()
    assert screen.on_disk is None
    assert screen.saver.state.kind == "gone"
    assert screen.desk.drafts[PATH][0] == "two"


def test_replaced_file_is_not_gone(screen: Screen) -> None:
    """Word of a deletion during an atomic replace by another editor: the file is there when it is looked for."""
    screen.desk.put(PATH, "theirs")
    screen.saver.deleted_outside()
    assert screen.text == "theirs"
    assert screen.saver.state.kind == "saved"


def test_file_comes_back(screen: Screen) -> None:
    """The file is put back as it was: the note is as before."""
    data = screen.desk.files.pop(PATH)
    screen.saver.deleted_outside()
    screen.desk.files[PATH] = data
    screen.saver.changed_outside(screen.note)
    assert screen.saver.state.kind == "saved"


def test_a_file_that_was_away_for_a_moment(screen: Screen) -> None:
    """It is as it was, whoever finds that out; what is read late of an older version changes nothing."""
    older = screen.note
    data = screen.desk.files.pop(PATH)
    screen.saver.deleted_outside()
    screen.desk.files[PATH] = data
    screen.saver.confirmed(older)
    assert screen.saver.state.safe
    screen.type("two")
    screen.saver.save_now()
    screen.saver.confirmed(older)
    assert (screen.text, screen.on_disk, screen.saver.state.kind) == ("two", "two", "saved")


def test_an_older_look_is_no_news(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks found nothing; before they say so, the file is told to be there: it is, and is looked at once more."""
    looks: list[Callable[[Exception], object]] = []
    find: list[Callable[[Note], object]] = []

    def read(_: str, *, done: Callable[[Note], object], failed: Callable[[Exception], object]) -> None:
        looks.append(failed)
        find.append(done)

    monkeypatch.setattr(screen.desk, "read", read)
    screen.saver.deleted_outside()
    screen.saver.deleted_outside()
    screen.saver.changed_outside(screen.note)
    for late in tuple(looks):
        late(NoteMissing(PATH))
    assert screen.saver.state.kind == "saved"
    assert len(looks) == 3
    find[-1](screen.desk.put(PATH, "theirs"))
    assert screen.text == "theirs"


def test_save_again_meets_a_new_file(screen: Screen) -> None:
    """Someone made the file again: it is not overwritten."""
    screen.type("two")
    del screen.desk.files[PATH]
    screen.saver.save_now()
    screen.desk.put(PATH, "theirs")
    screen.saver.save_again()
    assert screen.on_disk == "theirs"
    assert screen.saver.state.kind == "conflict"


def test_unreadable_file_is_told(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file cannot be looked at: the state says why, and the draft is kept."""
    screen.type("two")
    monkeypatch.setattr(
        screen.desk, "read", lambda path, *, done, failed: failed(KbError("the disk is away", "磁盘已断开"))
    )
    screen.saver.deleted_outside()
    assert screen.saver.state.kind == "failed"
    assert screen.saver.state.reason() == ("磁盘已断开", "the disk is away")
    assert screen.desk.drafts[PATH][0] == "two"
