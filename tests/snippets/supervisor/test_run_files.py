"""The files of a run, reported while it is active."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets.supervisor import run_files
from snippets.supervisor.run_files import RunFile, RunFiles


@pytest.fixture(autouse=True)
def look_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the pause between two looks."""
    monkeypatch.setattr(run_files, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr(run_files, "_SHARE", 0)


def test_a_file_is_told_of_once_it_does_not_change(tmp_path: Path) -> None:
    """Half a picture is not reported; a changed file is reported again; links and caches never are."""
    looked = RunFiles(tmp_path)
    (tmp_path / "sub" / "__pycache__").mkdir(parents=True)
    (tmp_path / "sub" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (tmp_path / "link").symlink_to("/etc/passwd")
    picture = tmp_path / "sub" / "a.png"
    picture.write_bytes(b"1")
    assert list(looked.written()) == []
    picture.write_bytes(b"12")
    assert list(looked.written()) == []
    assert list(looked.written()) == [RunFile("sub/a.png", 2, b"12")]
    assert list(looked.written()) == []
    picture.write_bytes(b"123")
    (tmp_path / "late").write_bytes(b"")
    assert list(looked.left()) == [RunFile("late", 0, b""), RunFile("sub/a.png", 3, b"123")]
    assert list(looked.left()) == []


def test_no_more_are_told_of_than_people_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number is bounded, and changes of reported files are still reported."""
    monkeypatch.setattr(run_files, "MOST", 3)
    looked = RunFiles(tmp_path)
    for number in range(6):
        (tmp_path / f"{number}").write_bytes(b"x")
    assert [file.path for file in looked.left()] == ["0", "1", "2"]
    (tmp_path / "1").write_bytes(b"xx")
    assert list(looked.left()) == [RunFile("1", 2, b"xx")]


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    """A run may remove its own."""
    assert list(RunFiles(tmp_path / "gone").left()) == []


def test_between_two_looks_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk has better things to do."""
    monkeypatch.setattr(run_files, "_LOOK_SECONDS", 60.0)
    looked = RunFiles(tmp_path)
    assert list(looked.written()) == []
    (tmp_path / "a").write_bytes(b"x")
    assert list(looked.written()) == []
