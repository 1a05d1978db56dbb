"""Text to search terms: words, identifiers whole and in parts, and Chinese in single characters and pairs.

The same rules read notes and queries, so what is found does not depend on where a segmenter would cut.
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
_LONG = 100  # characters of a text that is levelled by a table
LONGEST = 80  # characters of a term; longer ones are cut, nobody types them
_CHUNK = expression(rf"[{HAN}]+|[^\W{HAN}]+(?:\.[^\W{HAN}]+)*")
_STRETCH = expression(rf"[{HAN}]+")
_WORD = expression(rf"[^\W{HAN}]+(?:\.[^\W{HAN}]+)*")
_HAN_FIRST = expression(rf"[{HAN}]")
_PIECE = expression(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_PLAIN = expression(r"[a-z]+")
_JOINT = expression(r"(?<=[^._])[._]+(?=[^._])")  # in an identifier, where it is no more than a mark between names


@dataclass(frozen=True)
class Word:
    """A word as it stands in a text: its term, the terms of its parts, and where it is (character offsets).

    For a run of Chinese the parts are its pairs of neighbours (or the one character it has).
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
    """Return a text in lower case, each character at its place."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one if len(one.lower()) > 1 else one.lower() for one in text)


def normalized(text: str) -> str:
    """Return a text as words are looked for in it: lower case, half-width, simplified; each character at its place."""
    if text.isascii():
        return text.lower()
    level = lowered_at_once(text) if len(text) > _LONG else None
    return simplified(lowered(text)) if level is None else level


def written(found: Iterable[str], *texts: tuple[str, str]) -> tuple[str, ...]:
    """Return words that were found in levelled texts as they are written there, in lower case.

    Each text is given as it stands and levelled.
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
    """Return all terms of a text, in order and as often as they stand in it."""
    found: list[str] = []
    for chunk in _CHUNK.findall(simplified(fold(text))):
        if chunk.isascii() or not _HAN_FIRST.match(chunk):
            found += word_terms(chunk)
        else:
            found += chunk
            found += map(add, chunk, chunk[1:])
    return found


def taken_apart(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a text and its stretches of Chinese.

    The terms of a text are the `word_terms` of the words, and of each stretch its characters and pairs of neighbours.
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
    """Tell whether a text has any word."""
    return _CHUNK.search(text if text.isascii() else simplified(fold(text))) is not None


@lru_cache(maxsize=65536)
def word_terms(chunk: str) -> tuple[str, ...]:
    """Return the terms of a word in a text: those it has in a query, and each end of an identifier.

    So "cuda.amp" finds torch.cuda.amp, and "state_d" what begins in the middle of load_state_dict.
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
    """Return the term of a word and, of an identifier, those of its parts: after dots, underscores, humps, digits."""
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
