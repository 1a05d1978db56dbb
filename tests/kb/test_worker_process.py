"""Processes of this program, without the program's weight."""

from __future__ import annotations

import importlib
import sys
from multiprocessing import Pipe
from pathlib import Path

import pytest

from kb.worker_process import start_worker
from tests.kb.vault_helpers import run

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


INSIDE = """
import os, sys
from pathlib import Path
from kb.index import index_update
from kb.index.index_update import update_index
from kb.vault.vault import Vault

root, folder = map(Path, sys.argv[1:3])
sys.path.remove("")
os.chdir(root)
index_update.MANY = 5
seen = set()
update_index(Vault.open(root), folder, progress=lambda _: seen.update(folder.glob("handed-*")))
print(len(seen), (root / "mark").exists())
"""


def test_nothing_is_imported_from_the_folder_it_is_started_in(tmp_path: Path) -> None:
    """A program begun inside of an untrusted vault: its processes, and multiprocessing's own, run our code alone."""
    vault = tmp_path / "vault"
    vault.mkdir()
    for name in ("multiprocessing", "sitecustomize", "numpy", "kb", "json", "encodings"):
        (vault / f"{name}.py").write_text("open('mark', 'w').close()\n", "utf-8")
    for number in range(20):
        (vault / f"n{number}.md").write_text("# values\n", "utf-8")
    assert run(INSIDE, str(vault), str(tmp_path / "index")) == "1 False\n"
