"""Signals themselves: that the binding of Qt is sound on this Python. PySide6 6.12.0 on 3.11 aborts after 570."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from pytestqt.qtbot import QtBot

EMISSIONS = 10_000
DISCONNECTIONS = 2_000
SLACK = 50  # references that come and go with other work of the interpreter


class Sender(QObject):
    """Has signals of the kinds that the program uses."""

    flagged = Signal(bool)
    counted = Signal(int)
    told = Signal(object)


def references() -> tuple[int, ...]:
    """Return how often the small constants of the language are referred to; from Python 3.12 on nobody counts that."""
    if sys.version_info >= (3, 12):
        return ()
    return tuple(sys.getrefcount(one) for one in (True, False, None, 1))


@pytest.mark.parametrize("kind", [Qt.ConnectionType.DirectConnection, Qt.ConnectionType.QueuedConnection])
@pytest.mark.parametrize(("name", "value"), [("flagged", True), ("counted", 1), ("told", True), ("told", None)])
def test_ten_thousand_emissions(qtbot: QtBot, kind: Qt.ConnectionType, name: str, value: object) -> None:
    """Each arrives, the program lives, and no reference is lost or kept."""
    sender = Sender()
    taken: list[object] = []
    count = 0

    def take(given: object) -> None:
        nonlocal count
        count += 1
        taken[:] = [given]

    signal = getattr(sender, name)
    signal.connect(take, kind)
    signal.emit(value)
    qtbot.waitUntil(lambda: count == 1)
    before = references()
    for _ in range(EMISSIONS):
        signal.emit(value)
    qtbot.waitUntil(lambda: count == EMISSIONS + 1)
    assert taken == [value]
    assert all(abs(now - then) < SLACK for now, then in zip(references(), before, strict=True))


def test_two_thousand_disconnections(qtbot: QtBot) -> None:
    """Slots that go are not called again, are let go of, and the references are as before."""
    sender = Sender()
    calls: list[object] = []

    def slot() -> Callable[[object], None]:
        return lambda given: calls.append(given)  # noqa: PLW0108 - a new callable each time is what is tested

    before = references()
    for _ in range(DISCONNECTIONS):
        taken = slot()
        sender.flagged.connect(taken)
        sender.flagged.emit(True)
        sender.flagged.disconnect(taken)
        sender.flagged.emit(True)
    assert len(calls) == DISCONNECTIONS
    calls.clear()
    assert all(abs(now - then) < SLACK for now, then in zip(references(), before, strict=True))
    assert sys.getrefcount(taken) == 2  # this name and the call that asks


def test_receivers_that_go_are_forgotten(qtbot: QtBot) -> None:
    """A receiver that is deleted while connected takes its connection along."""
    sender = Sender()
    for _ in range(DISCONNECTIONS):
        receiver = Sender()
        sender.flagged.connect(receiver.flagged)
        del receiver
        sender.flagged.emit(True)
    before = references()
    sender.flagged.emit(True)
    assert all(abs(now - then) < SLACK for now, then in zip(references(), before, strict=True))
