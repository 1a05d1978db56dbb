"""The folders of runs."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from snippets.model.snippet import snippet_from_block
from snippets.process.isolation import isolation
from snippets.running.old_runs import forget_old_runs, sweep
from snippets.running.runner import Runner, RunRequest
from snippets.supervisor.run_folder import RunFolder

ROOT = Path(__file__).parents[3]
needs_walls = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")


def test_the_font_list_of_matplotlib_is_handed_on(tmp_path: Path) -> None:
    """It takes seconds to make: a run leaves it to the next, but a run that was locked in leaves nothing."""
    for number, trusted in enumerate((False, True)):
        folder = RunFolder(tmp_path, str(number))
        folder.make({})
        settings = Path(folder.variables()["MPLCONFIGDIR"])
        assert list(settings.iterdir()) == []
        (settings / "fontlist-v1.json").write_text("{}")
        folder.tidy(trusted=trusted)
    last = RunFolder(tmp_path, "3")
    last.make({})
    assert [path.name for path in Path(last.variables()["MPLCONFIGDIR"]).iterdir()] == ["fontlist-v1.json"]
    last.tidy(trusted=False)


def test_old_runs_are_forgotten(tmp_path: Path) -> None:
    """What is both older than a week and not among the last hundred goes; nothing else in the folder does."""
    (tmp_path / "supervisor.log").touch()
    (tmp_path / "matplotlib").mkdir()
    for number in range(103):
        folder = tmp_path / f"run-{number:03d}"
        (folder / "log").mkdir(parents=True)
        age = 0 if number == 1 else 30 * 86400
        os.utime(folder, (time.time() - age,) * 2)
    for name, age in (("old", 7200), ("new", 0)):
        (tmp_path / "warm" / name).mkdir(parents=True)
        os.utime(tmp_path / "warm" / name, (time.time() - age,) * 2)
    forget_old_runs(tmp_path)
    assert [path.name for path in (tmp_path / "warm").iterdir()] == ["new"]
    left = {path.name for path in tmp_path.iterdir()}
    assert {"run-000", "run-002"}.isdisjoint(left)
    assert {"run-001", "run-003", "run-102", "matplotlib", "supervisor.log"} <= left
    forget_old_runs(tmp_path / "none")


@pytest.mark.skipif(sys.platform == "win32", reason="sockets have names of another kind there")
@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=needs_walls)])
def test_sockets_have_room_for_their_names(tmp_path: Path, isolate: bool) -> None:  # noqa: FBT001 - a parameter
    """However deep the runs lie, a process of a run can be met at a socket in the folder of temporary files."""
    code = (
        "import socket, tempfile, os\n"
        "name = os.path.join(tempfile.mkdtemp(), 'listener-12345678')\n"
        "with socket.socket(socket.AF_UNIX) as one:\n"
        "    one.bind(name)\n"
        "print('bound', os.path.dirname(os.path.realpath(name)).startswith(os.path.realpath(os.getcwd() + '/..')))\n"
    )
    snippet = snippet_from_block(name="note#meet", code=code, options={}, output=None, origin="note", line=1)
    deep = tmp_path / ("deep" * 30)
    with Runner(runs_folder=deep) as runner:
        asked = RunRequest(snippet, isolate=isolate)
        outcome = runner.start(asked, output=lambda _: None, finished=lambda _: None).wait()
    assert outcome.output == "bound True\n"
    assert not [link for link in Path("/tmp").glob("torchleaf-*") if str(deep) in os.path.realpath(link)]


KILLED = """
import os, signal, sys
from pathlib import Path
from snippets.supervisor.run_folder import RunFolder
RunFolder(Path(sys.argv[1]), sys.argv[2]).make({})
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no short names there")
def test_what_killed_programs_have_left(tmp_path: Path) -> None:
    """The next program takes it away: of dead runs and short commands alone, never of what lives or is another's."""
    alive, dead, gone = (RunFolder(tmp_path, f"run-{secrets.token_hex(4)}") for _ in range(3))
    for folder in (dead, gone):
        subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), folder.root.name], check=False, cwd=ROOT)
    alive.make({})
    gone.root.rename(tmp_path / "elsewhere")
    links = [Path("/tmp") / f"torchleaf-{folder.root.name[-8:]}" for folder in (alive, dead, gone)]
    other = Path("/tmp") / f"torchleaf-{secrets.token_hex(4)}"
    other.symlink_to(tmp_path / "nowhere")
    probes = [Path(tempfile.mkdtemp(prefix="torchleaf-", dir="/tmp")) for _ in range(3)]
    for probe, age in zip(probes, (7200, 7200, 60), strict=True):
        (probe / "command").mkdir()
        (probe / "supervisor.log").touch()
        if probe is probes[1]:  # the folder of a throw-away session
            (probe / "data").mkdir()
        os.utime(probe, (time.time() - age,) * 2)
    assert links[0].is_symlink()  # those of the dead may be gone: any program that starts meanwhile sweeps
    sweep()
    assert [link.is_symlink() for link in (*links, other)] == [True, False, False, True]
    assert [probe.exists() for probe in probes] == [False, True, True]
    assert sorted(path.name for path in dead.root.iterdir()) == ["code", "log", "work"]
    assert Path(alive.variables()["TMPDIR"]).is_dir()
    alive.tidy(trusted=False)
    assert not links[0].is_symlink()
    other.unlink()
    for probe in probes[1:]:
        (probe / "supervisor.log").unlink()
        os.utime(probe, (0, 0))
    (probes[1] / "data").rmdir()
    os.utime(probes[1], (0, 0))
    sweep()
    assert not any(probe.exists() for probe in probes)
