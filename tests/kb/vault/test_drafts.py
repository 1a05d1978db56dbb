"""Drafts of unsaved edits."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import SaveFailed
from kb.files.atomic import temporary_name
from kb.vault.drafts import Draft, Drafts


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    """The drafts of a vault, none yet."""
    return Drafts(tmp_path / "data" / "drafts")


def test_a_draft_is_kept_until_it_is_dropped(drafts: Drafts, tmp_path: Path) -> None:
    """Found again by another process, with the note it was typed into and when."""
    before = time.time()
    drafts.keep("a/页.zh.md", "new\r\n\u2028\0 text 🔥", "abc")
    drafts.keep("b.md", "other", None)
    first, second = Drafts(tmp_path / "data" / "drafts").pending()
    assert first == Draft("a/页.zh.md", "new\r\n\u2028\0 text 🔥", "abc", first.kept_at)
    assert before <= first.kept_at <= second.kept_at <= time.time()
    assert (second.note_path, second.base_hash) == ("b.md", None)
    drafts.drop("a/页.zh.md")
    drafts.drop("never kept")
    assert drafts.pending() == (second,)


def test_a_note_has_one_draft(drafts: Drafts) -> None:
    """The newest text takes the place of the one before."""
    for text in ("one", "two"):
        drafts.keep("a.md", text, None)
    assert [draft.text for draft in drafts.pending()] == ["two"]


def test_nothing_kept_is_nothing_pending(drafts: Drafts, tmp_path: Path) -> None:
    """And asking makes no folder."""
    assert drafts.pending() == ()
    assert not (tmp_path / "data").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_drafts_are_private(drafts: Drafts, tmp_path: Path) -> None:
    """Their folder is open to the user alone."""
    drafts.keep("a.md", "secret", None)
    assert (tmp_path / "data" / "drafts").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"\xff\xfe", b"[]", b'{"text": "x"}', b"[" * 100_000, b'{"note_path": 1, "text": "", "kept_at": 1.0}'],
)
def test_a_damaged_draft_is_set_aside(drafts: Drafts, tmp_path: Path, damaged: bytes) -> None:
    """It is not offered, not raised and not deleted; the others are found."""
    folder = tmp_path / "data" / "drafts"
    drafts.keep("a.md", "good", None)
    (folder / "bad.json").write_bytes(damaged)
    assert [draft.text for draft in drafts.pending()] == ["good"]
    assert (folder / "bad.damaged").read_bytes() == damaged
    assert [draft.text for draft in drafts.pending()] == ["good"]


def test_what_cannot_be_read_is_passed_over(drafts: Drafts, tmp_path: Path) -> None:
    """A folder under the name of a draft, or a link to nothing."""
    drafts.keep("a.md", "good", None)
    (tmp_path / "data" / "drafts" / "odd.json").mkdir()
    (tmp_path / "data" / "drafts" / "gone.json").symlink_to("nowhere")
    assert [draft.text for draft in drafts.pending()] == ["good"]


def test_a_draft_that_cannot_be_kept_or_dropped_says_so(tmp_path: Path) -> None:
    """With the name of the note."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SaveFailed, match=r"a\.md"):
        Drafts(tmp_path / "file" / "drafts").keep("a.md", "x", None)
    drafts = Drafts(tmp_path / "drafts")
    drafts.keep("a.md", "x", None)
    (only,) = (tmp_path / "drafts").iterdir()
    only.unlink()
    only.mkdir()
    with pytest.raises(SaveFailed, match=r"a\.md"):
        drafts.drop("a.md")
    with pytest.raises(SaveFailed, match=r"a\.md"):
        drafts.keep("a.md", "y", None)


def test_leftovers_of_a_kill_are_swept(drafts: Drafts, tmp_path: Path) -> None:
    """Only whole drafts lie there afterwards."""
    drafts.keep("a.md", "x", None)
    name = temporary_name()
    leftover = tmp_path / "data" / "drafts" / name.replace(name.split("-")[-2], "00000000")
    leftover.write_text("half")
    drafts.pending()
    assert not leftover.exists()


@given(path=st.text(min_size=1), text=st.text(alphabet=st.characters(), max_size=50))
def test_any_text_is_kept(tmp_path_factory: pytest.TempPathFactory, path: str, text: str) -> None:
    """Whatever was typed, into whatever name."""
    drafts = Drafts(tmp_path_factory.mktemp("drafts"))
    drafts.keep(path, text, None)
    (draft,) = drafts.pending()
    assert (draft.note_path, draft.text) == (path, text)


def test_the_file_of_a_draft_is_plain_json(drafts: Drafts, tmp_path: Path) -> None:
    """A person can get at the text without the program."""
    drafts.keep("a.md", "text", "abc")
    (only,) = (tmp_path / "data" / "drafts").iterdir()
    fields = json.loads(only.read_text("utf-8"))
    assert (fields["note_path"], fields["text"], fields["base_hash"]) == ("a.md", "text", "abc")
