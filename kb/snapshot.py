"""The index as it stood at one commit, for reading: postings across its segments, as NumPy arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kb.segments import Leaf
from kb.tokens import levelled

Documents = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32]
_KEPT = 500  # sections whose text is kept at hand
_LONG = 20_000  # characters of a text that is not


@dataclass(frozen=True)
class Stored:
    """What the index keeps of a section to show it. `trail` has the headings above it; `text` is plain."""

    path: str
    heading: str
    line: int
    anchor: str
    lang: str
    note: str
    trail: tuple[str, ...]
    text: str

    @cached_property
    def low(self) -> tuple[str, str]:
        """Heading and text as words are looked for in them, each character at its place."""
        return levelled(self.heading), levelled(self.text)


class Snapshot:
    """Documents are numbered through all segments; those deleted keep their number and are not `live`."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self.leaves = tuple(leaves)
        bases = np.cumsum([0, *(leaf.size for leaf in self.leaves)]).tolist()
        self._bases = bases[:-1]
        self.size = bases[-1]
        self.live = np.ones(self.size, bool)
        for base, leaf in zip(self._bases, self.leaves, strict=True):
            self.live[[base + document for document in leaf.deleted]] = False
        self.sections = int(self.live.sum())
        self.whole = self.sections == self.size
        self._stored: OrderedDict[int, Stored] = OrderedDict()

    def close(self) -> None:
        """Close the files of all segments."""
        for leaf in self.leaves:
            leaf.close()

    def postings(self, field: str, term: str) -> tuple[Documents, Weights]:
        """Return the documents that have a term in a field, and how often."""
        found = [
            (ids.astype(np.int64) + base, counts)
            for base, leaf in zip(self._bases, self.leaves, strict=True)
            for ids, counts in (leaf.postings.postings(field, term),)
            if len(ids)
        ]
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        ids, counts = zip(*found, strict=True)
        return np.concatenate(ids), np.concatenate(counts).astype(np.float32)

    def lengths(self, field: str) -> Weights:
        """Return how many terms each document has in a field."""
        result = np.zeros(self.size, np.float32)
        for base, leaf in zip(self._bases, self.leaves, strict=True):
            lengths = leaf.postings.field(field).lengths
            result[base : base + len(lengths)] = lengths
        return result

    def expand(self, field: str, prefix: str, most: int) -> list[tuple[str, int]]:
        """Return the terms that begin with `prefix` and are in the most documents, at most so many, with how many."""
        frequencies: Counter[str] = Counter()
        for leaf in self.leaves:
            found = leaf.postings.field(field)
            low = bisect_left(found.terms, prefix)
            high = bisect_left(found.terms, prefix + "\U0010ffff", low)
            numbers = np.diff(found.starts[low : high + 1])
            for at in np.argsort(numbers, kind="stable")[: -2 * most - 1 : -1].tolist():
                frequencies[found.terms[low + at]] += int(numbers[at])
        return frequencies.most_common(most)

    def vocabulary(self, fields: Iterable[str], start: str, stop: str) -> set[str]:
        """Return the terms of some fields from `start` up to, but without, `stop`."""
        result: set[str] = set()
        for leaf in self.leaves:
            for field in fields:
                terms = leaf.postings.field(field).terms
                result.update(terms[bisect_left(terms, start) : bisect_left(terms, stop)])
        return result

    def stored(self, document: int) -> Stored:
        """Return what is kept of a section."""
        known = self._stored.get(document)
        if known is None:
            known = self._read(document)
            if len(known.text) < _LONG:
                self._stored[document] = known
            if len(self._stored) > _KEPT:
                self._stored.popitem(last=False)
        return known

    def _read(self, document: int) -> Stored:
        at = int(np.searchsorted(self._bases, document, side="right")) - 1
        kept = self.leaves[at].stored(document - self._bases[at])
        return Stored(
            kept["path"],
            kept["title"],
            kept["line"],
            kept["anchor"],
            kept["language"],
            kept["note"],
            tuple(kept["above"]),
            kept["text"],
        )

    def files(self) -> dict[str, str]:
        """Return the files that the index knows, each with the hash of its bytes."""
        return dict(self._files)

    @cached_property
    def _files(self) -> dict[str, str]:
        result = {}
        for leaf in self.leaves:
            found = leaf.postings.field("file")
            ids, _ = leaf.postings.all_postings("file")
            for term, document in zip(found.terms, ids[found.starts[:-1]].tolist(), strict=True):
                if document not in leaf.deleted:
                    digest, _, path = term.partition("/")
                    result[path] = digest
        return result
