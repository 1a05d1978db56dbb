"""Selects the sections that may be hits, by the filters, phrases and exclusions of a query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from kb.analysis.tokens import normalized, words
from kb.index.facets import MEANT, RUN
from kb.index.snapshot import Documents, Snapshot, StoredSection, Weights
from kb.search.filters import Filter
from kb.search.query import Query
from kb.search.query_syntax import TRIED
from kb.search.scoring import Scorer

Mask = npt.NDArray[np.bool_]
# What is known of runs elsewhere: given "status" with one of its values or TRIED, or "device" with a kind of device, it
# returns the names of runs.
Proven = Callable[[str, str], Collection[str]]

_PROVEN = {"status", "device"}
_KEPT = 64  # cached masks
_masks: WeakKeyDictionary[Snapshot, dict[Filter, Mask]] = WeakKeyDictionary()
_LAST = "\U0010ffff"


def narrow(scorer: Scorer, query: Query, lang: str | None = None, *, proven: Proven | None = None) -> Mask | None:
    """Return the sections that a query without OR allows, None if all; bool, shape (snapshot.size,).

    Without `proven`, no section passes a filter by status, and a filter by device passes only sections meant for it.
    """
    snapshot = scorer.snapshot
    filters = dict.fromkeys((*query.filters, *([Filter("lang", (lang,))] if lang else ())))
    allowed = [
        *(_known(snapshot, one, proven or _nothing) for one in filters),
        *(~_all(scorer, one) for one in dict.fromkeys(query.without)),
        *(_all(scorer, phrase) for phrase in dict.fromkeys(query.phrases)),
    ]
    return _both(allowed) if allowed else None


def reads(query: Query) -> bool:
    """Return whether a section's text must be read to decide if it is a hit."""
    return bool(query.phrases or query.without_phrases)


def matches_phrases(stored: StoredSection, query: Query) -> bool:
    """Return whether a section has all phrases of a query and none of those it excludes."""
    text = " ".join("\n".join(stored.low).split())
    return all(_flat(one) in text for one in query.phrases) and not any(
        _flat(one) in text for one in query.without_phrases
    )


def newest_first(snapshot: Snapshot) -> Weights:
    """Return 0 to 1 for each section, higher for newer notes, 0 for deleted ones; float32, shape (size,)."""
    times = snapshot.ranks("modified")
    result: Weights = ((times + 1) / (times.max(initial=0) + 1)).astype(np.float32)
    result[~snapshot.live] = 0
    return result


def _flat(phrase: str) -> str:
    return " ".join(normalized(phrase).split())


def _nothing(_: str, __: str) -> tuple[str, ...]:
    return ()


def _known(snapshot: Snapshot, one: Filter, proven: Proven) -> Mask:
    """Return the sections that pass a filter; cached unless it depends on runs; bool, shape (size,)."""
    if one.name in _PROVEN:
        return _passing(snapshot, one, proven)
    masks = _masks.setdefault(snapshot, {})
    if one not in masks:
        if len(masks) == _KEPT:
            masks.clear()
        masks[one] = _passing(snapshot, one, proven)
    return masks[one]


def _passing(snapshot: Snapshot, one: Filter, proven: Proven) -> Mask:
    sections = _SECTIONS[one.name]
    mask = _any(snapshot, (found for value in one.values for found in sections(snapshot, one, value, proven)))
    return ~mask if one.negated else mask


def _both(masks: Iterable[Mask]) -> Mask:
    result: Mask = np.logical_and.reduce(list(masks))
    return result


def _any(snapshot: Snapshot, found: Iterable[Documents]) -> Mask:
    mask = np.zeros(snapshot.size, bool)
    for documents in found:
        mask[documents] = True
    return mask


def _tagged(snapshot: Snapshot, one: Filter, tag: str, _: Proven) -> Iterator[Documents]:
    """Yield the sections with a tag or one below it ("training/ddp"), or while it is typed, any that it begins."""
    yield snapshot.postings("tag", tag)[0]
    start = tag if one.growing else f"{tag}/"
    yield snapshot.within("tag", start, start + _LAST)


def _ran(snapshot: Snapshot, one: Filter, status: str, proven: Proven) -> Iterator[Documents]:
    if status == "never":
        yield _untried(snapshot, proven("status", TRIED))
        return
    for run in proven(one.name, status):
        yield snapshot.postings("facet", f"{RUN}{run}")[0]


def _for_device(snapshot: Snapshot, one: Filter, device: str, proven: Proven) -> Iterator[Documents]:
    yield from _ran(snapshot, one, device, proven)
    yield snapshot.postings("facet", f"{MEANT}{device}")[0]


def _modified(snapshot: Snapshot, _: Filter, days: str, __: Proven) -> Iterator[Documents]:
    first, _dots, last = days.partition("..")
    yield snapshot.within("modified", first, last + _LAST)


# How each filter of the table finds the sections that have one of its values.
_SECTIONS: Mapping[str, Callable[[Snapshot, Filter, str, Proven], Iterable[Documents]]] = {
    "tag": _tagged,
    # A note in both languages counts as either.
    "lang": lambda snapshot, _, lang, __: (snapshot.postings("lang", name)[0] for name in {lang, "mixed"}),
    "path": lambda snapshot, _, path, __: [snapshot.matching("file", lambda file: path in _path(file))],
    "title": lambda snapshot, one, text, _: [_worded(snapshot, ("heading", "trail"), text, growing=one.growing)],
    "code": lambda snapshot, one, text, _: [_worded(snapshot, ("code",), text, growing=one.growing)],
    "has": lambda snapshot, _, facet, __: [snapshot.postings("facet", facet)[0]],
    "status": _ran,
    "device": _for_device,
    "modified": _modified,
}


def _path(file: str) -> str:
    return file.partition("/")[2].lower()  # the term is HASH/PATH


def _untried(snapshot: Snapshot, tried: Iterable[str]) -> Documents:
    """Return the sections with code that has no recorded run; shape (n,), int64."""
    left = np.bincount(snapshot.within("facet", RUN, RUN + _LAST), minlength=snapshot.size)
    for run in tried:
        left[snapshot.postings("facet", f"{RUN}{run}")[0]] -= 1
    return np.flatnonzero(left > 0)


def _worded(snapshot: Snapshot, fields: Iterable[str], text: str, *, growing: bool) -> Documents:
    """Return the sections with every word of a text in one of some fields; shape (n,), int64."""
    wanted = _terms(text)
    masks = []
    for term in wanted:
        mask = _any(snapshot, (snapshot.postings(field, term)[0] for field in fields))
        if growing and term == wanted[-1]:
            mask |= _any(snapshot, (snapshot.within(field, term, term + _LAST) for field in fields))
        masks.append(mask)
    return np.flatnonzero(_both(masks))


def _all(scorer: Scorer, text: str) -> Mask:
    """Return the sections that have every term of a text; bool, shape (size,)."""
    return _both(_any(scorer.snapshot, [scorer.term(term).documents]) for term in _terms(text))


def _terms(text: str) -> list[str]:
    return [term for word in words(text) for term in (word.parts if word.han else (word.term,))]
