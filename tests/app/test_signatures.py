"""What PySide knows of its signatures is read when it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WAITS = """
from app.signatures import MAY_WAIT, unread, waiting
with unread():
    import PySide6.QtWidgets
print(waiting() == frozenset(MAY_WAIT))
import sys, threading
layout, found = sys.modules["shibokensupport.signature.layout"], []
threads = [threading.Thread(target=lambda: found.append(layout.create_signature)) for _ in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]
print(len(found), len(set(found)), hasattr(layout, "nothing"), layout.__file__ in waiting())
"""
ERRORS = """
from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget

class Sender(QObject):
    sent = Signal(int)

def say(wrong):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)

application, sender = QApplication(["test", "-platform", "offscreen"]), Sender()
for wrong in (
    lambda: QPoint("one", object()),
    lambda: QObject(3), lambda: sender.setObjectName(1), lambda: QWidget(nope=1), lambda: QColor(object()),
    lambda: Qt.Key("x"), lambda: sender.sent.connect(3), lambda: sender.sent.emit("a", "b"), lambda: sender.nothing,
    lambda: QTimer.singleShot("x"), lambda: QPoint(1, 2).setX(), lambda: QPoint() + "a",
):
    say(wrong)
from PySide6.support.signature import get_signature
print(QPoint.__doc__, QWidget.resize.__doc__, get_signature(QPoint.setX), get_signature(QWidget.resize))
from PySide6.support.signature.lib import enum_sig, pyi_generator, tool
print(callable(pyi_generator.generate_pyi), callable(tool.build_brace_pattern), enum_sig.ExactEnumerator.__name__)
"""
HELD = "from app.signatures import unread\nwith unread():\n    import PySide6.QtCore\n"


def _said(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_a_start_reads_none_of_the_sources_that_may_wait() -> None:
    """With the PySide that is installed: once it is another, they have to be looked at again. Each is read once."""
    assert _said(WAITS) == "True\n8 1 False False\n"


def test_what_waited_says_the_same_as_what_did_not() -> None:
    """Errors, and what help and inspection are told."""
    plain = _said(ERRORS)
    assert plain.count("Supported signatures") == 3
    assert _said(HELD + ERRORS) == plain
