"""Bold, italic and code, put around words and taken away again; on plain text with its selection."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EmphasisEdit:
    """What is to stand in the place of `line[start:end]`, and what of it is selected then, counted from its start."""

    start: int
    end: int
    text: str
    selected: tuple[int, int]


def toggled(line: str, start: int, end: int, mark: str) -> EmphasisEdit:
    """Return what makes `line[start:end]` bold ("**"), italic ("*") or code ("`"), or no longer."""
    while start < end and line[start].isspace():
        start += 1
    while end > start and line[end - 1].isspace():
        end -= 1
    inner, size = line[start:end], len(mark)
    if len(inner) > 2 * size and _is_marked(_run(inner, mark[0]), _run(inner[::-1], mark[0]), mark):
        return EmphasisEdit(start, end, inner[size:-size], (0, len(inner) - 2 * size))
    if _is_marked(_run(line[:start][::-1], mark[0]), _run(line[end:], mark[0]), mark):
        return EmphasisEdit(start - size, end + size, inner, (0, len(inner)))
    return EmphasisEdit(start, end, f"{mark}{inner}{mark}", (size, size + len(inner)))


def _run(text: str, char: str) -> int:
    """Return how many of a sign a text begins with."""
    return len(text) - len(text.lstrip(char))


def _is_marked(before: int, behind: int, mark: str) -> bool:
    """Tell whether so many signs at both ends hold this mark: one star is italic, two are bold, three are both."""
    both = min(before, behind)
    return both in (1, 3) if mark == "*" else both >= len(mark)
