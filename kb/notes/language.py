"""The language of a note, from its text and from its file name."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Literal

from kb.lazy_regex import expression
from kb.markdown.lines import LineKind, Scan, scan, without_code

Language = Literal["zh", "en", "mixed"]

_HAN = expression("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_WORD = expression(r"[A-Za-z](?<![\w./\\-].)[a-z'\u2019]*+(?![\w(/\\-]|\.\w)")  # a word of prose, not a name of code
_NO_PROSE = {  # by the text that each must contain, which is quicker to find
    "://": expression(r"\b[a-z][a-z0-9+.-]{1,30}+://[^\s<>)\u3000-\u9fff]++"),  # an address
    "](": expression(r"\]\([^()\n]*+\)"),  # a target
    "<": expression(r"</?[A-Za-z][^<>]*+>"),  # a tag
    "$": expression(r"\$\$[^$]*+\$\$|\$[^$\n]*+\$"),  # a formula
}
_NAME = expression(r"(?P<stem>.*?[^/])(?:\.(?P<lang>zh|en))?\.(?:md|markdown|txt)", re.IGNORECASE | re.DOTALL)
_LETTERS_A_WORD = 2  # Chinese characters that say about as much as one English word
_ENOUGH = 200_000  # characters that decide the language of a longer note
_CHINESE = 0.7  # least share of Chinese; a Chinese note may quote an English passage
_ENGLISH = 0.2  # largest share of Chinese; an English note names Chinese words now and then


def language_of(text: str, first_line: int = 1, *, scanned: Scan | None = None) -> Language:
    """Return the language of a note by the share of Han characters in its prose.

    Names and terms in Latin letters do not make a Chinese line English. A text without letters counts as English. Pass
    `scanned` if the text was scanned already.
    """
    chinese = english = 0
    for line in _prose(scanned or scan(text[:_ENOUGH], first_line)).splitlines():
        han = 0 if line.isascii() else len(_HAN.findall(line))
        words = len(_WORD.findall(line))
        if han * 2 >= words and han:
            chinese += han
        else:
            english += words * _LETTERS_A_WORD
    share = chinese / (chinese + english) if chinese + english else 0.0
    return "zh" if share >= _CHINESE else "en" if share <= _ENGLISH else "mixed"


def _prose(scanned: Scan) -> str:
    """Return the prose without code, comments, addresses, tags and formulas."""
    ends = accumulate(len(line) + 1 for line in scanned.lines)
    count = next((number for number, end in enumerate(ends, 1) if end > _ENOUGH), len(scanned.lines))
    lines = zip(scanned.lines[:count], scanned.kinds, strict=False)
    prose = without_code("\n".join(line for line, kind in lines if kind is LineKind.PROSE)[:_ENOUGH])
    for beginning, pattern in _NO_PROSE.items():
        if beginning in prose:
            prose = pattern.sub(" ", prose)
    return prose


def split_name(path: str) -> tuple[str, str | None]:
    """Split "a/gather.zh.md" into ("a/gather", "zh"); without a language the second is None."""
    match = _NAME.fullmatch(path)
    if match is None:
        return path, None
    lang = match["lang"]
    return match["stem"], lang.lower() if lang else None
