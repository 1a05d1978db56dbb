"""Autosave: soon, once, never over another program's change, and a failure always leaves a draft."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.editor import autosave
from app.editor.autosave import conflict_path
from app.editor.save_notifications import SaveState
from kb.errors import KbError, NoteMissing, SaveFailed
from kb.vault.drafts import Draft
from tests.app.editor.screen_host import PATH, Screen


def test_saves_after_a_rest(screen: Screen, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change is in the file soon after the last key, in one write, and the states follow in order."""
    screen.saver._rest.setInterval(30)
    for text in ("one t", "one tw", "one two"):
        screen.type(text)
    qtbot.waitUntil(lambda: screen.on_disk == "one two", timeout=30_000)
    assert screen.store.count("save") == 1
    assert screen.states == ["unsaved", "saving", "saved"]


def test_waits_about_a_second() -> None:
    """The pause before a save is a second, and a draft is kept within 300 ms of a key."""
    assert 800 <= autosave.REST <= 1200
    assert autosave.DRAFT <= 300


def test_unchanged_text_is_not_written(screen: Screen) -> None:
    """Typing and undoing it writes nothing."""
    screen.type("two")
    screen.type("one\n")
    screen.saver.save_now()
    assert screen.store.count("save") == 0
    assert screen.saver.state.kind == "saved"
    assert not screen.saver.dirty


def test_save_now_does_nothing_without_edits(screen: Screen) -> None:
    """Losing the focus without an edit neither writes nor reads."""
    screen.saver.save_now()
    assert screen.store.calls == []


def test_typing_goes_on_while_saving(screen: Screen) -> None:
    """Text typed during a save does not count as saved, and is saved next."""
    screen.store.held = True
    screen.type("two")
    screen.saver.save_now()
    screen.type("three")
    screen.saver.save_now()
    screen.store.go()
    assert screen.on_disk == "three"
    assert screen.store.count("save") == 2
    assert screen.saver.state.kind == "saved"


def test_draft_is_kept_and_dropped(screen: Screen, qtbot: QtBot) -> None:
    """Unsaved text is kept as a draft in time, and a save deletes the draft."""
    screen.type("two")
    qtbot.waitUntil(lambda: PATH in screen.store.drafts, timeout=900)
    assert screen.store.drafts[PATH] == ("two", screen.note.hash)
    assert screen.on_disk == "one\n"
    screen.saver.save_now()
    assert screen.store.drafts == {}


def test_draft_follows_the_file(screen: Screen) -> None:
    """After a save during which the text changed, the draft is based on the new file."""
    screen.store.held = True
    screen.type("two")
    screen.saver.save_now()
    screen.type("three")
    screen.store.go()
    assert screen.store.drafts[PATH] == ("three", screen.saver.base.hash)


def test_foreign_draft_survives_a_reload(screen: Screen) -> None:
    """A draft that is still offered is not deleted when the file is reloaded."""
    screen.store.drafts[PATH] = ("old", None)
    screen.others_write("theirs")
    assert screen.store.drafts[PATH] == ("old", None)


def test_failures_are_told_and_retried(screen: Screen, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk: the file stays, the draft is kept, the third failure lasts, and a retry that works clears it."""
    monkeypatch.setattr(autosave, "RETRIES", (20, 20, 20, 20))
    screen.store.broken = SaveFailed(PATH, "no space left", "磁盘已满")
    screen.type("two")
    screen.saver.save_now()
    assert screen.saver.state == SaveState("failed", screen.store.broken, 1)
    assert not screen.saver.state.lasting
    qtbot.waitUntil(lambda: screen.saver.state.lasting, timeout=30_000)
    assert screen.on_disk == "one\n"
    assert screen.store.drafts[PATH][0] == "two"
    assert screen.saver.state.reason() == ("磁盘已满", "no space left")
    screen.store.broken = None
    qtbot.waitUntil(lambda: screen.saver.state.kind == "saved", timeout=30_000)
    assert screen.on_disk == "two"
    assert screen.saver.state.failures == 0
    assert screen.store.drafts == {}


def test_typing_after_a_failure_saves_again(screen: Screen) -> None:
    """A failure does not stop autosave."""
    screen.store.broken = SaveFailed(PATH, "no space left")
    screen.type("two")
    screen.saver.save_now()
    screen.store.broken = None
    screen.type("three")
    assert screen.saver.due
    screen.saver.save_now()
    assert screen.on_disk == "three"


def test_own_echo_is_ignored(screen: Screen) -> None:
    """A report of our own save changes nothing."""
    screen.type("two")
    screen.saver.save_now()
    screen.saver.changed_outside(screen.saver.base)
    assert screen.reloaded == []
    assert screen.saver.state.kind == "saved"


def test_late_echo_of_an_older_save(screen: Screen) -> None:
    """After a late report of an older save of ours, the file is read, and is the newest."""
    screen.type("two")
    screen.saver.save_now()
    older = screen.saver.base
    screen.type("three")
    screen.saver.save_now()
    screen.type("three and more")
    screen.saver.changed_outside(older)
    assert screen.store.count("read") == 1
    assert screen.saver.state.kind == "unsaved"
    assert screen.reloaded == []


def test_older_version_restored_by_others(screen: Screen) -> None:
    """If another program restores an older version of ours, it is shown and not taken for a late report."""
    screen.type("two")
    screen.saver.save_now()
    screen.others_write("one\n")
    assert screen.text == "one\n"
    assert screen.saver.state.kind == "saved"


def test_a_file_that_was_another_only_while_it_was_saved(screen: Screen) -> None:
    """A save refused because the file was changed or missing is retried if the file is as before by then."""
    for other in (b"theirs", None):
        screen.type(f"mine, not {other!r}")
        before = screen.store.files[PATH]
        screen.store.held = True
        screen.saver.save_now()
        if other is None:
            del screen.store.files[PATH]
        else:
            screen.store.files[PATH] = other
        screen.store.step()
        screen.store.files[PATH] = before
        screen.store.go()
        kept: str = screen.saver.state.kind
        assert kept == "unsaved"
        assert screen.saver.due
        screen.saver.save_now()
        assert screen.on_disk == f"mine, not {other!r}"
        assert screen.saver.state.kind == "saved"


def test_locked_note_is_never_written(store: Any, qtbot: QtBot) -> None:
    """A read-only note follows its file and is never saved."""
    screen = Screen(store, locked=KbError("may not be written", "不可写"))
    screen.type("two")
    screen.saver.save_now()
    screen.others_write("theirs")
    assert screen.text == "theirs"
    assert screen.saver.state.kind == "locked"
    assert store.count("save") == store.count("keep_draft") == 0


def test_locked_note_that_is_deleted(store: Any, qtbot: QtBot) -> None:
    """A read-only note that is deleted and restored is read-only again."""
    screen = Screen(store, locked=KbError("may not be written", "不可写"))
    data = store.files.pop(PATH)
    screen.saver.deleted_outside()
    store.files[PATH] = data
    screen.saver.changed_outside(screen.note)
    assert screen.states == ["gone", "locked"]


def test_word_of_another_note_is_ignored(screen: Screen) -> None:
    """A report about another path changes nothing."""
    screen.saver.changed_outside(screen.store.put("b.md", "x"))
    assert screen.reloaded == []


def test_settle_saves_once(screen: Screen) -> None:
    """At the end there is one final save; if it fails, it is not repeated, and the draft holds the text."""
    screen.store.broken = SaveFailed(PATH, "no space left")
    screen.type("two")
    screen.saver.flush()
    screen.saver.flush()
    assert screen.store.count("save") == 1
    assert screen.saver.resting
    assert screen.store.drafts[PATH][0] == "two"


def test_settle_waits(screen: Screen) -> None:
    """It is not at rest during the last save; afterwards it is, and emits a signal."""
    screen.store.held = True
    screen.type("two")
    screen.saver.flush()
    assert not screen.saver.resting
    screen.store.go()
    assert screen.saver.resting
    assert screen.rests
    assert screen.on_disk == "two"


def test_restored_draft_is_saved(screen: Screen) -> None:
    """A restored draft of the same file is saved like typed text, and then deleted."""
    screen.store.drafts[PATH] = ("left behind", screen.note.hash)
    screen.text = "left behind"
    screen.saver.edited()
    screen.saver.restored(Draft(PATH, "left behind", screen.note.hash, 0.0))
    screen.saver.save_now()
    assert screen.on_disk == "left behind"
    assert screen.store.drafts == {}


def test_restored_draft_of_another_file(screen: Screen) -> None:
    """A restored draft whose file changed since is a conflict: the file is not overwritten silently."""
    screen.text = "left behind"
    screen.saver.edited()
    screen.saver.restored(Draft(PATH, "left behind", "another", 0.0))
    screen.saver.save_now()
    assert screen.on_disk == "one\n"
    assert screen.saver.state.kind == "conflict"
    screen.saver.keep_mine()
    assert screen.on_disk == "left behind"


def test_choices_outside_a_conflict_do_nothing(screen: Screen) -> None:
    """Answers to a question that was not asked do nothing."""
    for act in (screen.saver.keep_mine, screen.saver.take_theirs, screen.saver.keep_both, screen.saver.save_again):
        act()
    assert screen.store.calls == []


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
    """The copy keeps the folder, the language and the file type."""
    assert conflict_path(path, datetime(2026, 3, 4, 5, 6, tzinfo=UTC), number=number) == beside


def test_states_word_themselves() -> None:
    """Every state has words in both languages, and an error of another library is shown unchanged."""
    assert SaveState("failed", ValueError("odd")).reason() == ("odd", "odd")
    assert SaveState("saved").reason() == ("", "")
    assert SaveState("gone", NoteMissing(PATH)).reason()[1].startswith("There is no file")
    assert SaveState("saved").safe
    assert SaveState("conflict").words() == ("两个版本", "Two versions")
