"""Selects the part of a section's text that best shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

LENGTH = 160  # characters
_BEFORE = 30  # characters shown before the first match
_SEARCHED = 50_000  # characters of a section that are searched
_WORDS = 24  # words to look for, the weightiest first
_EACH = 12  # offsets of each word that are considered
_TRIED = 200  # occurrences of its letters that are tried
_BREAK = re.compile(r"[\s,.;:!?\uff0c\u3002\uff1b\uff1a\u3001]")


def excerpt(text: str, low: str, words: Mapping[str, float]) -> str:
    """Return about 160 characters of the text, in one line, around the most relevant words.

    `low` is the text in lower case; so are the words, each with its weight.
    """
    return shown(text, low, {word: weight for word, weight in words.items() if word in low})[0]


def shown(text: str, low: str, words: Mapping[str, float]) -> tuple[str, str]:
    """Return the excerpt, and the same in lower case. All the words must occur in the text."""
    start = best_place(low, words) if len(text) > LENGTH else 0
    if start <= _BEFORE:
        start = 0
    elif cut := _BREAK.search(text, start - _BEFORE, start):
        start = cut.end()
    end = start + LENGTH
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return (
        f"{before}{' '.join(text[start:end].split())}{after}",
        f"{before}{' '.join(low[start:end].split())}{after}",
    )


def best_place(low: str, words: Mapping[str, float]) -> int:
    """Return the offset of the window whose words have the greatest total weight; all must occur in the text."""
    chosen = list(words)
    if len(low) > _SEARCHED:
        low = low[:_SEARCHED]
        chosen = [word for word in words if word in low]
    if len(chosen) == 1:
        places = places_of(low, chosen[0], 1) if words[chosen[0]] > 0 else []
        return places[0] if places else 0
    chosen.sort(key=words.__getitem__, reverse=True)
    return _weightiest(sorted([(place, word) for word in chosen[:_WORDS] for place in places_of(low, word)]), words)


def _weightiest(places: Sequence[tuple[int, str]], words: Mapping[str, float]) -> int:
    """Return the offset of the first word of the window whose words have the greatest total weight."""
    inside = dict.fromkeys(words, 0)
    worth, best, at, first = 0.0, 0.0, 0, 0
    for place, word in places:
        if not inside[word]:
            worth += words[word]
        inside[word] += 1
        while place - places[first][0] > LENGTH - _BEFORE:
            gone = places[first][1]
            inside[gone] -= 1
            if not inside[gone]:
                worth -= words[gone]
            first += 1
        if worth > best + 1e-6:  # the first of equal ones
            best, at = worth, places[first][0]
    return at


def places_of(low: str, word: str, left: int = _EACH) -> list[int]:
    """Return at most `left` offsets of a word in a text, both in lower case; Latin only at the start of a word."""
    latin, size, find = "a" <= word[0] <= "z", len(word), low.find
    found: list[int] = []
    place, tried = find(word), 0
    while place >= 0 and left and tried < _TRIED:
        tried += 1
        if not latin or not place or not "a" <= low[place - 1] <= "z":
            found.append(place)
            left -= 1
        place = find(word, place + size)
    return found
