"""Bytes of a run as text."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from snippets.results.run_output import Decoder, gap, kept_output
from snippets.supervisor.transcript import Transcript


@given(st.text(), st.integers(1, 5))
def test_characters_may_arrive_in_pieces(text: str, size: int) -> None:
    """However the bytes are cut, the text is whole."""
    data = text.encode("utf-8", "replace")
    decoder = Decoder()
    pieces = [decoder.decode(0, data[start : start + size]) for start in range(0, len(data), size)]
    assert "".join(pieces) + decoder.jump(0) == data.decode()


def test_streams_do_not_mix() -> None:
    """Half a character on one stream is not completed by the other."""
    decoder = Decoder()
    assert decoder.decode(0, "炬".encode()[:2]) == ""
    assert decoder.decode(1, "页".encode()) == "页"
    assert decoder.decode(0, "炬".encode()[2:]) == "炬"


def test_bytes_that_are_no_text() -> None:
    """They are replaced, nothing is raised; half a character before a gap as well."""
    decoder = Decoder()
    assert decoder.decode(0, b"a\xffb\xe7") == "a\ufffdb"
    assert decoder.jump(0) == "\ufffd"


def test_kept_output_in_the_order_of_arrival(tmp_path: Path) -> None:
    """Both streams together as they came, and each alone."""
    transcript = Transcript(tmp_path)
    for stream, data in ((0, b"one "), (1, b"oops "), (0, b"two")):
        transcript.add(stream, data)
    kept = kept_output(*transcript.close(), transcript.cut)
    assert (kept.both, kept.stdout, kept.stderr) == ("one oops two", "one two", "oops ")


def test_the_gap_stands_where_it_is(tmp_path: Path) -> None:
    """Between the beginning and the end the count of what is missing is marked."""
    transcript = Transcript(tmp_path, kept=10)
    for letter in b"abcdefgh":
        transcript.add(0, bytes([letter]) * 10)
    kept = kept_output(*transcript.close(), transcript.cut)
    assert kept.both == "a" * 10 + gap(50) + "g" * 10 + "h" * 10
    assert kept.stdout == kept.both
    assert transcript.cut == 50
