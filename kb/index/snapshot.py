"""The index as of one commit, for reading: postings across its segments, as NumPy arrays."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kb.analysis.tokens import normalized
from kb.index.segments import OpenSegment
from kb.index.term_dictionary import resembling

Documents = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32]
_KEPT = 500  # sections whose text is cached
_FEW = 60  # up to so many terms it is faster to read all
_LONG = 20_000  # characters; longer texts are not cached
_NOWHERE = np.empty(0, np.int64), np.empty(0, np.float32)
_STORED = ("path", "title", "line", "anchor", "language", "note", "above", "text")


@dataclass(frozen=True)
class StoredSection:
    """The stored fields of a section. `trail` has the headings above it; `text` is plain."""

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
        """Heading and text normalized for matching; offsets equal those of the originals."""
        return self._low[0], self._low[1]

    @property
    def low_above(self) -> str:
        """The headings above it, the note's title and the path, normalized in the same way."""
        return self._low[2]

    @cached_property
    def _low(self) -> tuple[str, str, str]:
        """All of it, normalized in one call, which is faster."""
        low = normalized("\n".join((self.heading, self.text, self.note, *self.trail, self.path)))
        head = len(self.heading)
        text = head + 1 + len(self.text)
        return low[:head], low[head + 1 : text], low[text + 1 :]


def _largest(numbers: npt.NDArray[np.uint32], most: int) -> list[int]:
    """Return the indices of the `most` largest numbers (uint32, shape (n,)), in no order."""
    if len(numbers) <= most:
        return list(range(len(numbers)))
    found: list[int] = np.argpartition(numbers, -most)[-most:].tolist()
    return found


class Snapshot:
    """Documents are numbered across all segments; deleted ones are not `live` (bool, shape (size,))."""

    def __init__(self, leaves: Iterable[OpenSegment]) -> None:
        self.leaves = tuple(leaves)
        bases = np.cumsum([0, *(leaf.size for leaf in self.leaves)]).tolist()
        self._bases = bases[:-1]
        self.size = bases[-1]
        self.live = np.ones(self.size, bool)
        for base, leaf in zip(self._bases, self.leaves, strict=True):
            self.live[[base + document for document in leaf.deleted]] = False
        self.sections = int(self.live.sum())
        self.whole = self.sections == self.size
        self._stored: OrderedDict[int, StoredSection] = OrderedDict()

    def close(self) -> None:
        """Close the files of all segments."""
        for leaf in self.leaves:
            leaf.close()

    def postings(self, field: str, term: str) -> tuple[Documents, Weights]:
        """Return the documents of a term in a field (int64) and its count in each (float32); shape (n,)."""
        found = []
        for base, leaf in zip(self._bases, self.leaves, strict=True):
            ids, counts = leaf.postings.postings(field, term)
            if len(ids):
                documents = ids.astype(np.int64)
                found.append((documents + base if base else documents, counts.astype(np.float32)))
        if len(found) > 1:
            everywhere, often = zip(*found, strict=True)
            return np.concatenate(everywhere), np.concatenate(often)
        return found[0] if found else _NOWHERE

    def postings_in(self, fields: Sequence[str], term: str) -> dict[str, tuple[Documents, Weights]]:
        """Return the `postings` of a term by field, for those of some fields that have it."""
        if len(self.leaves) == 1:
            found = self.leaves[0].postings.postings_in(fields, term)
            return {field: (ids.astype(np.int64), counts.astype(np.float32)) for field, ids, counts in found}
        every = ((field, self.postings(field, term)) for field in fields)
        return {field: found for field, found in every if len(found[0])}

    def frequency(self, field: str, term: str) -> int:
        """Return how many documents have a term in a field, deleted ones included."""
        return sum(leaf.postings.frequency_of(field, term) for leaf in self.leaves)

    def lengths(self, field: str) -> Weights:
        """Return how many terms each document has in a field; float32, shape (size,)."""
        parts = [leaf.postings.lengths(field) for leaf in self.leaves]
        return np.concatenate(parts).astype(np.float32) if parts else np.empty(0, np.float32)

    def expand(self, field: str, prefix: str, most: int) -> list[tuple[str, int]]:
        """Return the `most` most frequent terms that begin with `prefix`, each with the number of its documents."""
        frequencies: Counter[str] = Counter()
        for leaf in self.leaves:
            found = leaf.postings.field(field)
            low, high = found.terms.span(prefix)
            if low == high:
                continue
            numbers = found.sizes(low, high)
            few = found.terms[low:high] if high - low <= _FEW else None
            for at in _largest(numbers, 2 * most):
                frequencies[few[at] if few else found.terms[low + at]] += int(numbers[at])
        return frequencies.most_common(most)

    def vocabulary(self, fields: Iterable[str], start: str, stop: str) -> set[str]:
        """Return the terms of some fields from `start` up to, not including, `stop`."""
        result: set[str] = set()
        for leaf in self.leaves:
            for field in fields:
                terms = leaf.postings.field(field).terms
                result.update(terms[slice(*terms.span(start, stop))])
        return result

    def among(self, fields: Iterable[str], start: str, wanted: AbstractSet[str]) -> set[str]:
        """Return which of the `wanted` terms exist; all of them begin with `start`."""
        result: set[str] = set()
        for field in fields:
            for leaf in self.leaves:
                terms = leaf.postings.field(field).terms
                low, high = terms.span(start)
                if low == high:
                    continue
                if high - low <= _FEW:
                    result |= wanted & set(terms[low:high])
                else:
                    result.update(term for term in wanted - result if terms.find(term) is not None)
        return result

    def within(self, field: str, start: str, stop: str) -> Documents:
        """Return the documents of the terms from `start` to before `stop`, with duplicates; int64, shape (n,)."""
        found = [
            leaf.postings.within(field, start, stop).astype(np.int64) + base
            for base, leaf in zip(self._bases, self.leaves, strict=True)
        ]
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def matching(self, field: str, fits: Callable[[str], bool]) -> Documents:
        """Return the documents of all terms of a field for which `fits` is true, with duplicates; int64, shape (n,)."""
        found = [np.empty(0, np.int64)]
        for base, leaf in zip(self._bases, self.leaves, strict=True):
            terms, (ids, _) = leaf.postings.field(field), leaf.postings.all_postings(field)
            wanted = np.fromiter(map(fits, terms.terms), bool, len(terms.terms))
            found.append(ids[np.repeat(wanted, np.diff(terms.starts))].astype(np.int64) + base)
        return np.concatenate(found)

    def ranks(self, field: str) -> Documents:
        """Return the rank of each document's term among the terms of a field, from 1, 0 for none; int64, (size,)."""
        fields = [(leaf.postings.field(field), leaf.postings.all_postings(field)[0]) for leaf in self.leaves]
        numbers = {term: at for at, term in enumerate(sorted({one for found, _ in fields for one in found.terms}), 1)}
        result = np.zeros(self.size, np.int64)
        for base, (found, ids) in zip(self._bases, fields, strict=True):
            here = np.fromiter((numbers[term] for term in found.terms), np.int64, len(found.terms))
            result[ids.astype(np.int64) + base] = np.repeat(here, np.diff(found.starts))
        return result

    def resembling(self, fields: Iterable[str], word: str, slips: int, starts: Iterable[str]) -> set[str]:
        """Return a superset of the terms within `slips` edits of a word that begin with one of `starts`."""
        result: set[str] = set()
        for leaf in self.leaves:
            for field in fields:
                terms, shapes = leaf.postings.field(field).terms, leaf.postings.shapes(field)
                for start in starts:
                    result.update(resembling(word, slips, terms, shapes, terms.span(start)))
        return result

    def stored(self, document: int) -> StoredSection:
        """Return the stored fields of a section."""
        known = self._stored.get(document)
        if known is None:
            known = self._read(document)
            if len(known.text) < _LONG:
                self._stored[document] = known
            if len(self._stored) > _KEPT:
                self._stored.popitem(last=False)
        return known

    def _read(self, document: int) -> StoredSection:
        at = bisect_right(self._bases, document) - 1
        kept = self.leaves[at].stored(document - self._bases[at])
        path, title, line, anchor, language, note, above, text = map(kept.__getitem__, _STORED)
        return StoredSection(path, title, line, anchor, language, note, tuple(above), text)

    def files(self) -> dict[str, str]:
        """Return the indexed files, each with the hash of its bytes."""
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
