"""What app.startup.gui_gc promises: widgets in a circle of references die on the thread that they live on."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.startup.gui_gc import GuiThreadGc


@pytest.fixture
def sweeper(qtbot: QtBot) -> Iterator[GuiThreadGc]:
    """Give one at work."""
    made = GuiThreadGc()
    made.start()
    yield made
    made.stop()


def _circle(deaths: list[str]) -> None:
    """Make an object that only itself holds, and that says on which thread it ends."""

    class Mortal(QObject):
        def __del__(self) -> None:
            deaths.append(threading.current_thread().name)

    made = Mortal()
    made.itself = made  # type: ignore[attr-defined]
    assert isinstance(made, QObject)


def _litter() -> None:
    for _ in range(200_000):
        one: list[object] = []
        one.append(one)


def test_nothing_dies_in_a_worker(sweeper: GuiThreadGc, qtbot: QtBot) -> None:
    """However much garbage a worker makes; it is collected between two events."""
    deaths: list[str] = []
    _circle(deaths)
    worker = threading.Thread(target=_litter)
    worker.start()
    worker.join()
    assert not deaths
    qtbot.waitUntil(lambda: bool(deaths), timeout=30_000)
    assert deaths == [threading.main_thread().name]


def test_without_it_a_worker_collects() -> None:
    """The control: Python collects on the thread that happens to allocate."""
    gc.collect()
    deaths: list[str] = []

    class Mortal:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            deaths.append(threading.current_thread().name)

    def litter_until_it_dies() -> None:
        for _ in range(100):  # from Python 3.14 on a collection goes through a part of what is old
            if not deaths:
                _litter()

    Mortal()
    worker = threading.Thread(target=litter_until_it_dies, name="worker")
    worker.start()
    worker.join()
    assert deaths == ["worker"]


def test_the_collector_is_given_back(qtbot: QtBot) -> None:
    """As it was before, on or off."""
    made = GuiThreadGc()
    assert gc.isenabled()
    made.start()
    assert not gc.isenabled()
    made.stop()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    gc.disable()
    try:
        made.start()
        made.stop()
        assert not gc.isenabled()
    finally:
        gc.enable()
