"""In which language a text is written, and which one a file name says."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal

Language = Literal["zh", "en", "mixed"]

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'\u2019]*+")
_NAME = re.compile(r"(.+)\.(zh|en)", re.IGNORECASE | re.DOTALL)
_SUFFIXES = {".md", ".markdown", ".txt"}
_LETTERS_A_WORD = 2  # a Chinese text needs about as many characters for what English says in one word
_MOSTLY = 0.8


def language_of(text: str) -> Language:
    """Tell the language of prose by its share of Han letters. Names and terms in Latin letters do not make
    a Chinese line English; a text without letters counts as English.
    """  # noqa: D205
    chinese = english = 0
    for line in text.splitlines():
        han = len(_HAN.findall(line))
        words = len(_WORD.findall(line))
        if han * 2 >= words and han:
            chinese += han
        else:
            english += words * _LETTERS_A_WORD
    share = chinese / (chinese + english) if chinese + english else 0.0
    return "zh" if share >= _MOSTLY else "en" if share <= 1 - _MOSTLY else "mixed"


def split_name(path: str) -> tuple[str, str | None]:
    """Split "a/gather.zh.md" into ("a/gather", "zh"); without a language the second is None."""
    pure = PurePosixPath(path)
    stem = str(pure.with_suffix("")) if pure.suffix.lower() in _SUFFIXES else path
    match = _NAME.fullmatch(stem)
    if match is None or match[1].endswith("/"):
        return stem, None
    return match[1], match[2].lower()
