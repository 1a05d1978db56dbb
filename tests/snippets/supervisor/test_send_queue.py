"""Reports on their way out."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from snippets.supervisor.frame_protocol import read_frame
from snippets.supervisor.send_queue import PENDING_BYTES, SendQueue


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """Return both ends of a pipe, and close them after the test."""
    reader, writer = os.pipe()
    yield reader, writer
    for end in (reader, writer):
        try:
            os.close(end)
        except OSError:
            continue  # the test closed it


def test_output_comes_before_what_is_sent_after_it(ends: tuple[int, int]) -> None:
    """The last report of a run overtakes none of its output."""
    outbox = SendQueue(ends[1], lost=lambda: None)
    outbox.output("1", 0, b"out")
    outbox.output("1", 1, b"err")
    outbox.send({"is": "finished"})
    outbox.close()
    data = {"stdout": b"", "stderr": b""}
    while (frame := read_frame(ends[0])) and frame[0]["is"] == "output":
        data[frame[0]["stream"]] += frame[1]
    assert data == {"stdout": b"out", "stderr": b"err"}
    assert frame == ({"is": "finished"}, b"")


def test_a_slow_reader_misses_a_counted_part(ends: tuple[int, int]) -> None:
    """Without a reader memory is bounded and the writer never waits; the number of dropped bytes is exact."""
    outbox = SendQueue(ends[1], lost=lambda: None)
    total = 0
    for number in range(400):
        piece = b"%07d\n" % number * 1024
        total += len(piece)
        outbox.output("1", number % 2, piece)
    outbox.send({"is": "finished"})
    received = skipped = 0
    last = b""
    while (frame := read_frame(ends[0])) and frame[0]["is"] == "output":
        received += len(frame[1])
        skipped += frame[0]["skipped"]
        last = frame[1]
    assert received + skipped == total
    assert received < 3 * PENDING_BYTES
    assert last.endswith(b"0000399\n")
    outbox.close()


def test_a_reader_that_is_gone_is_told_once(ends: tuple[int, int]) -> None:
    """The service learns that the reader is gone."""
    lost = threading.Event()
    outbox = SendQueue(ends[1], lost=lost.set)
    os.close(ends[0])
    outbox.send({"is": "started"})
    assert lost.wait(10)
    outbox.close()
