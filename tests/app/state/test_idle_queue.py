"""What waits until the first note is there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.state.idle_queue import IdleQueue


def test_steps_wait_and_follow_each_other(qtbot: QtBot) -> None:
    """None is done before the word is given; then one in a turn, so that a key comes between."""
    parent, done = QObject(), []
    settling = IdleQueue(parent)
    settling.schedule(lambda: done.append(1), lambda: done.append(2))
    qtbot.wait(20)
    assert done == []
    settling.start()
    settling.start()
    qtbot.waitUntil(lambda: done == [1, 2], timeout=5_000)


def test_all_is_done_at_once_where_that_is_asked(qtbot: QtBot) -> None:
    """And not again."""
    parent, done = QObject(), []
    settling = IdleQueue(parent)
    settling.schedule(lambda: done.append(1), lambda: done.append(2))
    settling.start()
    settling.flush()
    assert done == [1, 2]
    settling.flush()
    qtbot.wait(20)
    assert done == [1, 2]


def test_what_is_stopped_or_replaced_is_not_done(qtbot: QtBot) -> None:
    """A vault that was left has nothing more done for it."""
    parent, done = QObject(), []
    settling = IdleQueue(parent)
    settling.schedule(lambda: done.append(1))
    settling.start()
    settling.schedule(lambda: done.append(2))
    qtbot.wait(20)
    assert done == []
    settling.stop()
    settling.start()
    qtbot.wait(20)
    assert done == []


def test_nothing_waits_for_ever(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first note is long in coming the rest goes on without it."""
    monkeypatch.setattr("app.state.idle_queue.FIRST_NOTE_MS", 10)
    parent, done = QObject(), []
    IdleQueue(parent).schedule(lambda: done.append(1))
    qtbot.waitUntil(lambda: done == [1], timeout=5_000)
