"""Every save state has words in both languages, and every notification names its reason and its actions."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from app.editor import save_notifications
from app.editor.save_notifications import MANY, Kind, SaveState, reason_to_lock
from app.widgets.notification import Notification
from kb.errors import KbError, SaveFailed
from kb.files.encoding import TextForm
from kb.notes.note import parse
from kb.vault.drafts import Draft


def act() -> None:
    """Do nothing."""


def names(notification: Notification) -> list[str]:
    return [choice.en for choice in notification.choices]


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_state_has_its_own_words(kind: Kind) -> None:
    """No two states share a name, and only a text that its file holds is safe."""
    others = [SaveState(other).words() for other in get_args(Kind) if other != kind]
    words = SaveState(kind).words()
    assert all(words)
    assert words not in others
    assert SaveState(kind).safe == (kind in ("saved", "locked"))


def test_a_state_gives_the_reason_of_its_error() -> None:
    """A failed save tells what the system said, in both languages; other errors their sentence; none nothing."""
    assert SaveState("failed", SaveFailed("n.md", "disk full", "磁盘已满")).reason() == ("磁盘已满", "disk full")
    assert SaveState("locked", KbError("locked", "已锁定")).reason() == ("已锁定", "locked")
    assert SaveState("failed", ValueError("odd")).reason() == ("odd", "odd")
    assert SaveState("saved").reason() == ("", "")


def test_failures_are_shown_from_the_third_on() -> None:
    """One or two failures may pass by themselves."""
    assert [SaveState("failed", None, number).lasting for number in (1, MANY - 1, MANY)] == [False, False, True]


def test_a_note_that_would_be_damaged_is_locked() -> None:
    """Bytes that are invalid in the file's encoding, or too much text, forbid editing; other notes do not."""
    assert reason_to_lock(parse("n.md", b"text"), longest=4) is None
    assert "too large" in str(reason_to_lock(parse("n.md", b"text!"), longest=4))
    broken = replace(parse("n.md", b"text"), form=TextForm(lossless=False))
    assert "not valid in its encoding" in str(reason_to_lock(broken, longest=100))


def test_each_notification_offers_its_actions() -> None:
    """The first action is the safest one, and an action calls what it was given."""
    called: list[str] = []
    conflict = save_notifications.of_conflict(
        SaveState("conflict", KbError("busy", "忙")),
        mine=lambda: called.append("mine"),
        theirs=lambda: called.append("theirs"),
        both=lambda: called.append("both"),
        compare=lambda: called.append("compare"),
    )
    assert names(conflict) == ["Keep both", "Keep mine", "Take theirs", "Show difference"]
    assert "busy" in conflict.en
    assert "忙" in conflict.zh
    for choice in conflict.choices:
        choice.act()
    assert called == ["both", "mine", "theirs", "compare"]
    assert names(save_notifications.of_gone(save_again=act, close=act)) == ["Save again here", "Close"]
    failure = save_notifications.of_failure(SaveState("failed", SaveFailed("n.md", "no space left"), 4), retry=act)
    assert names(failure) == ["Try now"]
    assert "4 times: no space left" in failure.en
    assert save_notifications.of_lock(SaveState("locked", KbError("why", "原因"))).en == "Read-only: why"
    assert "no space left" in save_notifications.of_lost_draft(SaveFailed("n.md", "no space left")).en


@pytest.mark.parametrize("changed", [True, False])
def test_a_draft_says_whether_its_file_changed(*, changed: bool) -> None:
    """Its time is local, and the choice to restore it comes first."""
    draft = Draft("n.md", "text", "hash", 0.0)
    offer = save_notifications.of_draft(draft, changed=changed, restore=act, discard=act, compare=act)
    assert ("changed since" in offer.en) == changed
    assert ("此后文件又被改动过" in offer.zh) == changed
    assert names(offer) == ["Restore", "Show difference", "Discard"]
