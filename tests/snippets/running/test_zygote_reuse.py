"""The warm Python: no state passes from one run to the next, and no run can change it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from snippets.model.snippet import snippet_from_block
from snippets.process.connection import Connection, supervisor_command
from snippets.process.isolation import isolation
from snippets.running.runner import Run, Runner, RunRequest
from snippets.running.zygote_key import key_for, zygote_key
from snippets.targets.interpreters import Interpreter, probe
from tests.pace import within
from tests.snippets.zygote_helpers import begin, forked, servers

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="runs are forked on Linux only"),
]
works = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")
ways = pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=works)], ids=["open", "isolated"])

STAIN = """
import builtins, json, math, random, warnings
print(hasattr(torch, 'stain'), 'STAIN' in os.environ, os.listdir('.'), os.path.exists('/tmp/torchleaf-stain'))
print(torch.get_default_dtype(), torch.is_grad_enabled(), len(sys.path), signal.getsignal(signal.SIGTERM), math.pi)
print(torch.get_num_threads() < 77, os.nice(0), os.umask(0o22), hasattr(builtins, 'stain'), 'json.stain' in sys.modules)
torch.stain = builtins.stain = 1
torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False); torch.set_num_threads(77)
os.environ['STAIN'] = '1'; os.umask(0o77); os.nice(3); sys.path.append('/x'); math.pi = 3
sys.modules['json.stain'] = json
signal.signal(signal.SIGTERM, signal.SIG_IGN); warnings.simplefilter('error'); open('stain', 'w').close()
"""


@ways
def test_nothing_goes_from_one_run_to_the_next(*, isolate: bool, runner: Runner) -> None:
    """A run can change torch, Python and its environment; the next one starts like the first."""
    assert runner.warm_up(isolate=isolate)
    first, second, third = (forked(runner, STAIN, isolate=isolate) for _ in range(3))
    assert first.status == "passed", first.output
    assert first.output == second.output == third.output
    assert "True" not in first.output.splitlines()[0]


@ways
def test_chance_differs_from_run_to_run(*, isolate: bool, runner: Runner) -> None:
    """Nobody's random numbers are those of the run before; a seed makes them the same as ever."""
    assert runner.warm_up(isolate=isolate)
    code = (
        "import random, numpy, uuid, tempfile, multiprocessing as mp\n"
        "print(torch.initial_seed(), torch.rand(2), random.random(), numpy.random.rand())\n"
        "print(uuid.uuid4(), tempfile.mktemp(), mp.current_process().authkey.hex())\n"
        "torch.manual_seed(0); print(torch.rand(2))"
    )
    outputs = [forked(runner, code, isolate=isolate).output.splitlines() for _ in range(2)]
    words = [set(" ".join(lines[:-1]).split()) for lines in outputs]
    assert not words[0] & words[1]
    assert [lines[-1] for lines in outputs] == ["tensor([0.4963, 0.7682])"] * 2


def test_cuda_is_not_touched_before_the_fork(runner: Runner) -> None:
    """The device of a run is set when it begins, and nothing has looked for one before."""
    assert runner.warm_up()
    code = (
        "print(torch.cuda.is_initialized(), torch.cuda._is_in_bad_fork(), os.environ['CUDA_VISIBLE_DEVICES'] == '')\n"
        "print(torch.cuda.device_count(), [m for m in open('/proc/self/maps') if 'libcuda.so' in m])"
    )
    assert forked(runner, code).output.startswith("False False True\n0 ")


def test_variables_that_torch_reads_at_its_import(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that sets one, or whose code does before the import, is started cold; others are forked and get theirs."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)  # which a worker of the tests has
    assert runner.warm_up()
    run = begin(runner, "print(torch.get_num_threads())", environment={"OMP_NUM_THREADS": "1"})
    assert (run.wait(60).output, run.warm) == ("1\n", False)
    code = "import os\nos.environ['OMP_NUM_THREADS'] = '1'\nimport torch\nprint(torch.get_num_threads())"
    snippet = snippet_from_block(name="a", code=code, options={}, output=None, origin="note", line=1)
    run = runner.start(RunRequest(snippet), output=lambda _: None, finished=lambda _: None)
    assert (run.wait(60).output, run.warm) == ("1\n", False)
    given = {"CUDA_LAUNCH_BLOCKING": "1", "MASTER_PORT": "29511"}
    code = "print(os.environ['CUDA_LAUNCH_BLOCKING'], os.environ['MASTER_PORT'])"
    assert forked(runner, code, environment=given).output == "1 29511\n"


def test_which_runs_are_forked() -> None:
    """Those that import torch, on the CPU or CUDA, with nothing before the import that would come too late."""
    here = probe(Path(sys.executable))

    def key(code: str, device: str = "cpu") -> str | None:
        return key_for(here, code=code, device=device, isolate=False)

    assert key("import torch") == key("import os\nfrom torch import nn", "cuda:0,1")
    assert key("WORLD_SIZE = 2\nimport torch") is not None
    assert key("print('torch')") is None
    assert key("import torch", "mps") is None
    assert key("import warnings\nwarnings.simplefilter('error')\nimport torch") is None
    assert key("import torch\nimport warnings\nwarnings.simplefilter('error')") is not None


def test_where_nothing_can_stand_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without torch, with an old Python, and isolated on systems without fork, all starts are cold."""
    for lacking in (
        Interpreter(Path(sys.executable), "Python", "3.12.1", None),
        Interpreter(Path(sys.executable), "Python", "3.10.1", "2.9.0"),
    ):
        assert zygote_key(lacking, isolate=False) is None
    monkeypatch.setattr(sys, "platform", "darwin")
    assert zygote_key(probe(Path(sys.executable)), isolate=True) is None


@ways
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "halted"])
def test_a_python_that_is_gone_is_made_again(
    end: signal.Signals, *, isolate: bool, runner: Runner, tmp_path: Path
) -> None:
    """The run that would have been forked is started cold, and the next one is forked again."""
    assert runner.warm_up(isolate=isolate)
    (before,) = servers()
    before.send_signal(end)
    run = begin(runner, "print(1)", isolate=isolate)
    assert (run.wait(60).output, run.warm) == ("1\n", False)
    assert runner.warm_up(isolate=isolate)
    assert forked(runner, "print(2)", isolate=isolate).output == "2\n"
    assert [process.pid for process in servers()] != [before.pid]
    assert not list((tmp_path / "runs" / "warm").iterdir())


def test_it_is_renewed_when_its_packages_change(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torch that was replaced is not the one that is forked."""
    python = _environment(tmp_path, "__version__ = '2.0'\nname = 'first'")
    assert runner.warm_up(python)
    code = "print(torch.name)"
    assert forked(runner, code, python=python).output == "first\n"
    package = next((tmp_path / "venv").glob("lib/python3*/site-packages")) / "torch"
    (package / "__init__.py").write_text("__version__ = '2.1'\nname = 'second'")
    (package / "version.py").write_text("__version__ = '2.1'")
    run = begin(runner, code, python=python)
    assert (run.wait(60).output, run.warm) == ("second\n", False)
    assert runner.warm_up(python)
    assert forked(runner, code, python=python).output == "second\n"


HOSTILE = {
    "raises": "raise RuntimeError('broken')",
    "exits": "import sys; sys.exit(3)",
    "crashes": "import os; os.abort()",
    "prints": "print('a word')",
    "warns": "import warnings; warnings.warn('a word')",
    "keeps a thread": "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_torch_that_does_not_import_cleanly(kind: str, runner: Runner, tmp_path: Path) -> None:
    """No Python is kept warm then; the run is started cold and shows the error."""
    python = _environment(tmp_path, HOSTILE[kind])
    assert not runner.warm_up(python)
    run = begin(runner, "print('ran')", python=python)
    outcome = run.wait(60)
    assert not run.warm
    assert outcome.status == {"raises": "failed", "exits": "failed", "crashes": "killed"}.get(kind, "passed")
    assert kind not in {"prints", "warns"} or "a word" in outcome.output
    runner.close()
    assert servers() == []


def test_a_torch_that_hangs(runner: Runner, tmp_path: Path) -> None:
    """Waiting for it has an end, runs do not wait for it at all, and closing the runner ends it."""
    python = _environment(tmp_path, "import os, time\nif 'TORCHLEAF_HANG' in os.environ or True: time.sleep(3)")
    with within(2):
        assert not runner.warm_up(python, within=0.3)
    run = begin(runner, "print(1)", python=python, timeout=1)
    assert (run.wait(60).status, run.warm) == ("timeout", False)
    runner.close()
    assert servers() == []


def test_it_gives_way_when_memory_is_short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The supervisor lets it go, and starts none while the machine is short."""
    from snippets.supervisor import memory  # noqa: PLC0415 - only here
    from snippets.supervisor.service import Service  # noqa: PLC0415 - only here

    inward, outward = os.pipe()
    service = Service(inward, outward, tmp_path)
    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    service._warm_up({"key": "k"})
    assert service._warm is None
    service._outbox.close()
    os.close(inward)
    os.close(outward)
    assert not servers()


@pytest.mark.parametrize("free", [1 << 40, 0], ids=["ample", "scarce"])
def test_the_background_way(free: int, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for in the background it returns at once; later runs are forked, with ample memory two at a time."""
    monkeypatch.setattr("snippets.running.runner.memory", lambda: free)
    with within(0.1):
        runner.warm()
    began = time.monotonic()
    (thread,) = runner._warming
    thread.join(60)
    while runner._pool.getting_warm:
        assert time.monotonic() - began < 60
        time.sleep(0.02)
    for _ in range(2):
        assert [run.warm for run in _two_at_once(runner)] == [True, bool(free)]
    runner.close()
    runner.warm()
    assert servers() == []


def _two_at_once(runner: Runner) -> list[Run]:
    """Start the second while the first is active, and check that their outputs do not mix."""
    runs = [begin(runner, "print(input())\n", asks=True)]
    while runs[0].pid is None:
        time.sleep(0.01)
    runs.append(begin(runner, "print('b')"))
    assert runs[1].wait(60).output == "b\n"
    runs[0].type("a\n")
    assert runs[0].wait(60).output == "a\na\n"
    return runs


def test_as_many_as_are_wanted(runner: Runner) -> None:
    """All are warm at once, each with its own supervisor, and stay warm between runs."""
    assert runner.warm_up(count=2)
    before = servers()
    assert len(before) == 2
    assert [run.warm for run in _two_at_once(runner)] == [True, True]
    assert servers() == before


def test_a_lease_of_a_supervisor_that_stands_ready(tmp_path: Path) -> None:
    """A warm Python ends with its supervisor, even if that is killed."""
    wanted = zygote_key(probe(Path(sys.executable)), isolate=False)
    assert wanted is not None
    connection = Connection(supervisor_command(tmp_path), tmp_path / "log")
    connection.send(wanted.message())
    report = connection.receive(60)
    assert report is not None
    assert report[0] == {"is": "warm", "key": wanted.key, "error": ""}
    (server,) = servers()
    psutil.Process(connection._process.pid).kill()
    connection.close()
    assert not psutil.wait_procs([server], timeout=3.0)[1]


def _environment(folder: Path, torch: str) -> Path:
    """Make a venv with a fake torch of a few lines."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    package = next((folder / "venv").glob("lib/python3*/site-packages")) / "torch"
    package.mkdir()
    (package / "__init__.py").write_text("class default_generator:\n    seed = staticmethod(lambda: 0)\n" + torch)
    (package / "version.py").write_text("__version__ = '2.0'")
    return folder / "venv" / "bin" / "python"
