"""Related notes: filtering by language, and the cache for the next start."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.panels.related_panel import one_of_each
from app.state import related_notes
from app.state.related_notes import CachedRelated, Related, in_one_language, read_related, write_related
from kb.rendering.page_cache import seal
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


CACHED_HIT = Hit("a.md", "题", 3, "x", "en", "A", ("B", "C"), 1.5, "…", ("word",), ("text: word",))
KEPT = CachedRelated("a.md", Related("a", (CACHED_HIT,), (Mention("b.md", "B", 1, "", "A", "of A"),)))


def test_it_comes_back_whole(tmp_path: Path) -> None:
    """And goes where there is nothing to be kept."""
    file = tmp_path / "cache" / "kin"
    write_related(file, KEPT)
    assert read_related(file) == KEPT
    write_related(file, None)
    assert read_related(file) is None
    assert not file.exists()


def test_of_another_version_or_damaged_it_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the file holds, a start goes on."""
    file = tmp_path / "kin"
    write_related(file, KEPT)
    whole = file.read_bytes()
    monkeypatch.setattr(related_notes, "maker", lambda: "another")
    assert read_related(file) is None
    ours = {"made by": "another"}
    strange: tuple[object, ...] = ([], ours, {**ours, "like": [{}], "mentions": [], "path": "", "key": ""})
    sealed = (seal(json.dumps(one).encode()) for one in strange)
    for data in (b"", whole[:-1], whole.replace(b"word", b"ward"), *sealed):
        file.write_bytes(data)
        assert read_related(file) is None
