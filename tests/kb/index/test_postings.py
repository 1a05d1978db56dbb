"""A segment's inverted side on disk: what was written is read, by Whoosh too, and damage raises and does not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from whoosh.filedb.filestore import FileStorage
from whoosh.index import FileIndex
from whoosh.query import Prefix, Term
from whoosh.reading import TermNotFound

from kb.index import segments
from kb.index.index_update import update_index
from kb.index.postings import PostingsReader
from kb.vault.vault import Vault

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]
NOTES: dict[str, str | bytes] = {
    "a.md": "# Gather\n\ngather gather torch.gather\n\n# 冻结\n\n冻结参数，冻结\n",
    "b.md": "# Scatter\n\n" + "scatter " * 300 + "\n",
}


@pytest.fixture
def folder(make_vault: MakeVault, tmp_path: Path) -> Path:
    """The folder of an index of the notes."""
    update_index(make_vault(NOTES), tmp_path / "index")
    return tmp_path / "index"


@pytest.fixture
def leaf(folder: Path) -> Iterator[segments.OpenSegment]:
    """Its only segment."""
    (found,) = segments.open_leaves(folder)
    yield found
    found.close()


def read(reader: PostingsReader, field: str, term: str) -> dict[int, int]:
    """Return how often each document has a term."""
    ids, counts = reader.postings(field, term)
    return dict(zip(ids.tolist(), counts.tolist(), strict=True))


def test_what_was_written_is_read(leaf: segments.OpenSegment) -> None:
    """Documents, counts (255 at most), lengths and frequencies, and nothing of what is not there."""
    reader = leaf.postings
    assert read(reader, "body", "gather") == {0: 3}
    assert read(reader, "body", "冻结") == {1: 2}
    assert read(reader, "body", "scatter") == {2: 255}
    assert read(reader, "heading", "scatter") == {2: 1}
    assert read(reader, "body", "gathe") == read(reader, "none", "gather") == {}
    assert reader.frequency_of("body", "gather") == 1
    assert reader.frequency_of("body", "gathe") == 0
    assert reader.lengths("body").tolist() == [5, 10, 255]
    assert reader.lengths("none").tolist() == [0, 0, 0]
    assert len(reader.shapes("body")) == len(reader.field("body").terms)
    assert len(reader.shapes("none")) == len(reader.field("none").terms) == 0
    assert reader.all_postings("none")[0].tolist() == []


def test_what_is_stored_comes_back_as_it_was(leaf: segments.OpenSegment) -> None:
    """Texts short and long; lists come back for tuples, as JSON has it."""
    assert leaf.stored(1)["title"] == "冻结"
    assert leaf.stored(1)["text"] == "冻结参数，冻结"
    assert leaf.stored(2)["text"] == "scatter " * 299 + "scatter"
    assert leaf.stored(0)["above"] == []


@pytest.mark.parametrize("words", [10, 5000])
def test_a_text_with_half_a_character_is_kept(make_vault: MakeVault, tmp_path: Path, words: int) -> None:
    """What JSON and UTF-8 cannot say is kept all the same, whether it is compressed or not."""
    vault = make_vault({"a.md": "# a\n"})
    update_index(vault, tmp_path / "index")
    text = "\ud800 word " * words
    writer = segments.writer(tmp_path / "index", "place")
    writer.add_document(body=text, text=text)
    writer.commit()
    found = segments.open_leaves(tmp_path / "index")
    assert text in [leaf.stored(number).get("text") for leaf in found for number in range(leaf.size)]
    for leaf in found:
        leaf.close()


def test_whoosh_reads_it_too(folder: Path) -> None:
    """Terms, figures, matchers and prefixes, by Whoosh's own means."""
    with FileIndex(FileStorage(str(folder)), indexname=segments.NAME).searcher() as searcher:
        reader = searcher.reader()
        info = reader.term_info("body", "gather")
        assert (info.weight(), info.doc_frequency(), info.min_id(), info.max_id()) == (3.0, 1, 0, 0)
        assert (info.min_length(), info.max_length(), info.max_weight()) == (5, 5, 3)
        assert reader.frequency("body", "gather") == 3
        assert [hit["title"] for hit in searcher.search(Term("body", "冻结"))] == ["冻结"]
        assert [hit["title"] for hit in searcher.search(Prefix("body", "scat"))] == ["Scatter"]
        with pytest.raises(TermNotFound):
            reader.postings("body", "nothing")


def test_a_file_that_was_cut_raises(folder: Path) -> None:
    """Its length is compared with what was written, before anything of it is used."""
    (file,) = folder.glob("*.postings")
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(segments.IndexDamaged):
        segments.open_leaves(folder)


def test_a_file_that_is_cut_while_it_is_open_raises(folder: Path, leaf: segments.OpenSegment) -> None:
    """What is missing is not taken for nothing."""
    (file,) = folder.glob("*.postings")
    with file.open("r+b") as opened:
        opened.truncate(10)
    with pytest.raises(ValueError, match="not as long"):
        leaf.postings.postings("body", "gather")


def harmed(leaf: segments.OpenSegment, part: str, change: Callable[[bytearray], None]) -> PostingsReader:
    """Read a segment anew with a part of the field "body" changed."""
    names = ["text", "bounds", "shapes", "posts", "sieve", "starts", "ids", "counts", "lengths"]
    at, *sizes = leaf.postings._header["body"]
    start = at + sum(sizes[: names.index(part)])
    file = Path(leaf.postings._file.file.name)
    data = bytearray(file.read_bytes())
    piece = data[start : start + sizes[names.index(part)]]
    change(piece)
    data[start : start + len(piece)] = piece
    file.write_bytes(data)
    storage = FileStorage(str(file.parent))
    (segment,) = segments._contents(file.parent).segments
    return PostingsReader(storage, segment)


def overwrite(piece: bytearray) -> None:
    """Make everything as large as it can be."""
    piece[:] = b"\xff" * len(piece)


@pytest.mark.parametrize("part", ["bounds", "ids"])
def test_numbers_that_point_outside_raise(leaf: segments.OpenSegment, part: str) -> None:
    """An index that was changed on disk leads to an error, never to a place outside of it."""
    reader = harmed(leaf, part, overwrite)
    with pytest.raises((ValueError, OverflowError)):
        reader.postings("body", "gather")
    reader.close()


@pytest.mark.parametrize("part", ["text", "posts", "sieve", "starts", "counts", "shapes", "lengths"])
def test_other_damage_answers_wrongly_at_most(leaf: segments.OpenSegment, part: str) -> None:
    """The check sums find it when the vault is looked at; until then no number leads outside."""
    reader = harmed(leaf, part, overwrite)
    try:
        for term in ("gather", "scatter", "冻结", "none"):
            assert all(number < 3 for number in read(reader, "body", term))
    except ValueError:
        pass  # it was seen at once
    reader.close()


def test_lists_that_do_not_fit_each_other_raise(leaf: segments.OpenSegment) -> None:
    """There is a start and a shape for each term, a length for each document."""
    reader = leaf.postings
    at, *sizes = reader._header["body"]
    for part, name in ((5, "field"), (2, "shapes"), (8, "lengths")):
        fewer = [size - 4 * (number == part) for number, size in enumerate(sizes)]
        broken = PostingsReader.__new__(PostingsReader)
        header, places = {"body": [at, *fewer]}, {"body": list(accumulate((at, *fewer)))}
        broken.__dict__.update(reader.__dict__, _header=header, _places=places, _fields={}, _shapes={})
        with pytest.raises(ValueError, match=r"as (long|many|they)"):
            getattr(broken, name)("body")


def test_numbers_are_whole_arrays(leaf: segments.OpenSegment) -> None:
    """All postings of a field are those of its terms one after another."""
    found = leaf.postings.field("body")
    ids, counts = leaf.postings.all_postings("body")
    each = [leaf.postings.postings("body", term) for term in found.terms]
    assert np.array_equal(ids, np.concatenate([one for one, _ in each]))
    assert np.array_equal(counts, np.concatenate([one for _, one in each]))
