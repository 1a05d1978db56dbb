"""What the check of the machine says."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from app import qt_libraries
from app.doctor import check_up
from kb.files.paths import UserPaths
from snippets.process import isolation
from snippets.process.connection import CompletedCommand
from snippets.process.system_packages import apt_line
from snippets.project_metadata import project
from tests.cli.invoke import asked


def finding(capsys: pytest.CaptureFixture[str], name: str) -> Any:
    """Return one finding."""
    _, out, _ = asked(capsys, "doctor", "--json")
    return next(one for one in json.loads(out) if one["name"] == name)


@pytest.mark.parametrize("kind", [None, "nfs4"])
def test_a_home_on_a_network_disk_is_said(
    kind: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All works there, so nothing needed is missing; but the user hears where the data lies and how to move it."""
    monkeypatch.setattr("app.doctor.network_kind", lambda _: kind)
    found = finding(capsys, "disk")
    assert (found["ok"], found["needed"]) == (kind is None, kind is None)
    assert ("is on nfs4" in found["detail"]) == (kind is not None)
    assert ("TORCHLEAF_HOME" in str(found["mend"])) == (kind is not None)


@pytest.mark.parametrize(
    ("installed", "pip", "mend"),
    [
        (False, True, "make setup"),
        (True, True, f"{sys.executable} -m pip install PySide6-Essentials==6.11.3 spylls==0.1.7"),
        (True, False, f"uv pip install --python {sys.executable} PySide6-Essentials==6.11.3 spylls==0.1.7"),
    ],
)
def test_how_to_get_the_window_is_said(
    *, installed: bool, pip: bool, mend: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the project's own pins and into the Python that the program runs under; no registry is asked for torchleaf."""
    monkeypatch.setattr(qt_libraries, "_folder", lambda: None)
    monkeypatch.setattr(qt_libraries, "_has_pip", lambda: pip)
    monkeypatch.setattr(qt_libraries, "INSTALLED", installed)
    assert finding(capsys, "window")["mend"] == mend


def test_the_window_is_loaded_as_it_would_be(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never called fine because its files are there: what cannot be loaded is missing."""
    assert finding(capsys, "window")["ok"] is True
    monkeypatch.setattr(qt_libraries, "_LOADING", "raise ImportError('libEGL.so.1: cannot open shared object file')")
    found = finding(capsys, "window")
    assert (found["ok"], found["needed"]) == (False, True)
    assert "libEGL.so.1" in found["detail"]
    assert "libegl1" in str(found["mend"]) or apt_line("x") is None


def test_a_window_that_cannot_be_loaded_names_the_mend(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library and its package, in one sentence; it sends nobody to another command."""
    monkeypatch.setitem(sys.modules, "app.startup.application", None)
    monkeypatch.setattr(qt_libraries, "_LOADING", "raise ImportError('libEGL.so.1: cannot open shared object file')")
    code, _, said = asked(capsys, "gui")
    assert code == 2
    assert "libEGL.so.1" in said
    assert "doctor" not in said


@pytest.mark.parametrize(("minor", "ok"), [(10, False), (11, True), (14, True), (15, False)])
def test_the_pythons_are_those_of_the_project(
    minor: int, *, ok: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one is told which are meant."""
    monkeypatch.setattr(sys, "version_info", (3, minor, 0, "final", 0))
    found = check_up(UserPaths.under(tmp_path))[0]
    assert found.ok is ok
    assert ok or (found.mend is not None and "3.11 to 3.14" in found.mend.en)
    assert project().pythons == (11, 14)


def test_torch_is_looked_for_where_snippets_run(tmp_path: Path) -> None:
    """A Python that is none any more is said, too."""
    gone = next(one for one in check_up(UserPaths.under(tmp_path), tmp_path / "gone") if one.name.en == "torch")
    assert not gone.ok
    assert str(tmp_path / "gone") in gone.detail.en


@pytest.mark.parametrize(
    ("value", "line"), [("1", "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"), ("0", "")]
)
def test_what_forbids_isolation_is_named(
    value: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting of the kernel and the command of an administrator; where it is not that, plain words."""
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel" / "apparmor_restrict_unprivileged_userns").write_text(f"{value}\n")
    monkeypatch.setattr(isolation, "_KERNEL", tmp_path)
    monkeypatch.setattr(
        isolation, "run_to_end", lambda *_, **__: CompletedCommand(1, "", "bwrap: setting up uid map", "")
    )
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/bwrap")
    found = isolation.isolation.__wrapped__()
    assert not found.available
    assert (
        (found.mend is not None and found.mend.en.endswith(line) and found.mend.zh.endswith(line))
        if line
        else found.mend is None
    )
    assert "setting up uid map" in str(found.reason_en)
