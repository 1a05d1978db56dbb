"""A Ctrl-C takes effect whenever it arrives."""

from __future__ import annotations

import subprocess
import sys

import pytest

import main
from app.cli import interrupt
from tests.cli.invoke import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and timers")

BEGIN = """
import os, signal, threading, time, weakref
from app.cli import interrupt
interrupt.install_handler()

def press(*_):
    os.kill(os.getpid(), signal.SIGINT)

class Thing: pass
"""

WAIT = """
try:
    threading.Event().wait()
except KeyboardInterrupt:
    print("heard")
"""


def printed(program: str) -> tuple[str, str]:
    """Run a program in a process of its own and return what it prints on both streams."""
    ended = subprocess.run(
        [sys.executable, "-c", BEGIN + program], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    return ended.stdout, ended.stderr


def test_one_that_is_lost_in_a_callback_comes_again() -> None:
    """Where Python would report that it ignores it, nothing is printed, and the following wait is interrupted."""
    program = """
thing = Thing()
known = weakref.ref(thing, press)
del thing
print("goes on")
"""
    assert printed(program + WAIT) == ("goes on\nheard\n", "")


def test_one_that_is_swallowed_comes_again() -> None:
    """This holds even if a library swallows every exception."""
    program = """
try:
    press()
    time.sleep(9)
except BaseException:
    pass
"""
    assert printed(program + WAIT) == ("heard\n", "")


def test_clearing_up_is_left_alone() -> None:
    """While the first is handled, and after `acknowledge`, it is not repeated."""
    program = """
try:
    try:
        press()
    finally:
        time.sleep(3 * interrupt.AGAIN_SECONDS)
        print("cleared up")
except KeyboardInterrupt:
    interrupt.acknowledge()
time.sleep(3 * interrupt.AGAIN_SECONDS)
print("ended")
"""
    assert printed(program) == ("cleared up\nended\n", "")


def test_other_faults_of_callbacks_are_said() -> None:
    """Only a Ctrl-C is not reported."""
    program = """
thing = Thing()
known = weakref.ref(thing, lambda _: 1 / 0)
del thing
"""
    assert "ZeroDivisionError" in printed(program)[1]


def test_an_error_made_of_one_is_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An error that Python or a library raises because of it counts as an interruption; others do not."""

    def interrupted(_: list[str]) -> int:
        message = "Error calling __set_name__"
        raise RuntimeError(message) from KeyboardInterrupt()

    monkeypatch.setattr(main, "_carry_out", interrupted)
    assert main.main([]) == main.INTERRUPTED
    assert capsys.readouterr().err == "Interrupted.\n"
    assert not interrupt.behind(OSError())
