"""Whatever happens to the files of an index, at whichever byte: the next indexing mends it, and no note is touched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import IndexFailed
from kb.index import segments
from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault
from tests.kb.vault_helpers import state

QUERIES = ("values", "word7", "gradient 梯度", "冻结", '"along a dimension"', "tag:cuda values", "scater")
TEXT = "values are read along a dimension of the tensor\n\n分布式训练 gradient 梯度 冻结参数\n"


@dataclass(frozen=True)
class Sound:
    """A vault, a sound index of it, and what that answers."""

    vault: Vault
    folder: Path
    answers: list[set[tuple[str, str]]]


def answers(folder: Path) -> list[set[tuple[str, str]]]:
    """What is found for each query: paths and headings."""
    searcher = Searcher(folder, folder)
    try:
        return [{(hit.path, hit.heading) for hit in searcher.search(query, limit=500).hits} for query in QUERIES]
    finally:
        searcher.close()


def note(number: int) -> str:
    """A note with three sections."""
    head = "---\ntags: [cuda]\n---\n" if number % 3 else ""
    return head + "".join(f"# word{number} part{part}\n\n{TEXT}\n" for part in range(3))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """An index with a past: several segments, some of their sections deleted."""
    base = tmp_path_factory.mktemp("sound")
    root, folder = base / "vault", base / "index"
    root.mkdir()
    for number in range(12):
        (root / f"n{number}.md").write_text(note(number), "utf-8")
    (root / "scatter.md").write_text("# scatter\n\nputs values\n", "utf-8")
    vault = Vault.open(root)
    update_index(vault, folder)
    for number in (3, 5):
        (root / f"n{number}.md").write_text(note(number) + "\n# new\n\nvalues\n", "utf-8")
        update_index(vault, folder, paths=[f"n{number}.md"])
    (root / "n9.md").unlink()
    update_index(vault, folder)
    found = answers(folder)
    assert all(found)
    return Sound(vault, folder, found)


@pytest.fixture
def damaged(sound: Sound, tmp_path: Path) -> Path:
    """A copy of that index, to be damaged."""
    return copied(sound, tmp_path)


def copied(sound: Sound, folder: Path) -> Path:
    """Return a new copy of the sound index."""
    target = folder / "copy"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(sound.folder, target)
    return target


def files(folder: Path) -> list[str]:
    """The files of an index; the lock holds nothing."""
    return sorted(path.name for path in folder.iterdir() if path.name != segments.LOCK)


def search_as_it_is(folder: Path) -> None:
    """A search in a damaged index answers or says that it cannot; nothing else comes out of it."""
    searcher = Searcher(folder, folder)
    said = []
    for query in QUERIES:
        try:
            searcher.search(query)
        except IndexFailed as failed:
            said.append(failed)
    searcher.close()
    assert all("built anew" in one.en and "重建" in one.zh for one in said)


def mended(sound: Sound, folder: Path) -> str | None:
    """Index, once and again: everything is found, the notes are as they were. Return what was said, which is once."""
    notes = state(sound.vault.root)
    first = update_index(sound.vault, folder)
    assert answers(folder) == sound.answers
    assert (first.notes, first.skipped) == (12, ())
    second = update_index(sound.vault, folder)
    assert (second.rebuilt, second.added, second.updated, second.removed) == (None, 0, 0, 0)
    assert state(sound.vault.root) == notes
    return first.rebuilt


def test_the_control(sound: Sound, damaged: Path) -> None:
    """A copy without damage is taken as it is: nothing is built anew, nothing is said."""
    assert mended(sound, damaged) is None


@settings(max_examples=150)
@given(st.data())
def test_any_byte_may_be_another(sound: Sound, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """One wrong byte at any place of any file of the index: said and mended."""
    folder = copied(sound, tmp_path_factory.getbasetemp())
    name = data.draw(st.sampled_from(files(folder)))
    content = bytearray((folder / name).read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    (folder / name).write_bytes(content)
    search_as_it_is(folder)
    said = mended(sound, folder)
    assert said or name.endswith(".json"), (name, at)  # of the sums, not every byte still counts


@settings(max_examples=100)
@given(st.data())
def test_a_file_may_end_anywhere(sound: Sound, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A file cut at any byte, as a crash of the machine may leave it: said and mended."""
    folder = copied(sound, tmp_path_factory.getbasetemp())
    name = data.draw(st.sampled_from(files(folder)))
    os.truncate(folder / name, data.draw(st.integers(0, (folder / name).stat().st_size - 1)))
    search_as_it_is(folder)
    assert mended(sound, folder), name


def harms() -> dict[str, Callable[[Path], object]]:
    """What may happen to a file as a whole, by name."""

    def becomes(make: Callable[[Path], object]) -> Callable[[Path], object]:
        def harm(file: Path) -> None:
            file.unlink()
            make(file)

        return harm

    return {
        "gone": Path.unlink,
        "empty": lambda file: file.write_bytes(b""),
        "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
        "garbage": lambda file: file.write_bytes(os.urandom(file.stat().st_size)),
        "text": lambda file: file.write_text("{}"),
        "a folder": becomes(Path.mkdir),
        "a broken link": becomes(lambda file: file.symlink_to("nowhere")),
        "a pipe": becomes(os.mkfifo),
        "a sparse giant": lambda file: os.truncate(file, 64 << 30),
        "endless": becomes(lambda file: file.symlink_to("/dev/null")),
    }


@pytest.mark.parametrize("harm", harms().values(), ids=harms().keys())
def test_each_file_in_turn(sound: Sound, tmp_path: Path, harm: Callable[[Path], object]) -> None:
    """Whichever file it happens to: said and mended, and a search before that is no crash."""
    for name in files(sound.folder):
        folder = copied(sound, tmp_path)
        harm(folder / name)
        search_as_it_is(folder)
        assert mended(sound, folder), name


def test_files_of_two_states_are_not_mixed(sound: Sound, damaged: Path, tmp_path: Path) -> None:
    """A backup that was put back in part, each file sound by itself: no mixture of old and new is answered from."""
    older = tmp_path / "older"
    update_index(sound.vault, older)
    for name in files(older):
        shutil.copy(older / name, damaged / name)
    mended(sound, damaged)


def test_a_link_in_the_index_leads_to_no_harm(sound: Sound, damaged: Path) -> None:
    """Where a file of the index is a link to a note, the link goes, and the note stays."""
    for name in files(damaged):
        (damaged / name).unlink()
        (damaged / name).symlink_to(sound.vault.root / "scatter.md")
    assert mended(sound, damaged)


def test_everything_at_once(sound: Sound, damaged: Path) -> None:
    """All files overwritten: one indexing mends it."""
    for name in files(damaged):
        (damaged / name).write_bytes(b"garbage")
    search_as_it_is(damaged)
    assert mended(sound, damaged)


def test_a_deleted_index_is_made_without_a_word(sound: Sound, damaged: Path) -> None:
    """The index is a cache: whoever deletes it wants no message about it."""
    shutil.rmtree(damaged)
    search_as_it_is(damaged)
    assert mended(sound, damaged) is None


@pytest.mark.parametrize("stamp", ["", "0", "99", "x" * 1000])
def test_an_index_of_another_version(sound: Sound, damaged: Path, monkeypatch: pytest.MonkeyPatch, stamp: str) -> None:
    """The index of an older or newer program is not read, by the search neither; it is built anew, and that is said."""
    monkeypatch.setattr(segments, "STAMP", stamp)
    searcher = Searcher(damaged, damaged)
    with pytest.raises(IndexFailed, match="another version"):
        searcher.search("values")
    searcher.close()
    assert "another version" in (mended(sound, damaged) or "")
