"""Searching a vault's index: from what was typed to the sections that answer it, best first."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kb import segments
from kb.excerpt import excerpt, marking
from kb.expansion import Expander, Expansion
from kb.query import Query, read
from kb.scoring import Scorer
from kb.snapshot import Snapshot, Stored, Weights

_RETRIES = 5


@dataclass(frozen=True)
class Hit:
    """A section that was found.

    `path` is relative to the vault; `note` its note's title; `trail` the headings above; `excerpt` plain text in
    one line; `matched` the words to mark in it; `why` what was matched and where, as short phrases.
    """

    path: str
    heading: str
    line: int
    anchor: str
    lang: str
    title: str
    trail: tuple[str, ...]
    score: float
    excerpt: str
    matched: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True)
class SearchResult:
    """The hits of a query, best first, and how long it took in seconds."""

    query: str
    hits: tuple[Hit, ...]
    did_you_mean: str | None
    seconds: float


@dataclass
class _Open:
    identity: tuple[str, int, int] | None
    snapshot: Snapshot
    scorer: Scorer
    expander: Expander


class Searcher:
    """Answers queries on the index in a folder, as it is at the time of each query. Safe to use from threads."""

    def __init__(self, folder: Path, vault_root: Path) -> None:
        self._folder = folder
        self.vault_root = vault_root
        self._lock = threading.Lock()
        self._open: _Open | None = None

    def search(self, query: str, *, limit: int = 20, lang: str | None = None) -> SearchResult:
        """Return the sections that answer the query best; any text is a query, and no index gives no hits."""
        started = time.perf_counter()
        with self._lock:
            hits, meant = self._search(read(query), limit, lang)
        return SearchResult(query, hits, meant, time.perf_counter() - started)

    def close(self) -> None:
        """Close the index."""
        with self._lock:
            if self._open is not None:
                self._open.snapshot.close()
                self._open = None

    def _current(self) -> _Open:
        identity = segments.identity(self._folder)
        if self._open is None or self._open.identity != identity:
            old = self._open.snapshot.leaves if self._open is not None else ()
            leaves = segments.open_leaves(self._folder, old) if identity else []
            snapshot = Snapshot(leaves)
            scorer = Scorer(snapshot)
            self._open = _Open(identity, snapshot, scorer, Expander(scorer))
        return self._open

    def _search(self, query: Query, limit: int, lang: str | None) -> tuple[tuple[Hit, ...], str | None]:
        if not query.words:
            return (), None
        now = self._current()
        if not now.snapshot.sections:
            return (), None
        expansion = now.expander.expand(query)
        scores = now.scorer.scores(expansion.units)
        best = _top(scores, limit)
        hits = tuple(_hit(now.snapshot.stored(at), float(scores[at]), query, expansion) for at in best)
        return hits, None


def _top(scores: Weights, limit: int) -> list[int]:
    if limit < len(scores):
        best = np.argpartition(scores, len(scores) - limit)[len(scores) - limit :]
    else:
        best = np.arange(len(scores))
    best = best[np.lexsort((best, -scores[best]))]
    return [at for at in best.tolist() if scores[at] > 0]


def _hit(stored: Stored, score: float, query: Query, expansion: Expansion) -> Hit:
    words = [term for unit in expansion.units for term, _ in unit.terms]
    shown = excerpt(stored.text, words)
    return Hit(
        stored.path, stored.heading, stored.line, stored.anchor, stored.lang, stored.note, stored.trail,
        score, shown, (), (),
    )
