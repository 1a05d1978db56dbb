"""Slips in Chinese: characters that sound or look like what was meant, or changed places.

A stretch of Chinese is judged by its pairs. Where none of the pairs that a character is in is known, or hardly, others
are tried in its place, and that one taken with which the neighbours are known best.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from kb.index.snapshot import Documents
from kb.search.bigram_counts import BigramCounts
from kb.search.char_index import CharIndex

RARE = 2  # a pair in so few sections may be somebody's slip
_OFTEN = 10  # times more sections have what was meant
_LONGEST = 24  # characters of a stretch that is looked at
_NAME = 8  # characters of a name
_ONE = 8  # characters of what may be one thing, said in one section
_WHOLE = 1.0  # what it is worth that a section has all of it
_LEAST = -0.5  # what it must be worth where none has, and there is more than one pair
_LOOKED = 8  # ways to mend that are looked for in the sections
_KEPT = 1000  # stretches
_MOST = 3  # slips that are mended
_CHANCE = 0.7  # power of the number of sections that have a character
_SWAPPED = 0.02  # how likely two characters changed places, beside one that sounds like what was meant


@dataclass(frozen=True)
class PairVocabulary:
    """What is known: the sections that have a pair, and whether Chinese is a name, in the notes or not."""

    documents: Callable[[str], Documents]
    right: Callable[[str], bool]


@dataclass(frozen=True)
class Correction:
    """What a stretch of Chinese was meant to be, and the pairs in it that were wrong, each with what is right."""

    text: str
    slips: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Try:
    """A way to mend, which touches the pairs from number `first` up to, but without, `end`."""

    worth: float
    text: str
    first: int
    end: int
    sure: bool  # it is better by far even where no section has all of it


class ChineseCorrector:
    """Mends with the vocabulary of one snapshot. Not for several threads at once."""

    def __init__(self, pairs: BigramCounts, voices: CharIndex, known: PairVocabulary) -> None:
        """Judge by these."""
        self._right = known.right
        self._sections_with = known.documents
        self._pairs = pairs
        self._voices = voices
        self._known: OrderedDict[str, Correction | None] = OrderedDict()

    def mend(self, text: str) -> Correction | None:
        """Return what a stretch of Chinese was meant to be; None where nothing is wrong, or nothing better is known."""
        if text not in self._known:
            self._known[text] = self._mended(text) if self._wrong(text) else None
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[text]

    def _wrong(self, text: str) -> bool:
        """Tell whether a text may be wrong: no section has all of it, or, of one pair or many, one is hardly known."""
        if 2 < len(text) <= _ONE:  # noqa: PLR2004 - there are two pairs at least
            return not self._together(text)
        found = (len(self._sections_with(first + second)) for first, second in pairwise(text))
        return 1 < len(text) <= _LONGEST and min(found) <= RARE

    def _together(self, text: str) -> bool:
        """Tell whether any section has all pairs of a text."""
        found = sorted((self._sections_with(first + second) for first, second in pairwise(text)), key=len)
        left = found[0]
        for other in found[1:]:
            places = other.searchsorted(left)
            left = left[other.take(places, mode="clip") == left] if len(other) else other
        return len(left) > 0

    def _numbers(self, text: str) -> list[int]:
        """Return how often each pair of a text is there."""
        return [self._pairs.often(first + second) for first, second in pairwise(text)]

    def _mended(self, text: str) -> Correction | None:
        slips: list[tuple[str, str]] = []
        now = text
        while len(slips) < _MOST and self._wrong(now) and (best := self._best(now)):
            start, end = self._word(now, best)
            slips.append((now[start:end], best.text[start:end]))
            now = best.text
        return Correction(now, tuple(slips)) if slips else None

    def _best(self, text: str) -> _Try | None:
        """Return the best way to mend a text, those preferred that a section has as a whole."""
        tries = sorted(self._tries(text), key=lambda one: (-one.worth, one.text))[:_LOOKED]
        pair = len(text) == 2  # noqa: PLR2004
        told = [(one.worth, one) for one in tries if one.sure and (pair or one.worth > _LEAST)]
        if not pair and len(text) <= _ONE:
            told += [(one.worth + _WHOLE, one) for one in tries if self._together(one.text)]
        return max(told, key=lambda one: one[0], default=(0.0, None))[1]

    def _word(self, text: str, best: _Try) -> tuple[int, int]:
        """Return where the word begins and ends that was mended: the longest name, or else the pair known best."""
        changed = [at for at, (old, new) in enumerate(zip(text, best.text, strict=True)) if old != new]
        for size in range(_NAME, 2, -1):
            for at in range(max(0, changed[-1] + 1 - size), changed[0] + 1):
                if at + size <= len(text) and self._right(best.text[at : at + size]):
                    return at, at + size
        pairs = range(changed[0], changed[-1]) if len(changed) > 1 else range(best.first, best.end)
        first = max(pairs, key=lambda pair: self._pairs.often(best.text[pair : pair + 2]))
        return first, first + 2

    def _tries(self, text: str) -> Iterator[_Try]:
        numbers = self._numbers(text)
        named = self._named(text)
        for at, character in enumerate(text):
            first, end = max(0, at - 1), min(at + 1, len(numbers))
            if at in named:
                continue
            if len(text) <= _ONE or min(numbers[first:end]) <= RARE:
                meant = self._voices.meant(character)
                for other in self._beside(text, at) & meant.keys():
                    # A character that is everywhere stands beside any other by chance.
                    likely = meant[other] / (1 + len(self._sections_with(other))) ** _CHANCE
                    yield from self._weighed(text, text[:at] + other + text[at + 1 :], (first, end), likely)
            if at < len(numbers) and at + 1 not in named and numbers[at] <= RARE and character != text[at + 1]:
                swapped = text[:at] + text[at + 1] + character + text[at + 2 :]
                yield from self._weighed(text, swapped, (first, min(at + 2, len(numbers))), _SWAPPED)

    def _named(self, text: str) -> frozenset[int]:
        """Return the places of characters that belong to names."""
        spans = ((at, end) for at in range(len(text)) for end in range(at + 2, min(at + _NAME, len(text)) + 1))
        return frozenset(place for at, end in spans if self._right(text[at:end]) for place in range(at, end))

    def _beside(self, text: str, at: int) -> AbstractSet[str]:
        """Return the characters that are known after the one before a place, or before the one after it."""
        after = self._pairs.after(text[at - 1]).keys() if at else frozenset[str]()
        return after | (self._pairs.before(text[at + 1]).keys() if at + 1 < len(text) else frozenset())

    def _weighed(self, text: str, other: str, touched: tuple[int, int], likely: float) -> Iterator[_Try]:
        """Yield it as a way to mend if it is better, and leaves no character without a neighbour that is known."""
        first, end = touched
        before, after = self._numbers(text[first : end + 1]), self._numbers(other[first : end + 1])
        most = max(before)
        sure = max(after) >= max(1, _OFTEN * most) and (not most or all(after))
        if len(text) > _ONE:  # in a sentence many a pair is the end of one word and the beginning of the next
            sure = not most and all(after)
        worth = sum(map(math.log1p, after)) - sum(map(math.log1p, before))
        if (all(after) or (sure and worth > 0)) and self._grounded(other, first, end):
            yield _Try(worth + math.log(likely), other, first, end, sure and worth > 0)

    def _grounded(self, text: str, first: int, end: int) -> bool:
        """Tell whether every character of the pairs touched is in a known pair."""
        numbers = self._numbers(text)
        return all(max(numbers[max(0, at - 1) : at + 1]) for at in range(first, end + 1))
