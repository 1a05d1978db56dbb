"""Processes of this program, without the program's weight."""

from __future__ import annotations

import importlib
import sys
from multiprocessing import Pipe
from pathlib import Path

import pytest

from kb.workers import start_worker

TARGET = """
import sys

def say(pipe, names):
    pipe.send([name for name in names if name in sys.modules])
"""


def test_a_worker_has_only_what_its_target_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The main module is left alone in the worker, and is what it was in the program afterwards."""
    (tmp_path / "a_target.py").write_text(TARGET, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    before = sys.modules["__main__"].__spec__
    ours, theirs = Pipe()
    target = importlib.import_module("a_target").say
    worker = start_worker(target, theirs, ["pytest", "PySide6", "typer", "a_target"], name="say")
    assert ours.poll(30)
    assert ours.recv() == ["a_target"]
    worker.join()
    ours.close()
    theirs.close()
    assert worker.daemon
    assert sys.modules["__main__"].__spec__ is before
