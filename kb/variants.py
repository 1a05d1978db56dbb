"""Characters that are searched as others: traditional Chinese as simplified, full-width forms as plain ones."""

from __future__ import annotations

import re
from functools import cache

_CHARACTERS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))
_WIDE = (0xFF01, 0xFF5F)  # full-width forms of "!" to "~", so much further on
_WIDER = 0xFEE0


def simplified(text: str) -> str:
    """Return a text with each traditional character simplified, at its place, and each full-width form made plain.

    Character by character, so that places in the text stay what they are; the few characters that are simplified in
    one word and kept in another are simplified always, in notes and queries alike.
    """
    if text.isascii():
        return text
    found, plain = _forms()
    return found.sub(lambda match: plain[match[0]], text)


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
