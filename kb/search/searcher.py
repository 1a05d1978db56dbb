"""Searches a vault's index: from a typed query to the sections that match it, best first."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from kb.analysis.char_folding import lowered_at_once, simplified
from kb.analysis.glossary import Glossary, OwnGlossary, named, shipped
from kb.analysis.tokens import fold
from kb.errors import IndexFailed
from kb.index import segments
from kb.index.snapshot import Snapshot, StoredSection, Weights
from kb.results import Hit, SearchResult
from kb.search.definition_boost import defined
from kb.search.error_messages import repeats
from kb.search.filter_masks import Proven, matches_phrases, narrow, newest_first, reads
from kb.search.hit_details import hits_of
from kb.search.proximity import in_words, proximity
from kb.search.query import Query, read, reworded
from kb.search.query_expansion import Expansion, QueryExpander
from kb.search.scoring import Scorer

Result = TypeVar("Result")
_RERANKED = 20  # sections that are reranked by the proximity of words
_QUOTING = 8  # best sections in which the words of an error message are looked for
_VERIFIED = 300  # sections that are checked for a phrase
_CLOSE = 1.0  # bonus factor for proximity
_OTHERWISE = 0.8  # factor of proximity under other names
_STRETCHES = 4  # blocks of sections for each wanted section
_DEFINED = 1.0  # bonus for definitions
_THINGS = 12  # concepts of a query whose order counts


def load() -> None:
    """Load the shipped glossary and the forms of characters, which the first search would load otherwise."""
    shipped()
    lowered_at_once("顯存")


@dataclass(frozen=True)
class OpenedIndex:
    """The open index; `identity` changes with its content."""

    identity: tuple[str, int, int]
    snapshot: Snapshot
    scorer: Scorer
    expander: QueryExpander


class Searcher:
    """Answers queries on the index in a folder, always in its current state. Thread-safe."""

    def __init__(self, folder: Path, vault_root: Path) -> None:
        self.vault_root = vault_root
        self._folder = folder
        self._lock = threading.Lock()
        self._open: OpenedIndex | None = None
        self._own = OwnGlossary(vault_root)
        self._read = self._own.stamp()

    def search(
        self, query: str, *, limit: int = 20, lang: str | None = None, proven: Proven | None = None
    ) -> SearchResult:
        """Return the sections that match the query best; any text is a query. Without an index there are no hits.

        `proven` returns the runs that pass a filter by status or device; it must not raise. Raises IndexFailed if the
        index is damaged; the next indexing rebuilds it.
        """
        started = time.perf_counter()
        asked = read(query)
        nothing: tuple[tuple[Hit, ...], str | None, bool] = (), None, asked.error
        found = self.using(lambda now: _found(now, asked, limit, lang, proven), nothing) if asked.asks else nothing
        hits, meant, unknown = found
        return SearchResult(query, hits, meant, time.perf_counter() - started, unknown)

    def using(self, work: Callable[[OpenedIndex], Result], otherwise: Result) -> Result:
        """Return the result of some work with the current index; `otherwise` without one.

        Raises IndexFailed if the index is damaged by its checksums, and whatever else the work raises.
        """
        with self._lock:
            try:
                now = self._current()
            except Exception as error:
                self._close()
                raise _damaged(error) from error
            try:
                return work(now) if now is not None and now.snapshot.sections else otherwise
            except Exception as error:
                self._close()
                if self._harmed():
                    raise _damaged(error) from error
                raise

    def _harmed(self) -> bool:
        """Return whether any file of the index differs from what was written."""
        try:
            segments.verify(self._folder)
        except segments.IndexDamaged:
            return True
        return False

    def close(self) -> None:
        """Close the index. A search afterwards opens it again."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._open is not None:
            self._open.snapshot.close()
            self._open = None

    def _current(self) -> OpenedIndex | None:
        """Return the newest index, opened if necessary; None if there is none."""
        while (identity := segments.identity(self._folder)) is not None:
            if self._open is not None and self._open.identity == identity:
                if self._read != self._own.stamp():
                    expander = self._expander(self._open.snapshot, self._open.scorer)
                    self._open = replace(self._open, expander=expander)
                return self._open
            try:
                return self._reopen(identity)
            except Exception:
                # A writer may have replaced the index meanwhile; otherwise it is damaged.
                if segments.identity(self._folder) == identity:
                    raise
        self._close()
        return None

    def _reopen(self, identity: tuple[str, int, int]) -> OpenedIndex:
        old = self._open.snapshot.leaves if self._open is not None else ()
        leaves = segments.open_leaves(self._folder, old)
        kept = {leaf.name for leaf in leaves}
        for leaf in old:
            if leaf.name not in kept:
                leaf.close()
        self._open = None  # its segments are closed or reused
        with contextlib.ExitStack() as opened:
            for leaf in leaves:
                opened.callback(leaf.close)
            snapshot = Snapshot(leaves)
            scorer = Scorer(snapshot)
            self._open = OpenedIndex(identity, snapshot, scorer, self._expander(snapshot, scorer))
            opened.pop_all()
        return self._open

    def _expander(self, snapshot: Snapshot, scorer: Scorer) -> QueryExpander:
        self._read = self._own.stamp()
        known = snapshot.vocabulary(("alias",), "", "\U0010ffff")
        aliases = (alias for alias in known if snapshot.live[snapshot.postings("alias", alias)[0]].any())
        return QueryExpander(scorer, Glossary((*self._own.things(), *named(aliases)), beside=shipped()))


def _found(
    now: OpenedIndex, query: Query, limit: int, lang: str | None, proven: Proven | None
) -> tuple[tuple[Hit, ...], str | None, bool]:
    ways = [_Way(now, way, lang, proven) for way in query.ways]
    best = _ranked(now.snapshot, ways, limit)
    expansion = ways[0].expansion if len(ways) == 1 else now.expander.expand(query)
    unknown = query.error and not repeats(query.typed, _texts(now.snapshot, best[:_QUOTING]))
    return hits_of(now.scorer, expansion, best), _meant(query, expansion), unknown


def _texts(snapshot: Snapshot, best: Iterable[tuple[int, float]]) -> Iterator[str]:
    for at, _ in best:
        stored = snapshot.stored(at)
        yield f"{stored.heading}\n{stored.text}"


def ranked(now: OpenedIndex, query: Query, limit: int, *, lang: str | None = None) -> list[tuple[int, float]]:
    """Return the numbers of the sections that match a query best, and their scores."""
    return _ranked(now.snapshot, [_Way(now, way, lang, None) for way in query.ways], limit)


def _damaged(error: Exception) -> IndexFailed:
    reason = error.en if isinstance(error, segments.IndexDamaged) else repr(error)
    return IndexFailed(
        f"The search index cannot be read ({reason}); it is built anew at the next indexing.",
        f"无法读取搜索索引（{reason}）；下次建立索引时会自动重建。",
    )


class _Way:
    """A query without OR, and the score of every section."""

    def __init__(self, now: OpenedIndex, query: Query, lang: str | None, proven: Proven | None) -> None:
        self.query = query
        self.expansion = now.expander.expand(query)
        order = self.expansion.order[:_THINGS]
        self._order = in_words(order)
        self._typed = in_words(names[:1] for names in order) if any(len(names) > 1 for names in order) else None
        # Without words the newest note is the best.
        self.scores = now.scorer.scores(self.expansion.nodes) if query.words else newest_first(now.snapshot)
        allowed = narrow(now.scorer, query, lang, proven=proven)
        if allowed is not None:
            self.scores[~allowed] = 0

    def meets(self, stored: StoredSection, at: int) -> bool:
        """Return whether a section has a score and all phrases."""
        return bool(self.scores[at]) and matches_phrases(stored, self.query)

    def closeness(self, stored: StoredSection) -> float:
        """Return how much of the query a section has in the typed order, or defines."""
        close = proximity(self._order, *stored.low)
        if close and self._typed is not None:
            close = max(_OTHERWISE * close, proximity(self._typed, *stored.low))
        if 0 < close <= 1:  # the heading does not have all of it
            close += _DEFINED * defined(self._order, stored.low[1])
        return close


def _ranked(snapshot: Snapshot, ways: Sequence[_Way], limit: int) -> list[tuple[int, float]]:
    """Return the best sections and their scores, reordered by the proximity of the words."""
    scores: Weights = ways[0].scores if len(ways) == 1 else np.maximum.reduce([way.scores for way in ways])
    read = any(reads(way.query) for way in ways)
    best = _top(scores, max(limit, _VERIFIED if read else _RERANKED))
    if read:
        met = (at for at in best if any(way.meets(snapshot.stored(at), at) for way in ways))
        best = list(islice(met, max(limit, _RERANKED)))
    ranked = list(zip(best, scores[best].tolist(), strict=True))
    for place, (at, score) in enumerate(ranked[:_RERANKED]):
        stored = snapshot.stored(at)
        close = max([way.closeness(stored) for way in ways])
        ranked[place] = at, score * (1 + _CLOSE * close)
    return sorted(ranked, key=lambda one: (-one[1], one[0]))[:limit]


def _top(scores: Weights, most: int) -> list[int]:
    """Return the numbers of the `most` best sections; of equal ones the first. `scores` is float32, shape (size,)."""
    least = np.float32(0)
    if (width := len(scores) // (_STRETCHES * most)) > 1:
        # The `most`-th best of the maxima of blocks is a lower bound for the result.
        stretches = scores[: width * _STRETCHES * most].reshape(-1, width).max(axis=1)
        least = np.partition(stretches, -most)[-most]
    found = (scores >= least if least else scores).nonzero()[0]
    best: list[int] = found[np.argsort(-scores[found], kind="stable")[:most]].tolist()
    return best


def _meant(query: Query, expansion: Expansion) -> str | None:
    """Return the query with its typos corrected, None if there are none."""
    if query.error or not expansion.corrected:
        return None
    # Chinese has no spaces between words, and typos are found in simplified text.
    level = str if all(map(str.isascii, expansion.corrected)) else simplified
    wrongs = {wrong: re.escape(wrong) for wrong in expansion.corrected}
    each = (rf"(?<!\w){one}(?!\w)" if wrong.isascii() else one for wrong, one in wrongs.items())
    slips = re.compile("|".join(each), re.IGNORECASE)

    def righted(text: str) -> str:
        plain = level(fold(text))
        meant = slips.sub(lambda match: expansion.corrected.get(match[0].lower(), match[0]), plain)
        return meant if meant != plain else text

    meant = reworded(query.typed, righted)
    return meant if meant != query.typed else None
