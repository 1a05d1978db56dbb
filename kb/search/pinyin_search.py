"""Finds the Chinese of an index that matches typed pinyin."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.analysis.pinyin import matched_prefix, splits
from kb.index.snapshot import Snapshot
from kb.search.bigram_counts import BigramCounts
from kb.search.char_index import CharIndex

_OFFERED = 8  # spellings that are kept
_LOOKED = 200  # terms of headings that are considered
_BEAM = 30  # spellings that are followed at a time
_BREAK = 0.5  # factor for two words instead of one
_LONG = 0.3  # factor for each syllable more than necessary
_LIKELY = 0.05  # of the likeliest one's count; rarer ones are dropped
_LEAST = 0.1  # minimum worth
_INITIALS = 3  # minimum letters of initials
_SYLLABLES = 9  # maximum of a spelling
_SHORTEST = 4  # minimum letters of pinyin
_KEPT = 1000  # cached words
_TWO = re.compile("([zcs])h")  # as initials these are one letter


@dataclass(frozen=True)
class PinyinMatch:
    """Chinese that matches typed pinyin, each with the number of sections it may be in; the likeliest first."""

    ways: tuple[tuple[str, int], ...]

    @property
    def often(self) -> int:
        """How many sections may have the likeliest."""
        return self.ways[0][1]


class PinyinSearch:
    """Matches pinyin with the vocabulary of one snapshot. Not thread-safe."""

    def __init__(self, snapshot: Snapshot, pairs: BigramCounts, voices: CharIndex, often: Callable[[str], int]) -> None:
        """Match with these sources; `often` returns how many sections have a pair, without collecting all pairs."""
        self._snapshot = snapshot
        self._pairs = pairs
        self._voices = voices
        self._often = often
        self._known: OrderedDict[tuple[str, bool], PinyinMatch | None] = OrderedDict()

    def headed(self, typed: str, *, typing: bool) -> PinyinMatch | None:
        """Return Chinese of headings, titles and tags that matches letters as pinyin or initials, None if none does.

        `typing`: the last syllable may be incomplete.
        """
        spelled = len(typed) >= _SHORTEST and splits(typed, begun=typing)
        if not spelled and len(typed) < _INITIALS:
            return None
        found: Counter[str] = Counter()
        begun: Counter[str] = Counter()
        for letters in (typed, _TWO.sub(r"\1", typed)):
            for term, number in self._snapshot.expand("sound", letters, _LOOKED):
                chinese, whole = matched_prefix(term, letters)
                (found if whole else begun)[chinese] += number
            if found or begun:
                break
        if not found and typing:
            found = begun
        return self._said(found) if found else None

    def anywhere(self, typed: str, *, typing: bool) -> PinyinMatch | None:
        """Return Chinese made of adjacent characters in the texts that matches letters as pinyin, None if none does."""
        key = typed, typing
        if key not in self._known:
            self._known[key] = self._anywhere(typed, typing=typing)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[key]

    def _said(self, found: Counter[str]) -> PinyinMatch:
        often = {
            chinese: max(number, min(self._often(first + second) for first, second in pairwise(chinese)))
            for chinese, number in sorted(found.items(), key=lambda one: (-one[1], one[0]))[:_OFFERED]
        }
        return PinyinMatch(tuple(sorted(often.items(), key=lambda way: (-way[1], way[0]))))

    def _anywhere(self, typed: str, *, typing: bool) -> PinyinMatch | None:
        if len(typed) < _SHORTEST:
            return None
        ways = [way for way in splits(typed) if len(way) <= _SYLLABLES]
        if not ways and typing:  # ignore the incomplete syllable
            ways = list(dict.fromkeys(way[:-1] for way in splits(typed, begun=True) if len(way) <= _SYLLABLES))
        worth: dict[str, float] = {}
        for way in ways:
            for written, value in self._words(way):
                worth[written] = max(value * _LONG ** (len(way) - len(ways[0])), worth.get(written, 0.0))
        best = sorted(worth, key=lambda written: (-worth[written], written))[:_OFFERED]
        likely = [written for written in best if worth[written] >= max(_LEAST, _LIKELY * worth[best[0]])]
        meant = tuple((written, self._pairs.least(written) or max(1, int(worth[written]))) for written in likely)
        return PinyinMatch(meant) if likely else None

    def _words(self, syllables: Sequence[str]) -> list[tuple[str, float]]:
        """Return the likeliest spellings of syllables: one run of adjacent characters, or several words."""
        found = self._joined(syllables)
        for end in range(len(syllables) - 2, 1, -1):
            head = self._joined(syllables[:end])
            tail = self._words(syllables[end:]) if head else []
            found += [(first + rest, min(one, other) * _BREAK) for first, one in head[:3] for rest, other in tail[:3]]
        return sorted(found, key=lambda way: (-way[1], way[0]))[:_OFFERED]

    def _joined(self, syllables: Sequence[str]) -> list[tuple[str, float]]:
        """Return the likeliest spellings of syllables as one word, each with the count of its rarest pair."""
        if len(syllables) < 2:  # noqa: PLR2004 - one syllable may be anything
            return []
        ways = [(likely, likely, character) for character, likely in self._voices.saying[syllables[0]].items()]
        for syllable in syllables[1:]:
            saying = self._voices.saying[syllable]
            ways = [
                (value * likely * number, usual * likely, written + character)
                for value, usual, written in ways
                for character, number in self._pairs.after(written[-1]).items()
                if (likely := saying.get(character))
            ]
            ways = sorted(ways, key=lambda way: (-way[0], way[2]))[:_BEAM]
        return [(written, self._pairs.least(written) * usual) for _, usual, written in ways[:_OFFERED]]
