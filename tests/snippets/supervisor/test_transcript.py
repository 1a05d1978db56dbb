"""What a run printed, on disk."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.supervisor import transcript as module
from snippets.supervisor.transcript import Transcript, left_behind, records

pieces = st.lists(st.tuples(st.integers(0, 1), st.binary(min_size=1, max_size=40)), max_size=60)


@given(pieces)
def test_nothing_is_lost_uncounted(printed: list[tuple[int, bytes]]) -> None:
    """Kept and cut together are all there was; the beginning and the end are what is kept."""
    with tempfile.TemporaryDirectory() as folder:
        transcript = Transcript(Path(folder), kept=100)
        for stream, data in printed:
            transcript.add(stream, data)
        on_disk = left_behind(Path(folder))
        head, kept = transcript.close()
    everything = list(records(kept))
    beginning = list(records(kept[:head]))
    assert sum(len(data) for _, data in everything) + transcript.cut == sum(len(data) for _, data in printed)
    assert beginning == printed[: len(beginning)]
    end = everything[len(beginning) :]
    assert end == printed[len(printed) - len(end) :]
    assert on_disk[0] == head
    assert sorted(records(on_disk[1])) == sorted(everything)


def test_the_end_is_at_least_as_long_as_promised(tmp_path: Path) -> None:
    """However much was printed, the last `kept` bytes are there, and the disk holds little more."""
    transcript = Transcript(tmp_path, kept=1000)
    for number in range(1000):
        transcript.add(0, b"%09d\n" % number)
    head, kept = transcript.close()
    assert sum(len(data) for _, data in records(kept[head:])) >= 1000
    assert list(records(kept))[-1] == (0, b"000000999\n")
    assert len(kept) < 3 * 1000 * 2  # short records: the frame of each weighs half of it


def test_a_full_disk_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails halfway leaves whole records, and what is lost is counted."""
    transcript = Transcript(tmp_path)
    transcript.add(0, b"before")

    def fail(handle: int, data: bytes) -> None:
        os.write(handle, data[:3])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(module, "write_all", fail)
        transcript.add(0, b"lost")
    transcript.add(1, b"after")
    _, kept = transcript.close()
    assert list(records(kept)) == [(0, b"before"), (1, b"after")]
    assert transcript.cut == 4


def test_a_transcript_that_was_left_behind(tmp_path: Path) -> None:
    """It is read in the order of its parts; a torn last record is left out, a missing folder is empty."""
    transcript = Transcript(tmp_path / "log", kept=10)
    for letter in b"abcd":
        transcript.add(0, bytes([letter]) * 10)
    with (tmp_path / "log" / "tail-1").open("ab") as torn:
        torn.write(b"\x00\x00\x00\x00\xffx")
    os.utime(tmp_path / "log" / "tail-0", ns=(1, 1))
    _, kept = left_behind(tmp_path / "log")
    transcript.close()
    assert [data[:1] for _, data in records(kept)] == [b"a", b"d", b"c"]
    assert left_behind(tmp_path / "none") == (0, b"")


def test_no_more_is_read_than_was_written(tmp_path: Path) -> None:
    """A run that makes the files longer, which costs its disk nothing, does not fill the supervisor's memory."""
    transcript = Transcript(tmp_path)
    transcript.add(1, b"printed")
    for name in ("head", "tail-0", "tail-1"):
        os.truncate(tmp_path / name, 1 << 40)
    head, data = transcript.close()
    assert head == len(data)
    assert list(records(data)) == [(1, b"printed")]
    assert left_behind(tmp_path) == (0, b"")
