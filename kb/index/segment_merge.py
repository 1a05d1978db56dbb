"""Merges segments, a range of terms at a time, so that large ones take little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, pairwise
from typing import IO, Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from kb.index.memory_postings import Counts, Ids
from kb.index.postings import Blob, DocumentsReader, DocumentsWriter, PostingsReader, write_fields
from kb.index.term_dictionary import Terms, as_bytes, joined, posts, shapes, sieved

Scratch = Callable[[], IO[bytes]]  # creates a file that is deleted when it is closed
Numbers = npt.NDArray[np.int64]
Small = npt.NDArray[np.uint32]
_SIZES = (1, 40, 200, 1000, 10_000, 100_000)  # limits of size classes, in sections
_QUICK = 4  # the limits of classes that merge quickly
_MANY = 6  # segments of a size class; if there are more, they are merged
_STRETCH = 8192  # terms of the largest segment in a range


@dataclass(frozen=True)
class MergeSource:
    """A segment to be merged. `moved` has the documents' new numbers, -1 if dropped; int64, shape (documents,)."""

    postings: PostingsReader
    documents: DocumentsReader
    moved: Numbers
    worn: bool  # whether any document is dropped


def to_merge(alive: Sequence[Any], *, tidy: bool, join: int) -> list[Any]:
    """Return the segments to merge: small ones and, if there is time to be `tidy`, those half deleted.

    Segments of similar size are merged once there are many, so that few sections are copied often; so are all of fewer
    than `join` sections.
    """
    chosen = {segment for segment in alive if tidy and 2 * segment.doc_count() < segment.doc_count_all()}
    small = [segment for segment in alive if segment.doc_count() < join]
    chosen.update(small if len(small) > 1 else ())
    for least, most in pairwise(_SIZES if tidy else _SIZES[:_QUICK]):
        alike = [segment for segment in alive if least <= segment.doc_count() < most]
        chosen.update(alike if len(alike) > _MANY else ())
    return [segment for segment in alive if segment in chosen]


def sources(opened: Iterable[tuple[PostingsReader, DocumentsReader, Any]]) -> list[MergeSource]:
    """Return segments with their documents renumbered consecutively and deleted ones dropped."""
    found, begin = [], 0
    for postings, documents, segment in opened:
        alive = np.ones(segment.doc_count_all(), bool)
        alive[list(segment.deleted_docs())] = False
        moved = np.where(alive, np.cumsum(alive) - 1 + begin, -1)
        found.append(MergeSource(postings, documents, moved, worn=not alive.all()))
        begin += int(alive.sum())
    return found


def merge_documents(writer: DocumentsWriter, merged: Sequence[MergeSource], scored: Iterable[str]) -> int:
    """Write the stored fields of all documents, with the lengths of some fields; return how many documents."""
    for source in merged:
        alive = source.moved >= 0
        lengths = {name: int(source.postings.lengths(name)[alive].sum()) for name in scored}
        writer.copy_all(source.documents, alive, lengths)
    return sum(int((source.moved >= 0).sum()) for source in merged)


def merge_postings(storage: Any, segment: Any, merged: Sequence[MergeSource], scratch: Scratch) -> None:
    """Write the postings of all segments as one segment."""
    names = sorted({name for source in merged for name in source.postings.indexed_field_names()})
    write_fields(storage, segment, _fields(names, merged, scratch))


def _fields(names: Iterable[str], merged: Sequence[MergeSource], scratch: Scratch) -> Iterator[tuple[str, list[Blob]]]:
    for name in names:
        with scratch() as ids, scratch() as counts:
            joined = _Joined(name, merged, ids, counts)
            for spans in _stretches([source.postings.field(name).terms for source in merged]):
                joined.add(spans)
            if joined.size:
                yield name, joined.blobs()
            for source in merged:
                source.postings.forget(name)


def _stretches(found: Sequence[Terms]) -> Iterator[list[tuple[int, int]]]:
    """Yield, for each range of terms, where it begins and ends in each segment."""
    largest = max(found, key=len)
    between = [largest.raw(at) for at in range(_STRETCH, len(largest), _STRETCH)]
    places = [[0, *(terms.place(term) for term in between), len(terms)] for terms in found]
    for at in range(len(between) + 1):
        yield [(place[at], place[at + 1]) for place in places]


@dataclass
class _Joined:
    """A field of the new segment. Postings are kept in temporary files."""

    name: str
    merged: Sequence[MergeSource]
    ids: IO[bytes]
    counts: IO[bytes]
    size: int = 0
    text: list[bytes] = field(default_factory=list)
    letters: list[bytes] = field(default_factory=list)  # the shapes of the terms
    sizes: list[Small] = field(default_factory=list)  # bytes of each term
    sums: list[Small] = field(default_factory=list)  # of each term, for the sieve
    often: list[Small] = field(default_factory=list)  # documents of each term
    posts: list[bytes] = field(default_factory=list)

    def add(self, spans: Sequence[tuple[int, int]]) -> None:
        """Add the terms of each segment in a span, with their postings."""
        fields = [source.postings.field(self.name) for source in self.merged]
        raw = [found.terms.raws(*span) for found, span in zip(fields, spans, strict=True)]
        # Sorting is fast: these are a few sorted runs.
        terms = list(dict.fromkeys(sorted(chain.from_iterable(raw))))
        rank = dict(zip(terms, range(len(terms)), strict=True))
        often = np.zeros(len(terms), np.int64)
        parts = []
        for source, found, (low, high), own in zip(self.merged, fields, spans, raw, strict=True):
            begin, ids, counts = _alive(source, self.name, found.starts[low : high + 1].astype(np.int64))
            here = np.fromiter(map(rank.__getitem__, own), np.int64, len(own))
            parts.append((here, np.diff(begin), often[here] - begin[:-1], ids, counts))
            often[here] += np.diff(begin)
        self._write(often, parts)
        self._note(list(compress(terms, often > 0)), often[often > 0])

    def _write(self, often: Numbers, parts: Iterable[tuple[Numbers, Numbers, Numbers, Ids, Counts]]) -> None:
        """Write the postings of some terms, for each term segment by segment."""
        begin = np.cumsum(often) - often
        ids, counts = np.empty(int(often.sum()), np.uint32), np.empty(int(often.sum()), np.uint8)
        for here, many, shift, own, times in parts:
            places = np.repeat(begin[here] + shift, many) + np.arange(len(own))
            ids[places], counts[places] = own, times
        self.ids.write(as_bytes(ids))
        self.counts.write(as_bytes(counts))

    def _note(self, terms: list[bytes], often: Numbers) -> None:
        sizes = np.fromiter(map(len, terms), np.uint32, len(terms))
        self.text.append(b"".join(terms))
        self.letters.append(as_bytes(shapes(self.text[-1], _bounds([sizes]))))
        self.sizes.append(sizes)
        self.sums.append(np.fromiter(map(crc32, terms), np.uint32, len(terms)))
        self.often.append(often.astype(np.uint32))
        self.posts += posts(terms, self.size)
        self.size += len(terms)

    def blobs(self) -> list[Blob]:
        """Return the arrays of the field in the order of the file."""
        lengths = [source.postings.lengths(self.name)[source.moved >= 0] for source in self.merged]
        return [
            b"".join(self.text),
            as_bytes(_bounds(self.sizes)),
            b"".join(self.letters),
            joined(self.posts),
            sieved(np.concatenate(self.sums)),
            as_bytes(_bounds(self.often)),
            self.ids,
            self.counts,
            as_bytes(np.concatenate(lengths)),
        ]


def _alive(source: MergeSource, name: str, begin: Numbers) -> tuple[Numbers, Ids, Counts]:
    """Return where the postings of some terms begin (int64), and their documents (uint32) and counts (uint8).

    Dropped documents are left out. `begin` and the first result have shape (terms + 1,).
    """
    found, counts = source.postings.span(name, int(begin[0]), int(begin[-1]))
    ids, begin = source.moved[found], begin - begin[0]
    if source.worn:
        stay = ids >= 0
        begin = np.concatenate(([0], np.cumsum(stay)))[begin]
        ids, counts = ids[stay], counts[stay]
    return begin, ids.astype(np.uint32), counts


def _bounds(sizes: Sequence[Small]) -> Small:
    bounds = np.zeros(sum(map(len, sizes)) + 1, np.uint32)
    np.cumsum(np.concatenate(sizes), out=bounds[1:])
    return bounds
