"""How long a text is: Chinese characters and words of other scripts, without what only marks it up."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.lazy_regex import expression

_FRONT = expression(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MARKUP = expression(
    r"\]\([^()\n]*\)|<[^<>\n]{1,300}>|https?://[^\s<>()\[\]（）。，、；：]+|^[ \t]*(?:```|~~~).*$", re.MULTILINE
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CHARACTER = expression(f"[{_HAN}]")
_WORD = expression(rf"[^\W_{_HAN}]+(?:['’._-][^\W_{_HAN}]+)*")


@dataclass(frozen=True)
class Count:
    """Chinese characters, and words of other scripts."""

    characters: int
    words: int


def count(text: str) -> Count:
    """Count a note's text, or a part of it; front matter, addresses and the signs of Markdown do not count."""
    plain = _MARKUP.sub(" ", _FRONT.sub("", text))
    characters = 0 if plain.isascii() else len(_CHARACTER.findall(plain))
    return Count(characters, sum(1 for _ in _WORD.finditer(plain)))
