"""Results as they are shown."""

from __future__ import annotations

from app.results import recent_rows, rows_of, worded
from app.rows import spans
from app.titles import ago, seconds_since
from app.words import Words
from kb.entries import Entry
from kb.found import Hit


def hit(*why: str, heading: str = "Bounds") -> Hit:
    """Return a hit of a note in a folder."""
    return Hit("a/gather.en.md", heading, 3, "bounds", "en", "gather", ("gather",), 1.0, "one\nline", ("bounds",), why)


def test_a_row_says_where_it_leads() -> None:
    """Folder, note and headings above, each once; the excerpt in one line."""
    (row,) = rows_of([hit()], "bounds", Words("en"))
    assert (row.heading, row.place, row.excerpt) == ("Bounds", "a / gather", "one line")
    assert (row.path, row.anchor, row.line, row.marks) == ("a/gather.en.md", "bounds", 3, ("bounds",))


def test_text_before_the_first_heading_is_shown_under_the_notes_title() -> None:
    """It has no heading of its own."""
    assert rows_of([hit(heading="")], "x", Words("en"))[0].heading == "gather"


def test_why_is_said_only_where_it_is_not_plain() -> None:
    """What was typed and stands in the heading explains itself."""
    words = Words("zh")
    assert worded("heading: bounds", "Bounds of", words) == ""
    assert worded("text: 冻结", "freeze", words) == "正文: 冻结"
    assert worded("scater → scatter", "scater", words) == "scater → scatter"


def test_marks_are_found_whatever_their_case_and_the_longer_goes_first() -> None:
    """A part of a marked word is not marked again."""
    assert spans("Gather and gather_by_row", ("gather", "gather_by_row")) == [(0, 6), (11, 24)]
    assert spans("nothing", ()) == []
    assert spans("a.b", (".",)) == [(1, 2)]


def test_what_was_read_last_is_listed_once_a_note_while_it_is_there() -> None:
    """Either language of a pair is the same note."""
    entry = Entry("a/x", "a", "x", {"zh": "a/x.zh.md", "en": "a/x.en.md"}, {"zh": "甲", "en": "X"}, ())
    rows = recent_rows(["a/x.en.md", "gone.md", "a/x.zh.md"], [entry], "zh")
    assert [(row.heading, row.path) for row in rows] == [("甲", "a/x.en.md")]


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
