"""Titles of notes, and how long ago something was."""

from __future__ import annotations

from app.rooms.titles import ago, seconds_since
from app.words import Words


def test_times_are_told_in_the_largest_unit() -> None:
    """In both languages."""
    assert [ago(seconds, Words("en")) for seconds in (15, 90, 7200, 3 * 86400)] == [
        "15 s ago",
        "2 min ago",
        "2 h ago",
        "3 d ago",
    ]
    assert ago(-1, Words("zh")) == "刚刚"
    assert seconds_since("2020-01-01T00:00:00+00:00") > 0
