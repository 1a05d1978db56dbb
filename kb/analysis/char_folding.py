"""Characters that are searched as others: traditional Chinese as simplified, full-width forms as plain ones."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

_CHARACTERS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))
_WIDE = (0xFF01, 0xFF5F)  # full-width forms of "!" to "~", so much further on
_WIDER = 0xFEE0
_END = 0x32400  # after all characters that have another case or form
_DOTTED, _SIGMA = "\u0130", "\u03a3"  # a capital that is two letters in lower case; one that depends on its place


def simplified(text: str) -> str:
    """Return a text with each traditional character simplified, at its place, and each full-width form made plain.

    Character by character, so that places in the text stay what they are; the few characters that are simplified in
    one word and kept in another are simplified always, in notes and queries alike.
    """
    if text.isascii():
        return text
    found, plain = _forms()
    return found.sub(lambda match: plain[match[0]], text)


def lowered_at_once(text: str) -> str | None:
    """Return a text in lower case and simplified, each character at its place, by one look into a table.

    A long text takes a fifth of the time that it takes step by step. None where the table does not do.
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
    """Return what reads numbers, and for the number of each character that of what it is searched as."""
    import numpy as np  # noqa: PLC0415 - starting the program need not wait for it

    low = "".join(map(chr, range(_END))).replace(_DOTTED, " ").lower()
    lower = np.frombuffer(low.encode("utf-32-le", "surrogatepass"), "<u4").copy()
    lower[ord(_DOTTED)] = ord(_DOTTED)
    _, plain = _forms()
    forms = np.arange(_END, dtype="<u4")
    forms[list(map(ord, plain))] = list(map(ord, plain.values()))
    table = forms[lower]
    table[ord(_SIGMA)] = sys.maxunicode + 1  # no character, so that such a text is left to others
    return np.frombuffer, table


@cache
def _forms() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds a character that is searched as another, and the other of each, as OpenCC has them."""
    from opencc import OpenCC  # noqa: PLC0415 - a window or command without Chinese does not need it

    characters = "".join(chr(code) for first, end in _CHARACTERS for code in range(first, end))
    # In one go: a line for each would take twenty times as long, and in this order they make no words.
    forms = OpenCC("t2s").convert(characters)
    plain = {one: form for one, form in zip(characters, forms, strict=True) if one != form}
    plain |= {chr(code): chr(code - _WIDER) for code in range(*_WIDE)} | {"\u3000": " "}
    return re.compile(f"[{''.join(plain)}]"), plain
