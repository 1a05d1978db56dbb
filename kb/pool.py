"""The postings of a segment: how they are held, and how they are collected while it is written."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from kb.lexicon import NO_TERMS, Terms

Ids = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint8]
_MOST = 255  # occurrences of a term in a section that are told apart


@dataclass(frozen=True)
class FieldPostings:
    """One field of one segment. The documents of term i are `ids[starts[i]:starts[i + 1]]`, and so their counts."""

    terms: Terms
    starts: npt.NDArray[np.uint32]


NO_POSTINGS = FieldPostings(NO_TERMS, np.zeros(1, np.uint32))


class Pool:
    """Collects the postings of a segment that is being written."""

    def __init__(self) -> None:
        self._numbers: dict[str, defaultdict[str, int]] = {}
        self._tokens: dict[str, array[int]] = {}
        self._docs: dict[str, tuple[array[int], array[int]]] = {}
        self._merged: dict[str, list[tuple[npt.NDArray[np.uint32], Ids, Counts]]] = {}

    def add_terms(self, field: str, document: int, terms: Sequence[str]) -> None:
        """Add the terms of a document, each as often as it occurs."""
        numbers, tokens = self._field(field)
        tokens.extend(map(numbers.__getitem__, terms))
        documents, lengths = self._docs[field]
        documents.append(document)
        lengths.append(len(terms))

    def add_field(self, field: str, merged: FieldPostings, ids: npt.NDArray[np.int64], counts: Counts) -> None:
        """Add what another segment has in a field; `ids` are the documents' numbers here, -1 for those left out."""
        owners = np.repeat(np.arange(len(merged.terms)), np.diff(merged.starts))[ids >= 0]
        used, owners = np.unique(owners, return_inverse=True)
        numbers, _ = self._field(field)
        here = np.fromiter((numbers[merged.terms[at]] for at in used.tolist()), np.uint32, len(used))
        self._merged[field].append((here[owners], ids[ids >= 0].astype(np.uint32), counts[ids >= 0]))

    def _field(self, field: str) -> tuple[defaultdict[str, int], array[int]]:
        if field not in self._numbers:
            self._numbers[field] = defaultdict(count().__next__)
            self._tokens[field] = array("I")
            self._docs[field] = (array("I"), array("I"))
            self._merged[field] = []
        return self._numbers[field], self._tokens[field]

    def iter_postings(self) -> Pool:
        """Return what the field writer takes: all of it at once."""
        return self

    def cleanup(self) -> None:
        """Let go of everything."""
        self.__init__()  # type: ignore[misc]

    def fields(self) -> list[str]:
        """Return the names of the fields that have postings, sorted."""
        return sorted(self._numbers)

    def sorted_postings(self, field: str) -> tuple[list[str], npt.NDArray[np.uint32], Ids, Counts]:
        """Return the terms in order, where the postings of each start, and all postings."""
        numbers = self._numbers[field]
        terms = sorted(numbers)
        rank = np.empty(len(terms), np.uint64)
        rank[np.fromiter(map(numbers.__getitem__, terms), np.int64, len(terms))] = np.arange(
            len(terms), dtype=np.uint64
        )
        keys, counts = self._counted(field, rank)
        for where, ids, merged_counts in self._merged[field]:
            keys = np.concatenate((keys, rank[where] << np.uint64(32) | ids))
            counts = np.concatenate((counts, merged_counts))
        if self._merged[field]:
            order = np.argsort(keys)
            keys, counts = keys[order], counts[order]
        owners = (keys >> np.uint64(32)).astype(np.int64)
        starts = np.searchsorted(owners, np.arange(len(terms) + 1)).astype(np.uint32)
        return terms, starts, (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32), counts

    def _counted(self, field: str, rank: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Counts]:
        tokens = np.frombuffer(self._tokens[field], np.uint32)
        documents, lengths = (np.frombuffer(one, np.uint32) for one in self._docs[field])
        keys = rank[tokens] << np.uint64(32)
        keys |= np.repeat(documents, lengths)
        keys, times = np.unique(keys, return_counts=True)
        return keys, np.minimum(times, _MOST).astype(np.uint8)
