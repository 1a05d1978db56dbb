"""What app.state.related_notes promises beside its room, which tests/e2e/test_related_notes.py drives."""

from __future__ import annotations

from dataclasses import replace

from app.panels.related_panel import one_of_each
from app.state.related_notes import in_one_language
from kb.results import Hit, Mention

HIT = Hit("", "", 1, "", "en", "", (), 1.0, "", (), ())


def test_what_both_languages_say_is_said_once() -> None:
    """In the language that is read; a note that has only the other one stays, and the order does."""
    paths = ("errors/a.en.md", "errors/a.zh.md", "b.en.md", "c.md", "errors/a.en.md")
    hits = tuple(replace(HIT, path=path) for path in paths)
    assert [hit.path for hit in in_one_language(hits, "zh")] == ["errors/a.zh.md", "b.en.md", "c.md"]
    assert [hit.path for hit in in_one_language(hits, "en")] == ["errors/a.en.md", "b.en.md", "c.md", "errors/a.en.md"]


def test_a_file_is_named_once_for_its_mentions() -> None:
    """The first place of each file, in the language that is read; both languages where both are."""
    paths = ("a.en.md", "a.zh.md", "a.zh.md", "b.md", "c.en.md")
    mentions = tuple(Mention(path, "", line, "", "", "") for line, path in enumerate(paths))
    assert [(one.path, one.line) for one in one_of_each(mentions, "zh")] == [("a.zh.md", 1), ("b.md", 3)]
    assert [one.path for one in one_of_each(mentions, "both")] == ["a.en.md", "a.zh.md", "b.md", "c.en.md"]
