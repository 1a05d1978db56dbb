"""Which sections may be hits at all: filters and exclusions of a query."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from kb.query import Query
from kb.scoring import Scorer
from kb.snapshot import Documents, Snapshot
from kb.tokens import words

Mask = npt.NDArray[np.bool_]


def narrow(scorer: Scorer, query: Query, lang: str | None) -> Mask | None:
    """Return which sections are allowed, None where all are."""
    snapshot, filters = scorer.snapshot, query.filters
    languages = (*filters.lang, *([lang] if lang else ()))
    allowed: list[Mask] = [
        # A note in both languages is one in each.
        *(_any(snapshot, [snapshot.postings("lang", name)[0] for name in (one, "mixed")]) for one in languages),
        *(_any(snapshot, [snapshot.postings("tag", tag.lstrip("#"))[0]]) for tag in filters.tag),
        *(_any(snapshot, _under(snapshot, path)) for path in filters.path),
        *(_titled(snapshot, term) for title in filters.title for term in _terms(title)),
        *(~_all(scorer, one) for one in query.without),
        *(_all(scorer, phrase) for phrase in query.phrases),
    ]
    return _both(allowed) if allowed else None


def _both(masks: list[Mask]) -> Mask:
    result: Mask = np.logical_and.reduce(masks)
    return result


def _any(snapshot: Snapshot, found: Iterable[Documents]) -> Mask:
    mask = np.zeros(snapshot.size, bool)
    for documents in found:
        mask[documents] = True
    return mask


def _under(snapshot: Snapshot, path: str) -> Iterable[Documents]:
    for name, digest in snapshot.files().items():
        if path in name.lower():
            yield snapshot.postings("file", f"{digest}/{name}")[0]


def _titled(snapshot: Snapshot, term: str) -> Mask:
    return _any(snapshot, (snapshot.postings(field, term)[0] for field in ("heading", "trail")))


def _all(scorer: Scorer, text: str) -> Mask:
    """Return which sections have every term of a text."""
    masks = [_any(scorer.snapshot, [scorer.term(term).documents]) for term in _terms(text)]
    return _both(masks)


def _terms(text: str) -> list[str]:
    return [term for word in words(text) for term in (word.parts if word.han else (word.term,))]
