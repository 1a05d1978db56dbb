"""The recovery of a run whose supervisor was killed."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

import pytest

from snippets.supervisor import recovery as module
from snippets.supervisor.process_tree import LINUX
from snippets.supervisor.recovery import end_marked
from snippets.supervisor.run_environment import MARKER, clean


def test_what_carries_a_marker_is_ended() -> None:
    """In any session, and nothing else is."""
    marked, other = sleeper("run-1", start_new_session=True), sleeper("run-12")
    with marked, other:
        try:
            assert end_marked("run-1") == 1
            assert marked.poll() is not None
            assert other.poll() is None
        finally:
            marked.kill()
            other.kill()


@pytest.mark.skipif(not LINUX, reason="elsewhere a program is loaded before it can be seen")
def test_what_is_just_being_started_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """While its program is loaded the system tells no environment, and so no marker, of it."""
    for number in range(50):
        with sleeper(f"run-{number}") as marked:
            monkeypatch.setattr(os, "listdir", lambda _, pid=marked.pid: [str(pid)])
            try:
                assert end_marked(f"run-{number}") == 1
            finally:
                marked.kill()


def test_what_never_has_an_environment_is_no_hindrance(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not of the run, and is waited for only so long."""
    monkeypatch.setattr(module, "_START_SECONDS", 0.2)
    with subprocess.Popen([shutil.which("sleep") or "sleep", "60"], env={}) as bare:
        try:
            assert end_marked("run-1") == 0
            assert bare.poll() is None
        finally:
            bare.kill()


def sleeper(run: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start a process that carries a run's marker."""
    return subprocess.Popen(["sleep", "60"], env={**clean(), MARKER: run}, **more)
