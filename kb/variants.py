"""Traditional Chinese characters, which are searched as the simplified ones they are forms of."""

from __future__ import annotations

import re
from functools import cache

_CHARACTERS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))


def simplified(text: str) -> str:
    """Return a text with each traditional character simplified, at its place.

    Character by character, so that places in the text stay what they are; the few characters that are simplified in
    one word and kept in another are simplified always, in notes and queries alike.
    """
    if text.isascii():
        return text
    traditional, simple = _forms()
    return traditional.sub(lambda match: simple[match[0]], text)


@cache
def _forms() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds a traditional character, and the simplified one of each, as OpenCC has them."""
    from opencc import OpenCC  # noqa: PLC0415 - a window or command without Chinese does not need it

    characters = [chr(code) for first, end in _CHARACTERS for code in range(first, end)]
    forms = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    simple = {one: form for one, form in zip(characters, forms, strict=True) if one != form and len(form) == 1}
    return re.compile(f"[{''.join(simple)}]"), simple
