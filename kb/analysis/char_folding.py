"""Folds characters for searching: traditional Chinese to simplified, full-width forms to plain ones."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

_CHARACTERS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))
_WIDE = (0xFF01, 0xFF5F)  # full-width forms of "!" to "~", which have this offset
_WIDER = 0xFEE0
_END = 0x32400  # after all characters that have another case or form
_DOTTED, _SIGMA = "\u0130", "\u03a3"  # İ has two lower-case letters; the lower case of Σ depends on its place


def simplified(text: str) -> str:
    """Return a text with each traditional character simplified and each full-width form made plain.

    Done character by character, so that offsets stay valid. The few characters that are simplified in some words only
    are always simplified, in notes and queries alike.
    """
    if text.isascii():
        return text
    found, plain = _forms()
    return found.sub(lambda match: plain[match[0]], text)


def lowered_at_once(text: str) -> str | None:
    """Return a text in lower case and simplified, by one lookup table; None if the table cannot do it.

    Offsets stay valid. For a long text this takes a fifth of the time of `simplified`.
    """
    numbers, table = _table()
    try:
        codes = table.take(numbers(text.encode("utf-32-le", "surrogatepass"), "<u4"))
        low: str = codes.tobytes().decode("utf-32-le", "surrogatepass")
    except (IndexError, UnicodeDecodeError):
        return None
    return low


@cache
def _table() -> tuple[Callable[[bytes, str], Any], Any]:
    """Return a reader of character numbers, and the table from a character's number to that of its folded form."""
    import numpy as np  # noqa: PLC0415 - not needed at the start

    low = "".join(map(chr, range(_END))).replace(_DOTTED, " ").lower()
    lower = np.frombuffer(low.encode("utf-32-le", "surrogatepass"), "<u4").copy()
    lower[ord(_DOTTED)] = ord(_DOTTED)
    _, plain = _forms()
    forms = np.arange(_END, dtype="<u4")
    forms[list(map(ord, plain))] = list(map(ord, plain.values()))
    table = forms[lower]
    table[ord(_SIGMA)] = sys.maxunicode + 1  # not a character: marks texts that the table cannot fold
    return np.frombuffer, table


@cache
def _forms() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern for characters that are folded, and the folded form of each, as OpenCC has them."""
    from opencc import OpenCC  # noqa: PLC0415 - only Chinese needs it

    characters = "".join(chr(code) for first, end in _CHARACTERS for code in range(first, end))
    # All in one text: one call each takes twenty times as long, and in this order they form no words.
    forms = OpenCC("t2s").convert(characters)
    plain = {one: form for one, form in zip(characters, forms, strict=True) if one != form}
    plain |= {chr(code): chr(code - _WIDER) for code in range(*_WIDE)} | {"\u3000": " "}
    return re.compile(f"[{''.join(plain)}]"), plain
