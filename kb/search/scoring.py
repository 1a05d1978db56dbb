"""Ranking: BM25 over heading, headings above and text together, times the share of the query that a section covers."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kb.index.facets import ASIDE
from kb.index.segments import SCORED
from kb.index.snapshot import Documents, Snapshot, Weights

FIELDS = {"heading": (2.5, 0.4), "trail": (0.8, 0.4), "body": (1.0, 0.85)}  # weight, and influence of length (b)
SATURATION = np.float32(1.2)  # saturation of a term's count (k1)
COVER = 1  # exponent of the share of the query that a section has
COVERED = 0.9  # maximum share that another name covers of what was typed
_HEADED = 0.7  # factor of it in a heading
_COVERING = 1.5  # factor of the other name's weight
BEHIND = np.float32(0.15)  # factor for a section that only lists what others explain
TITLED = np.float32(1.5)  # bonus factor for the share of the query in the heading
_CACHED = 1_000_000  # documents of cached terms, 12 bytes each
_SPARSE = 20  # terms in less than one of so many sections are sparse
_EACH = 50  # overhead of a cached term, in documents


@dataclass(frozen=True)
class Unit:
    """Terms for one concept, each with its weight; `weight` is that of the whole in the query."""

    terms: tuple[tuple[str, float], ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Alternative:
    """A replacement for what was typed: units that must all occur, and its weight relative to what was typed."""

    typed: str
    text: str
    units: tuple[Unit, ...]
    weight: float


@dataclass(frozen=True)
class Concept:
    """Something typed that has other names: a section is scored by the best-matching name, not by their sum.

    `pieces` together are worth `share` of the whole.
    """

    parts: tuple[Unit | Concept, ...]
    others: tuple[Alternative, ...]
    pieces: tuple[Unit, ...] = ()
    share: float = 0.0


@dataclass(frozen=True)
class Occurrences:
    """The documents that have a term (int64), its weight in each, all fields together (float32), both of shape (n,).

    `headed` are the documents whose heading has it (int64). Documents are sorted and unique.
    """

    documents: Documents
    weights: Weights
    headed: Documents


_NOTHING = np.empty(0, np.int64), np.empty(0, np.float32)


def _summed(ids: Documents, weights: Weights) -> tuple[Documents, Weights]:
    """Return the unique documents, sorted (int64), and the sum of the weights of each (float32); shape (n,)."""
    order = ids.argsort(kind="stable")  # fast: a few sorted runs
    ids = ids[order]
    (later,) = (ids[1:] != ids[:-1]).nonzero()
    first = np.concatenate(((0,), later + 1))
    return ids[first], np.add.reduceat(weights[order], first)


class Scorer:
    """Scores the sections of one snapshot. Not thread-safe."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._norms = {name: self._norm(name) for name in SCORED}
        self._aside = snapshot.postings("facet", ASIDE)[0]
        self._known: OrderedDict[str, Occurrences] = OrderedDict()
        self._held = 0  # cached documents

    def _norm(self, field: str) -> Weights:
        """Return the factor for a term's count in each document; float32, shape (size,)."""
        weight, slope = FIELDS[field]
        lengths = self.snapshot.lengths(field)
        filled = lengths[lengths > 0]
        average = float(filled.mean()) if len(filled) else 1.0
        norm: Weights = (weight / ((1 - slope) + slope * lengths / average)).astype(np.float32)
        return norm

    def term(self, term: str) -> Occurrences:
        """Return the occurrences of a term."""
        known = self._known.get(term)
        if known is None:
            found = self.snapshot.postings_in(SCORED, term)
            parts = [(ids, counts * self._norms[field].take(ids)) for field, (ids, counts) in found.items()]
            known = Occurrences(*self._joined(parts), found.get("heading", _NOTHING)[0])
            self._keep(term, known)
        else:
            self._known.move_to_end(term)
        return known

    def _keep(self, term: str, found: Occurrences) -> None:
        self._known[term] = found
        self._held += _EACH + len(found.documents)
        while self._held > _CACHED and len(self._known) > 1:
            _, gone = self._known.popitem(last=False)
            self._held -= _EACH + len(gone.documents)

    def _joined(self, parts: Sequence[tuple[Documents, Weights]]) -> tuple[Documents, Weights]:
        """Return the documents of several terms or fields (int64) with their summed weights (float32); shape (n,)."""
        if len(parts) == 1:
            return parts[0]
        if (
            _SPARSE * sum(len(ids) for ids, _ in parts) < self.snapshot.size
        ):  # sorting those is faster than a full array
            return _summed(*map(np.concatenate, zip(*parts, strict=True))) if parts else _NOTHING
        total = np.zeros(self.snapshot.size, np.float32)
        for ids, weights in parts:
            total[ids] += weights
        ids = np.flatnonzero(total)
        return ids, total[ids]

    def frequency(self, term: str) -> int:
        """Return how many documents have a term, deleted ones included."""
        return len(self.term(term).documents)

    def unit(self, unit: Unit) -> Occurrences:
        """Return the occurrences of any term of a unit."""
        found = [(self.term(term), np.float32(weight)) for term, weight in unit.terms]
        if len(found) == 1:
            return found[0][0]
        parts = [(one.documents, one.weights * weight) for one, weight in found if len(one.documents)]
        headed = [one.headed for one, _ in found if len(one.headed)]
        return Occurrences(*self._joined(parts), np.unique(np.concatenate(headed)) if headed else found[0][0].headed)

    def rarity(self, documents: int) -> float:
        """Return the inverse document frequency for a number of documents."""
        return math.log(1 + (self.snapshot.size - documents + 0.5) / (documents + 0.5))

    def together(self, units: Sequence[Unit]) -> Occurrences:
        """Return the documents with all of some units; the weight is that of the rarest unit."""
        found = sorted((self.unit(unit) for unit in units), key=lambda one: len(one.documents))
        documents, weights, headed = found[0].documents, found[0].weights, found[0].headed
        for other in found[1:]:
            places = np.searchsorted(other.documents, documents)
            places[places == len(other.documents)] = 0
            both = other.documents[places] == documents if len(other.documents) else np.zeros(len(documents), bool)
            documents, weights = documents[both], np.minimum(weights[both], other.weights[places[both]])
            headed = np.intersect1d(headed, other.headed, assume_unique=True)
        return Occurrences(documents, weights, headed)

    def scores(self, nodes: Iterable[Unit | Concept]) -> Weights:
        """Return the score of every document, 0 without a match and for deleted ones; float32, shape (size,)."""
        tally = self._tally(nodes)
        scores = tally.score
        if tally.total:
            scores *= (tally.covered / np.float32(tally.total)) ** COVER
            scores *= 1 + TITLED / np.float32(tally.total) * tally.headed
        scores[self._aside] *= BEHIND
        if not self.snapshot.whole:
            scores[~self.snapshot.live] = 0
        return scores

    def _tally(self, nodes: Iterable[Unit | Concept]) -> _Tally:
        tally = _Tally(*np.zeros((3, self.snapshot.size), np.float32))
        for node in nodes:
            if isinstance(node, Unit):
                found = self.unit(node)
                tally.add(found, self.rarity(len(found.documents)) * node.weight)
                tally.words += node.weight
            else:
                tally.collect(self._concept(node))
        return tally

    def _concept(self, concept: Concept) -> _Tally:
        tally = self._tally(concept.parts)
        found = [(self.together(one.units), one.weight) for one in concept.others]
        found = [(one, weight) for one, weight in found if len(one.documents)]
        if found and not tally.covered.any():  # what was typed occurs nowhere: it weighs as much as its best-known name
            tally.total = tally.words * max(self.rarity(len(one.documents)) for one, _ in found)
        for one, weight in found:
            value = min(tally.total, tally.words * self.rarity(len(one.documents)))
            tally.raise_to(one, value * weight, tally.total * min(COVERED, weight * _COVERING))
        if concept.pieces:
            pieces = self._tally(concept.pieces)
            tally.raise_by(pieces, concept.share * tally.total / pieces.total)
        return tally


@dataclass
class _Tally:
    """The score of each document, the weight it covers, and that covered by its heading; float32, shape (size,)."""

    score: Weights
    covered: Weights
    headed: Weights
    total: float = 0.0
    words: float = 0.0

    def add(self, found: Occurrences, value: float) -> None:
        self.score[found.documents] += np.float32(value) * _gain(found)
        self.covered[found.documents] += np.float32(value)
        self.headed[found.headed] += np.float32(value)
        self.total += value

    def collect(self, other: _Tally) -> None:
        self.score += other.score
        self.covered += other.covered
        self.headed += other.headed
        self.total += other.total
        self.words += other.words

    def raise_by(self, other: _Tally, share: float) -> None:
        """Raise every document to at least its tally of something else, times `share`."""
        for mine, its in ((self.score, other.score), (self.covered, other.covered), (self.headed, other.headed)):
            np.maximum(mine, its * np.float32(share), out=mine)

    def raise_to(self, found: Occurrences, value: float, covered: float) -> None:
        """Raise documents in which something else was found to at least these values."""
        at = found.documents
        self.score[at] = np.maximum(self.score[at], np.float32(value) * _gain(found))
        self.covered[at] = np.maximum(self.covered[at], np.float32(covered))
        self.headed[found.headed] = np.maximum(self.headed[found.headed], np.float32(_HEADED * covered))


def _gain(found: Occurrences) -> Weights:
    gain: Weights = (1 + SATURATION) * found.weights / (found.weights + SATURATION)
    return gain
