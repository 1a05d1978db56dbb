"""The beginning of a long note that is shown before the rest."""

from __future__ import annotations

from kb.firstpart import LENGTH, LONG, first_part

PART = "## Part\n\nsome words\n\n"


def test_it_ends_at_a_blank_line_of_the_note() -> None:
    """More than a screen of it, and whole blocks."""
    text = PART * 1_000
    beginning = first_part(text)
    assert text.startswith(beginning)
    assert 0.9 * LENGTH < len(beginning) < 2 * LENGTH
    assert beginning.endswith("\n\n")


def test_a_fence_is_not_cut() -> None:
    """Nor is what looks like a blank line of the note within it."""
    text = PART * 50 + "```text\n" + "code\n\n" * 5_000 + "```\n"
    assert first_part(text).count("```") in {0, 2}
    assert "code" not in first_part(text)


def test_there_is_none_where_it_would_not_look_as_it_will() -> None:
    """Of a short note, one with a list of its headings, one without a blank line, or with other line ends."""
    assert not first_part(PART)
    assert not first_part("[toc]\n\n" + PART * 1_000)
    assert not first_part("word " * LONG)
    assert not first_part((PART * 1_000).replace("\n", "\r\n"))
    assert first_part("---\ntitle: x\n---\n" + PART * 1_000)
