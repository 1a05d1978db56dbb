"""What lies on the path of every run, tried in this process."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from snippets.running import interpreter_startup, matplotlib_backend


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Draw into a folder with the backend of a run."""
    monkeypatch.setenv(matplotlib_backend.FOLDER, str(tmp_path))
    before = mpl.get_backend()
    plt.switch_backend("module://snippets.running.matplotlib_backend")
    yield tmp_path
    plt.close("all")
    plt.switch_backend(before)


def test_shown_figures_are_written_and_closed(folder: Path) -> None:
    """One image for each open figure, the first free number for the next; a name that is taken is left alone."""
    (folder / "figure-2.png").write_text("mine")
    for _ in range(2):
        plt.figure()
    plt.show()
    assert plt.get_fignums() == []
    assert sorted(path.name for path in folder.iterdir()) == ["figure-1.png", "figure-2.png", "figure-3.png"]
    assert (folder / "figure-1.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "figure-2.png").read_text() == "mine"


def test_nothing_open_nothing_written(folder: Path) -> None:
    """Showing without a figure does nothing."""
    plt.show()
    assert list(folder.iterdir()) == []


def test_lines_are_written_when_they_end(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """At its start a run's Python makes its streams write whole lines."""
    stream = open(os.dup(1), "w", encoding="utf-8")  # noqa: PTH123, SIM115 - a descriptor, closed below
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    interpreter_startup.write_lines_whole()
    stream.write("half")
    assert capfd.readouterr().out == ""
    stream.write(" whole\n")
    assert capfd.readouterr().out == "half whole\n"
    stream.close()


@pytest.mark.parametrize("theirs", [True, False])
def test_a_start_of_the_interpreters_own(
    theirs: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is run after ours, if there is one."""
    if theirs:
        (tmp_path / "sitecustomize.py").write_text("print('theirs')")
    monkeypatch.setattr(sys, "path", [str(Path(interpreter_startup.__file__).parent), str(tmp_path), *sys.path])
    runpy.run_path(interpreter_startup.__file__, run_name="sitecustomize")
    assert capsys.readouterr().out == ("theirs\n" if theirs else "")
