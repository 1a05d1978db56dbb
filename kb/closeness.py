"""How close together, and in which order, the words of a query stand in a text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

HEADED = 1.5  # worth of the whole query standing in the heading; 1 is that of standing in the text
PAIRS = 0.5  # worth of every two neighbours of the query being neighbours somewhere
_GAP = 3  # characters that are not letters and may stand between neighbours
_PLACES = 60  # of a word that are tried


def closeness(words: Sequence[str], heading: str, text: str) -> float:
    """Return from 0 to 1.5 how much of the query stands there as it was typed; all in lower case."""
    if not words:
        return 0.0
    if _stands(words, heading):
        return HEADED
    if _stands(words, text):
        return 1.0
    pairs = list(pairwise(words))
    near = sum(_stands(pair, heading) or _stands(pair, text) for pair in pairs)
    return PAIRS * near / len(pairs) if pairs else 0.0


def _stands(words: Sequence[str], text: str) -> bool:
    """Tell whether the words follow one another in the text, with at most a few marks or spaces between."""
    return words[0] in text and any(_follows(words[1:], text, end) for end in _ends(words[0], text))


def _ends(word: str, text: str) -> list[int]:
    ends: list[int] = []
    place = text.find(word)
    while place >= 0 and len(ends) < _PLACES:
        ends.append(place + len(word))
        place = text.find(word, place + 1)
    return ends


def _follows(words: Sequence[str], text: str, place: int) -> bool:
    for word in words:
        for _ in range(_GAP):
            if place < len(text) and not (text[place].isalnum() or text[place] == "_"):
                place += 1
        if not text.startswith(word, place):
            return False
        place += len(word)
    return True
