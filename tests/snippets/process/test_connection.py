"""The talk with a supervisor, and commands that run to their end."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import psutil
import pytest

from snippets.errors import RunnerFailed
from snippets.process import connection as module
from snippets.process.connection import Connection, run_to_end, supervisor_command
from snippets.running.supervisor_pool import SupervisorPool
from snippets.running.zygote_key import ZygoteKey
from snippets.supervisor.run_environment import clean
from snippets.targets.target import LocalTarget


def test_a_command_runs_to_its_end() -> None:
    """Exit code and both streams come back."""
    code = "import sys; print('炬'); print('err', file=sys.stderr); sys.exit(3)"
    ended = run_to_end([sys.executable, "-X", "utf8", "-c", code], environment=clean(), timeout=30)
    assert (ended.exit_code, ended.stdout, ended.stderr, ended.error) == (3, "炬\n", "err\n", "")


def test_a_command_that_cannot_run() -> None:
    """A missing program and one that takes too long are reported as errors."""
    assert "No such file" in run_to_end(["/no/such"], environment={}, timeout=5).error
    late = run_to_end(["sleep", "60"], environment=clean(), timeout=0.2)
    assert (late.exit_code, late.error) == (None, "no answer after 0 s")


def test_a_command_that_kills_its_supervisor() -> None:
    """That is reported too."""
    code = "import os; os.kill(os.getppid(), 9)"
    assert "supervisor ended" in run_to_end([sys.executable, "-c", code], environment=clean(), timeout=30).error


def test_a_supervisor_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says so in both languages."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(RunnerFailed) as caught:
        Connection(supervisor_command(tmp_path), tmp_path / "log")
    assert "supervisor" in caught.value.en
    assert "监督进程" in caught.value.zh


def test_a_supervisor_that_hangs_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing waits only so long."""
    monkeypatch.setattr(module, "_CLOSE_SECONDS", 0.2)
    connection = Connection(supervisor_command(tmp_path), tmp_path / "log")
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
    connection = Connection(supervisor_command(tmp_path), tmp_path / "log")
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


def test_the_pool_lends_and_takes_back(tmp_path: Path) -> None:
    """A sound supervisor serves again, an unsound one never; after the close none stays."""
    pool = SupervisorPool(LocalTarget(tmp_path / "runs"), tmp_path / "runs" / "log")
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
    pool = SupervisorPool(LocalTarget(tmp_path / "runs"), tmp_path / "runs" / "log")
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
