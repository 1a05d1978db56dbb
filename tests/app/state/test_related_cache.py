"""What belongs to a note, kept from one start to the next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.state import related_notes
from app.state.related_notes import CachedRelated, Related, read_related, write_related
from kb.rendering.page_cache import seal
from kb.results import Hit, Mention

HIT = Hit("a.md", "题", 3, "x", "en", "A", ("B", "C"), 1.5, "…", ("word",), ("text: word",))
KEPT = CachedRelated("a.md", Related("a", (HIT,), (Mention("b.md", "B", 1, "", "A", "of A"),)))


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
