"""Tests of the words below a note's title."""

from __future__ import annotations

import datetime as dt

from app.i18n import Translator
from app.reader.header_text import header_words, note_labels
from app.reader.page_set import PageSet
from kb.rendering.rendered_page import Page


def test_front_matter_is_shown_as_written() -> None:
    """Author and dates in a fixed order, each once and not too long; other keys are not shown."""
    values = {"date": dt.date(2026, 1, 2), "authors": ["A", "B"], "created": dt.date(2026, 1, 2), "title": "x"}
    assert header_words(values) == "A, B · 2026-01-02"
    assert len(header_words({"author": "x" * 500})) == 60
    assert header_words({"author": "", "date": None}) == ""


def test_facts_are_in_the_language_of_each_side() -> None:
    """The day of the proof is worded in the language of the page, not of the window."""
    day = dt.date(2026, 3, 4)
    pages = PageSet("k", {"zh": Page(()), "en": Page(())}, "both", proven={"zh": day, "en": day}, heads={"en": "A"})
    labels = note_labels(pages, Translator("en"))
    assert labels.facts("en").replace("\u00a0", " ").split("   ") == ["English", "proven 2026-03-04", "A"]
    assert "proven" not in labels.facts("zh")


def test_what_a_note_was_proven_on_stands_beside_the_day() -> None:
    """The devices that the code declares and that it never ran on are named; in the language of each side."""
    on = "cpu, not cuda, torch 2.13.0"
    day = dt.date(2026, 3, 4)
    pages = PageSet(
        "k", {"zh": Page(()), "en": Page(())}, "both", proven={"zh": day, "en": day}, proven_on={"zh": on, "en": on}
    )
    labels = note_labels(pages, Translator("en"))
    plain = {side: labels.facts(side).replace("\u00a0", " ").replace("\u2060", "") for side in ("zh", "en")}
    assert plain["en"].endswith("proven 2026-03-04 on CPU, torch 2.13.0, not run on CUDA")
    assert plain["zh"].endswith("2026-03-04 验证通过（CPU、torch 2.13.0），未在 CUDA 上运行")
    assert "2026-03-04" in labels.facts("zh")
