"""The folders of runs."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from snippets.form import snippet_from_block
from snippets.isolation import isolation
from snippets.runner import Runner, RunRequest
from snippets.scratch import RunFolder, forget_old_runs

needs_walls = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")


def test_the_font_list_of_matplotlib_is_handed_on(tmp_path: Path) -> None:
    """It takes seconds to make: a run leaves it to the next, but a run that was locked in leaves nothing."""
    for number, trusted in enumerate((False, True)):
        folder = RunFolder(tmp_path, str(number))
        folder.make()
        settings = Path(folder.variables()["MPLCONFIGDIR"])
        assert list(settings.iterdir()) == []
        (settings / "fontlist-v1.json").write_text("{}")
        folder.tidy(trusted=trusted)
    last = RunFolder(tmp_path, "3")
    last.make()
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
    forget_old_runs(tmp_path)
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
