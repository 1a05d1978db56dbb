"""Misspelt Latin words: which known words an unknown one may be meant for."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable

from rapidfuzz import process
from rapidfuzz.distance import OSA

from kb.search.scoring import Scorer

ONE, TWO = 0.8, 0.5  # weight of what a word is one slip of the keys away from, and two
_SHORT = 0.7  # of it for words of so few letters that chance may have made them alike
_OFTEN = 10  # times as many sections must have what a rare word was meant for
_RARE = 2  # a word in so few sections may be misspelt there
_CLOSE_FROM = 4  # letters from which on one slip is forgiven
_TWO_FROM = 6  # letters from which on two slips are
_SURE_FROM = 6  # letters from which on likeness is hardly chance
_KEPT = 2000  # words
_LATIN = re.compile(r"[a-z_][a-z0-9_.]*")
_MEANT = 3  # known words at most

Meant = tuple[tuple[str, float], ...]


class SpellingCorrector:
    """Knows the words of one snapshot. `right` tells of a word that it is one, though it may stand nowhere."""

    def __init__(self, scorer: Scorer, right: Callable[[str], bool]) -> None:
        self._scorer = scorer
        self._right = right
        self._found: OrderedDict[str, Meant] = OrderedDict()

    def meant(self, word: str) -> Meant:
        """Return the known words that a word is most likely misspelt for, each with how much that is worth."""
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
        # Its types name only one way round of a scorer.
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
    """Return how what a word is misspelt for begins: alike, or with the first letters in each other's place."""
    return word[0], word[1::-1]


def _alike(word: str, term: str, distance: float) -> bool:
    """Tell whether a word that is near may be meant: after two slips it ends alike."""
    return distance == 1 or word[-1] == term[-1]
