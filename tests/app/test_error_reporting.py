"""What went wrong inside is logged and told once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, qWarning
from pytestqt.qtbot import QtBot

from app.error_reporting import ErrorReporter


@pytest.fixture
def faults(tmp_path: Path, qapp: QCoreApplication) -> Iterator[ErrorReporter]:
    """Give listening faults; the hooks go back afterwards."""
    before = sys.excepthook, threading.excepthook
    made = ErrorReporter(tmp_path / "logs", debug=True)
    made.install()
    yield made
    made.remove()
    assert (sys.excepthook, threading.excepthook) == before


def test_the_same_fault_is_told_once_and_logged_each_time(faults: ErrorReporter) -> None:
    """A timer that fails sixty times a second must not flood the window."""
    told: list[str] = []
    faults.happened.connect(told.append)
    for _ in range(3):
        sys.excepthook(ValueError, ValueError("broken timer"), None)
    assert told == ["ValueError: broken timer"]
    assert faults.log_file.read_text("utf-8").count("broken timer") == 3


def test_a_fault_of_a_thread_arrives_on_the_gui_thread(faults: ErrorReporter, qtbot: QtBot) -> None:
    """The thread's name stands in the log."""

    def fail() -> None:
        raise OSError("no disk")

    with qtbot.waitSignal(faults.happened, timeout=30_000) as told:
        thread = threading.Thread(target=fail, name="worker")
        thread.start()
        thread.join()
    assert told.args == ["OSError: no disk"]
    assert "worker" in faults.log_file.read_text("utf-8")


def test_qt_warnings_are_logged(faults: ErrorReporter) -> None:
    """They name a mistake of ours that nobody sees."""
    qWarning("a strange widget")
    assert "Qt: a strange widget" in faults.log_file.read_text("utf-8")


def test_ctrl_c_is_no_fault(faults: ErrorReporter) -> None:
    """The user knows."""
    told: list[str] = []
    faults.happened.connect(told.append)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert told == []


def test_a_place_that_cannot_be_written_is_said(
    tmp_path: Path, qapp: QCoreApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program starts without a log."""
    (tmp_path / "logs").write_text("a file", "utf-8")
    faults = ErrorReporter(tmp_path / "logs", debug=False)
    faults.install()
    faults.remove()
    assert "no log can be written" in capsys.readouterr().err


def test_removing_what_was_not_installed_does_nothing(tmp_path: Path) -> None:
    """Nor does a second removal."""
    hook = sys.excepthook
    reporter = ErrorReporter(tmp_path, debug=False)
    reporter.remove()
    reporter.install()
    reporter.remove()
    reporter.remove()
    assert sys.excepthook is hook
