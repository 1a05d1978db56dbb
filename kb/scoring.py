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
K1 = 1.2
COVER = 2.0
_CACHED = 4000  # terms


@dataclass(frozen=True)
class Unit:
    """Terms that stand for one thing, each with its weight; the weight of the whole in the query."""

    terms: tuple[tuple[str, float], ...]
    weight: float = 1.0


class Scorer:
    """Scores the sections of one snapshot. Not for several threads at once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._norms = {name: self._norm(name) for name in SCORED}
        self._cache: OrderedDict[str, tuple[Documents, Weights]] = OrderedDict()

    def _norm(self, field: str) -> Weights:
        """Return by what the occurrences of a term in each document are multiplied."""
        weight, slope = FIELDS[field]
        lengths = self.snapshot.lengths(field)
        filled = lengths[lengths > 0]
        average = float(filled.mean()) if len(filled) else 1.0
        return (weight / ((1 - slope) + slope * lengths / average)).astype(np.float32)

    def term(self, term: str) -> tuple[Documents, Weights]:
        """Return the documents of a term and how much of it each has, all fields together."""
        if (kept := self._cache.get(term)) is not None:
            self._cache.move_to_end(term)
            return kept
        found = []
        for field in SCORED:
            ids, counts = self.snapshot.postings(field, term)
            if len(ids):
                found.append((ids, counts * self._norms[field][ids]))
        self._cache[term] = result = self._joined(found)
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return result

    def _joined(self, found: Sequence[tuple[Documents, Weights]]) -> tuple[Documents, Weights]:
        if len(found) == 1:
            return found[0]
        total = np.zeros(self.snapshot.size, np.float32)
        for ids, weights in found:
            total[ids] += weights
        ids = np.flatnonzero(total)
        return ids, total[ids]

    def frequency(self, term: str) -> int:
        """Return how many documents have a term, deleted ones included."""
        return len(self.term(term)[0])

    def unit(self, unit: Unit) -> tuple[Documents, Weights]:
        """Return the documents of a unit and how much of it each has."""
        if len(unit.terms) == 1:
            (term, _), = unit.terms
            return self.term(term)
        return self._joined([(ids, weights * np.float32(weight)) for term, weight in unit.terms
                             for ids, weights in (self.term(term),) if len(ids)])

    def rarity(self, documents: int) -> float:
        """Return the weight of being in so many documents (the inverse document frequency)."""
        return math.log(1 + (self.snapshot.size - documents + 0.5) / (documents + 0.5))

    def scores(self, units: Iterable[Unit]) -> Weights:
        """Return the score of every document."""
        scores = np.zeros(self.snapshot.size, np.float32)
        covered = np.zeros(self.snapshot.size, np.float32)
        total = 0.0
        for unit in units:
            ids, weights = self.unit(unit)
            value = self.rarity(len(ids)) * unit.weight
            total += value
            if len(ids):
                scores[ids] += np.float32(value * (K1 + 1)) * (weights / (weights + np.float32(K1)))
                covered[ids] += np.float32(value)
        if total:
            scores *= (covered / np.float32(total)) ** np.float32(COVER)
        if not self.snapshot.whole:
            scores[~self.snapshot.live] = 0
        return scores
