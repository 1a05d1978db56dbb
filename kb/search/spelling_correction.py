"""Corrects misspelt Latin words by the known words that are most similar."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable

from rapidfuzz import process
from rapidfuzz.distance import OSA

from kb.search.scoring import Scorer

ONE, TWO = 0.8, 0.5  # weight of a correction of one typo, and of two
_SHORT = 0.7  # factor for short words, which may be similar by chance
_OFTEN = 10  # times as many sections must have the correction of a rare word
_RARE = 2  # a word in at most so many sections may be misspelt there
_CLOSE_FROM = 4  # minimum letters to correct one typo
_TWO_FROM = 6  # minimum letters to correct two typos
_SURE_FROM = 6  # minimum letters for similarity to be no chance
_KEPT = 2000  # cached words
_LATIN = re.compile(r"[a-z_][a-z0-9_.]*")
_MEANT = 3  # corrections at most

Meant = tuple[tuple[str, float], ...]


class SpellingCorrector:
    """Corrects with the words of one snapshot. `right` returns whether a word is correct although it may not occur."""

    def __init__(self, scorer: Scorer, right: Callable[[str], bool]) -> None:
        self._scorer = scorer
        self._right = right
        self._found: OrderedDict[str, Meant] = OrderedDict()

    def meant(self, word: str) -> Meant:
        """Return the known words that a word most likely misspells, each with its weight."""
        if len(word) < _CLOSE_FROM or not _LATIN.fullmatch(word):
            return ()
        if word not in self._found:
            self._found[word] = self._close(word)
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        return self._found[word]

    def _close(self, word: str) -> Meant:
        frequency = self._scorer.frequency(word)
        if frequency > _RARE or self._right(word):
            return ()
        slips = 2 if len(word) >= _TWO_FROM else 1
        choices = self._scorer.snapshot.resembling(("heading", "body"), word, slips, _beginnings(word))
        # Its type annotations accept only one kind of scorer.
        near = process.extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=40)
        found = sorted(
            (distance, -number, term)
            for term, distance, _ in near
            if distance
            and _alike(word, term, distance)
            and (number := self._scorer.frequency(term)) >= _OFTEN * frequency
        )
        worth = (ONE if found and found[0][0] == 1 else TWO) * (1 if len(word) >= _SURE_FROM else _SHORT)
        return tuple((term, worth) for distance, _, term in found if distance == found[0][0])[:_MEANT]


def _beginnings(word: str) -> tuple[str, str]:
    """Return the possible first letters of the right word: the same, or the first two swapped."""
    return word[0], word[1::-1]


def _alike(word: str, term: str, distance: float) -> bool:
    """Return whether a similar word may be meant: after two typos it must end alike."""
    return distance == 1 or word[-1] == term[-1]
