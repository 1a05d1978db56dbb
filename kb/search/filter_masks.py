"""Which sections may be hits at all: filters and exclusions of a query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from kb.analysis.tokens import normalized, words
from kb.index.facets import MEANT, RUN
from kb.index.snapshot import Documents, Snapshot, StoredSection, Weights
from kb.search.filters import Filter
from kb.search.query import Query
from kb.search.scoring import Scorer

Mask = npt.NDArray[np.bool_]
# What is known of runs elsewhere: from a filter's name and value to the names of runs. Asked are "status" with one of
# its values or "tried" (whatever is recorded), and "device" with a kind of device.
Proven = Callable[[str, str], Collection[str]]

TRIED = "tried"
_PROVEN = {"status", "device"}
_KEPT = 64  # masks of filters
_masks: WeakKeyDictionary[Snapshot, dict[Filter, Mask]] = WeakKeyDictionary()
_LAST = "\U0010ffff"
_WORDED = {"title": ("heading", "trail"), "code": ("code",)}  # the fields in which their words stand


def narrow(scorer: Scorer, query: Query, lang: str | None = None, *, proven: Proven | None = None) -> Mask | None:
    """Return which sections are allowed by a query without OR, None where all are.

    Where nothing is known of runs, no section passes a filter by their status.
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
    """Tell whether a section's text has to be looked at to know if it is a hit."""
    return bool(query.phrases or query.without_phrases)


def matches_phrases(stored: StoredSection, query: Query) -> bool:
    """Tell whether a section has a query's phrases, and none of those that it is to be without."""
    text = " ".join("\n".join(stored.low).split())
    return all(_flat(one) in text for one in query.phrases) and not any(
        _flat(one) in text for one in query.without_phrases
    )


def newest_first(snapshot: Snapshot) -> Weights:
    """Return a number from 0 to 1 for each section, the higher the later its note was modified; 0 for deleted ones."""
    times = snapshot.ranks("modified")
    result: Weights = ((times + 1) / (times.max(initial=0) + 1)).astype(np.float32)
    result[~snapshot.live] = 0
    return result


def _flat(phrase: str) -> str:
    return " ".join(normalized(phrase).split())


def _nothing(_: str, __: str) -> tuple[str, ...]:
    return ()


def _known(snapshot: Snapshot, one: Filter, proven: Proven) -> Mask:
    """Return which sections pass a filter, as it was found before if runs cannot have changed it."""
    if one.name in _PROVEN:
        return _passing(snapshot, one, proven)
    masks = _masks.setdefault(snapshot, {})
    if one not in masks:
        if len(masks) == _KEPT:
            masks.clear()
        masks[one] = _passing(snapshot, one, proven)
    return masks[one]


def _passing(snapshot: Snapshot, one: Filter, proven: Proven) -> Mask:
    mask = np.zeros(snapshot.size, bool)
    for value in one.values:
        if one.name in _WORDED:
            mask |= _worded(snapshot, _WORDED[one.name], value, growing=one.growing)
        else:
            mask |= _any(snapshot, _where(snapshot, one, value, proven))
    return ~mask if one.negated else mask


def _where(snapshot: Snapshot, one: Filter, value: str, proven: Proven) -> Iterable[Documents]:
    """Return the sections that pass a filter with one of its values."""
    match one.name:
        case "lang":  # a note in both languages is one in each
            return (snapshot.postings("lang", name)[0] for name in {value, "mixed"})
        case "tag":
            return _tagged(snapshot, value, growing=one.growing)
        case "path":
            return [_under(snapshot, value)]
        case "has":
            return [snapshot.postings("facet", value)[0]]
        case "modified":
            first, _, last = value.partition("..")
            return [snapshot.within("modified", first, last + _LAST)]
    return _running(snapshot, one.name, value, proven)


def _both(masks: Iterable[Mask]) -> Mask:
    result: Mask = np.logical_and.reduce(list(masks))
    return result


def _any(snapshot: Snapshot, found: Iterable[Documents]) -> Mask:
    mask = np.zeros(snapshot.size, bool)
    for documents in found:
        mask[documents] = True
    return mask


def _tagged(snapshot: Snapshot, tag: str, *, growing: bool) -> Iterator[Documents]:
    """Yield where a tag stands or one below it ("training/ddp"); one being typed may be any that it begins."""
    yield snapshot.postings("tag", tag)[0]
    start = tag if growing else f"{tag}/"
    yield snapshot.within("tag", start, start + _LAST)


def _under(snapshot: Snapshot, path: str) -> Documents:
    return snapshot.matching("file", lambda file: path in file.partition("/")[2].lower())


def _running(snapshot: Snapshot, name: str, value: str, proven: Proven) -> Iterator[Documents]:
    if (name, value) == ("status", "never"):
        yield _untried(snapshot, proven("status", TRIED))
        return
    for run in proven(name, value):
        yield snapshot.postings("facet", f"{RUN}{run}")[0]
    if name == "device":
        yield snapshot.postings("facet", f"{MEANT}{value}")[0]


def _untried(snapshot: Snapshot, tried: Iterable[str]) -> Documents:
    """Return the sections that have more to run than what was tried of it."""
    left = np.bincount(snapshot.within("facet", RUN, RUN + _LAST), minlength=snapshot.size)
    for run in tried:
        left[snapshot.postings("facet", f"{RUN}{run}")[0]] -= 1
    return np.flatnonzero(left > 0)


def _worded(snapshot: Snapshot, fields: Iterable[str], text: str, *, growing: bool) -> Mask:
    """Return which sections have every word of a text in one of some fields."""
    wanted = _terms(text)
    masks = []
    for term in wanted:
        mask = _any(snapshot, (snapshot.postings(field, term)[0] for field in fields))
        if growing and term == wanted[-1]:
            mask |= _any(snapshot, (snapshot.within(field, term, term + _LAST) for field in fields))
        masks.append(mask)
    return _both(masks)


def _all(scorer: Scorer, text: str) -> Mask:
    """Return which sections have every term of a text."""
    return _both(_any(scorer.snapshot, [scorer.term(term).documents]) for term in _terms(text))


def _terms(text: str) -> list[str]:
    return [term for word in words(text) for term in (word.parts if word.han else (word.term,))]
