"""Where two texts are the same, and how long a text is for Qt."""

from __future__ import annotations

from collections.abc import Callable

BASIC = 0xFFFF  # the last character that is one unit in Qt's text


def units(text: str) -> int:
    """Return the length of a text as Qt counts it, in units of UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def up_to(line: str, at: int) -> str:
    """Return the line up to a place in Qt's units."""
    return line[:at] if units(line) == len(line) else line.encode("utf-16-le")[: 2 * at].decode("utf-16-le", "ignore")


def alike(old: str, new: str) -> tuple[int, int]:
    """Return how many characters at the beginning and at the end are the same."""
    shorter = min(len(old), len(new))
    head = _longest(shorter, lambda size: old[:size] == new[:size])
    tail = _longest(shorter - head, lambda size: old[len(old) - size :] == new[len(new) - size :])
    return head, tail


def _longest(most: int, same: Callable[[int], bool]) -> int:
    """Return the largest size up to `most` for which `same` holds; it holds for every smaller one."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(middle) else (low, middle - 1)
    return low
