"""Finds definitions of a query's names: lines that begin with one, followed by a colon or a dash."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from kb.search.proximity import Order

_LONGEST = 4  # concepts that form one name together


def defined(things: Order, text: str) -> float:
    """Return the share of a query's words, 0 to 1, that belong to names of several words defined in a text.

    Both are in lower case. A name is a name of one concept, or consecutive concepts of one word each. Single words do
    not count: many lines begin with "local" or "rank" and do not explain "local rank".
    """
    found = at = 0
    while at < len(things):
        end = max(_ends(things, at, text), default=at)
        found += sum(len(names[0]) for names in things[at:end])
        at = max(end, at + 1)
    return found / sum(len(names[0]) for names in things) if found else 0.0


def _ends(things: Order, at: int, text: str) -> Iterator[int]:
    """Yield where each defined name that begins with a concept ends."""
    if len(things[at][0]) > 1:
        if any(_heads(" ".join(name), text) for name in things[at]):
            yield at + 1
        return
    name = things[at][0][0]
    for end in range(at + 1, min(at + _LONGEST, len(things))):
        if not (_is_latin(things[at][0]) and _is_latin(things[end][0])):
            return
        name = f"{name} {things[end][0][0]}"
        if name not in text:
            return
        if _heads(name, text):
            yield end + 1


def _is_latin(name: Sequence[str]) -> bool:
    return len(name) == 1 and name[0].isascii()


def _heads(name: str, text: str) -> bool:
    """Return whether a line begins with a name and explains it: "World Size (WORLD_SIZE): how many ..."."""
    return name in text and _pattern(name).search(text) is not None


@lru_cache(maxsize=256)
def _pattern(name: str) -> re.Pattern[str]:
    spelled = re.escape(name)
    return re.compile(
        rf"(?m)^[\W\d]{{0,8}}{spelled}[^\S\n]*(?:\([^)\n]{{0,40}}\))?[^\S\n]*(?::|——|[^\S\n][-–—][^\S\n])"
    )
