"""What the command line prints: one line of JSON, harmless text, tables."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.console import progress, remark, say, say_columns, say_json, say_table, visible


@given(st.text())
def test_no_control_character_reaches_the_terminal(text: str) -> None:
    """Only line feed and tab are printed as they are; printable text stays."""
    shown = visible(text)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    assert not any(char in shown for char in "\x7f\x9b\u202e\u2066")
    if text.isprintable():
        assert shown == text


def test_escape_sequences_are_shown() -> None:
    """A note cannot clear the screen or turn the direction of a line."""
    assert visible("a\x1b[2Jb") == "a\\x1b[2Jb"
    assert visible("\u202egnp.exe") == "\\x202egnp.exe"


def test_output_and_remarks_go_to_their_streams(capsys: pytest.CaptureFixture[str]) -> None:
    """Remarks on standard error leave standard output to the results."""
    say("result")
    remark("remark")
    say_json({"名": 1, "path": object})
    out, err = capsys.readouterr()
    assert err == "remark\n"
    assert out.splitlines()[0] == "result"
    assert json.loads(out.splitlines()[1])["名"] == 1


def test_cells_of_a_table_are_readable(capsys: pytest.CaptureFixture[str]) -> None:
    """Memory in GiB, load in percent, truth as yes or no, nothing for None."""
    row = {"memory_free": 3 << 30, "load": 0.5, "seconds": 1.234, "ok": True, "reason": None, "args": ("a", "b")}
    say_table("memory_free load seconds ok reason args", [row])
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["memory", "free", "load", "seconds", "ok", "reason", "args"]
    assert line.split() == ["3.0", "GiB", "50%", "1.23", "yes", "a", "b"]


def test_rows_without_a_value_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """A measurement that no device has takes no line."""
    say_columns(["cpu", "cuda:0"], [("status", ["ok", "failed"]), ("GPU memory", ["", ""])])
    out = capsys.readouterr().out
    assert "failed" in out
    assert "GPU memory" not in out


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A log file gets no progress bar."""
    with progress("Indexing") as step:
        step(1, 2)
    assert capsys.readouterr() == ("", "")
