"""The part of a section's text that shows best why it was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

LENGTH = 160  # characters
_BEFORE = 30  # characters shown before the first match
_SEARCHED = 60_000  # characters of a section that are looked at
_MOST = 400  # matches that are weighed


def excerpt(text: str, words: Sequence[str]) -> str:
    """Return about 160 characters of the text, in one line, round the place where most of the words stand."""
    if not text:
        return ""
    start = _best(text, words)
    if start:
        # Begin at a word, if one begins near.
        cut = re.compile(r"[\s,.;:，。；：、]").search(text, max(0, start - _BEFORE), start)
        start = cut.end() if cut else max(0, start - _BEFORE)
    piece = " ".join(text[start : start + LENGTH].split())
    return ("…" if start else "") + piece + ("…" if start + LENGTH < len(text) else "")


def _best(text: str, words: Sequence[str]) -> int:
    """Return where the window with the most different words begins; longer words count more."""
    pattern = marking(words)
    if pattern is None:
        return 0
    matches = []
    for match in pattern.finditer(text, 0, _SEARCHED):
        matches.append((match.start(), match[0].lower()))
        if len(matches) == _MOST:
            break
    best, at = 0, 0
    for index, (start, _) in enumerate(matches):
        inside = {word for place, word in matches[index : index + 24] if place < start + LENGTH - _BEFORE}
        worth = sum(map(len, inside))
        if worth > best:
            best, at = worth, start
    return at


def marking(words: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds the words in a text, longest first, whatever their case; None for no words."""
    known = sorted({word for word in words if word}, key=len, reverse=True)
    if not known:
        return None
    return re.compile("|".join(_bounded(word) for word in known), re.IGNORECASE)


def _bounded(word: str) -> str:
    """Match a short Latin word only where a word begins, so that "or" is not found in "for"."""
    escaped = re.escape(word)
    return rf"(?<![A-Za-z]){escaped}" if word[0].isascii() and word[0].isalpha() else escaped
