"""Searching a vault's index: from what was typed to the sections that answer it, best first."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Sequence
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
from kb.search.filter_masks import Proven, matches_phrases, narrow, newest_first, reads
from kb.search.hit_details import hits_of
from kb.search.proximity import in_words, proximity
from kb.search.query import Query, read, reworded
from kb.search.query_expansion import Expansion, QueryExpander
from kb.search.scoring import Scorer

Result = TypeVar("Result")
_RERANKED = 20  # sections whose text is looked at for words that stand together
_VERIFIED = 300  # sections that are looked at for a phrase
_CLOSE = 1.0  # what it is worth that the words stand together
_OTHERWISE = 0.8  # of it where they stand so under other names
_STRETCHES = 4  # into which all sections are cut for each that is wanted
_DEFINED = 1.0  # of it that it is said there what they mean
_THINGS = 12  # things of a query whose order is looked at


def load() -> None:
    """Load what every search takes: the shipped glossary, the forms of characters. Else the first search does."""
    shipped()
    lowered_at_once("顯存")


@dataclass(frozen=True)
class OpenedIndex:
    """The index as it was opened; `identity` is what changes with its content."""

    identity: tuple[str, int, int]
    snapshot: Snapshot
    scorer: Scorer
    expander: QueryExpander


class Searcher:
    """Answers queries on the index in a folder, as it is at the time of each query. Safe to use from threads."""

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
        """Return the sections that answer the query best; any text is a query. Without an index there are no hits.

        `proven` tells, for the filters by status and device, which runs fit; it must not raise.

        Raises IndexFailed where the index is damaged; the next indexing builds it anew.
        """
        started = time.perf_counter()
        asked = read(query)
        nothing: tuple[tuple[Hit, ...], str | None] = (), None
        found = self.using(lambda now: _found(now, asked, limit, lang, proven), nothing) if asked.asks else nothing
        return SearchResult(query, *found, time.perf_counter() - started)

    def using(self, work: Callable[[OpenedIndex], Result], otherwise: Result) -> Result:
        """Do some work with the index as it is now and return what comes of it; `otherwise` where there is none.

        Raises IndexFailed where the index is damaged, which its check sums tell; and whatever else the work raises.
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
        """Tell whether any file of the index is not as it was written."""
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
        """Return the newest index, opened only if it is not open yet; None where there is none."""
        while (identity := segments.identity(self._folder)) is not None:
            if self._open is not None and self._open.identity == identity:
                if self._read != self._own.stamp():
                    expander = self._expander(self._open.snapshot, self._open.scorer)
                    self._open = replace(self._open, expander=expander)
                return self._open
            try:
                return self._reopen(identity)
            except Exception:
                # A writer may have put a newer index in the place of this one meanwhile; else it is damaged.
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
        self._open = None  # what it had is closed, or is among the new ones
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
) -> tuple[tuple[Hit, ...], str | None]:
    ways = [_Way(now, way, lang, proven) for way in query.ways]
    best = _ranked(now.snapshot, ways, limit)
    expansion = ways[0].expansion if len(ways) == 1 else now.expander.expand(query)
    return hits_of(now.scorer, expansion, best), _meant(query, expansion)


def ranked(now: OpenedIndex, query: Query, limit: int, *, lang: str | None = None) -> list[tuple[int, float]]:
    """Return the numbers of the sections that answer a query best, and their scores."""
    return _ranked(now.snapshot, [_Way(now, way, lang, None) for way in query.ways], limit)


def _damaged(error: Exception) -> IndexFailed:
    reason = error.en if isinstance(error, segments.IndexDamaged) else repr(error)
    return IndexFailed(
        f"The search index cannot be read ({reason}); it is built anew at the next indexing.",
        f"无法读取搜索索引（{reason}）；下次建立索引时会自动重建。",
    )


class _Way:
    """A way in which a query may be met, and the score that it gives every section."""

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
        """Tell whether a section with a score has the phrases, too."""
        return bool(self.scores[at]) and matches_phrases(stored, self.query)

    def closeness(self, stored: StoredSection) -> float:
        """Return how much of the query stands in a section as it was typed, or is what it defines."""
        close = proximity(self._order, *stored.low)
        if close and self._typed is not None:
            close = max(_OTHERWISE * close, proximity(self._typed, *stored.low))
        if 0 < close <= 1:  # not all of it is in the heading
            close += _DEFINED * defined(self._order, stored.low[1])
        return close


def _ranked(snapshot: Snapshot, ways: Sequence[_Way], limit: int) -> list[tuple[int, float]]:
    """Return the best sections and their scores, those first in which the words stand as they were typed."""
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
    """Return the numbers of the best sections, at most so many, of equal ones the first."""
    least = np.float32(0)
    if (width := len(scores) // (_STRETCHES * most)) > 1:
        # So many stretches have a best section each: what is worse than the worst of the best of those is none.
        stretches = scores[: width * _STRETCHES * most].reshape(-1, width).max(axis=1)
        least = np.partition(stretches, -most)[-most]
    found = (scores >= least if least else scores).nonzero()[0]
    best: list[int] = found[np.argsort(-scores[found], kind="stable")[:most]].tolist()
    return best


def _meant(query: Query, expansion: Expansion) -> str | None:
    """Return the query with its slips corrected, None where there are none."""
    if query.error or not expansion.corrected:
        return None
    # Chinese has no spaces round its words, and its slips are those of the simplified text.
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
