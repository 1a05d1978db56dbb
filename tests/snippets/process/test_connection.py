"""The talk with a supervisor, and commands that run to their end."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest

from snippets.errors import RunnerFailed
from snippets.process import connection as module
from snippets.process.connection import MARKER, Connection, end_marked, run_to_end
from snippets.process.environment import clean
from snippets.running.supervisor_pool import SupervisorPool
from snippets.running.zygote_key import ZygoteKey
from snippets.supervisor.process_tree import LINUX


def test_a_command_runs_to_its_end() -> None:
    """Exit code and both streams come back."""
    code = "import sys; print('炬'); print('err', file=sys.stderr); sys.exit(3)"
    ended = run_to_end([sys.executable, "-X", "utf8", "-c", code], environment=clean(), timeout=30)
    assert (ended.exit_code, ended.stdout, ended.stderr, ended.error) == (3, "炬\n", "err\n", "")


def test_a_command_that_cannot_run() -> None:
    """A missing program and one that takes too long are told as errors."""
    assert "No such file" in run_to_end(["/no/such"], environment={}, timeout=5).error
    late = run_to_end(["sleep", "60"], environment=clean(), timeout=0.2)
    assert (late.exit_code, late.error) == (None, "no answer after 0 s")


def test_a_command_that_kills_its_supervisor() -> None:
    """That is told too."""
    code = "import os; os.kill(os.getppid(), 9)"
    assert "supervisor ended" in run_to_end([sys.executable, "-c", code], environment=clean(), timeout=30).error


def test_a_supervisor_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says so in both languages."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(RunnerFailed) as caught:
        Connection(tmp_path / "log")
    assert "supervisor" in caught.value.en
    assert "监督进程" in caught.value.zh


def test_a_supervisor_that_hangs_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing waits only so long."""
    monkeypatch.setattr(module, "_CLOSE_SECONDS", 0.2)
    connection = Connection(tmp_path / "log")
    process = psutil.Process(connection._process.pid)
    while not process.children():  # the guard, before it has made the worker
        pass
    (worker,) = process.children()
    process.send_signal(signal.SIGSTOP)
    connection.close()
    assert not process.is_running()
    assert ended(worker)  # it has seen the end of its input


def test_a_supervisor_that_is_gone(tmp_path: Path) -> None:
    """Sending to it does nothing, and receiving says so."""
    connection = Connection(tmp_path / "log")
    process = psutil.Process(connection._process.pid)
    while not process.children():
        pass
    (worker,) = process.children()
    process.kill()
    connection.close()
    connection.send({"do": "alive"})
    assert connection.receive() is None
    assert ended(worker)  # it has seen the end of its input


def ended(process: psutil.Process) -> bool:
    """Wait for the end of a process; the first one of a container need not be one that clears up after it."""
    _, left = psutil.wait_procs([process], timeout=10)
    return all(one.status() == psutil.STATUS_ZOMBIE for one in left)


def test_what_carries_a_marker_is_ended() -> None:
    """Whatever its session; and nothing else is."""
    marked, other = sleeper("run-1", start_new_session=True), sleeper("run-12")
    with marked, other:
        try:
            assert end_marked("run-1") == 1
            assert marked.poll() is not None
            assert other.poll() is None
        finally:
            marked.kill()
            other.kill()


@pytest.mark.skipif(not LINUX, reason="elsewhere a program is loaded before it can be seen")
def test_what_is_just_being_started_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """While its program is loaded the system tells no environment, and so no marker, of it."""
    for number in range(50):
        with sleeper(f"run-{number}") as marked:
            alone = psutil.Process(marked.pid)
            monkeypatch.setattr(psutil, "process_iter", lambda alone=alone: [alone])
            try:
                assert end_marked(f"run-{number}") == 1
            finally:
                marked.kill()


def test_what_never_has_an_environment_is_no_hindrance(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not of the run, and is waited for only so long."""
    monkeypatch.setattr(module, "_START_SECONDS", 0.2)
    with subprocess.Popen([shutil.which("sleep") or "sleep", "60"], env={}) as bare:
        try:
            assert end_marked("run-1") == 0
            assert bare.poll() is None
        finally:
            bare.kill()


def sleeper(run: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start a process that carries a run's marker."""
    return subprocess.Popen(["sleep", "60"], env={**clean(), MARKER: run}, **more)


def test_the_pool_lends_and_takes_back(tmp_path: Path) -> None:
    """A sound supervisor serves again, an unsound one never; after the close none stays."""
    pool = SupervisorPool(tmp_path / "runs" / "log")
    first = pool.borrow()
    second = pool.borrow()
    pool.give_back(first, sound=True)
    pool.give_back(second, sound=True)  # one is enough to stand ready
    assert pool.borrow() is first
    pool.give_back(first, sound=False)
    third = pool.borrow()
    assert third is not first
    pool.close()
    pool.give_back(third, sound=True)
    assert third._process.returncode == 0


def test_the_pool_keeps_the_one_that_is_ready(tmp_path: Path) -> None:
    """Whichever comes back first: the other is ended, and a free one that is ready goes out before one that is not."""
    pool = SupervisorPool(tmp_path / "runs" / "log")
    pool._wanted = cast("ZygoteKey", SimpleNamespace(key="k", message=lambda: {"do": "alive"}))
    ready, other = pool.borrow(), pool.borrow()
    ready.warm = "k"
    pool.give_back(other, sound=True)
    assert pool.borrow() is other
    pool.give_back(other, sound=True)
    pool.give_back(ready, sound=True)
    assert other._process.returncode == 0
    pool.fill(2)
    assert len(pool._free) == 2
    assert pool.getting_warm
    assert pool.borrow() is ready
    last = pool.borrow()
    assert last is not ready
    pool.close()
    for connection in (ready, last):
        pool.give_back(connection, sound=True)
        assert connection._process.returncode == 0
