"""A warm Python on systems without fork: it becomes one run, and another one replaces it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from snippets.results.outcome import Outcome
from snippets.running.runner import Runner
from snippets.running.zygote_key import HOW
from tests.snippets.zygote_helpers import begin, forked, servers

pytestmark = pytest.mark.torch

STATE = """
import faulthandler, gc, inspect, warnings
if __name__ == "__main__":
    print(__name__, __file__, __doc__, __spec__, type(__loader__).__name__, sorted(globals()))
    print(sys.argv, sys.orig_argv, sys.path, sys.flags, sys.warnoptions, sys.executable, sys.prefix)
    print([(s.encoding, s.errors, s.line_buffering, s.fileno()) for s in (sys.stdin, sys.stdout, sys.stderr)])
    print([f.function for f in inspect.stack() if not f.filename.endswith("zygote.py")], sys.stdin.read() == "")
    print(warnings.filters)
    print(os.getcwd(), os.getpgid(0) == os.getsid(0), {n: v for n, v in sorted(os.environ.items())})
    print(sorted(os.listdir("/proc/self/fd"))[:-1], torch.get_num_threads(), faulthandler.is_enabled(), gc.isenabled())
    print(sorted((n, h) for n in signal.Signals if n not in (9, 19) and (h := signal.getsignal(n)) != signal.SIG_DFL))
    import torch.multiprocessing as mp
    with mp.get_context("spawn").Pool(1) as pool:
        print(pool.map(abs, [-1]))
    sys.stderr.write("half")
    torch.zeros(2) @ torch.zeros(3)
"""


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(HOW, "once")
    yield
    assert servers() == []


def plain(outcome: Outcome) -> str:
    """Return the output of a run without the parts that differ between any two runs."""
    return outcome.output.replace(outcome.run_id, "RUN").replace(outcome.run_id[-8:], "RUN").replace("/cold/", "/runs/")


def test_it_is_as_a_cold_start_and_is_replaced(runner: Runner, tmp_path: Path) -> None:
    """The same output to the letter, and the same end; behind it another gets ready without anybody's asking."""
    assert runner.warm_up()
    (first,) = servers()
    warm = begin(runner, STATE, args=("a b", "--c"))
    outcome = warm.wait(60)
    assert (warm.warm, warm.pid) == (True, first.pid)
    while runner._pool.getting_warm:
        time.sleep(0.02)
    assert forked(runner, "print('second')").output == "second\n"
    runner.close()
    with Runner(runs_folder=tmp_path / "cold") as other:
        expected = begin(other, STATE, args=("a b", "--c")).wait(60)
    assert sorted(plain(outcome).splitlines()) == sorted(plain(expected).splitlines())
    assert (outcome.status, outcome.exit_code, outcome.reason_en) == (expected.status, 1, expected.reason_en)


def test_one_that_has_gone(runner: Runner, tmp_path: Path) -> None:
    """The run is started cold, and nothing is left of it or of an unused warm Python."""
    assert runner.warm_up()
    (server,) = servers()
    server.kill()
    run = begin(runner, "print(os.getpid() > 0)")
    assert (run.wait(60).output, run.warm) == ("True\n", False)
    assert runner.warm_up()
    runner.close()
    assert not list((tmp_path / "runs" / "warm").iterdir())
