"""Postings of a segment in memory, while it is being written."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.analysis.tokens import taken_apart, word_terms
from kb.index.han_terms import HanTerms
from kb.index.term_dictionary import NO_TERMS, DiskArray, Terms, encoded

Ids = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint8]
_MOST = 255  # maximum count of a term in a section
_RANK, _COUNT = np.uint64(24), np.uint64(8)  # bits to the right of a term's rank; bits of a count
_DOCUMENTS = (1 << 24) - 1  # of a segment at most
_BLOCK = 500_000  # characters of Chinese that are counted at once


@dataclass(frozen=True)
class FieldPostings:
    """The terms of one field in one segment, and where the postings of each begin."""

    terms: Terms
    places: DiskArray[npt.NDArray[np.uint32]]

    @property
    def starts(self) -> npt.NDArray[np.uint32]:
        """All offsets, uint32, shape (terms + 1,): the documents of term i are `ids[starts[i]:starts[i + 1]]`.

        The counts have the same offsets.
        """
        return self.places.whole

    def sizes(self, low: int, high: int) -> npt.NDArray[np.uint32]:
        """Return how many documents each of the terms `low` to `high` - 1 has; uint32, shape (high - low,)."""
        places = self.places.cut(low, high + 1)
        return places[1:] - places[:-1]


NO_POSTINGS = FieldPostings(NO_TERMS, DiskArray.held(np.zeros(1, np.uint32)))


class _Words(dict[str, tuple[int, ...]]):
    """Caches the term numbers of each Latin word."""

    def __init__(self, numbers: defaultdict[bytes, int]) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self[word] = tuple(map(self._numbers.__getitem__, _encoded_terms(word)))
        return found


@lru_cache(maxsize=65536)  # the same words occur in several fields and segments
def _encoded_terms(word: str) -> tuple[bytes, ...]:
    return tuple(map(encoded, word_terms.__wrapped__(word)))  # not cached twice


class _Field:
    """The postings of one field. Chinese is counted block by block, the rest at the end."""

    def __init__(self) -> None:
        self.numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.words = _Words(self.numbers)
        self.tokens = array("I")
        self.documents = array("I")
        self.lengths = array("I")
        self.stretches = HanTerms()
        self.counted: list[tuple[npt.NDArray[np.uint32], Ids, Counts]] = []  # term numbers, documents, counts

    def add(self, document: int, found: Iterable[int]) -> int:
        """Add terms by their numbers; return how many."""
        before = len(self.tokens)
        self.tokens.extend(found)
        self.documents.append(document)
        self.lengths.append(len(self.tokens) - before)
        return self.lengths[-1]

    def count_stretches(self) -> None:
        """Count the collected runs of Chinese."""
        if self.stretches.characters:
            terms, places, documents, times = self.stretches.counted()
            here = np.fromiter(map(self.numbers.__getitem__, terms), np.uint32, len(terms))
            self.counted.append((here[places], documents, np.minimum(times, _MOST).astype(np.uint8)))
            self.stretches = HanTerms()

    def keys(self, rank: npt.NDArray[np.uint64]) -> Iterator[npt.NDArray[np.uint64]]:
        """Yield all postings packed in uint64: rank of the term, document and count in 32, 24 and 8 bits; shape (n,).

        `rank` has the sorted position of each term number; uint64, shape (terms,).
        """
        self.count_stretches()
        tokens = np.frombuffer(self.tokens, np.uint32)
        documents, lengths = (np.frombuffer(one, np.uint32) for one in (self.documents, self.lengths))
        keys, times = np.unique(rank[tokens] << _RANK | np.repeat(documents, lengths), return_counts=True)
        yield _packed(keys, np.minimum(times, _MOST))
        for numbers, ids, counts in self.counted:
            yield _packed(rank[numbers] << _RANK | ids, counts)


def _packed(keys: npt.NDArray[np.uint64], counts: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    return keys << _COUNT | counts.astype(np.uint64)


class MemoryPostings:
    """Collects the postings of a segment that is being written."""

    def __init__(self) -> None:
        self._fields: defaultdict[str, _Field] = defaultdict(_Field)

    def add_terms(self, field: str, document: int, terms: Sequence[str]) -> int:
        """Add the terms of a document, with repetitions; return how many there are."""
        one = self._fields[field]
        return one.add(document, map(one.numbers.__getitem__, map(encoded, terms)))

    def add_text(self, field: str, document: int, text: str) -> int:
        """Add the terms of a document's text, as `kb.analysis.tokens.terms` returns them; return how many there are."""
        one = self._fields[field]
        words, stretches = taken_apart(text)
        added = one.add(document, chain.from_iterable(map(one.words.__getitem__, words)))
        if stretches:
            added += one.stretches.add(document, stretches)
            if one.stretches.characters > _BLOCK:
                one.count_stretches()
        return added

    def fields(self) -> list[str]:
        """Return the names of the fields that have postings, sorted."""
        return sorted(self._fields)

    def sorted_postings(self, field: str) -> tuple[list[bytes], npt.NDArray[np.uint32], Ids, Counts]:
        """Return the sorted terms in UTF-8, where the postings of each start, and the documents and counts.

        Arrays: starts uint32, shape (terms + 1,); documents uint32 and counts uint8, shape (postings,).
        """
        one = self._fields[field]
        one.count_stretches()
        terms = sorted(one.numbers)
        rank = np.empty(len(terms), np.uint64)
        rank[np.fromiter(map(one.numbers.__getitem__, terms), np.int64, len(terms))] = np.arange(
            len(terms), dtype=np.uint64
        )
        keys = np.concatenate(list(one.keys(rank)))
        keys.sort(kind="stable")  # fast: a few runs that are mostly sorted
        starts = np.searchsorted(keys, np.arange(len(terms) + 1, dtype=np.uint64) << (_RANK + _COUNT))
        counts = keys.astype(np.uint8)
        return terms, starts.astype(np.uint32), (keys >> _COUNT).astype(np.uint32) & np.uint32(_DOCUMENTS), counts
