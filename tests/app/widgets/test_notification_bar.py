"""Notifications above the page."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.style.appearance import Appearance
from app.widgets.notification import Notification, NotificationAction, of_error
from app.widgets.notification_bar import NotificationBar
from kb.errors import NoteMissing


@pytest.fixture
def strip(look: Appearance, qtbot: QtBot) -> NotificationBar:
    """Return an empty bar."""
    made = NotificationBar(Translator("en"), look)
    qtbot.addWidget(made)
    return made


def test_a_newer_notice_of_a_topic_replaces_the_older(strip: NotificationBar) -> None:
    """The same sentence twice is one notification, too."""
    strip.show_notice(Notification("一", "one", topic="a"))
    strip.show_notice(Notification("二", "two", topic="a"))
    strip.show_notice(Notification("三", "three"))
    strip.show_notice(Notification("三", "three"))
    assert [card.notice.en for card in strip.cards] == ["two", "three"]
    assert not strip.isHidden()


def test_no_more_than_four_are_shown(strip: NotificationBar) -> None:
    """The page must stay visible."""
    for number in range(9):
        strip.show_notice(Notification(str(number), str(number)))
    assert [card.notice.en for card in strip.cards] == ["5", "6", "7", "8"]


def test_a_choice_is_done_and_puts_the_notice_away(strip: NotificationBar) -> None:
    """Its action runs once."""
    done: list[int] = []
    strip.show_notice(Notification("问", "ask", "asked", (NotificationAction("好", "Yes", lambda: done.append(1)),)))
    strip.cards[0].buttons[0][0].click()
    assert done == [1]
    assert strip.cards == []
    assert strip.isHidden()


def test_what_no_longer_matters_goes(strip: NotificationBar) -> None:
    """It is removed by its topic, or by its close button."""
    strip.show_notice(Notification("一", "one", topic="a"))
    strip.show_notice(Notification("二", "two", topic="b"))
    strip.drop("a")
    strip.cards[0].done.click()
    assert strip.cards == []


def test_an_error_is_said_in_both_languages() -> None:
    """Errors of the program have a sentence in each language; others are quoted."""
    notice = of_error(NoteMissing("a.md"))
    assert "a.md" in notice.zh
    assert notice.zh != notice.en
    assert "boom" in of_error(ValueError("boom")).en


def test_what_matters_for_the_moment_goes_by_itself(
    strip: NotificationBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A passing notification disappears after some time, others stay."""
    monkeypatch.setattr("app.widgets.notification_bar.PASSING_MS", 100)
    strip.show_notice(Notification("留", "stays"))
    strip.show_notice(Notification("过", "passes", passing=True))
    qtbot.waitUntil(lambda: [card.notice.en for card in strip.cards] == ["stays"], timeout=30_000)
    qtbot.waitUntil(lambda: not strip.busy, timeout=30_000)
