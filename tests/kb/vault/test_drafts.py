"""Drafts of unsaved edits."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import SaveFailed
from kb.files.atomic import temporary_name
from kb.vault.drafts import Draft, Drafts, draft_file, rehome
from kb.vault.vault import Vault


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
    (only,) = (tmp_path / "drafts").glob("*.json")
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
    (only,) = (tmp_path / "data" / "drafts").glob("*.json")
    fields = json.loads(only.read_text("utf-8"))
    assert (fields["note_path"], fields["text"], fields["base_hash"]) == ("a.md", "text", "abc")


KEEP = """
import sys, pathlib
from kb.vault.drafts import Drafts
drafts = Drafts(pathlib.Path(sys.argv[1]))
drafts.keep(sys.argv[2], sys.argv[3], sys.argv[4])
print("kept", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def another_process(folder: Path, path: str, text: str, base_hash: str = "base") -> Iterator[subprocess.Popen[str]]:
    """Start a process that keeps a draft and lives until the end of the block, which may kill it."""
    line = [sys.executable, "-c", KEEP, str(folder), path, text, base_hash]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
        yield process
        process.kill()


def killed(folder: Path, path: str, text: str, base_hash: str = "base") -> None:
    """Leave a draft behind, as a process does that is killed."""
    with another_process(folder, path, text, base_hash):
        pass


def test_two_processes_never_replace_each_other(tmp_path: Path) -> None:
    """One is killed with a draft; another one that keeps, and drops, its own for the same note leaves it alone."""
    drafts = Drafts(tmp_path)
    drafts.keep("n.md", "mine before", "base")
    killed(tmp_path, "n.md", "theirs")
    drafts.keep("n.md", "mine after", "base")
    assert [draft.text for draft in drafts.pending()] == ["theirs", "mine after"]
    drafts.drop("n.md")
    assert [draft.text for draft in drafts.pending()] == ["theirs"]


def test_a_draft_in_use_is_not_offered(tmp_path: Path) -> None:
    """While its process lives it is nobody else's; afterwards it is pending, and its lock is cleaned up in time."""
    drafts = Drafts(tmp_path)
    with another_process(tmp_path, "n.md", "typing"):
        assert drafts.pending() == ()
        drafts.follow({"n.md": "m.md"})
        (lock,) = tmp_path.glob("*.lock")
        os.utime(lock, (0, 0))
        assert drafts.pending() == ()
        assert lock.exists()
    (left,) = drafts.pending()
    assert (left.note_path, left.text) == ("n.md", "typing")
    assert not lock.exists()


def test_an_adopted_draft_goes_with_the_next_one_of_its_note(tmp_path: Path) -> None:
    """It stays until the text is safe elsewhere: in a draft of this process, or dropped after a save."""
    drafts = Drafts(tmp_path)
    killed(tmp_path, "n.md", "old")
    killed(tmp_path, "n.md", "older text of another window")
    first, second = drafts.pending()
    drafts.adopt(first)
    assert drafts.pending() == (first, second)
    drafts.keep("n.md", "old and more", "base")
    assert [draft.text for draft in drafts.pending()] == ["older text of another window", "old and more"]
    drafts.adopt(second)
    drafts.drop("n.md")
    assert drafts.pending() == ()


def test_drafts_follow_renames(tmp_path: Path) -> None:
    """Those of dead processes and one's own, also where two notes swap names, and what was adopted stays adopted."""
    drafts = Drafts(tmp_path)
    killed(tmp_path, "a.md", "of a")
    killed(tmp_path, "b.md", "of b")
    drafts.keep("c.md", "of c", None)
    drafts.adopt(next(draft for draft in drafts.pending() if draft.note_path == "a.md"))
    drafts.follow({"a.md": "b.md", "b.md": "a.md", "c.md": "sub/c.md"})
    found = {draft.note_path: draft for draft in drafts.pending()}
    assert {path: draft.text for path, draft in found.items()} == {"b.md": "of a", "a.md": "of b", "sub/c.md": "of c"}
    for draft in found.values():
        assert draft.file == draft_file(draft.note_path, draft.file)
    drafts.drop("b.md")
    drafts.drop("sub/c.md")
    assert [draft.text for draft in drafts.pending()] == ["of b"]


def test_a_draft_of_an_earlier_version_is_found_and_dropped(tmp_path: Path) -> None:
    """Its file has no name of a process."""
    drafts = Drafts(tmp_path)
    drafts.keep("n.md", "old", None)
    (own,) = tmp_path.glob("*.json")
    own.replace(tmp_path / f"{own.name.partition('-')[0]}.json")
    (found,) = drafts.pending()
    drafts.follow({"n.md": "m.md"})
    (found,) = drafts.pending()
    assert (found.note_path, found.text) == ("m.md", "old")
    drafts.adopt(found)
    drafts.drop("m.md")
    assert drafts.pending() == ()


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with one note."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "n.md").write_text("# n\n\nsaved\n", "utf-8")
    return Vault.open(folder)


def test_a_draft_goes_home_to_its_renamed_note(vault: Vault, drafts: Drafts) -> None:
    """The only note that has the text it began with; otherwise it is told as orphaned, and nothing moves."""
    base = vault.read("n.md").hash
    drafts.keep("n.md", "more", base)
    (draft,) = rehome(vault, drafts, drafts.pending())
    assert (draft.note_path, draft.orphaned) == ("n.md", False)
    (vault.root / "sub").mkdir()
    (vault.root / "n.md").rename(vault.root / "sub" / "m.md")
    (draft,) = rehome(vault, drafts, drafts.pending())
    assert (draft.note_path, draft.orphaned, draft.text) == ("sub/m.md", False, "more")
    assert drafts.pending() == (draft,)
    (vault.root / "x.md").write_bytes((vault.root / "sub" / "m.md").read_bytes())
    (vault.root / "sub" / "m.md").rename(vault.root / "y.md")
    (draft,) = rehome(vault, drafts, drafts.pending())
    assert (draft.note_path, draft.orphaned, draft.text) == ("sub/m.md", True, "more")


def test_a_draft_without_a_note_is_orphaned(vault: Vault, drafts: Drafts) -> None:
    """Deleted, never saved, or under a path that no longer leads anywhere in the vault."""
    drafts.keep("gone.md", "text", "hash of nothing here")
    drafts.keep("new.md", "never saved", None)
    drafts.keep("../out.md", "outside", None)
    assert {draft.note_path: draft.orphaned for draft in rehome(vault, drafts, drafts.pending())} == {
        "gone.md": True,
        "new.md": True,
        "../out.md": True,
    }
