"""From what was typed in pinyin to the Chinese of an index that sounds so."""

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

_OFFERED = 8  # ways to write what was typed that are kept
_LOOKED = 200  # terms of headings that are looked at
_BEAM = 30  # ways to write that are followed at a time
_BREAK = 0.5  # of what would have to be two words beside one
_LONG = 0.3  # of every syllable more than need be
_LIKELY = 0.05  # of how often the likeliest is there; what is rarer is not meant
_LEAST = 0.1  # worth of anything that is meant
_INITIALS = 3  # letters from which on they may be initials
_SYLLABLES = 9  # that are put together
_SHORTEST = 4  # letters of pinyin
_KEPT = 1000  # words
_TWO = re.compile("([zcs])h")  # as initials these are one letter


@dataclass(frozen=True)
class PinyinMatch:
    """Chinese that sounds as was typed, each with the number of sections it may be in; the likeliest first."""

    ways: tuple[tuple[str, int], ...]

    @property
    def often(self) -> int:
        """In how many sections the likeliest may be."""
        return self.ways[0][1]


class PinyinSearch:
    """Listens with the vocabulary of one snapshot. Not for several threads at once."""

    def __init__(self, snapshot: Snapshot, pairs: BigramCounts, voices: CharIndex, often: Callable[[str], int]) -> None:
        """Listen for what these know; `often` tells how many sections have a pair, without looking at all pairs."""
        self._snapshot = snapshot
        self._pairs = pairs
        self._voices = voices
        self._often = often
        self._known: OrderedDict[tuple[str, bool], PinyinMatch | None] = OrderedDict()

    def headed(self, typed: str, *, typing: bool) -> PinyinMatch | None:
        """Return what stands in headings, titles and tags and sounds like some letters, or has them as initials.

        `typing`: the last syllable may be begun only. None where there is nothing of the kind.
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
        """Return what is put together from neighbours in the texts and sounds so, None where there is nothing."""
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
        if not ways and typing:  # what is only begun is not listened to yet
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
        """Return what may be written for syllables: neighbours in the texts all along, or words that are."""
        found = self._joined(syllables)
        for end in range(len(syllables) - 2, 1, -1):
            head = self._joined(syllables[:end])
            tail = self._words(syllables[end:]) if head else []
            found += [(first + rest, min(one, other) * _BREAK) for first, one in head[:3] for rest, other in tail[:3]]
        return sorted(found, key=lambda way: (-way[1], way[0]))[:_OFFERED]

    def _joined(self, syllables: Sequence[str]) -> list[tuple[str, float]]:
        """Return the likeliest ways to write syllables as one word, each with how often its rarest pair is there."""
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
