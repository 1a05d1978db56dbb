"""Splits text into search terms: words, identifiers whole and in parts, and Chinese single characters and pairs.

Notes and queries follow the same rules, so results do not depend on word segmentation.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import add

from kb.analysis.char_folding import lowered_at_once, simplified
from kb.lazy_regex import expression

# Chinese characters, and the scripts that are written without spaces like them.
HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_LONG = 100  # characters; longer texts are normalized by a table
LONGEST = 80  # characters of a term; longer ones are truncated
_CHUNK = expression(rf"[{HAN}]+|[^\W{HAN}]+(?:\.[^\W{HAN}]+)*")
_STRETCH = expression(rf"[{HAN}]+")
_WORD = expression(rf"[^\W{HAN}]+(?:\.[^\W{HAN}]+)*")
_HAN_FIRST = expression(rf"[{HAN}]")
_PIECE = expression(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_PLAIN = expression(r"[a-z]+")
_JOINT = expression(r"(?<=[^._])[._]+(?=[^._])")  # a separator inside an identifier


@dataclass(frozen=True)
class Word:
    """A word in a text: its term, the terms of its parts, and its position (character offsets).

    For a run of Chinese the parts are its pairs of adjacent characters (or its only character).
    """

    term: str
    parts: tuple[str, ...]
    han: bool
    start: int
    end: int


def fold(text: str) -> str:
    """Return text with full-width, ligature and other compatibility forms made plain; upper case is kept."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def lowered(text: str) -> str:
    """Return a text in lower case, with all offsets unchanged."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one if len(one.lower()) > 1 else one.lower() for one in text)


def normalized(text: str) -> str:
    """Return a text normalized for matching: lower case, half-width, simplified; all offsets stay valid."""
    if text.isascii():
        return text.lower()
    level = lowered_at_once(text) if len(text) > _LONG else None
    return simplified(lowered(text)) if level is None else level


def written(found: Iterable[str], *texts: tuple[str, str]) -> tuple[str, ...]:
    """Return words that were found in normalized texts as they are spelled in the originals, in lower case.

    Each text is given as (original, normalized).
    """
    found = tuple(found)
    if not found or all(text.isascii() for text, _ in texts):
        return found
    lows = [(lowered(text), level) for text, level in texts]
    changed = [one for one in lows if one[0] != one[1]]
    if not changed:
        return found
    forms: dict[str, None] = {}
    for word in found:
        size = len(word)
        for low, level in changed:
            place = level.find(word)
            while place >= 0:
                forms[low[place : place + size]] = None
                place = level.find(word, place + size)
        if word not in forms and any(word in low for low, _ in lows):
            forms[word] = None
    return tuple(forms)


def terms(text: str) -> list[str]:
    """Return all terms of a text, in order and with repetitions."""
    found: list[str] = []
    for chunk in _CHUNK.findall(simplified(fold(text))):
        if chunk.isascii() or not _HAN_FIRST.match(chunk):
            found += word_terms(chunk)
        else:
            found += chunk
            found += map(add, chunk, chunk[1:])
    return found


def taken_apart(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a text and its runs of Chinese.

    The terms of a text are the `word_terms` of the words, and the characters and adjacent pairs of each run.
    """
    level = simplified(fold(text))
    return _WORD.findall(level), [] if level.isascii() else _STRETCH.findall(level)


def words(text: str) -> Iterator[Word]:
    """Yield the words of a text; offsets are those of the folded text."""
    for match in _CHUNK.finditer(simplified(fold(text))):
        chunk = match[0]
        if _HAN_FIRST.match(chunk):
            pairs = tuple(map(add, chunk, chunk[1:])) or (chunk,)
            yield Word(chunk, pairs, han=True, start=match.start(), end=match.end())
        else:
            first, *rest = _spelled(chunk)
            yield Word(first, tuple(rest), han=False, start=match.start(), end=match.end())


def has_words(text: str) -> bool:
    """Return whether a text has any word."""
    return _CHUNK.search(text if text.isascii() else simplified(fold(text))) is not None


@lru_cache(maxsize=65536)
def word_terms(chunk: str) -> tuple[str, ...]:
    """Return the terms that index a word: those it has in a query, and each suffix of an identifier.

    So "cuda.amp" finds torch.cuda.amp, and "state_d" matches a prefix inside load_state_dict.
    """
    spelled = _parts(chunk)
    if len(spelled) == 1 or len(chunk) > LONGEST:
        return spelled
    found = dict.fromkeys(spelled)
    low = chunk.lower()
    for match in _JOINT.finditer(low):
        found[low[match.end() :]] = None
    return tuple(found)


@lru_cache(maxsize=65536)
def _spelled(chunk: str) -> tuple[str, ...]:
    return _parts(chunk)


def _parts(chunk: str) -> tuple[str, ...]:
    """Return the term of a word and, for an identifier, of its parts: split at dots, underscores, humps and digits."""
    whole = chunk.lower()[:LONGEST]
    if len(chunk) <= LONGEST and _PLAIN.fullmatch(chunk):
        return (whole,)
    parts = dict.fromkeys([whole])
    for name in chunk[: 4 * LONGEST].split("."):
        parts[name.lower()[:LONGEST]] = None
        parts[name.strip("_").lower()[:LONGEST]] = None
        for piece in name.split("_"):
            parts[piece.lower()[:LONGEST]] = None
            pieces = _PIECE.findall(piece)
            if len(pieces) > 1:
                parts.update(dict.fromkeys(one.lower()[:LONGEST] for one in pieces))
    parts.pop("", None)
    return tuple(parts)
