"""The part of a section's text that shows best why it was found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

LENGTH = 160  # characters
_BEFORE = 30  # characters shown before the first match
_SEARCHED = 50_000  # characters of a section that are looked at
_WORDS = 24  # words that are looked for, the weightiest first
_EACH = 12  # places of each word that are weighed
_TRIED = 200  # places where its letters stand that are tried
_BREAK = re.compile(r"[\s,.;:!?\uff0c\u3002\uff1b\uff1a\u3001]")


def excerpt(text: str, low: str, words: Mapping[str, float]) -> str:
    """Return about 160 characters of the text, in one line, round the place where the weightiest words stand.

    `low` is the text in lower case; the words are in lower case, too, each with its weight.
    """
    start = best_place(low, words) if len(text) > LENGTH else 0
    if start <= _BEFORE:
        start = 0
    elif cut := _BREAK.search(text, start - _BEFORE, start):
        start = cut.end()
    piece = " ".join(text[start : start + LENGTH].split())
    return ("…" if start else "") + piece + ("…" if start + LENGTH < len(text) else "")


def best_place(low: str, words: Mapping[str, float]) -> int:
    """Return where the stretch begins in which the words that stand there weigh most together."""
    low = low[:_SEARCHED]
    chosen = sorted(words, key=lambda word: -words[word])[:_WORDS]
    places = sorted((place, word) for word in chosen for place in places_of(low, word))
    inside: Counter[str] = Counter()
    worth, best, at, first = 0.0, 0.0, 0, 0
    for place, word in places:
        worth += 0 if inside[word] else words[word]
        inside[word] += 1
        while place - places[first][0] > LENGTH - _BEFORE:
            inside[places[first][1]] -= 1
            worth -= 0 if inside[places[first][1]] else words[places[first][1]]
            first += 1
        if worth > best + 1e-6:  # the first of equals
            best, at = worth, places[first][0]
    return at


def places_of(low: str, word: str) -> Iterator[int]:
    """Yield where a word stands in a text, both in lower case; a Latin word only where a word begins."""
    latin = word[0].isascii() and word[0].isalpha()
    place, tried, found = low.find(word), 0, 0
    while place >= 0 and tried < _TRIED and found < _EACH:
        tried += 1
        if not latin or place == 0 or not (low[place - 1].isascii() and low[place - 1].isalpha()):
            found += 1
            yield place
        place = low.find(word, place + len(word))
