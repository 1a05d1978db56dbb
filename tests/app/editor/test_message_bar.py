"""The bar above the source shows one notification and its actions, in the language of the moment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.editor.message_bar import MessageBar
from app.i18n import Translator
from app.style.theme import DARK, LIGHT
from app.widgets.notification import Notification, NotificationAction


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[MessageBar]:
    """Give a bar in a window."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 200)
    made = MessageBar(Translator("en"), LIGHT, window)
    made.resize(900, 60)
    window.show()
    yield made
    made.show_notice(None)


def buttons(bar: MessageBar) -> list[str]:
    return [button.text() for button in bar.findChildren(QPushButton) if button.isVisible()]


def notification(called: list[str]) -> Notification:
    return Notification(
        "句子",
        "A sentence",
        "asked",
        (
            NotificationAction("是", "Yes", lambda: called.append("yes")),
            NotificationAction("否", "No", lambda: called.append("no")),
        ),
    )


def test_it_is_visible_only_with_a_notification(bar: MessageBar) -> None:
    """Without one it takes no room; the buttons of the last one are gone."""
    assert not bar.isVisible()
    bar.show_notice(notification([]))
    assert bar.isVisible()
    assert bar.sentence.text() == "A sentence"
    assert buttons(bar) == ["Yes", "No"]
    bar.show_notice(Notification("别的", "Another"))
    QApplication.processEvents()
    assert (bar.sentence.text(), buttons(bar)) == ("Another", [])
    bar.show_notice(None)
    assert not bar.isVisible()
    assert bar.notice is None


def test_a_button_acts(bar: MessageBar) -> None:
    """Each button calls the action it is named after; the first one is accented."""
    called: list[str] = []
    bar.show_notice(notification(called))
    for button in bar.findChildren(QPushButton):
        button.click()
    assert called == ["yes", "no"]
    assert [button.property("accent") for button in bar.findChildren(QPushButton)] == [True, False]


def test_the_language_changes_at_once(qtbot: QtBot) -> None:
    """Sentence, buttons and their accessible names follow; colours follow the theme."""
    words = Translator("en")
    bar = MessageBar(words, LIGHT)
    qtbot.addWidget(bar)
    bar.show_notice(notification([]))
    words.switch("zh")
    QApplication.processEvents()
    assert bar.sentence.text() == "句子"
    assert buttons(bar) == ["是", "否"]
    bar.set_theme(DARK)
    assert DARK.accent_soft in bar.styleSheet()


def test_a_narrow_bar_puts_the_buttons_below(bar: MessageBar) -> None:
    """The sentence stays readable, and returns to one row when there is room again."""
    bar.show_notice(notification([]))
    QApplication.processEvents()

    def button_is_below() -> bool:
        QApplication.processEvents()
        button = bar.findChildren(QPushButton)[0]
        return button.mapTo(bar, button.rect().topLeft()).y() >= bar.sentence.geometry().bottom()

    assert not button_is_below()
    bar.resize(320, 120)
    assert button_is_below()
    bar.resize(900, 60)
    assert not button_is_below()
