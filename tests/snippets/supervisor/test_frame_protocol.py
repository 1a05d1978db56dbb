"""Frames over a pipe."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snippets.supervisor.frame_protocol import pack, read_frame, write_all


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Return both ends of a pipe."""
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue  # the test closed it


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.binary(max_size=1000))
def test_what_goes_in_comes_out(pipe: tuple[int, int], header: dict[str, object], payload: bytes) -> None:
    """Any header and any payload."""
    write_all(pipe[1], pack(header, payload) + pack({}))
    assert read_frame(pipe[0]) == (header, payload)
    assert read_frame(pipe[0]) == ({}, b"")


@pytest.mark.parametrize("kept", [0, 3, 8, 12])
def test_the_end_may_come_anywhere(pipe: tuple[int, int], kept: int) -> None:
    """A stream that ends between frames, or inside one, ends."""
    write_all(pipe[1], pack({"do": "run"}, b"payload")[:kept])
    os.close(pipe[1])
    assert read_frame(pipe[0]) is None


def test_names_that_are_no_text(pipe: tuple[int, int]) -> None:
    """A file's name that is not UTF-8 travels as it is."""
    name = os.fsdecode(b"/tmp/\xff")
    write_all(pipe[1], pack({"path": name}))
    frame = read_frame(pipe[0])
    assert frame is not None
    assert frame[0]["path"] == name
