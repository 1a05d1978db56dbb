"""The beginning of a long note that is shown before the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.notes.note import Note, parse
from kb.rendering.first_screen import LENGTH, LONG, beginnings, reached

PART = "## Part\n\nsome words\n\n"


def note(text: str, path: str = "a.md") -> Note:
    return parse(path, text.encode())


def first_part(text: str, line: int = 1) -> str:
    return next(iter(beginnings([note(text)], [line])), "")


def test_it_ends_at_a_blank_line_of_the_note() -> None:
    """More than a screen of it, and whole blocks."""
    text = PART * 1_000
    beginning = first_part(text)
    assert text.startswith(beginning)
    assert 0.9 * LENGTH < len(beginning) < 2 * LENGTH
    assert beginning.endswith("\n\n")


def test_a_fence_is_not_cut() -> None:
    """Nor is what looks like a blank line of the note within it."""
    text = PART * 80 + "```text\n" + "code\n\n" * 5_000 + "```\n"
    assert first_part(text).count("```") in {0, 2}
    assert "some words" in first_part(text)
    assert "code" not in first_part(text)


def test_there_is_none_where_it_would_not_look_as_it_will() -> None:
    """Of a short note, one with a list of its headings, one without a blank line, or with other line ends."""
    assert not first_part(PART)
    assert not first_part("[toc]\n\n" + PART * 1_000)
    assert not first_part("word " * LONG)
    assert not first_part((PART * 1_000).replace("\n", "\r\n"))
    assert first_part("---\ntitle: x\n---\n" + PART * 1_000)
    assert not first_part(f"---\ntitle: x\nwords: {'x' * 3 * LENGTH}\n---\n" + PART * 1_000)


def test_it_may_end_before_a_heading() -> None:
    """Where a note has no blank lines: a heading stands by itself."""
    beginning = first_part("# a\nwords\n" * 9_000)
    assert 0.9 * LENGTH < len(beginning) < 1.1 * LENGTH
    assert beginning.endswith("words\n")


def test_it_reaches_a_screen_beyond_a_line() -> None:
    """So that what is gone to can stand at the top; not where that is nearly all of the note."""
    text = "".join(f"## Part {number}\n\nsome words\n\n" for number in range(2_000))
    found = first_part(text, 4_001)
    assert text.startswith(found)
    assert 0.9 * LENGTH < len(found) - found.index("## Part 1000\n") < 2 * LENGTH
    assert not first_part(text, 7_997)
    assert not first_part(text, 1_000_000)


ZH = "".join(f"## 第 {number} 节\n\n{'一段话。' * 60}\n\n" for number in range(90))
EN = "".join(f"## Section {number}\n\n{'a few words of it. ' * 30}\n\n" for number in range(90))


def test_both_languages_end_under_the_same_heading() -> None:
    """Or a section would for a moment stand beside another one."""
    notes = [note(ZH, "a.zh.md"), note(EN, "a.en.md")]
    zh, en = beginnings(notes)
    assert 5 < zh.count("##") == en.count("##") < 20
    zh, en = beginnings(notes, [note(text).sections[40].line for text in (ZH, EN)])
    assert 44 < zh.count("##") == en.count("##") < 60


def test_languages_that_part_company_early_come_whole() -> None:
    """Where one has sections the other lacks, or is not long yet, only all of it tells what stands beside what."""
    notes = [note(ZH, "a.zh.md"), note("# Another\n\n" + EN, "a.en.md")]
    assert beginnings(notes) == ()
    assert beginnings([note(ZH, "a.zh.md"), note("## Section 0\n\nto come\n", "a.en.md")]) == ()
    assert beginnings([note(ZH, "a.zh.md"), note(EN[:4_000], "a.en.md")]) != ()


@given(st.lists(st.sampled_from(["# a\n\n", "## b\n\n", "words " * 200 + "\n\n", "```\ncode\n\n```\n", "- a\n- b\n"])))
def test_beginnings_are_beginnings(parts: list[str]) -> None:
    """Whatever the note, and up to a blank line."""
    text = "".join(parts) * 9
    for found in beginnings([note(text), note(text)]):
        assert text.startswith(found)
        assert found.endswith("\n\n") or text[len(found)] == "#"  # or before a heading


@pytest.mark.parametrize(
    ("anchor", "line", "whole", "lines"),
    [
        ("section-3", 0, False, (13, 13)),
        ("第-3-节", 0, False, (13, 13)),
        ("Section 3", 99, False, (13, 13)),
        ("Part#section 3", 0, True, (16, 16)),
        ("no such place", 0, False, ()),
        ("", 14, False, (13, 14)),
        ("", 14, True, (16, 16)),
        ("", 0, True, (4, 4)),
    ],
)
def test_a_place_is_known_in_both_languages(anchor: str, line: int, whole: bool, lines: tuple[int, ...]) -> None:  # noqa: FBT001
    """A heading by its anchor or its words, a line by the section that it stands in."""
    notes = [note(ZH, "a.zh.md"), note(EN, "a.en.md")]
    assert reached(notes, 1, anchor=anchor, line=line, whole=whole) == lines


def test_a_place_is_not_known_where_the_languages_differ() -> None:
    """Their sections cannot be told to be the same."""
    assert reached([note(ZH), note(EN + "## More\n")], 0, anchor="section-3") == ()
    assert reached([note(EN + "## More\n")], 0, anchor="section-3") == (13,)


PARTS = ["# A\n\n", "## b c\n\n", "Words\n===\n", "text\n\n", "```\n# A\n```\n\n"]


@given(
    st.lists(st.sampled_from(PARTS), min_size=1),
    st.sampled_from(["a", "a-1", "A", "b-c", "x#b c", "words", "no"]),
    st.integers(1, 900),
    st.booleans(),
)
def test_a_place_is_the_same_in_a_part_of_the_note(parts: list[str], anchor: str, line: int, whole: bool) -> None:  # noqa: FBT001
    """Where only a part of it was looked at, that told the same."""
    text = "".join(parts) * 3
    with pytest.MonkeyPatch.context() as patch:
        answers = []
        for size in (40, 1_000_000):
            patch.setattr("kb.rendering.first_screen._READ", size)
            answers.append((reached([note(text)], 0, anchor=anchor, whole=whole), reached([note(text)], 0, line=line)))
    assert answers[0] == answers[1]
