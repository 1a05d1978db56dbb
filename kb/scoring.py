"""Ranking: one BM25 over heading, headings above and text together, and how much of the query a section covers."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kb.segments import SCORED
from kb.snapshot import Documents, Snapshot, Weights

FIELDS = {"heading": (2.5, 0.4), "trail": (0.8, 0.4), "body": (1.0, 0.75)}  # weight, and how much length counts
SATURATION = np.float32(1.2)  # how soon more of the same word stops counting (k1)
COVER = 2  # power of the share of the query that a section has
TITLED = np.float32(1.5)  # what the share of the query that its heading has is worth
_CACHED = 4000  # terms


@dataclass(frozen=True)
class Unit:
    """Terms that stand for one thing, each with its weight; the weight of the whole in the query."""

    terms: tuple[tuple[str, float], ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Occurrences:
    """The documents that have a term, how much of it each has (all fields together), and those that are headed by it.

    All are sorted, each document once.
    """

    documents: Documents
    weights: Weights
    headed: Documents


class Scorer:
    """Scores the sections of one snapshot. Not for several threads at once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._norms = {name: self._norm(name) for name in SCORED}
        self._known: OrderedDict[str, Occurrences] = OrderedDict()

    def _norm(self, field: str) -> Weights:
        """Return by what the occurrences of a term in each document are multiplied."""
        weight, slope = FIELDS[field]
        lengths = self.snapshot.lengths(field)
        filled = lengths[lengths > 0]
        average = float(filled.mean()) if len(filled) else 1.0
        norm: Weights = (weight / ((1 - slope) + slope * lengths / average)).astype(np.float32)
        return norm

    def term(self, term: str) -> Occurrences:
        """Return where a term occurs."""
        known = self._known.get(term)
        if known is None:
            found = {field: self.snapshot.postings(field, term) for field in SCORED}
            parts = [(ids, counts * self._norms[field][ids]) for field, (ids, counts) in found.items() if len(ids)]
            known = Occurrences(*self._joined(parts), found["heading"][0])
            self._known[term] = known
            if len(self._known) > _CACHED:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(term)
        return known

    def _joined(self, parts: Sequence[tuple[Documents, Weights]]) -> tuple[Documents, Weights]:
        """Add up what several terms or fields give to the same documents."""
        if len(parts) == 1:
            return parts[0]
        total = np.zeros(self.snapshot.size, np.float32)
        for ids, weights in parts:
            total[ids] += weights
        ids = np.flatnonzero(total)
        return ids, total[ids]

    def frequency(self, term: str) -> int:
        """Return how many documents have a term, deleted ones included."""
        return len(self.term(term).documents)

    def unit(self, unit: Unit) -> Occurrences:
        """Return where any term of a unit occurs."""
        found = [(self.term(term), np.float32(weight)) for term, weight in unit.terms]
        if len(found) == 1:
            return found[0][0]
        parts = [(one.documents, one.weights * weight) for one, weight in found if len(one.documents)]
        headed = [one.headed for one, _ in found if len(one.headed)]
        return Occurrences(*self._joined(parts), np.unique(np.concatenate(headed)) if headed else found[0][0].headed)

    def rarity(self, documents: int) -> float:
        """Return the weight of being in so many documents (the inverse document frequency)."""
        return math.log(1 + (self.snapshot.size - documents + 0.5) / (documents + 0.5))

    def scores(self, units: Iterable[Unit]) -> Weights:
        """Return the score of every document, 0 for those without any unit and for deleted ones."""
        scores: Weights
        scores, covered, headed = np.zeros((3, self.snapshot.size), np.float32)
        total = 0.0
        for unit in units:
            found = self.unit(unit)
            value = self.rarity(len(found.documents)) * unit.weight
            total += value
            gain = found.weights / (found.weights + SATURATION)
            scores[found.documents] += np.float32(value * (1 + float(SATURATION))) * gain
            covered[found.documents] += np.float32(value)
            headed[found.headed] += np.float32(value)
        if total:
            scores *= (covered / np.float32(total)) ** COVER
            scores *= 1 + TITLED / np.float32(total) * headed
        if not self.snapshot.whole:
            scores[~self.snapshot.live] = 0
        return scores
