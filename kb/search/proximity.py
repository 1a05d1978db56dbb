"""Scores how close together, and in which order, the concepts of a query occur in a text, under any of their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

HEADED = 1.5  # score if the heading has the whole query; 1 if the text has
FILLED = 0.5  # bonus if the heading has nothing else
PAIRS = 0.5  # score of each two adjacent concepts that are adjacent somewhere
NAMED = 1.0  # the same for words of one name: "local rank" is more than two words
_GAP = 3  # non-letters allowed between adjacent words
_PLACES = 60  # occurrences of a word that are tried
_LOOKED_AT = 50_000  # characters of a text that are searched
_SIGNS = re.compile(r"[\W_]+")

Order = Sequence[Sequence[Sequence[str]]]  # concepts, their names, the words of each name


def in_words(things: Iterable[Sequence[str]]) -> Order:
    """Split the names of concepts, given in lower case, into words."""
    return [[name.split() for name in names] for names in things]


def proximity(things: Order, heading: str, text: str) -> float:
    """Return from 0 to 2 how much of the query occurs as it was typed; all in lower case.

    The words of a name must be adjacent.
    """
    if not things:
        return 0.0
    text = text[:_LOOKED_AT]
    headed = _there(things, heading)
    if filled := _standing(headed, heading):
        return HEADED + FILLED * min(1.0, filled / max(1, len(_SIGNS.sub("", heading))))
    written = _there(things, text)
    if _standing(written, text):
        return 1.0
    there = [one for one in ((headed, heading), (written, text)) if any(one[0])]
    return _partly(things, there) if there else 0.0


def _partly(things: Order, there: Sequence[tuple[Order, str]]) -> float:
    """Return the score of names and adjacent concepts that occur in some of the texts."""
    found = count = 0.0
    for at, names in enumerate(things):
        inner = len(names[0]) - 1
        count += inner + (at > 0)
        for order, text in there if inner else ():
            if order[at] and _standing(order[at : at + 1], text):
                found += NAMED * inner
                break
        for order, text in there if at else ():
            if order[at - 1] and order[at] and _standing(order[at - 1 : at + 1], text):
                found += PAIRS
                break
    return found / count if found else 0.0


def _there(order: Order, text: str) -> Order:
    """Return for each concept those names whose words all occur in the text."""
    return [[name for name in names if name[0] in text and (len(name) == 1 or _all_in(name, text))] for names in order]


def _all_in(name: Sequence[str], text: str) -> bool:
    return all(word in text for word in name)


def _standing(order: Order, text: str) -> int:
    """Return the length of the first run of the concepts in order, with at most 3 non-letters between; 0 if none."""
    if not all(order):
        return 0
    for first, *words in order[0]:
        for end in _ends(first, text):
            if done := _following(words, order[1:], text, end):
                return done - end + len(first)
    return 0


def _ends(word: str, text: str) -> list[int]:
    ends: list[int] = []
    place = text.find(word)
    while place >= 0 and len(ends) < _PLACES:
        ends.append(place + len(word))
        place = text.find(word, place + 1)
    return ends


def _following(words: Sequence[str], things: Order, text: str, place: int) -> int:
    """Return where words, and then concepts, end that follow an offset; 0 if they do not."""
    for word in words:
        place = _after(word, text, place)
        if not place:
            return 0
    if not things:
        return place
    ends = (_following(name, things[1:], text, place) for name in things[0])
    return next((end for end in ends if end), 0)


def _after(word: str, text: str, place: int) -> int:
    for _ in range(_GAP):
        if place < len(text) and not text[place].isalnum():
            place += 1
    return place + len(word) if text.startswith(word, place) else 0
