"""The index on disk: it is Whoosh's, and it comes through damage, other versions and a full disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from whoosh.filedb.filestore import FileStorage
from whoosh.index import FileIndex
from whoosh.query import And, Term
from whoosh.reading import TermNotFound

from kb.errors import IndexFailed
from kb.files.atomic import replace_derived
from kb.index import segments
from kb.index.index_update import update_index
from kb.vault.vault import Vault
from tests.kb.index.index_helpers import NOTES, found, numbers

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]


def test_the_folder_is_for_the_user_alone(make_vault: MakeVault, folder: Path) -> None:
    """An index holds the text of the notes: nobody else may read it."""
    update_index(make_vault(NOTES), folder)
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the index."""
    return tmp_path / "cache" / "index"


def test_it_is_a_whoosh_index(make_vault: MakeVault, folder: Path) -> None:
    """Whoosh's own searcher finds and ranks in it what it should."""
    update_index(make_vault(NOTES), folder)
    make_vault({"c.md": "# Gather\n\ngather gather\n"})
    update_index(Vault.open(folder.parent.parent / "vault"), folder)
    with FileIndex(FileStorage(str(folder)), indexname=segments.NAME).searcher() as searcher:
        assert searcher.doc_count() == 5
        hits = searcher.search(And([Term("heading", "gather"), Term("body", "values")]))
        assert [hit["path"] for hit in hits] == ["a/gather.md"]
        assert [hit["path"] for hit in searcher.search(Term("body", "values"))] == ["a/gather.md", "b.txt"]
        reader = searcher.reader()
        assert ("body", b"values") in reader
        assert reader.doc_frequency("body", "values") == reader.frequency("body", "values") == 2
        assert reader.doc_frequency("body", "none") == 0
        assert set(reader.indexed_field_names()) >= {"body", "file", "heading", "lang", "tag", "trail"}
        assert list(reader.lexicon("tag")) == [b"cuda"]
        terms = list(reader.all_terms())
        assert terms == sorted(terms)
        assert len(list(iter(reader))) == len(terms)
        for leaf, _ in reader.leaf_readers():
            assert [term for term, _ in iter(leaf)] == list(leaf.all_terms())
            assert leaf.doc_count() == len([leaf.stored_fields(number) for number in leaf.all_doc_ids()])
            with pytest.raises(TermNotFound):
                leaf.term_info("body", "none")


def damages() -> list[tuple[str, Callable[[Path], None]]]:
    """Everything that can happen to a file, by name."""
    return [
        ("gone", Path.unlink),
        ("empty", lambda file: file.write_bytes(b"") and None),
        ("cut", lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]) and None),
        ("longer", lambda file: file.write_bytes(file.read_bytes() + b"\0") and None),
        ("garbage", lambda file: file.write_bytes(os.urandom(file.stat().st_size)) and None),
        ("one bit", lambda file: file.write_bytes(bytes([file.read_bytes()[0] ^ 1]) + file.read_bytes()[1:]) and None),
    ]


@pytest.mark.parametrize(("damage", "harm"), damages(), ids=[name for name, _ in damages()])
def test_a_damaged_index_is_built_anew(
    make_vault: MakeVault, folder: Path, damage: str, harm: Callable[[Path], None]
) -> None:
    """Whichever file is damaged however: the index is whole afterwards, the reason is told, the notes are untouched."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    for name in sorted(file.name for file in folder.iterdir() if file.name != segments.LOCK):
        kind = name.partition(".")[2]  # segments have new names each time
        harm(next(file for file in folder.iterdir() if file.name.partition(".")[2] == kind and file.name[0] == name[0]))
        report = update_index(vault, folder)
        assert report.rebuilt, (name, damage)
        assert numbers(report) == (2, 4, 2, 0, 0)
        assert found(folder, "scatter") == ["b.txt#Scatter"]
        assert update_index(vault, folder).rebuilt is None
    assert {path: (vault.root / path).read_text() for path in NOTES} == NOTES


def test_an_index_of_another_version_is_built_anew(
    make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stamp tells what was indexed and how; another one is not even opened."""
    vault = make_vault(NOTES)
    with monkeypatch.context() as patch:
        patch.setattr(segments, "STAMP", "0")
        update_index(vault, folder)
    report = update_index(vault, folder)
    assert "another version" in (report.rebuilt or "")
    assert report.added == 2


def test_a_saved_note_finds_the_damage_that_can_be_seen_at_once(make_vault: MakeVault, folder: Path) -> None:
    """With paths given only sizes are compared; where one is wrong, the whole vault is indexed again."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    next(folder.glob("*.postings")).write_bytes(b"")
    report = update_index(vault, folder, paths=["b.txt"])
    assert report.rebuilt
    assert numbers(report) == (2, 4, 2, 0, 0)


def test_a_foreign_index_is_not_opened(make_vault: MakeVault, folder: Path) -> None:
    """What was put there by something else, which could be hostile, is deleted without being read as an index."""
    folder.mkdir(parents=True)
    (folder / "_notes_1.toc").write_bytes(b"cos\nsystem\n(S'touch /tmp/never'\ntR.")
    (folder / "sub").mkdir()
    (folder / "sub" / "file").touch()
    report = update_index(make_vault(NOTES), folder)
    assert report.rebuilt
    assert report.sections == 4
    assert not (folder / "sub").exists()


def test_an_index_that_only_looks_sound_is_built_anew(
    make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be opened though its sums are right goes the same way."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    opened = segments.open_leaves
    failures = [ZeroDivisionError("odd")]

    def fail_once(folder: Path) -> list[segments.OpenSegment]:
        if failures:
            raise failures.pop()
        return opened(folder)

    monkeypatch.setattr(segments, "open_leaves", fail_once)
    assert "ZeroDivisionError" in (update_index(vault, folder).rebuilt or "")


def test_small_segments_are_joined(make_vault: MakeVault, folder: Path) -> None:
    """A hundred saves do not leave a hundred segments, and every change of them is there."""
    vault = make_vault({"fixed.md": "# fixed\n"})
    update_index(vault, folder)
    words = [chr(0x4E00 + number) * 2 for number in range(30)]
    for number, word in enumerate(words):
        make_vault({f"n{number % 20}.md": f"# {word}\n\nother\n"})
        update_index(vault, folder)
    leaves = segments.open_leaves(folder)
    assert len(leaves) < 10
    for leaf in leaves:
        leaf.close()
    assert found(folder, "fixed") == ["fixed.md#fixed"]
    assert [found(folder, word) for word in words[:10]] == [[]] * 10
    assert [found(folder, words[n]) for n in range(10, 30)] == [[f"n{n % 20}.md#{words[n]}"] for n in range(10, 30)]
    assert len(found(folder, "other")) == 20


def names(folder: Path) -> list[str]:
    """The segments of an index."""
    found = segments.open_leaves(folder)
    for leaf in found:
        leaf.close()
    return [leaf.name for leaf in found]


def test_a_saved_note_does_not_wait_for_a_worn_segment(make_vault: MakeVault, folder: Path) -> None:
    """A segment most of which was deleted is written anew when the whole vault is looked at, not with a save."""
    vault = make_vault({f"n{number}.md": f"# old {number}\n\ntext\n" for number in range(4)})
    update_index(vault, folder)
    (first,) = names(folder)
    for number in range(3):
        make_vault({f"n{number}.md": f"# new {number}\n"})
        update_index(vault, folder, paths=[f"n{number}.md"])
    assert first in names(folder)
    make_vault({"n0.md": "# newer\n"})
    update_index(vault, folder)
    assert first not in names(folder)
    assert found(folder, "old text") == ["n3.md#old 3"]
    assert found(folder, "newer") == ["n0.md#newer"]


@pytest.mark.parametrize("nth", range(1, 10))
def test_a_full_disk_leaves_the_old_index(
    make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    """Whichever file cannot be written: it is said, the old index serves, and the next indexing does it all."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    make_vault({"c.md": "# Barrier\n"})
    left = [nth]
    create, replace = FileStorage.create_file, replace_derived

    def full(write: Callable[..., object], *args: object, **more: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            raise OSError(28, "No space left on device")
        return write(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(FileStorage, "create_file", lambda *args, **more: full(create, *args, **more))
        patch.setattr(segments, "replace_derived", lambda *args: full(replace, *args))
        if nth < 9:
            with pytest.raises(IndexFailed, match="No space left"):
                update_index(vault, folder)
            assert found(folder, "scatter") == ["b.txt#Scatter"]
    report = update_index(vault, folder)
    assert report.rebuilt is None
    assert found(folder, "barrier") == ["c.md#Barrier"]
