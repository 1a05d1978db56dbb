"""Merging two changes of one text, line by line, where they do not touch each other."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass

_MOST_LINES = 3_000  # between the first and the last change; more would take too long on the GUI thread


@dataclass(frozen=True)
class _Change:
    """Lines [start, end) of the common text that became other lines."""

    start: int
    end: int
    lines: tuple[str, ...]


def merge(base: str, mine: str, theirs: str) -> str | None:
    """Return the text with both changes of `base`; None if they touch, or if there is too much to compare.

    Two changes touch if they change the same line or neighbouring ones. The same change on both sides is one.
    """
    common = base.splitlines(keepends=True)
    ours, others = _changes(common, mine), _changes(common, theirs)
    if ours is None or others is None:
        return None
    changes = sorted({*ours, *others}, key=lambda one: (one.start, one.end))
    for first, second in itertools.pairwise(changes):
        if second.start <= first.end:
            return None
    made: list[str] = []
    at = 0
    for change in changes:
        made += [*common[at : change.start], *change.lines]
        at = change.end
    return "".join([*made, *common[at:]])


def _changes(common: list[str], text: str) -> list[_Change] | None:
    """Return how a text differs from the common one."""
    lines = text.splitlines(keepends=True)
    least = min(len(common), len(lines))
    head = next((n for n in range(least) if common[n] != lines[n]), least)
    tail = next((n for n in range(least - head) if common[-1 - n] != lines[-1 - n]), least - head)
    old, new = common[head : len(common) - tail], lines[head : len(lines) - tail]
    if max(len(old), len(new)) > _MOST_LINES:
        return None
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        _Change(head + i1, head + i2, tuple(new[j1:j2]))
        for kind, i1, i2, j1, j2 in matcher.get_opcodes()
        if kind != "equal"
    ]
