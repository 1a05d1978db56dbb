"""Notices above the page."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.parts.notice import Choice, Notice, of_error
from app.parts.strip import Strip
from app.style.look import Look
from app.words import Words
from kb.errors import NoteMissing


@pytest.fixture
def strip(look: Look, qtbot: QtBot) -> Strip:
    """Give an empty strip."""
    made = Strip(Words("en"), look)
    qtbot.addWidget(made)
    return made


def test_a_newer_notice_of_a_topic_replaces_the_older(strip: Strip) -> None:
    """And the same sentence twice is one."""
    strip.show_notice(Notice("一", "one", topic="a"))
    strip.show_notice(Notice("二", "two", topic="a"))
    strip.show_notice(Notice("三", "three"))
    strip.show_notice(Notice("三", "three"))
    assert [card.notice.en for card in strip.cards] == ["two", "three"]
    assert not strip.isHidden()


def test_no_more_than_four_are_shown(strip: Strip) -> None:
    """The page must be seen."""
    for number in range(9):
        strip.show_notice(Notice(str(number), str(number)))
    assert [card.notice.en for card in strip.cards] == ["5", "6", "7", "8"]


def test_a_choice_is_done_and_puts_the_notice_away(strip: Strip) -> None:
    """Once."""
    done: list[int] = []
    strip.show_notice(Notice("问", "ask", "asked", (Choice("好", "Yes", lambda: done.append(1)),)))
    strip.cards[0].buttons[0][0].click()
    assert done == [1]
    assert strip.cards == []
    assert strip.isHidden()


def test_what_no_longer_matters_goes(strip: Strip) -> None:
    """By its topic, or by its own button."""
    strip.show_notice(Notice("一", "one", topic="a"))
    strip.show_notice(Notice("二", "two", topic="b"))
    strip.drop("a")
    strip.cards[0].done.click()
    assert strip.cards == []


def test_an_error_is_said_in_both_languages() -> None:
    """Ours have sentences; a foreign one is quoted."""
    notice = of_error(NoteMissing("a.md"))
    assert "a.md" in notice.zh
    assert notice.zh != notice.en
    assert "boom" in of_error(ValueError("boom")).en


def test_what_matters_for_the_moment_goes_by_itself(
    strip: Strip, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once there was time to read it; what is to be known or chosen stays."""
    monkeypatch.setattr("app.parts.strip.PASSING_MS", 100)
    strip.show_notice(Notice("留", "stays"))
    strip.show_notice(Notice("过", "passes", passing=True))
    qtbot.waitUntil(lambda: [card.notice.en for card in strip.cards] == ["stays"], timeout=30_000)
    qtbot.waitUntil(lambda: not strip._going.isActive(), timeout=30_000)
