"""Telling a crash from an orderly end."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.startup.crash_marker import CrashMarker

DEAD = 2**22 + 1  # above the highest process number there can be


def die(folder: Path) -> None:
    """Leave the mark behind, as of a process that is no more."""
    mark = folder / "running.json"
    mark.write_text(json.dumps({**json.loads(mark.read_text("utf-8")), "pid": DEAD}), "utf-8")


def crash(folder: Path, times: int) -> CrashMarker:
    """Start and crash so many times, then start again."""
    for _ in range(times):
        CrashMarker(folder).begin()
        die(folder)
    return CrashMarker(folder)


def test_an_orderly_end_is_none(tmp_path: Path) -> None:
    """The mark is gone."""
    starts = CrashMarker(tmp_path)
    starts.begin()
    starts.end()
    assert not CrashMarker(tmp_path).crashed
    assert list(tmp_path.iterdir()) == []


def test_a_crash_is_told_and_two_make_a_safe_start(tmp_path: Path) -> None:
    """One may be chance."""
    once = crash(tmp_path, 1)
    assert once.crashed
    assert not once.safe
    assert crash(tmp_path, 1).safe


def test_a_start_that_went_well_clears_the_count(tmp_path: Path) -> None:
    """A crash a week later is the first again."""
    starts = crash(tmp_path, 3)
    starts.begin()
    starts.confirm()
    die(tmp_path)
    assert CrashMarker(tmp_path).crashes == 1


def test_another_window_at_work_is_no_crash(tmp_path: Path) -> None:
    """And its mark is left alone."""
    mark = tmp_path / "running.json"
    mark.write_text(json.dumps({"pid": os.getppid(), "crashes": 0}), "utf-8")
    starts = CrashMarker(tmp_path)
    assert not starts.crashed
    starts.begin()
    starts.end()
    assert json.loads(mark.read_text("utf-8"))["pid"] == os.getppid()


@pytest.mark.parametrize("text", ["", "[]", '{"pid": null}', "[" * 100_000])
def test_a_broken_mark_is_a_crash_of_somebody(tmp_path: Path, text: str) -> None:
    """It was left behind all the same."""
    (tmp_path / "running.json").write_text(text, "utf-8")
    assert CrashMarker(tmp_path).crashed


def test_a_number_that_another_process_has_by_now(tmp_path: Path) -> None:
    """A process that began after the mark was written did not write it: that is a crash, and it is counted."""
    mark = tmp_path / "running.json"
    mark.write_text(json.dumps({"pid": os.getppid(), "crashes": 1}), "utf-8")
    os.utime(mark, (1e9, 1e9))  # long before this machine was started
    starts = CrashMarker(tmp_path)
    assert starts.crashed
    assert starts.safe
    starts.begin()
    assert json.loads(mark.read_text("utf-8")) == {"pid": os.getpid(), "crashes": 2}
