"""Whole lines, moved and doubled, and the numbers of lists that follow; on plain lines, without a field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kb.lazy_regex import expression

_NUMBERED = expression(r"(?P<lead>[ \t]*(?:>[ \t]?)*[ \t]*)(?P<number>\d{1,9})(?P<dot>[.)])(?=[ \t])")
_MOST = 1_000  # lines of a list that are numbered anew


def next_numbers(line: str, below: Iterable[str]) -> list[tuple[int, str]]:
    """Return which lines below a new item are to be numbered anew, by how far below (from 0), and their new text.

    `line` is the new item. Lists whose numbers do not count on are meant as they are.
    """
    own = _NUMBERED.match(line)
    if own is None:
        return []
    number, changed = int(own["number"]), []
    for at, text in enumerate(below):
        if at >= _MOST or not _goes_on(text, own["lead"]):
            break
        found = _NUMBERED.match(text)
        if found is None or found["lead"] != own["lead"]:
            continue
        if int(found["number"]) != number or found["dot"] != own["dot"]:
            break
        number += 1
        changed.append((at, _numbered(text, found, number)))
    return changed


def in_order(lines: Sequence[str]) -> list[str]:
    """Return lines of which the items keep their numbers in their order, level by level: what a move mixed up."""
    levels: dict[tuple[str, str], list[int]] = {}
    for text in lines:
        if found := _NUMBERED.match(text):
            levels.setdefault((found["lead"], found["dot"]), []).append(int(found["number"]))
    left = {level: sorted(numbers) for level, numbers in levels.items()}
    made = []
    for text in lines:
        found = _NUMBERED.match(text)
        made.append(_numbered(text, found, left[found["lead"], found["dot"]].pop(0)) if found else text)
    return made


def _goes_on(text: str, lead: str) -> bool:
    """Tell whether a line can belong to the list that begins behind `lead`."""
    return not text.strip() or text.startswith((lead + " ", lead + "\t")) or _leads(text, lead)


def _leads(text: str, lead: str) -> bool:
    found = _NUMBERED.match(text)
    return found is not None and found["lead"] == lead


def _numbered(text: str, found: re.Match[str], number: int) -> str:
    return f"{found['lead']}{number}{text[found.end('number') :]}"
