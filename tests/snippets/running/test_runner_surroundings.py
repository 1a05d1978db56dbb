"""What surrounds a run: its files, figures, environment, name and device."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snippets.errors import UnknownDevice
from snippets.model.snippet import Snippet, read_snippet
from snippets.results.outcome import Outcome
from snippets.running.run_request import PreparedRun
from snippets.running.runner import OutputChunk, Runner, RunRequest
from snippets.targets import target
from snippets.targets.devices import Device
from snippets.targets.interpreters import Interpreter
from snippets.targets.target import LocalTarget

Start = Callable[..., Any]  # a watched run, see conftest.py
Make = Callable[..., Snippet]


def test_new_files_are_artifacts(start: Start) -> None:
    """Regular files below the scratch folder, images as such; no links, no caches."""
    watched = start(
        "import os\n"
        "os.makedirs('out/__pycache__')\n"
        "for name in ('plot.png', 'out/weights.pt', 'out/__pycache__/x.pyc', 'draw.SVG'):\n"
        "    open(name, 'w').write('12345')\n"
        "os.symlink('/etc/passwd', 'link')\n"
        "os.mkfifo('pipe')"
    )
    outcome = watched.outcome()
    found = {artifact.path.name: (artifact.kind, artifact.bytes) for artifact in outcome.artifacts}
    assert found == {"plot.png": ("image", 5), "weights.pt": ("file", 5), "draw.SVG": ("image", 5)}
    assert watched.artifacts == list(outcome.artifacts)
    assert all(artifact.path.read_text() == "12345" for artifact in outcome.artifacts)


def test_figures_that_are_shown_become_images(start: Start) -> None:
    """`plt.show()` writes each open figure, numbered, and closes it; nothing waits for a window."""
    outcome = start(
        "import matplotlib.pyplot as plt\n"
        "plt.plot([1, 2]); plt.figure(); plt.plot([2, 1]); plt.show()\n"
        "print(plt.get_fignums())\n"
        "plt.figure().show()"
    ).outcome()
    assert outcome.status == "passed", outcome.output
    assert outcome.output == "[]\n"
    assert [(a.path.name, a.kind) for a in outcome.artifacts] == [(f"figure-{n}.png", "image") for n in (1, 2, 3)]
    assert outcome.artifacts[0].path.read_bytes().startswith(b"\x89PNG")


def test_the_environment_is_clean(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No secret and no hostile path gets in; the device is set; what the request gives does get in."""
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "json.py").write_text("print('picked up')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "evil"))
    monkeypatch.setenv("A_SECRET", "s3cret")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    code = "import json, os\nprint(json.dumps(dict(os.environ)))"
    outcome = start(code, environment={"OMP_NUM_THREADS": "3"}).outcome()
    assert "picked up" not in outcome.output
    assert "s3cret" not in outcome.output
    assert '"CUDA_VISIBLE_DEVICES": ""' in outcome.output
    assert '"CUDA_DEVICE_ORDER": "PCI_BUS_ID"' in outcome.output
    assert '"OMP_NUM_THREADS": "3"' in outcome.output
    assert "MASTER_PORT" not in outcome.output


SPAWNING = """
import multiprocessing as mp

def work(number):
    import shadowed
    print(shadowed.__file__)

if __name__ == "__main__":
    try:
        import shadowed
    except ImportError:
        print("main does not see it")
    mp.get_context("spawn").Process(target=work, args=(1,)).start()
"""


def test_a_module_beside_the_snippet_is_not_picked_up(start: Start, tmp_path: Path) -> None:
    """Neither by the snippet nor by the processes it spawns; the vault stays as it was; tracebacks name its file."""
    vault = tmp_path / "a vault"
    vault.mkdir()
    (vault / "shadowed.py").write_text("")
    (vault / "spawning.py").write_text(SPAWNING)
    before = sorted(vault.rglob("*"))
    outcome = start(read_snippet(vault / "spawning.py")).outcome()
    assert "main does not see it" in outcome.output
    assert "ModuleNotFoundError: No module named 'shadowed'" in outcome.output
    assert f'"{vault / "spawning.py"}", line' in outcome.output
    assert sorted(vault.rglob("*")) == before


def test_an_old_interpreter_gets_a_copy(make_snippet: Make, tmp_path: Path) -> None:
    """A Python without safe path runs a copy of the code in the run folder."""

    snippet = make_snippet("1", path=tmp_path / "torch.py")
    old = Interpreter(Path("/usr/bin/python3.9"), "Python 3.9", "3.9.2", None)
    header, code = PreparedRun(RunRequest(snippet), "1", LocalTarget(tmp_path), old).message()
    assert not old.has_safe_path
    assert (header["program"], code) == (None, b"1")


def test_no_main_guard_no_storm(start: Start) -> None:
    """A snippet that starts processes without a main guard fails with what to do, and starts no more than it says."""
    code = (
        "import multiprocessing as mp, os\n"
        "print('here')\n"
        "process = mp.get_context('spawn').Process(target=print)\n"
        "process.start(); process.join()\n"
        "raise SystemExit(process.exitcode)"
    )
    outcome = start(code, timeout=30).outcome()
    assert outcome.status == "failed"
    assert outcome.stdout.count("here") == 2
    assert "__main__" in str(outcome.reason_en)


@pytest.mark.parametrize("name", ["with space.py", "quo'te\".py", "--leading.py", "中文 $HOME;ls.py"])
def test_file_names_of_every_kind(make_snippet: Make, name: str, start: Start, tmp_path: Path) -> None:
    """The name and the arguments arrive whole."""
    path = tmp_path / name
    path.write_text("import sys\nprint(__file__)\nprint(sys.argv[1:])", encoding="utf-8")
    snippet = make_snippet(path.read_text(), path=path, args=("--a b", ""))
    assert start(snippet, args=("'c'",)).outcome().output == f"{path}\n['--a b', '', \"'c'\"]\n"


@pytest.mark.parametrize("name", ["../../evil", "a/b#block1", "", "--x", "名字", "x" * 300, "nul\0"])
def test_names_of_fences_are_no_paths(make_snippet: Make, name: str, start: Start, tmp_path: Path) -> None:
    """The code of a fence is in the run folder, whatever its name."""
    outcome = start(make_snippet("print(__file__)", name=name)).outcome()
    assert outcome.status == "passed"
    assert Path(outcome.output.strip()).parent == tmp_path / "runs" / outcome.run_id / "code"


def test_a_device_of_no_known_form(make_snippet: Make, runner: Runner) -> None:
    """It is refused before anything starts."""
    with pytest.raises(UnknownDevice):
        runner.start(RunRequest(make_snippet("1"), device="gpu"), output=_ignore, finished=_ignore_outcome)


@pytest.mark.parametrize("device", ["cuda:31", "mps", "xpu"])
def test_a_device_that_is_absent(device: str, start: Start) -> None:
    """The run is unavailable with the reason, never the CPU in silence."""
    outcome = start("print('ran')", device=device).outcome()
    assert (outcome.status, outcome.output, outcome.device) == ("unavailable", "", device)
    assert device in str(outcome.reason_en)
    assert device in str(outcome.reason_zh)
    assert outcome.command_exit_code == 1


def test_needs_that_this_machine_cannot_meet(make_snippet: Make, start: Start) -> None:
    """A snippet for 64 GPUs, or for another kind of device, says so."""
    assert "64 GPUs" in str(start(make_snippet("1", needs_gpus=64)).outcome().reason_en)
    assert "is for cuda" in str(start(make_snippet("1", devices=("cuda",))).outcome().reason_en)


def test_a_torch_without_the_chosen_device(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the GPU is there but torch is built for the CPU, the run would take the CPU in silence: it does not run."""

    gpu = Device("cuda:0", "cuda", "A GPU", None, None, available=True)
    plain = Interpreter(Path(sys.executable), "Python", "3.11.7", "2.13.0+cpu")
    monkeypatch.setattr(target, "devices", lambda: (gpu,))
    monkeypatch.setattr(target, "probe", lambda _: plain)
    outcome = start("print('ran')", device="cuda:0").outcome()
    assert (outcome.status, outcome.output) == ("unavailable", "")
    assert "2.13.0+cpu" in str(outcome.reason_en)


def _ignore(_: OutputChunk) -> None:
    """Ignore a report."""


def _ignore_outcome(_: Outcome) -> None:
    """Ignore an outcome."""
