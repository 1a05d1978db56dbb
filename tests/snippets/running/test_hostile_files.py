"""Files of a run that try to make the supervisor or this program read or write outside the run folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snippets.running import run_record
from snippets.running.run_record import RunRecord
from snippets.supervisor import run_files
from snippets.supervisor.run_files import RunFiles, read_inside
from snippets.supervisor.transcript import left_behind

Start = Callable[..., Any]  # a watched run, see conftest.py

SWAPS = {
    "file": "os.remove('out/a.png'); os.symlink(SECRET, 'out/a.png')",
    "folder": "os.rename('out', 'was'); os.symlink(os.path.dirname(SECRET), 'out')",
    "pipe": "os.remove('out/a.png'); os.mkfifo('out/a.png')",
    "scratch folder": "os.rename(os.getcwd(), os.getcwd() + '-was'); os.symlink(os.path.dirname(SECRET), WORK)",
}


@pytest.mark.parametrize("swap", SWAPS)
def test_a_reported_file_is_replaced(swap: str, start: Start, tmp_path: Path) -> None:
    """A link in the place of a reported file, or of a folder above it, is never followed."""
    secret = tmp_path / "outside" / "a.png"
    secret.parent.mkdir()
    secret.write_text("secret")
    code = (
        f"import os\nSECRET, WORK = {str(secret)!r}, os.getcwd()\n"
        "os.mkdir('out')\nopen('out/a.png', 'w').write('mine')\n"
        f"input()\n{SWAPS[swap]}\nprint('swapped')\ninput()"
    )
    watched = start(code, asks=True)
    watched.until(lambda: watched.artifacts)
    watched.type("\n")
    watched.wait_for("swapped")
    watched.run.type("\n")
    outcome = watched.outcome()
    assert outcome.status == "passed", outcome.output
    for artifact in (*watched.artifacts, *outcome.artifacts):
        assert not artifact.path.exists() or artifact.path.read_text() == "mine"
    assert not [one for one in outcome.artifacts if one.path.is_symlink() or one.path.resolve() == secret]


def test_nothing_is_read_through_a_link(tmp_path: Path) -> None:
    """Neither a link, nor a file behind a linked folder, nor a folder, a pipe or a path that leads out is read."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_text("secret")
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    (work / "sub" / "a").write_text("mine")
    (work / "link").symlink_to(tmp_path / "outside" / "a")
    (work / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "work-link").symlink_to(work)
    os.mkfifo(work / "pipe")
    assert read_inside(work, "sub/a", 4) == b"mine"
    for path in ("link", "folder/a", "sub", "pipe", "../outside/a", "sub/../../outside/a", "/etc/passwd", "none"):
        assert read_inside(work, path, 100) is None, path
    assert read_inside(tmp_path / "work-link", "sub/a", 100) is None


def test_a_file_that_is_too_large_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported with its size; what all together send is bounded too, and at the end there is a new bound."""
    monkeypatch.setattr(run_files, "MOST_BYTES", 10)
    monkeypatch.setattr(run_files, "MOST_SENT", 15)
    for name, size in (("a", 11), ("b", 10), ("c", 10)):
        (tmp_path / name).write_bytes(b"x" * size)
    files = RunFiles(tmp_path)
    assert [(one.path, one.size, one.content is not None) for one in files.left()] == [
        ("a", 11, False),
        ("b", 10, True),
        ("c", 10, False),
    ]
    assert [(one.path, one.content is not None) for one in files.left()] == [("c", True)]
    assert files.present == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "", "a//b", ".", "a/.", "nul\0"])
def test_a_name_that_leads_elsewhere(name: str, tmp_path: Path) -> None:
    """This program does not trust the names that a supervisor reports."""
    with pytest.raises(ValueError, match="no file of a run"):
        RunRecord(tmp_path, "run").keep(name, b"x")
    assert list(tmp_path.iterdir()) == []


def test_more_than_this_program_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes that a supervisor reports are not trusted either."""
    monkeypatch.setattr(run_record, "MOST_BYTES", 5)
    record = RunRecord(tmp_path, "run")
    assert record.keep("a/b", b"123").read_bytes() == b"123"
    with pytest.raises(ValueError, match="too much"):
        record.keep("c", b"123")
    assert not (tmp_path / "run" / "artifacts" / "c").exists()


def test_a_transcript_that_is_a_link(tmp_path: Path) -> None:
    """The output of an earlier run is not read through a link."""
    (tmp_path / "secret").write_bytes(b"\0\0\0\0\6secret")
    (tmp_path / "log").mkdir()
    for name in ("head", "tail-0"):
        (tmp_path / "log" / name).symlink_to(tmp_path / "secret")
    assert left_behind(tmp_path / "log") == (0, b"")


def test_an_isolated_run_cannot_touch_its_record(start: Start) -> None:
    """Its code, its transcript and the copies of its files are read-only inside the sandbox."""
    code = (
        "import os\nfor name in ('log', 'code', 'path', 'artifacts', '.'):\n"
        "    try:\n        open(f'../{name}/new', 'w')\n        print('written', name)\n"
        "    except OSError as error:\n        print(error.errno)"
    )
    outcome = start(code, isolate=True).outcome()
    if outcome.status == "unavailable":
        pytest.skip("bubblewrap does not work here")
    assert outcome.output == "30\n30\n30\n2\n30\n"
