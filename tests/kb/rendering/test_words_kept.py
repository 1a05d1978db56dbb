"""No word of a note is lost on its way to the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.markdown.highlight import code_html
from kb.rendering.render import render
from kb.rendering.rendered_page import Page
from kb.vault.vault import SHIPPED_NOTES
from tests.note_words import lost, page_text

CASES = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_our_own_notes_are_whole(lang: str) -> None:
    """Every word of every note that comes with the program is on its page, as often as in the note."""
    notes = sorted(SHIPPED_NOTES.rglob(f"*.{lang}.md"))
    assert notes
    for note in notes:
        text = note.read_text(encoding="utf-8")
        assert not lost(text, render(text, path=note.name)), note


@pytest.mark.parametrize("case", sorted((CASES / "reader").glob("*.md")), ids=lambda case: case.stem)
def test_so_are_the_samples(case: Path) -> None:
    """Where every kind of text stands on one page."""
    text = case.read_text(encoding="utf-8")
    assert not lost(text, render(text, path=case.name))


def test_what_is_lost_is_noticed() -> None:
    """The comparison sees a word that is missing, one that comes too seldom, and one in code."""
    whole = render("# One\n\ntwo two 三\n\n```\nfour\n```\n", path="a.md")
    assert "two" in page_text(whole)
    for missing, text in (("five", "five two"), ("two", "two two two"), ("四", "三四"), ("six", "```\nsix\n```")):
        assert missing in lost(text, whole)
    assert lost("word", Page(()))


@pytest.mark.parametrize(
    "lang", ["console", "pycon", "bash", "diff", "http", "text", "python", "json", "yaml", "sh-session"]
)
def test_no_language_loses_its_last_line(lang: str) -> None:
    """Though it has no line end."""
    assert re.sub("<[^<>]*>", "", code_html("$ first\nlast", lang)) == "$ first\nlast"
