"""The pipe that what is typed comes through, whatever a run puts in its place."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from snippets.supervisor.stdin_pipe import StdinPipe

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")


@pytest.fixture
def keyboard(tmp_path: Path) -> Iterator[StdinPipe]:
    """Return a pipe that is closed after the test."""
    made = StdinPipe(str(tmp_path / "input"))
    yield made
    made.close()
    assert not (tmp_path / "input").exists()


def test_none_without_a_path() -> None:
    """Nobody waits, and what is typed goes nowhere."""
    keyboard = StdinPipe(None)
    keyboard.type(b"x\n")
    assert not keyboard.waits
    keyboard.close()


def test_nobody_waits_until_somebody_reads(keyboard: StdinPipe, tmp_path: Path) -> None:
    """A reader is noticed by opening the pipe, and one that goes away as well."""
    keyboard.poll()
    assert not keyboard.waits
    reader = os.open(tmp_path / "input", os.O_RDONLY | os.O_NONBLOCK)
    keyboard.poll()
    assert keyboard.waits
    os.close(reader)
    keyboard.poll()
    assert not keyboard.waits


def test_a_reader_that_is_gone_when_its_line_comes(keyboard: StdinPipe, tmp_path: Path) -> None:
    """The line waits for the next one."""
    reader = os.open(tmp_path / "input", os.O_RDONLY | os.O_NONBLOCK)
    keyboard.poll()
    keyboard.type(b"kept\n")
    os.close(reader)
    keyboard.poll()
    got: list[bytes] = []
    thread = threading.Thread(target=lambda: got.append(_line(tmp_path / "input")))
    thread.start()
    while thread.is_alive():
        keyboard.poll()
        thread.join(0.01)
    assert got == [b"kept\n"]
    keyboard.poll()
    assert not keyboard.waits


def test_a_reader_that_comes_back_at_once_gets_one_line_at_a_time(keyboard: StdinPipe, tmp_path: Path) -> None:
    """No line is lost or read twice, whenever it is typed and polled."""
    got: list[bytes] = []
    lines = [f"{number}\n".encode() for number in range(60)]

    def read() -> None:
        while len(got) < len(lines):
            got.extend(_line(tmp_path / "input").splitlines(keepends=True))

    thread = threading.Thread(target=read)
    thread.start()
    for line in lines:
        keyboard.type(line)
    while thread.is_alive():
        keyboard.poll()
        thread.join(0.0005)
    assert got == lines


def _line(path: Path) -> bytes:
    """Read as a run does."""
    data = b""
    while not data.endswith(b"\n"):
        with path.open("rb", buffering=0) as pipe:
            while not data.endswith(b"\n") and (more := pipe.read(1 << 16)):
                data += more
    return data


def test_only_a_pipe_is_written_to(keyboard: StdinPipe, tmp_path: Path) -> None:
    """Neither a file nor a link that a run has put in its place, wherever that leads."""
    precious = tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    other = tmp_path / "other"
    os.mkfifo(other)
    reader = os.open(other, os.O_RDONLY | os.O_NONBLOCK)
    for target in (precious, other):
        (tmp_path / "input").unlink()
        (tmp_path / "input").symlink_to(target)
        keyboard.type(b"typed\n")
        assert not keyboard.waits
    (tmp_path / "input").unlink()
    (tmp_path / "input").hardlink_to(precious)
    keyboard.poll()
    assert not keyboard.waits
    assert precious.read_text(encoding="utf-8") == "precious"
    assert os.read(reader, 1) == b""  # nobody has it open for writing
    os.close(reader)
