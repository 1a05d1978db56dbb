"""Runs from the request to the outcome, with real processes."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snippets.errors import RunnerFailed, UnknownInterpreter
from snippets.model.snippet import Snippet
from snippets.process.isolation import isolation
from snippets.results.ledger import Ledger
from snippets.results.outcome import Outcome
from snippets.running import active_run, interpreter_startup
from snippets.running.runner import OutputChunk, Runner, RunRequest
from snippets.targets import target as target_module
from snippets.targets.interpreters import Interpreter
from snippets.targets.target import Target
from tests.pace import within
from tests.snippets.distant_target import DistantTarget

Start = Callable[..., Any]  # a watched run, see conftest.py
Make = Callable[..., Snippet]


@pytest.fixture(params=["local", "distant"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target | None:
    """Run every test here, and on a target whose files cannot be read here."""
    if request.param == "local":
        return None
    if not isolation().available:
        pytest.skip("bubblewrap does not work here")
    return DistantTarget(tmp_path)


def test_a_run_that_passes(start: Start) -> None:
    """Output streams in, the outcome has all the facts, and the last report is the outcome."""
    watched = start("print('炬页')\nprint('two')")
    outcome = watched.outcome()
    assert (outcome.status, outcome.exit_code, outcome.reason_en) == ("passed", 0, None)
    assert outcome.output == outcome.stdout == watched.printed() == "炬页\ntwo\n"
    assert outcome.first_output_seconds is not None
    assert 0 < outcome.first_output_seconds < outcome.seconds + 1
    assert outcome.peak_rss_mb is not None
    assert 5 < outcome.peak_rss_mb < 500
    assert outcome.device == "cpu"
    assert (outcome.cut_bytes, outcome.ended_processes, outcome.artifacts) == (0, 0, ())
    assert watched.outcomes == [outcome]
    assert watched.after_the_end == 0


def test_all_reports_come_from_one_thread_of_the_run(start: Start) -> None:
    """Never from the caller's thread, and always from the same."""
    watched = start("open('a.txt', 'w').write('x')\nprint(1)")
    watched.outcome()
    assert len(watched.artifacts) == 1
    assert len(watched.threads) == 1
    assert threading.get_ident() not in watched.threads


def test_the_streams_are_told_apart(start: Start) -> None:
    """Standard error arrives as such; the outcome has both together and standard output alone."""
    outcome = (watched := start("import sys\nprint('a')\nprint('b', file=sys.stderr)")).outcome()
    assert (watched.printed("stdout"), watched.printed("stderr")) == ("a\n", "b\n")
    assert (outcome.output, outcome.stdout) == ("a\nb\n", "a\n")


def test_print_is_not_delayed(start: Start) -> None:
    """Output arrives while the run is active, also from the processes that it starts."""
    watched = start(
        "import subprocess, sys, time\n"
        "print('now')\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; print(\"child\"); time.sleep(60)'])\n"
        "time.sleep(60)"
    )
    watched.wait_for("now")
    watched.wait_for("child")
    assert watched.run is not None
    watched.run.stop()
    assert watched.outcome().status == "stopped"


@pytest.mark.parametrize("code", [1, 2, 3, 77, 127, 255])
def test_exit_codes(code: int, start: Start) -> None:
    """The snippet's own code arrives, with words."""
    outcome = start(f"import sys; sys.exit({code})").outcome()
    assert (outcome.status, outcome.exit_code, outcome.command_exit_code) == ("failed", code, code)
    assert str(code) in str(outcome.reason_en)


def test_an_exception_is_the_reason(start: Start) -> None:
    """The traceback is in the output with the snippet's own file, and its last line is the reason."""
    outcome = start("x = [1]\nprint(x[3])").outcome()
    assert outcome.status == "failed"
    assert outcome.reason_en == "It ended with IndexError: list index out of range"
    assert 'note_block1.py", line 2' in outcome.output


def test_an_exception_that_is_meant_passes(make_snippet: Make, start: Start) -> None:
    """A snippet that shows an error is right when it comes."""
    assert start(make_snippet("{}['k']", raises="KeyError")).outcome().status == "passed"
    assert start(make_snippet("1", raises="KeyError")).outcome().status == "failed"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os; os.abort()", "SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
    ],
)
def test_a_crash_is_told_by_its_signal(code: str, name: str, start: Start) -> None:
    """A run that a signal ended is killed, with the signal's own words; the runner lives."""
    outcome = start(code).outcome()
    assert outcome.status == "killed"
    assert outcome.exit_code is not None
    assert outcome.exit_code < 0
    assert name in str(outcome.reason_en)
    assert start("print('alive')").outcome().status == "passed"


def test_a_crash_shows_where(start: Start) -> None:
    """The stack of a crash in native code is in the output."""
    assert 'note_block1.py", line 2' in start("import ctypes\nctypes.string_at(0)").outcome().output


def test_a_busy_loop_meets_the_timeout(make_snippet: Make, start: Start) -> None:
    """The limit of the snippet holds, and that of the request overrides it."""
    with within(20):
        outcome = start(make_snippet("while True: pass", timeout=0.3)).outcome()
        assert (outcome.status, outcome.command_exit_code) == ("timeout", 124)
        assert "0.3 s" in str(outcome.reason_en)
        assert start(make_snippet("import time; time.sleep(0.4)", timeout=0.1), timeout=30).outcome().status == "passed"
        assert start("import time; time.sleep(60)", timeout=0.3).outcome().status == "timeout"


def test_there_may_be_no_limit(make_snippet: Make) -> None:
    """An infinite timeout, or zero, is none."""
    snippet = make_snippet("", timeout=5.0)
    limits = [RunRequest(snippet, timeout=seconds).limit() for seconds in (None, 2.0, float("inf"), 0.0)]
    assert limits == [5.0, 2.0, None, None]


def test_waiting_for_input_finds_its_end(start: Start) -> None:
    """Without a user, reading ends at once, and the reason says what to do."""
    outcome = start("input()").outcome()
    assert outcome.status == "failed"
    assert "Its input was at an end" in str(outcome.reason_en)


def test_a_flood_is_bounded_and_counted(start: Start) -> None:
    """Head and tail are kept, what is missing is counted to the byte, and reports stay few."""
    lines = 400_000
    began = time.monotonic()
    watched = start(f"import sys\nfor n in range({lines}): sys.stdout.write(f'{{n:08d}}\\n')", timeout=50)
    outcome = watched.outcome()
    assert outcome.status == "passed"
    assert outcome.output.startswith("00000000\n00000001\n")
    assert outcome.output.endswith(f"{lines - 1:08d}\n")
    marker = f"\n⋯ {outcome.cut_bytes:,} B ⋯\n"
    assert len(outcome.output.replace(marker, "")) + outcome.cut_bytes == 9 * lines
    assert sum(chunk.skipped + len(chunk.text.encode()) for chunk in watched.chunks) >= 9 * lines
    assert len(watched.chunks) < 30 * (time.monotonic() - began) + 10


def test_one_endless_line_on_both_streams(start: Start) -> None:
    """Neither a line without end nor two floods at once need memory."""
    code = "import os\nfor _ in range(400):\n    os.write(1, b'x' * 50000); os.write(2, b'y' * 50000)"
    outcome = start(code).outcome()
    assert outcome.status == "passed"
    kept = len(outcome.output.encode()) - len(f"\n⋯ {outcome.cut_bytes:,} B ⋯\n".encode())
    assert kept + outcome.cut_bytes == 400 * 100_000
    assert kept < 4 << 20


def test_lines_stay_whole(start: Start) -> None:
    """Processes that print at once do not get into each other's lines, and a traceback follows what was printed."""
    code = (
        "import multiprocessing as mp\n"
        "def work(n):\n    for _ in range(300): print(str(n) * 20)\n"
        "if __name__ == '__main__':\n"
        "    all = [mp.get_context('fork').Process(target=work, args=(n,)) for n in range(4)]\n"
        "    [p.start() for p in all]; [p.join() for p in all]\n"
        "    print('last'); 1 / 0"
    )
    lines = start(code).outcome().output.splitlines()
    assert sorted(lines[:1200]) == sorted(str(n) * 20 for n in range(4) for _ in range(300))
    assert lines[1200:1202] == ["last", "Traceback (most recent call last):"]


def test_the_interpreters_own_start_is_not_lost(tmp_path: Path) -> None:
    """What an interpreter does at its start by a module of its own, it does in a run as well."""
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    source = Path(interpreter_startup.__file__).read_text(encoding="utf-8")
    (tmp_path / "ours" / "sitecustomize.py").write_text(source, encoding="utf-8")
    (tmp_path / "theirs" / "sitecustomize.py").write_text("print('theirs')")
    places = f"{tmp_path / 'ours'}{os.pathsep}{tmp_path / 'theirs'}"
    done = subprocess.run([sys.executable, "-c", "1"], env={"PYTHONPATH": places}, capture_output=True, check=True)
    assert done.stdout == b"theirs\n"


def test_silence_is_no_output(start: Start) -> None:
    """A run that prints nothing has no time of a first output."""
    outcome = start("pass").outcome()
    assert (outcome.output, outcome.first_output_seconds, outcome.status) == ("", None, "passed")


def test_bytes_that_are_no_text(start: Start) -> None:
    """Broken UTF-8 is shown as such, and characters that arrive in two halves are whole."""
    code = (
        "import os, time\n"
        "os.write(1, b'a\\xff' + '炬'.encode()[:1])\n"
        "time.sleep(0.2)\n"
        "os.write(1, '炬'.encode()[1:] + b'\\n\\0end')"
    )
    assert start(code).outcome().output == "a\ufffd炬\n\0end"


def test_two_runs_at_once(start: Start) -> None:
    """They go on side by side, and their outputs never mix."""
    codes = [f"import time\nfor n in range(20):\n    print('{name}', n)\n    time.sleep(0.01)" for name in "ab"]
    both = [start(code) for code in codes]
    for watched, name in zip(both, "ab", strict=True):
        assert watched.outcome().output == "".join(f"{name} {n}\n" for n in range(20))
    assert both[0].outcome().run_id != both[1].outcome().run_id


def test_runs_that_follow_one_another_share_a_supervisor(start: Start) -> None:
    """A supervisor serves the next run; nothing of the one before is left in it."""
    code = "import os\nprint(os.getppid(), os.listdir('.'))\nopen('left.txt', 'w').close()\nos.environ['LEFT'] = '1'"
    first, second = (start(code).outcome() for _ in range(2))
    assert first.output == second.output
    assert first.output.endswith(" []\n")


def test_an_interpreter_that_is_none(runner: Runner, start: Start, tmp_path: Path) -> None:
    """A path that leads to no program is refused; a program that is no Python makes the run unavailable."""
    with pytest.raises(UnknownInterpreter):
        start("1", python=tmp_path / "python")
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\necho hello\n")
    fake.chmod(0o755)
    outcome = start("1", python=fake).outcome()
    assert outcome.status == "unavailable"
    assert str(fake) in str(outcome.reason_en)


def test_an_interpreter_that_vanishes_in_between(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that cannot be started makes the run unavailable with the system's reason."""

    lost = Interpreter(tmp_path / "gone", "Python", "3.11.7", None)
    monkeypatch.setattr(target_module, "probe", lambda _: lost)
    outcome = start("1").outcome()
    assert outcome.status == "unavailable"
    assert "No such file" in str(outcome.reason_en)


def test_a_folder_that_cannot_be_made(make_snippet: Make, tmp_path: Path, target: Target | None) -> None:
    """Without a place for the run it is unavailable, with the reason."""
    (tmp_path / "runs").write_text("a file")
    with Runner(runs_folder=tmp_path / "runs", target=target) as runner:
        run = runner.start(RunRequest(make_snippet("1")), output=_ignore, finished=_ignore_outcome)
        outcome = run.wait(30)
    assert outcome.status == "unavailable"
    assert "could not be started" in str(outcome.reason_en)


def test_an_error_in_a_callable_harms_nothing(
    make_snippet: Make, runner: Runner, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and the run continues to its end."""

    def fail(_: object) -> None:
        raise ValueError("mine")

    run = runner.start(RunRequest(make_snippet("print(1)\nopen('f','w')")), output=fail, finished=fail, artifact=fail)
    assert run.wait(30).output == "1\n"
    assert caplog.text.count("ValueError: mine") == 3
    caplog.clear()


def test_an_error_in_the_runner_itself_ends_the_run(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever waits for a run hears of its end, whatever is wrong."""

    monkeypatch.setattr(active_run, "prepare", lambda *_, **__: 1 / 0)
    with caplog.at_level(logging.ERROR):
        assert start("1").outcome().status == "unavailable"
    assert "ZeroDivisionError" in caplog.text
    caplog.clear()


def test_waiting_has_a_limit(start: Start) -> None:
    """`wait` gives up after its time; the run does not."""
    watched = start("import time; time.sleep(0.5)")
    assert watched.run is not None
    with pytest.raises(TimeoutError):
        watched.run.wait(0.01)
    assert watched.outcome().status == "passed"


def test_nothing_starts_after_the_close(make_snippet: Make, tmp_path: Path, target: Target | None) -> None:
    """A closed runner refuses."""
    runner = Runner(runs_folder=tmp_path, target=target)
    runner.close()
    with pytest.raises(RunnerFailed):
        runner.start(RunRequest(make_snippet("1")), output=_ignore, finished=_ignore_outcome)


def test_runs_go_on_without_the_thread_that_started_them(start: Start) -> None:
    """The starter may end at once."""
    started: list[Any] = []
    thread = threading.Thread(target=lambda: started.append(start("import time; time.sleep(0.3); print('done')")))
    thread.start()
    thread.join()
    assert started[0].outcome().output == "done\n"


def test_every_run_is_recorded(make_snippet: Make, tmp_path: Path, target: Target | None) -> None:
    """The ledger has the run while it is active, and its outcome afterwards, even of impossible runs."""
    ledger = Ledger(tmp_path / "runs.sqlite")
    snippet = make_snippet("print('x')")
    seen: list[str] = []
    with Runner(runs_folder=tmp_path / "runs", ledger=ledger, target=target) as runner:
        run = runner.start(
            RunRequest(snippet),
            output=lambda _: seen.append(ledger.recent(1)[0].status),
            finished=lambda _: seen.append(ledger.recent(1)[0].status),
        )
        run.wait(30)
        runner.start(RunRequest(snippet, device="mps"), output=_ignore, finished=_ignore_outcome).wait(30)
    last, first = ledger.recent()
    ledger.close()
    assert seen == ["running", "passed"]
    assert (first.run_id, first.output, first.python) == (run.id, "x\n", ".".join(map(str, sys.version_info[:3])))
    assert first.code_sha256 == hashlib.sha256(b"print('x')").hexdigest()
    assert last.status == "unavailable"


def test_temporary_files_go_and_results_stay(start: Start, tmp_path: Path, target: Target | None) -> None:
    """After the run its temporary folder is gone; what it wrote and printed is here, readable by the user alone."""
    code = "import tempfile\nopen(tempfile.mkstemp()[1], 'w').write('x' * 1000)\nopen('kept', 'w').write('1')\nprint(1)"
    outcome = start(code).outcome()
    folder = tmp_path / "runs" / outcome.run_id
    names = {"artifacts", "log"} if target else {"artifacts", "code", "log", "work"}
    assert {path.name for path in folder.iterdir()} == names
    assert [(one.path, one.path.read_text()) for one in outcome.artifacts] == [(folder / "artifacts" / "kept", "1")]
    assert b"1" in (folder / "log" / "head").read_bytes()
    assert folder.stat().st_mode & 0o077 == 0
    assert not isinstance(target, DistantTarget) or target.is_clean()


def test_a_run_that_kills_its_supervisor(start: Start, target: Target | None) -> None:
    """Another supervisor ends what is left of it and sends what it printed and wrote."""
    code = (
        "import os, subprocess, sys, time\n"
        "open('kept', 'w').write('1')\n"
        "subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
        "print('before'); time.sleep(0.3)\n"
        "service = os.getppid()\n"
        "guard = int(open(f'/proc/{service}/stat').read().split()[3])\n"
        "[os.kill(pid, 9) for pid in (guard, service)]\n"
        "time.sleep(60)"
    )
    outcome = start(code).outcome()
    assert (outcome.status, outcome.output) == ("killed", "before\n")
    assert [one.path.read_text() for one in outcome.artifacts] == ["1"]
    assert not isinstance(target, DistantTarget) or target.is_clean()
    assert start("print('alive')").outcome().output == "alive\n"


def test_descriptors_are_given_back(start: Start) -> None:
    """Runs leave no open file behind in this process."""
    start("pass").outcome()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        start("print(1)").outcome()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def _ignore(_: OutputChunk) -> None:
    """Ignore a report."""


def _ignore_outcome(_: Outcome) -> None:
    """Ignore an outcome."""
