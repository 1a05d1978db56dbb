"""Stop means everything: real trees of processes of every shape, and nothing of them alive afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from snippets.results.ledger import Ledger
from snippets.running.runner import Runner, RunRequest
from tests.pace import within
from tests.tally import tally

KILLS = int(os.environ.get("TORCHLEAF_RUN_KILLS", "1"))  # of the program, for each shape of a run

Start = Callable[..., Any]  # a watched run, see conftest.py
Bearing = Callable[[str], list[psutil.Process]]
GoneWithin = Callable[[str, float], bool]

SLEEP = "import time; time.sleep(120)"
BEGIN = "import multiprocessing as mp, os, signal, subprocess, sys, time\nTOKEN = sys.argv[1]\n"
CHILD = "[sys.executable, '-c', 'import time; time.sleep(120)', TOKEN]"
END = "\nprint('ready')\ntime.sleep(120)"

# Each makes a tree whose processes bear the token, and says "ready" when it stands.
SHAPES = {
    "alone": BEGIN + END,
    "plain child": f"{BEGIN}subprocess.Popen({CHILD}){END}",
    "own session": f"{BEGIN}subprocess.Popen({CHILD}, start_new_session=True){END}",
    "own group": f"{BEGIN}subprocess.Popen({CHILD}, process_group=0){END}",
    "double fork": f"""{BEGIN}
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        subprocess.Popen({CHILD}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    os._exit(0)
os.wait(){END}""",
    "daemon without a trace": f"""{BEGIN}
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(null, handle)
        os.execve(sys.executable, {CHILD}, {{}})
    os._exit(0)
os.wait(){END}""",
    "mp.spawn with grandchildren": f"""{BEGIN}
def grandchild():
    print("ready" if os.getenv("x") is None else "")
    time.sleep(120)

def child():
    process = mp.get_context("spawn").Process(target=grandchild)
    process.start()
    process.join()

if __name__ == "__main__":
    mp.get_context("spawn").Process(target=child).start()
    time.sleep(120)
""",
    "TERM ignored": f"""{BEGIN}
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen({CHILD}){END}""",
    "halted": f"""{BEGIN}
child = subprocess.Popen({CHILD})
child.send_signal(signal.SIGSTOP){END}""",
    "forks while it ends": f"""{BEGIN}
def again(*_):
    for _ in range(20):
        subprocess.Popen({CHILD}, start_new_session=True)
signal.signal(signal.SIGTERM, again){END}""",
}


@pytest.fixture
def token() -> str:
    """Return a word that no process bears yet."""
    return f"token-{uuid.uuid4().hex}"


@pytest.mark.parametrize("shape", SHAPES)
def test_stop_ends_the_whole_tree(shape: str, start: Start, bearing: Bearing, token: str) -> None:
    """Its processes are gone within 2 s, whatever session, group or parent they have."""
    watched = start(SHAPES[shape], args=(token,))
    watched.wait_for("ready")
    assert bearing(token)
    with within(2):
        watched.run.stop()
        outcome = watched.outcome()
    assert bearing(token) == []
    assert bearing(outcome.run_id) == []
    assert (outcome.status, outcome.command_exit_code) == ("stopped", 130)
    assert outcome.ended_processes >= 1


def test_the_plain_way_leaves_processes_alive(bearing: Bearing, token: str) -> None:
    """The control: ending the process and its group, without a supervisor, leaves what has its own session."""
    command = [sys.executable, "-u", "-c", SHAPES["own session"], token]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, signal.SIGKILL)
    left = bearing(token)
    for survivor in left:
        survivor.kill()
    assert len(left) == 1


def test_a_grace_to_tidy_up(start: Start) -> None:
    """A run that is asked to end may write its last words, and takes no longer than it needs."""
    code = (
        "import signal, sys, time\n"
        "def end(*_):\n    open('checkpoint', 'w').write('saved')\n    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\nprint('ready')\ntime.sleep(120)"
    )
    watched = start(code)
    watched.wait_for("ready")
    with within(2):
        watched.run.stop()
        outcome = watched.outcome()
    assert outcome.status == "stopped"
    assert [artifact.path.read_text() for artifact in outcome.artifacts] == ["saved"]


def test_stop_may_come_at_any_time(start: Start) -> None:
    """At once after the start, twice, and after the end."""
    watched = start(SLEEP)
    watched.run.stop()
    watched.run.stop()
    assert watched.outcome().status == "stopped"
    watched.run.stop()
    done = start("print(1)")
    assert done.outcome().status == "passed"
    done.run.stop()
    assert start("print(2)").outcome().output == "2\n"


def test_a_flood_is_stopped_too(start: Start) -> None:
    """Output without end does not delay the stop."""
    watched = start("while True: print('x' * 1000)")
    watched.wait_for("xxx")
    with within(2):
        watched.run.stop()
        assert watched.outcome().status == "stopped"


@pytest.mark.parametrize("shape", ["plain child", "double fork", "TERM ignored", "daemon without a trace"])
def test_the_timeout_ends_the_whole_tree(shape: str, start: Start, bearing: Bearing, token: str) -> None:
    """As Stop does."""
    outcome = start(SHAPES[shape], args=(token,), timeout=0.7).outcome()
    assert outcome.status == "timeout"
    assert bearing(token) == []


@pytest.mark.parametrize("shape", ["plain child", "own session", "double fork"])
def test_a_grandchild_that_holds_the_pipe(shape: str, start: Start, bearing: Bearing, token: str) -> None:
    """When the main process has ended the run ends, though something still has its output open; nothing is left."""
    code = SHAPES[shape].replace("stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, ", "").replace(END, "")
    with within(3):
        outcome = start(code + "\nprint('done')", args=(token,)).outcome()
    assert (outcome.status, outcome.output) == ("passed", "done\n")
    assert outcome.seconds < 60  # not the time of the grandchild, which sleeps for two minutes
    assert bearing(token) == []


def test_helpers_that_leave_by_themselves_are_left_alone(start: Start) -> None:
    """A process that outlives the main one for a moment, as multiprocessing's tracker does, is not ended by force."""
    code = "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 0.1; echo 1'])"
    outcome = start(code).outcome()
    assert (outcome.status, outcome.output, outcome.ended_processes) == ("passed", "1\n", 0)


@pytest.mark.parametrize(
    "crime",
    [
        "os.kill(os.getppid(), signal.SIGKILL)",
        "os.killpg(0, signal.SIGKILL)",
        "up = int(open(f'/proc/{os.getppid()}/stat').read().split()[3])\nos.kill(up, 9)\nos.kill(os.getppid(), 9)",
    ],
    ids=["parent", "group", "parent and grandparent"],
)
def test_a_snippet_that_kills_around_itself(crime: str, start: Start, bearing: Bearing, token: str) -> None:
    """The run ends as killed, nothing of it stays alive, what it had printed is kept, and the next run works."""
    code = (
        f"{BEGIN}subprocess.Popen({CHILD}, start_new_session=True)\nprint('before')\ntime.sleep(0.3)\n{crime}\n{SLEEP}"
    )
    outcome = start(code, args=(token,)).outcome()
    assert outcome.status == "killed"
    assert outcome.output == "before\n"
    assert outcome.reason_en
    assert bearing(token) == []
    assert start("print('alive')").outcome().output == "alive\n"


def test_a_snippet_that_halts_its_parent(start: Start) -> None:
    """A supervisor that was stopped is continued."""
    code = "import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(0.2)\nprint('done')"
    outcome = start(code, timeout=20).outcome()
    assert (outcome.status, outcome.output) == ("passed", "done\n")


def test_closing_the_runner_stops_all_runs(tmp_path: Path, bearing: Bearing, token: str) -> None:
    """Each ends as stopped, its callable is called, and nothing is left."""
    outcomes: list[str] = []
    with Runner(runs_folder=tmp_path) as runner:
        for number in range(3):
            snippet = _snippet(SHAPES["double fork"])
            runner.start(
                RunRequest(snippet, args=(f"{token}-{number}",)),
                output=lambda _: None,
                finished=lambda outcome: outcomes.append(outcome.status),
            )
        assert len(runner.active()) == 3
        _wait_until(lambda: len(bearing(token)) >= 3)
    assert outcomes == ["stopped"] * 3
    assert runner.active() == ()
    assert bearing(token) == []


APP = """
import sys
from pathlib import Path
from snippets.model.snippet import read_snippet
from snippets.results.ledger import Ledger
from snippets.running.runner import Runner, RunRequest

snippet, folder, token = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
runner = Runner(runs_folder=folder / "runs", ledger=Ledger(folder / "runs.sqlite"))
run = runner.start(
    RunRequest(read_snippet(snippet), args=(token,), timeout=300),
    output=lambda chunk: print(chunk.text, end="", flush=True), finished=lambda outcome: None,
)
run.wait()
"""


@pytest.mark.parametrize("shape", ["own session", "double fork", "mp.spawn with grandchildren", "TERM ignored"])
def test_the_app_is_killed(shape: str, tmp_path: Path, gone_within: GoneWithin, bearing: Bearing, token: str) -> None:
    """After a kill -9 of the program that holds the runner none of the run is alive within 2 s; the ledger knows."""
    (tmp_path / "tree.py").write_text(SHAPES[shape])
    orphans = 0
    for turn in range(KILLS):
        marked = f"{token}-{turn}"
        command = [sys.executable, "-c", APP, str(tmp_path / "tree.py"), str(tmp_path), marked]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as app:
            assert app.stdout is not None
            assert app.stdout.readline() == b"ready\n"
            _wait_for_a_tree(bearing, marked)
            app.kill()
        orphans += not gone_within(marked, 2.0)
    tally(KILLS, orphans=orphans)
    assert orphans == 0
    ledger = Ledger(tmp_path / "runs.sqlite")
    rows = ledger.recent()
    ledger.close()
    assert {row.status for row in rows} == {"interrupted"}
    assert all(gone_within(row.run_id, 0.0) for row in rows)
    assert b"ready" in (tmp_path / "runs" / rows[0].run_id / "log" / "head").read_bytes()


def _snippet(code: str) -> Any:
    from snippets.model.snippet import snippet_from_block  # noqa: PLC0415

    return snippet_from_block(name="tree", code=code, options={}, output=None, origin="note", line=1)


def _wait_for_a_tree(bearing: Bearing, token: str) -> None:
    _wait_until(lambda: len(bearing(token)) > 1)


def _wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
