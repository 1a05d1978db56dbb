"""Stacks of processes: how they are parsed, and that processes without a handler are not asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from snippets.supervisor.stack_dump import Frame, StackDump, signal_order, spot_of
from snippets.supervisor.stall_detection import last_questions, ranks_among

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the signals are those of Linux")
TWO_THREADS = """Thread 0x00007f01 (most recent call first):
  File "/lib/python3.11/threading.py", line 324 in wait
  File "/lib/python3.11/threading.py", line 1002 in _bootstrap

Current thread 0x00007f02 [main] (most recent call first):
  File "/lib/torch/distributed.py", line 40 in recv
  File "/run/code/note.py", line 12 in work
  File "<string>", line 1 in <module>
"""


def test_the_thread_that_runs_the_program_counts() -> None:
    """The innermost function, and the line of the program that led there."""
    spot = spot_of(TWO_THREADS, "/run/code/note.py")
    assert spot is not None
    assert (spot.function, spot.line) == ("recv", 12)
    assert spot.frames[1] == Frame("/run/code/note.py", 12, "work")
    elsewhere = spot_of(TWO_THREADS, "/lib/python3.11/threading.py")
    assert elsewhere is not None
    assert elsewhere.line == 324


def test_stacks_that_say_little() -> None:
    """The line of the program itself, a step of an import, and nothing at all."""
    own = spot_of('Current thread 0x1 (most recent call first):\n  File "a.py", line 3 in f\n', "a.py")
    assert own is not None
    assert (own.function, own.line) == ("", 3)
    steps = 'Thread 0x1 (most recent call first):\n  File "<frozen importlib._bootstrap>", line 3 in f\n'
    importing = spot_of(f'{steps}  File "a.py", line 9 in <module>\n', "a.py")
    assert importing is not None
    assert (importing.function, importing.line) == ("", 9)
    assert spot_of("Current thread 0x1 (most recent call first):\n  <no Python frame>\n", "a.py") is None
    assert spot_of("", "a.py") is None
    assert spot_of(steps, "a.py") is not None


@LINUX
def test_who_does_not_listen_is_not_asked(tmp_path: Path) -> None:
    """The signal would end it."""
    order = signal_order(str(tmp_path / "stacks"))
    stacks = StackDump(order, "a.py")
    with subprocess.Popen(["sleep", "60"]) as process:
        assert not stacks.ask(process.pid)
        assert process.poll() is None
        process.kill()
    assert not stacks.ask(process.pid)
    assert not StackDump(None, "a.py").ask(1)
    assert stacks.answer() is None


@LINUX
def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    """Not what a link leads to, which a run may have put there."""
    (tmp_path / "secret").write_text(TWO_THREADS, encoding="utf-8")
    (tmp_path / "stacks").symlink_to(tmp_path / "secret")
    stacks = StackDump(signal_order(str(tmp_path / "stacks")), "a.py")
    assert stacks.answer() is None
    (tmp_path / "stacks").unlink()
    (tmp_path / "stacks").mkdir()
    assert stacks.answer() is None


@LINUX
def test_ranks_by_their_variable() -> None:
    """As torchrun sets it; what descends from a rank is none of its own."""
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], env={"RANK": "3"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        children = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
        assert ranks_among([process.pid, *children]) == {3: process.pid}
        process.communicate(b"\n")
    assert ranks_among([process.pid]) == {}


def test_a_run_is_asked_shortly_before_its_end() -> None:
    """A third of a short time, a second of a long one."""
    assert last_questions(0.3) == pytest.approx(0.1)
    assert last_questions(600) == 1.0
