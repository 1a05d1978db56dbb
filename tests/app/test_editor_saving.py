"""Autosave: soon, once, never over another's work, and never without a trace of what failed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.editor import saving
from app.editor.drafting import Drafting
from app.editor.saving import Saver, conflict_path
from app.editor.states import SaveState
from kb.drafts import Draft
from kb.errors import KbError, NoteMissing, SaveFailed
from kb.note import Note

PATH = "a/gather.zh.md"


class Screen:
    """A text on the screen with its saver, and what the saver told."""

    def __init__(self, desk: Any, text: str = "one\n", locked: Exception | None = None) -> None:
        self.desk = desk
        self.note: Note = desk.put(PATH, text)
        self.text = text
        self.drafting = Drafting(desk)
        self.saver = Saver(desk, self.drafting, self.note, text=lambda: self.text, locked=locked)
        self.states: list[str] = []
        self.reloaded: list[Note] = []
        self.beside: list[str] = []
        self.rests = 0
        self.saver.state_changed.connect(lambda state: self.states.append(state.kind))
        self.saver.reloaded.connect(self._on_reloaded)
        self.saver.kept_beside.connect(self.beside.append)
        self.saver.rested.connect(self._on_rested)

    def type(self, text: str) -> None:
        """Change the text as a person does."""
        self.text = text
        self.saver.edited()

    @property
    def on_disk(self) -> str | None:
        """What the file says."""
        data = self.desk.files.get(PATH)
        return None if data is None else data.decode()

    def others_write(self, text: str) -> None:
        """Write the file as another program does, and let the watcher tell."""
        self.saver.changed_outside(self.desk.put(PATH, text))

    def _on_reloaded(self, note: Note) -> None:
        self.reloaded.append(note)
        self.type(note.text)  # as the source does: the change on the screen is an edit for Qt

    def _on_rested(self) -> None:
        self.rests += 1


@pytest.fixture
def screen(desk: Any, qtbot: QtBot) -> Iterator[Screen]:
    """Give a text on the screen."""
    made = Screen(desk)
    yield made
    made.saver.stop()


def test_saves_after_a_rest(screen: Screen, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change is in the file soon after the last key, in one write, and the state says so in order."""
    screen.saver._rest.setInterval(30)
    for text in ("one t", "one tw", "one two"):
        screen.type(text)
    qtbot.waitUntil(lambda: screen.on_disk == "one two", timeout=2000)
    assert screen.desk.count("save") == 1
    assert screen.states == ["unsaved", "saving", "saved"]


def test_waits_about_a_second() -> None:
    """The rest before a save is a second, and a draft is kept within 300 ms of a key."""
    assert 800 <= saving.REST <= 1200
    assert saving.DRAFT <= 300


def test_unchanged_text_is_not_written(screen: Screen) -> None:
    """Typing and taking it back writes nothing."""
    screen.type("two")
    screen.type("one\n")
    screen.saver.save_now()
    assert screen.desk.count("save") == 0
    assert screen.saver.state.kind == "saved"
    assert not screen.saver.dirty


def test_save_now_does_nothing_without_edits(screen: Screen) -> None:
    """Losing the focus without an edit neither writes nor reads."""
    screen.saver.save_now()
    assert screen.desk.calls == []


def test_typing_goes_on_while_saving(screen: Screen) -> None:
    """What is typed during a save is not taken for saved, and is saved next."""
    screen.desk.held = True
    screen.type("two")
    screen.saver.save_now()
    screen.type("three")
    screen.saver.save_now()
    screen.desk.go()
    assert screen.on_disk == "three"
    assert screen.desk.count("save") == 2
    assert screen.saver.state.kind == "saved"


def test_draft_is_kept_and_dropped(screen: Screen, qtbot: QtBot) -> None:
    """Unsaved text is a draft within the time of a draft; a save drops it."""
    screen.type("two")
    qtbot.waitUntil(lambda: PATH in screen.desk.drafts, timeout=900)
    assert screen.desk.drafts[PATH] == ("two", screen.note.hash)
    assert screen.on_disk == "one\n"
    screen.saver.save_now()
    assert screen.desk.drafts == {}


def test_draft_follows_the_file(screen: Screen) -> None:
    """After a save that typing has overtaken, the draft is of the new file."""
    screen.desk.held = True
    screen.type("two")
    screen.saver.save_now()
    screen.type("three")
    screen.desk.go()
    assert screen.desk.drafts[PATH] == ("three", screen.saver.base.hash)


def test_foreign_draft_survives_a_reload(screen: Screen) -> None:
    """A draft that is still offered is not dropped because the file was reloaded."""
    screen.desk.drafts[PATH] = ("old", None)
    screen.others_write("theirs")
    assert screen.desk.drafts[PATH] == ("old", None)


def test_failures_are_told_and_retried(screen: Screen, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk: the file stays, the draft is kept, the third failure lasts, and a retry that works clears it."""
    monkeypatch.setattr(saving, "RETRIES", (20, 20, 20, 20))
    screen.desk.broken = SaveFailed(PATH, "no space left", "磁盘已满")
    screen.type("two")
    screen.saver.save_now()
    assert screen.saver.state == SaveState("failed", screen.desk.broken, 1)
    assert not screen.saver.state.lasting
    qtbot.waitUntil(lambda: screen.saver.state.lasting, timeout=2000)
    assert screen.on_disk == "one\n"
    assert screen.desk.drafts[PATH][0] == "two"
    assert screen.saver.state.reason() == ("磁盘已满", "no space left")
    screen.desk.broken = None
    qtbot.waitUntil(lambda: screen.saver.state.kind == "saved", timeout=2000)
    assert screen.on_disk == "two"
    assert screen.saver.state.failures == 0
    assert screen.desk.drafts == {}


def test_typing_after_a_failure_saves_again(screen: Screen) -> None:
    """A failure does not stop autosave."""
    screen.desk.broken = SaveFailed(PATH, "no space left")
    screen.type("two")
    screen.saver.save_now()
    screen.desk.broken = None
    screen.type("three")
    assert screen.saver._rest.isActive()
    screen.saver.save_now()
    assert screen.on_disk == "three"


def test_own_echo_is_ignored(screen: Screen) -> None:
    """The watcher's word of our own save changes nothing."""
    screen.type("two")
    screen.saver.save_now()
    screen.saver.changed_outside(screen.saver.base)
    assert screen.reloaded == []
    assert screen.saver.state.kind == "saved"


def test_late_echo_of_an_older_save(screen: Screen) -> None:
    """Word of the save before last comes late: the file is looked at, and is ours."""
    screen.type("two")
    screen.saver.save_now()
    older = screen.saver.base
    screen.type("three")
    screen.saver.save_now()
    screen.type("three and more")
    screen.saver.changed_outside(older)
    assert screen.desk.count("read") == 1
    assert screen.saver.state.kind == "unsaved"
    assert screen.reloaded == []


def test_older_version_restored_by_others(screen: Screen) -> None:
    """Another program puts back a version that was once ours: it is shown, not taken for an echo."""
    screen.type("two")
    screen.saver.save_now()
    screen.others_write("one\n")
    assert screen.text == "one\n"
    assert screen.saver.state.kind == "saved"


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
    qtbot.waitUntil(lambda: screen.desk.drafts[PATH][0] == "mine, more", timeout=1000)
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
    assert screen.saver._rest.isActive()


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
    qtbot.waitUntil(lambda: screen.desk.drafts.get(PATH, ("",))[0] == "two", timeout=1000)
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


def test_locked_note_is_never_written(desk: Any, qtbot: QtBot) -> None:
    """A note that may not be written is followed, and never saved."""
    screen = Screen(desk, locked=KbError("may not be written", "不可写"))
    screen.type("two")
    screen.saver.save_now()
    screen.others_write("theirs")
    assert screen.text == "theirs"
    assert screen.saver.state.kind == "locked"
    assert desk.count("save") == desk.count("keep_draft") == 0


def test_locked_note_that_is_deleted(desk: Any, qtbot: QtBot) -> None:
    """A read-only note that is deleted and put back is read-only again."""
    screen = Screen(desk, locked=KbError("may not be written", "不可写"))
    data = desk.files.pop(PATH)
    screen.saver.deleted_outside()
    desk.files[PATH] = data
    screen.saver.changed_outside(screen.note)
    assert screen.states == ["gone", "locked"]


def test_word_of_another_note_is_ignored(screen: Screen) -> None:
    """A report about another path changes nothing."""
    screen.saver.changed_outside(screen.desk.put("b.md", "x"))
    assert screen.reloaded == []


def test_settle_saves_once(screen: Screen) -> None:
    """At the end there is one final save; a failing one is not repeated, and the draft holds the text."""
    screen.desk.broken = SaveFailed(PATH, "no space left")
    screen.type("two")
    screen.saver.settle()
    screen.saver.settle()
    assert screen.desk.count("save") == 1
    assert screen.saver.resting
    assert screen.desk.drafts[PATH][0] == "two"


def test_settle_waits(screen: Screen) -> None:
    """While the last save is under way it is not at rest; then it is, and says so."""
    screen.desk.held = True
    screen.type("two")
    screen.saver.settle()
    assert not screen.saver.resting
    screen.desk.go()
    assert screen.saver.resting
    assert screen.rests
    assert screen.on_disk == "two"


def test_restored_draft_is_saved(screen: Screen) -> None:
    """A restored draft of the same file is saved like typed text, and dropped then."""
    screen.desk.drafts[PATH] = ("left behind", screen.note.hash)
    screen.text = "left behind"
    screen.saver.edited()
    screen.saver.restored(Draft(PATH, "left behind", screen.note.hash, 0.0))
    screen.saver.save_now()
    assert screen.on_disk == "left behind"
    assert screen.desk.drafts == {}


def test_restored_draft_of_another_file(screen: Screen) -> None:
    """A restored draft of a file that is another one since is a conflict: the file is not overwritten in silence."""
    screen.text = "left behind"
    screen.saver.edited()
    screen.saver.restored(Draft(PATH, "left behind", "another", 0.0))
    screen.saver.save_now()
    assert screen.on_disk == "one\n"
    assert screen.saver.state.kind == "conflict"
    screen.saver.keep_mine()
    assert screen.on_disk == "left behind"


def test_choices_outside_a_conflict_do_nothing(screen: Screen) -> None:
    """The answers to a question that is not put are no orders."""
    for act in (screen.saver.keep_mine, screen.saver.take_theirs, screen.saver.keep_both, screen.saver.save_again):
        act()
    assert screen.desk.calls == []


@pytest.mark.parametrize(
    ("path", "number", "beside"),
    [
        ("gather.md", 1, "gather (conflict 2026-03-04 0506).md"),
        ("a/b/gather.zh.md", 1, "a/b/gather (conflict 2026-03-04 0506).zh.md"),
        ("v1.2.txt", 2, "v1.2 (conflict 2026-03-04 0506 2).txt"),
        ("bare", 1, "bare (conflict 2026-03-04 0506)"),
    ],
)
def test_conflict_path(path: str, number: int, beside: str) -> None:
    """The copy keeps its folder, its language and its kind."""
    assert conflict_path(path, datetime(2026, 3, 4, 5, 6, tzinfo=UTC), number=number) == beside


def test_states_word_themselves() -> None:
    """Every state has words in both languages, and an error that is not ours is told as it is."""
    assert SaveState("failed", ValueError("odd")).reason() == ("odd", "odd")
    assert SaveState("saved").reason() == ("", "")
    assert SaveState("gone", NoteMissing(PATH)).reason()[1].startswith("There is no file")
    assert SaveState("saved").safe
    assert SaveState("conflict").words() == ("两个版本", "Two versions")
