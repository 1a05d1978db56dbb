"""Corrects Chinese typos: characters that sound or look like the right ones, and swapped characters.

A run of Chinese is judged by its pairs. If no pair with a character is known, or hardly, other characters are tried,
and the one whose pairs are most frequent is taken.
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

RARE = 2  # a pair in at most so many sections may be a typo
_OFTEN = 10  # times more sections must have the correction
_LONGEST = 24  # characters; longer runs are not corrected
_NAME = 8  # characters of a name
_ONE = 8  # characters; shorter texts may be one concept within one section
_WHOLE = 1.0  # bonus if a section has all of it
_LEAST = -0.5  # minimum worth if no section has, and there is more than one pair
_LOOKED = 8  # candidates that are looked up in the sections
_KEPT = 1000  # cached runs
_MOST = 3  # typos that are corrected in a run
_CHANCE = 0.7  # exponent of the number of sections that have a character
_SWAPPED = 0.02  # likelihood of swapped characters, relative to one with the same sound


@dataclass(frozen=True)
class PairVocabulary:
    """The sections that have a pair, and whether Chinese is a known name, in the notes or elsewhere."""

    documents: Callable[[str], Documents]
    right: Callable[[str], bool]


@dataclass(frozen=True)
class Correction:
    """The correction of a run of Chinese, and its wrong pairs, each with the right one."""

    text: str
    slips: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Try:
    """A candidate correction, which changes the pairs from number `first` to `end` - 1."""

    worth: float
    text: str
    first: int
    end: int
    sure: bool  # much better even if no section has all of it


class ChineseCorrector:
    """Corrects with the vocabulary of one snapshot. Not thread-safe."""

    def __init__(self, pairs: BigramCounts, voices: CharIndex, known: PairVocabulary) -> None:
        """Judge by these sources."""
        self._right = known.right
        self._sections_with = known.documents
        self._pairs = pairs
        self._voices = voices
        self._known: OrderedDict[str, Correction | None] = OrderedDict()

    def mend(self, text: str) -> Correction | None:
        """Return the correction of a run of Chinese; None if nothing is wrong, or nothing better is known."""
        if text not in self._known:
            self._known[text] = self._mended(text) if self._wrong(text) else None
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[text]

    def _wrong(self, text: str) -> bool:
        """Return whether a text may be wrong.

        That is if no section has all of its pairs or, for a single pair or a long text, if some pair is rare.
        """
        if 2 < len(text) <= _ONE:  # noqa: PLR2004 - there are two pairs at least
            return not self._together(text)
        found = (len(self._sections_with(first + second)) for first, second in pairwise(text))
        return 1 < len(text) <= _LONGEST and min(found) <= RARE

    def _together(self, text: str) -> bool:
        """Return whether any section has all pairs of a text."""
        found = sorted((self._sections_with(first + second) for first, second in pairwise(text)), key=len)
        left = found[0]
        for other in found[1:]:
            places = other.searchsorted(left)
            left = left[other.take(places, mode="clip") == left] if len(other) else other
        return len(left) > 0

    def _numbers(self, text: str) -> list[int]:
        """Return the count of each pair of a text."""
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
        """Return the best correction of a text, preferring those that occur as a whole in a section."""
        tries = sorted(self._tries(text), key=lambda one: (-one.worth, one.text))[:_LOOKED]
        pair = len(text) == 2  # noqa: PLR2004
        told = [(one.worth, one) for one in tries if one.sure and (pair or one.worth > _LEAST)]
        if not pair and len(text) <= _ONE:
            told += [(one.worth + _WHOLE, one) for one in tries if self._together(one.text)]
        return max(told, key=lambda one: one[0], default=(0.0, None))[1]

    def _word(self, text: str, best: _Try) -> tuple[int, int]:
        """Return where the corrected word begins and ends: the longest name, otherwise the most frequent pair."""
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
                    # A very frequent character is next to any other by chance.
                    likely = meant[other] / (1 + len(self._sections_with(other))) ** _CHANCE
                    yield from self._weighed(text, text[:at] + other + text[at + 1 :], (first, end), likely)
            if at < len(numbers) and at + 1 not in named and numbers[at] <= RARE and character != text[at + 1]:
                swapped = text[:at] + text[at + 1] + character + text[at + 2 :]
                yield from self._weighed(text, swapped, (first, min(at + 2, len(numbers))), _SWAPPED)

    def _named(self, text: str) -> frozenset[int]:
        """Return the positions of characters that are part of names."""
        spans = ((at, end) for at in range(len(text)) for end in range(at + 2, min(at + _NAME, len(text)) + 1))
        return frozenset(place for at, end in spans if self._right(text[at:end]) for place in range(at, end))

    def _beside(self, text: str, at: int) -> AbstractSet[str]:
        """Return the characters known after the previous character, or before the next one."""
        after = self._pairs.after(text[at - 1]).keys() if at else frozenset[str]()
        return after | (self._pairs.before(text[at + 1]).keys() if at + 1 < len(text) else frozenset())

    def _weighed(self, text: str, other: str, touched: tuple[int, int], likely: float) -> Iterator[_Try]:
        """Yield a candidate if it is better and leaves every changed character in a known pair."""
        first, end = touched
        before, after = self._numbers(text[first : end + 1]), self._numbers(other[first : end + 1])
        most = max(before)
        sure = max(after) >= max(1, _OFTEN * most) and (not most or all(after))
        if len(text) > _ONE:  # in a sentence, a pair may span two words
            sure = not most and all(after)
        worth = sum(map(math.log1p, after)) - sum(map(math.log1p, before))
        if (all(after) or (sure and worth > 0)) and self._grounded(other, first, end):
            yield _Try(worth + math.log(likely), other, first, end, sure and worth > 0)

    def _grounded(self, text: str, first: int, end: int) -> bool:
        """Return whether every character of the changed pairs is in a known pair."""
        numbers = self._numbers(text)
        return all(max(numbers[max(0, at - 1) : at + 1]) for at in range(first, end + 1))
