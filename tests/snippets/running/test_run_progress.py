"""Runs that wait for a line, that leave files as they go, and whose ranks fall silent: real processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from snippets.process.isolation import isolation
from snippets.running.run_progress import RunProgress, StalledProcess, last_seen, ranks_in_words, stretches

Start = Callable[..., Any]  # a watched run, see conftest.py
NO_WALLS = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")

ASKING = """
import sys
name = input("name? ")
print("hello", name)
print(repr(sys.stdin.read()))
print(repr(sys.stdin.readline()))
"""
RANKS = """
import multiprocessing as mp  # as torch.distributed has them
import sys
import time

def work(rank):
    print(f"[rank {rank}] here")
    while rank == 0:
        time.sleep(0.1)
        print("[rank 0] goes on")
    wait_for_the_other()

def wait_for_the_other():
    time.sleep(100)

if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    ranks = [context.Process(target=work, args=(rank,)) for rank in range(2)]
    for one in ranks:
        one.start()
        time.sleep(0.05)
    for one in ranks:
        one.join()
"""


@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=NO_WALLS)])
def test_what_is_typed_reaches_the_run(start: Start, *, isolate: bool) -> None:
    """Each read waits, the line is echoed as on a terminal, and an empty one is the end of the input."""
    watched = start(ASKING, asks=True, isolate=isolate)
    for line in ("李雷 Ann\n", "x\n", "y\n", "", ""):
        watched.type(line)
    outcome = watched.outcome()
    assert outcome.status == "passed"
    assert outcome.stdout == "name? 李雷 Ann\nhello 李雷 Ann\nx\ny\n'x\\ny\\n'\n''\n"
    assert watched.midways[-1] == RunProgress()


def test_a_password_is_asked_for(start: Start) -> None:
    """The report says so, and neither the output nor the log has it; the next line is echoed again."""
    watched = start("import getpass\nword = getpass.getpass('pass? ')\nprint(len(word), input('name? '))", asks=True)
    watched.until(lambda: watched.midways and watched.midways[-1].secret)
    watched.type("hunter2\n")
    watched.until(lambda: watched.midways[-1].waits and not watched.midways[-1].secret)
    watched.type("Ada\n")
    outcome = watched.outcome()
    assert "hunter2" not in outcome.output
    assert watched.printed("stderr").endswith("pass? \n")
    assert (outcome.status, outcome.stdout) == ("passed", "name? Ada\n7 Ada\n")


def test_without_anybody_to_type_the_input_is_at_its_end(start: Start) -> None:
    """The input is empty, and the reason says what to do."""
    watched = start(ASKING)
    outcome = watched.outcome()
    assert outcome.status == "failed"
    assert "EOFError" in outcome.reason_en
    assert watched.midways == []


def test_lines_that_come_early_and_long_ones_arrive_whole(start: Start) -> None:
    """More than a pipe holds, and before anybody asks."""
    watched = start("import time\ntime.sleep(0.5)\nprint(len(input()), input())", asks=True)
    watched.until(lambda: watched.run.pid)
    watched.run.type("x" * 300_000 + "\n")
    watched.run.type("end\n")
    assert watched.outcome().stdout.endswith("\n300000 end\n")


def test_the_time_of_a_run_stands_still_while_it_waits(start: Start) -> None:
    """Time that the user takes for an answer does not count; the rest of the run still has its limit."""
    watched = start("import time\ninput()\ntime.sleep(60)", asks=True, timeout=1.0)
    watched.wait_to_be_asked()
    with pytest.raises(TimeoutError):
        watched.run.wait(2.0)
    watched.type("\n")
    outcome = watched.outcome()
    assert outcome.status == "timeout"
    assert "it was at line 3" in outcome.reason_en
    assert "第 3 行" in outcome.reason_zh


def test_a_run_that_waits_is_stopped(start: Start) -> None:
    """And says nothing more."""
    watched = start("input()", asks=True)
    watched.wait_to_be_asked()
    watched.run.stop()
    assert watched.outcome().status == "stopped"
    watched.run.type("too late\n")


def test_the_debugger_can_be_talked_to(start: Start) -> None:
    """`breakpoint()` waits for commands."""
    watched = start("x = 41\nbreakpoint()\nprint('after', x)", asks=True)
    watched.type("x += 1\n")
    watched.type("c\n")
    assert "after 42" in watched.outcome().stdout


def test_files_are_told_of_as_they_are_written(start: Start) -> None:
    """They are reported before the end, and again after a change; unchanged files once."""
    code = "open('a.png', 'w').write('1')\ninput()\nopen('a.png', 'w').write('22')\nopen('b', 'w').close()"
    watched = start(code, asks=True)
    watched.until(lambda: [made.path.name for made in watched.artifacts] == ["a.png"])
    watched.type("\n")
    outcome = watched.outcome()
    assert [(made.path.name, made.bytes) for made in watched.artifacts] == [("a.png", 1), ("a.png", 2), ("b", 0)]
    assert outcome.artifacts == tuple(watched.artifacts[1:])


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_rank_that_falls_silent_is_named_with_its_stack(
    start: Start, make_snippet: Callable[..., Any], method: str
) -> None:
    """It is reported while the other one is active, and at the time limit."""
    watched = start(make_snippet(RANKS, args=(method,)), silence=0.6, timeout=12.0)
    watched.until(lambda: watched.midways and watched.midways[-1].silent)
    (stuck,) = watched.midways[-1].silent
    assert (stuck.rank, stuck.function, stuck.line) == (1, "", 14)
    assert stuck.seconds >= 0.6
    assert stuck.stack[0].startswith("wait_for_the_other")
    watched.run.stop()
    assert watched.outcome().status == "stopped"


def test_a_hung_rank_is_named_when_the_time_is_over(start: Start, make_snippet: Callable[..., Any]) -> None:
    """Beside the other ones, each with its line."""
    outcome = start(make_snippet(RANKS, args=("fork",)), timeout=1.5).outcome()
    assert outcome.status == "timeout"
    assert "rank 1 was at line 14" in outcome.reason_en
    assert "rank 1 停在第 14 行" in outcome.reason_zh


def test_a_program_without_ranks_is_left_alone(start: Start) -> None:
    """However long it says nothing."""
    watched = start("import time\ntime.sleep(1.5)", silence=0.2)
    assert watched.outcome().status == "passed"
    assert watched.midways == []


def test_words() -> None:
    """Ranks in few words, processes in one place together, and nothing where nothing is known."""
    assert stretches([3, 1, 2, 7, 0]) == "0-3, 7"
    assert stretches([]) == ""
    assert ranks_in_words([5]).en == "rank 5"
    stood = [StalledProcess(rank, 3.0, "recv", 12) for rank in (0, 1)] + [
        StalledProcess(2, 3.0, "", None),
        StalledProcess(3, 9.0, "wait", None),
    ]
    told = last_seen(stood)
    assert told is not None
    assert told.en == "At the end each of ranks 0-1 was in recv at line 12; rank 3 was in wait."
    assert told.zh == "结束时rank 0-1 停在 recv（第 12 行）；rank 3 停在 wait。"
    assert last_seen([StalledProcess(None, 1.0, "", None)]) is None
