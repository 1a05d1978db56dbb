"""Segments put together: the same as one that was written at once, without what was deleted, wherever it is cut."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.index import segment_merge, segments
from kb.index.segments import OpenSegment, SectionWriter

TEXTS = st.lists(st.text(alphabet="ab_. \n中文字々𠀀é，", max_size=30), max_size=12)
FIELDS = ("body", "heading", "lang", "file")


def add(writer: SectionWriter, number: int, text: str) -> None:
    """Write a section that has a text."""
    few = {"heading": text[:4], "lang": ["zh"]} if number % 2 else {}
    writer.add_document(file=[f"{number:02x}/n{number}"], body=text, text=text, line=number, **few)


@contextmanager
def one_leaf(folder: Path) -> Iterator[OpenSegment]:
    """Open an index that has one segment, with nothing deleted."""
    (found,) = segments.open_leaves(folder)
    with closing(found) as leaf:
        assert not leaf.deleted
        yield leaf


def held(leaf: OpenSegment, field: str) -> object:
    """All that a segment has in a field, to be compared."""
    postings = leaf.postings.field(field)
    ids, counts = leaf.postings.all_postings(field)
    every = [term for term in postings.terms if leaf.postings.postings(field, term)[0].size == 0]
    assert every == []  # the sieve and the posts lead to each term
    lengths = leaf.postings.lengths(field).tolist()
    shapes = leaf.postings.shapes(field).tolist()
    return list(postings.terms), postings.starts.tolist(), ids.tolist(), counts.tolist(), lengths, shapes


def stored(leaf: OpenSegment) -> list[dict[str, object]]:
    """What is kept of each section."""
    return [leaf.stored(number) for number in range(leaf.size)]


def compare(texts: list[str], cuts: set[int], gone: set[int]) -> None:
    """Write sections in several segments, the last in one of its own, delete some and join all; and those that stay."""
    with TemporaryDirectory() as name:
        parts, whole = Path(name, "parts"), Path(name, "whole")
        for folder in (parts, whole):
            folder.mkdir()
            segments.create(folder, "place")
        writer = segments.writer(parts, "place")
        for number, text in enumerate(texts[:-1]):
            if number in cuts:
                writer.commit()
                writer = segments.writer(parts, "place")
            add(writer, number, text)
        writer.commit()
        writer = segments.writer(parts, "place")
        add(writer, len(texts) - 1, texts[-1])
        assert [writer.delete_file(f"{number:02x}/n{number}") for number in sorted(gone)] == [1] * len(gone)
        writer.commit(join=1000)
        writer = segments.writer(whole, "place")
        for number, text in enumerate(texts):
            if number not in gone:
                add(writer, number, text)
        writer.commit()
        with one_leaf(parts) as joined, one_leaf(whole) as once:
            assert stored(joined) == stored(once)
            for field in FIELDS:
                assert held(joined, field) == held(once, field)


@settings(max_examples=25, deadline=None)
@given(TEXTS, st.data())
def test_what_is_joined_is_as_if_written_at_once(texts: list[str], data: st.DataObject) -> None:
    """Terms, postings, lengths, what is stored, and what finds a term quickly: wherever the sections were cut."""
    numbers = st.sets(st.integers(1, len(texts))) if texts else st.just(set())
    # The first and the last stay: one segment alone would be left as it is.
    compare(["first", *texts, "last"], data.draw(numbers), data.draw(numbers))


@pytest.mark.parametrize("stretch", [1, 2, 7, 8192])
def test_wherever_the_terms_are_cut(monkeypatch: pytest.MonkeyPatch, stretch: int) -> None:
    """The terms are looked at a stretch at a time, however many these are."""
    monkeypatch.setattr(segment_merge, "_STRETCH", stretch)
    luck = random.Random(3)
    words = [f"w{luck.randrange(300)}" for _ in range(400)] + list("显存溢出冻结参数")
    texts = [" ".join(luck.choices(words, k=12)) for _ in range(40)]
    compare(texts, {1, 2, 9, 30}, {0, 5, 11, 38})
