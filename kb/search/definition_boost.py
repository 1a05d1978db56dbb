"""Which names of a query a text says the meaning of: lines that begin with one, and a colon or a dash after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from kb.search.proximity import Order

_LONGEST = 4  # things that are one name together


def defined(things: Order, text: str) -> float:
    """Return the share of a query's words that belong to names of several words which are defined in a text.

    Both are in lower case. A name is one of a thing, or things of one word each as they follow each other: of the
    single words in "local rank" many a line says something that has nothing to do with it.
    """
    found = at = 0
    while at < len(things):
        end = max(_ends(things, at, text), default=at)
        found += sum(len(names[0]) for names in things[at:end])
        at = max(end, at + 1)
    return found / sum(len(names[0]) for names in things) if found else 0.0


def _ends(things: Order, at: int, text: str) -> Iterator[int]:
    """Yield where the names end that begin with a thing and are defined."""
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
    """Tell whether a line begins with a name that is explained there: "World Size (WORLD_SIZE): how many ..."."""
    return name in text and _pattern(name).search(text) is not None


@lru_cache(maxsize=256)
def _pattern(name: str) -> re.Pattern[str]:
    spelled = re.escape(name)
    return re.compile(
        rf"(?m)^[\W\d]{{0,8}}{spelled}[^\S\n]*(?:\([^)\n]{{0,40}}\))?[^\S\n]*(?::|——|[^\S\n][-–—][^\S\n])"
    )
