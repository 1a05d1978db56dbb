"""Searching a vault's index: from what was typed to the sections that answer it, best first."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from kb import segments
from kb.closeness import closeness
from kb.errors import IndexFailed
from kb.excerpt import excerpt
from kb.expansion import Expander, Expansion
from kb.found import Hit, SearchResult
from kb.narrowing import Proven, narrow, newest_first, reads, says
from kb.query import Query, read
from kb.scoring import Scorer
from kb.snapshot import Snapshot, Stored, Weights
from kb.tokens import levelled, written

_RERANKED = 30  # sections whose text is looked at for words that stand together
_VERIFIED = 300  # sections that are looked at for a phrase
_CLOSE = 1.0  # what it is worth that the words stand together
_SHORT = 4  # letters up to which a word inside another one is chance
_WORDS = 12  # words of a query whose order is looked at


@dataclass(frozen=True)
class _Open:
    """The index as it was opened; `identity` is what changes with its content."""

    identity: tuple[str, int, int]
    snapshot: Snapshot
    scorer: Scorer
    expander: Expander


class Searcher:
    """Answers queries on the index in a folder, as it is at the time of each query. Safe to use from threads."""

    def __init__(self, folder: Path, vault_root: Path) -> None:
        self.vault_root = vault_root
        self._folder = folder
        self._lock = threading.Lock()
        self._open: _Open | None = None

    def search(
        self, query: str, *, limit: int = 20, lang: str | None = None, proven: Proven | None = None
    ) -> SearchResult:
        """Return the sections that answer the query best; any text is a query. Without an index there are no hits.

        `proven` tells, for the filters by status and device, which runs fit; it must not raise.

        Raises IndexFailed where the index is damaged; the next indexing builds it anew.
        """
        started = time.perf_counter()
        asked = read(query)
        with self._lock:
            try:
                hits, meant = self._search(asked, limit, lang, proven)
            except Exception as error:
                self._close()
                raise _damaged(error) from error
        return SearchResult(query, hits, meant, time.perf_counter() - started)

    def close(self) -> None:
        """Close the index. A search afterwards opens it again."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._open is not None:
            self._open.snapshot.close()
            self._open = None

    def _current(self) -> _Open | None:
        """Return the newest index, opened only if it is not open yet; None where there is none."""
        while (identity := segments.identity(self._folder)) is not None:
            if self._open is not None and self._open.identity == identity:
                return self._open
            try:
                return self._reopen(identity)
            except Exception:
                # A writer may have put a newer index in the place of this one meanwhile; else it is damaged.
                if segments.identity(self._folder) == identity:
                    raise
        self._close()
        return None

    def _reopen(self, identity: tuple[str, int, int]) -> _Open:
        old = self._open.snapshot.leaves if self._open is not None else ()
        leaves = segments.open_leaves(self._folder, old)
        kept = {leaf.name for leaf in leaves}
        for leaf in old:
            if leaf.name not in kept:
                leaf.close()
        snapshot = Snapshot(leaves)
        scorer = Scorer(snapshot)
        self._open = _Open(identity, snapshot, scorer, Expander(scorer))
        return self._open

    def _search(
        self, query: Query, limit: int, lang: str | None, proven: Proven | None
    ) -> tuple[tuple[Hit, ...], str | None]:
        now = self._current() if query.asks else None
        if now is None or not now.snapshot.sections:
            return (), None
        expansion = now.expander.expand(query)
        scored = [(way, _scores(now, way, lang, proven)) for way in query.ways]
        best = _ranked(now.snapshot, scored, limit)
        marks = _marks(now.scorer, query, expansion)
        hits = tuple(_hit(now.snapshot.stored(at), score, marks, expansion) for at, score in best)
        return hits, _meant(query, expansion)


def _damaged(error: Exception) -> IndexFailed:
    reason = error.en if isinstance(error, segments.Damaged) else repr(error)
    return IndexFailed(
        f"The search index cannot be read ({reason}); it is built anew at the next indexing.",
        f"无法读取搜索索引（{reason}）；下次建立索引时会自动重建。",
    )


def _scores(now: _Open, query: Query, lang: str | None, proven: Proven | None) -> Weights:
    """Return the score of every section; without words the newest note is the best."""
    scores = now.scorer.scores(now.expander.expand(query).units) if query.words else newest_first(now.snapshot)
    allowed = narrow(now.scorer, query, lang, proven=proven)
    if allowed is not None:
        scores[~allowed] = 0
    return scores


def _ranked(snapshot: Snapshot, scored: Sequence[tuple[Query, Weights]], limit: int) -> list[tuple[int, float]]:
    """Return the best sections and their scores, those first in which the words stand as they were typed.

    `scored` has each way in which the query may be met, and the scores that it gives.
    """
    scores: Weights = np.maximum.reduce([found for _, found in scored])
    read = any(reads(way) for way, _ in scored)
    best = _top(scores, max(limit, _VERIFIED if read else _RERANKED))
    if read:
        met = (at for at in best if any(found[at] and says(snapshot.stored(at), way) for way, found in scored))
        best = list(islice(met, max(limit, _RERANKED)))
    orders = [[one.word.term for one in way.words if one.weight >= 1][:_WORDS] for way, _ in scored]
    ranked = [(at, float(scores[at])) for at in best]
    for place, (at, score) in enumerate(ranked[:_RERANKED]):
        close = max(closeness(words, *snapshot.stored(at).low) for words in orders)
        ranked[place] = at, score * (1 + _CLOSE * close)
    return sorted(ranked, key=lambda one: (-one[1], one[0]))[:limit]


def _top(scores: Weights, most: int) -> list[int]:
    found = np.flatnonzero(scores)
    if len(found) > most:
        found = found[np.argpartition(-scores[found], most - 1)[:most]]
    return [int(at) for at in found[np.lexsort((found, -scores[found]))]]


def _marks(scorer: Scorer, query: Query, expansion: Expansion) -> dict[str, float]:
    """Return the words by which a section may have been found, each with how much it says."""
    marks: dict[str, float] = {}
    for unit in expansion.units:
        for term, weight in unit.terms:
            worth = unit.weight * weight * scorer.rarity(scorer.frequency(term))
            marks[term] = max(worth, marks.get(term, 0.0))
    for one in query.words:
        if one.word.han and len(one.word.parts) > 1:
            marks[one.word.term] = sum(marks.get(part, 0.0) for part in one.word.parts)
    return marks


def _hit(stored: Stored, score: float, marks: dict[str, float], expansion: Expansion) -> Hit:
    heading, text = stored.low
    above = levelled("\n".join((stored.note, *stored.trail, stored.path)))
    shown = excerpt(stored.text, text, marks)
    headed, inside = _outermost(heading, marks), _outermost(text, marks)
    seen = levelled(shown)
    matched = (*headed, *(word for word in inside if word not in headed and word in seen))
    why = [f"heading: {' '.join(headed)}"] if headed else []
    if others := [word for word in inside if word not in headed]:
        why.append(f"text: {' '.join(others[:_WORDS])}")
    if others := [word for word in _outermost(above, marks) if word not in {*headed, *inside}]:
        why.append(f"above: {' '.join(others[:_WORDS])}")
    why += [f"{wrong} → {right}" for wrong, right in expansion.corrected.items() if right in heading or right in text]
    return Hit(
        stored.path, stored.heading, stored.line, stored.anchor, stored.lang, stored.note, stored.trail,
        round(score, 4), shown, written(matched, stored.heading, shown), tuple(why),
    )  # fmt: skip


def _outermost(text: str, marks: dict[str, float]) -> list[str]:
    """Return the words that stand in a text somewhere else than in longer words that were found there too."""
    found: list[str] = []
    for word in sorted(marks, key=lambda mark: (-len(mark), -marks[mark])):
        if word in text and _is_word(word, text):
            found.append(word)
            text = text.replace(word, "\0")
    return sorted(found, key=lambda word: -marks[word])


def _is_word(word: str, text: str) -> bool:
    """Tell whether a short Latin word stands there for itself: "on" is no part of "configuration"."""
    if len(word) >= _SHORT or not word.isascii():
        return True
    return re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", text) is not None


def _meant(query: Query, expansion: Expansion) -> str | None:
    """Return the query with its slips corrected, None where there are none."""
    if query.error or not expansion.corrected:
        return None
    slips = re.compile("|".join(rf"(?<!\w){re.escape(wrong)}(?!\w)" for wrong in expansion.corrected), re.IGNORECASE)
    meant = slips.sub(lambda match: expansion.corrected.get(match[0].lower(), match[0]), query.text)
    return meant if meant != query.text else None
