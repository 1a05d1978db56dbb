"""Steps that wait for the first note."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.state.idle_queue import IdleQueue


def test_steps_wait_and_follow_each_other(qtbot: QtBot) -> None:
    """None runs before `start`; then one per turn of the event loop, so that input is handled in between."""
    parent, done = QObject(), []
    queue = IdleQueue(parent)
    queue.schedule(lambda: done.append(1), lambda: done.append(2))
    qtbot.wait(20)
    assert done == []
    queue.start()
    queue.start()
    qtbot.waitUntil(lambda: done == [1, 2], timeout=5_000)


def test_all_is_done_at_once_where_that_is_asked(qtbot: QtBot) -> None:
    """And not again."""
    parent, done = QObject(), []
    queue = IdleQueue(parent)
    queue.schedule(lambda: done.append(1), lambda: done.append(2))
    queue.start()
    queue.flush()
    assert done == [1, 2]
    queue.flush()
    qtbot.wait(20)
    assert done == [1, 2]


def test_what_is_stopped_or_replaced_is_not_done(qtbot: QtBot) -> None:
    """Steps for a vault that was left do not run."""
    parent, done = QObject(), []
    queue = IdleQueue(parent)
    queue.schedule(lambda: done.append(1))
    queue.start()
    queue.schedule(lambda: done.append(2))
    qtbot.wait(20)
    assert done == []
    queue.stop()
    queue.start()
    qtbot.wait(20)
    assert done == []


def test_nothing_waits_for_ever(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the first note takes too long, the steps run without it."""
    monkeypatch.setattr("app.state.idle_queue.FIRST_NOTE_MS", 10)
    parent, done = QObject(), []
    IdleQueue(parent).schedule(lambda: done.append(1))
    qtbot.waitUntil(lambda: done == [1], timeout=5_000)
