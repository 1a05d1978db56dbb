"""Background work and its callbacks on the GUI thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.executor import GuiExecutor
from kb.errors import NoteMissing


@pytest.fixture
def executor(qapp: object) -> Iterator[GuiExecutor]:
    """Give an executor with one thread."""
    with contextlib.closing(GuiExecutor(threads=1)) as made:
        yield made


def test_work_leaves_the_gui_thread_and_its_result_returns(executor: GuiExecutor, qtbot: QtBot) -> None:
    """Callbacks come on the GUI thread, in order."""
    found: list[tuple[threading.Thread, threading.Thread]] = []
    for _ in range(2):
        executor.run(threading.current_thread, lambda at: found.append((at, threading.current_thread())), print)
    qtbot.waitUntil(lambda: len(found) == 2, timeout=30_000)
    assert all(back is threading.main_thread() and at is not back for at, back in found)


def test_an_expected_error_is_given_back(executor: GuiExecutor, qtbot: QtBot) -> None:
    """As it was raised."""
    errors: list[Exception] = []

    def work() -> None:
        raise NoteMissing("a.md")

    executor.run(work, lambda _: None, errors.append)
    qtbot.waitUntil(lambda: len(errors) == 1, timeout=30_000)
    assert isinstance(errors[0], NoteMissing)


def test_a_bug_is_reported_too(executor: GuiExecutor, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception hook gets it even if `failed` ignores it."""
    reported: list[type[BaseException]] = []
    monkeypatch.setattr("sys.excepthook", lambda kind, *_: reported.append(kind))
    executor.run(lambda: 1 // 0, lambda _: None, lambda _: None)
    qtbot.waitUntil(lambda: reported == [ZeroDivisionError], timeout=30_000)


def test_after_closing_work_and_callbacks_are_dropped(executor: GuiExecutor, qtbot: QtBot) -> None:
    """Also the callback of work that had ended but was not reported yet."""
    done: list[object] = []
    executor.run(lambda: 1, done.append, done.append).result(timeout=30)
    executor.close()
    future = executor.run(lambda: done.append(2), done.append, done.append)
    executor.post(lambda: done.append(3))
    qtbot.wait(20)
    assert future.cancelled()
    assert done == []
