"""The lock between processes."""

from __future__ import annotations

import os
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import pytest

from kb.files.locks import folder_held, held
from kb.worker_process import start_worker


def hold(path: Path, pipe: Connection) -> None:
    """Take the lock and keep it."""
    with held(path, patience=10) as taken:
        pipe.send(taken)
        pipe.recv()


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    """A second one is told so, and gets it when the first is done."""
    path = tmp_path / "lock"
    with held(path, patience=0) as first, held(path, patience=0.05) as second:
        assert first
        assert not second
    with held(path, patience=0) as third:
        assert third


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    """The lock ends with the process that held it."""
    path = tmp_path / "lock"
    mine, theirs = Pipe()
    process = start_worker(hold, path, theirs, name="holder")
    theirs.close()
    try:
        assert mine.recv() is True
        with held(path, patience=0) as taken:
            assert not taken
    finally:
        process.kill()
        process.join()
        process.close()
        mine.close()
    with held(path, patience=10) as taken:
        assert taken


def test_a_program_started_meanwhile_does_not_inherit_it(tmp_path: Path) -> None:
    """The descriptor of the lock is closed in programs that are started."""
    with held(tmp_path / "lock", patience=0):
        open_files = psutil.Process().open_files()
        (locked,) = [file.fd for file in open_files if file.path.endswith("/lock")]
        assert not os.get_inheritable(locked)


def test_a_folder_has_one_holder_and_gets_no_file(tmp_path: Path) -> None:
    """The second goes on after its patience is spent; nothing is written into the folder."""
    with folder_held(tmp_path, patience=0):
        started = time.monotonic()
        with folder_held(tmp_path, patience=0.05):
            assert time.monotonic() - started >= 0.05
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder_can_be_held(tmp_path: Path) -> None:
    """Its lock needs no right to write."""
    tmp_path.chmod(0o500)
    with folder_held(tmp_path, patience=0), pytest.raises(StopIteration):
        next(tmp_path.iterdir())
    tmp_path.chmod(0o700)
