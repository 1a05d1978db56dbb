"""Quotation marks and apostrophes of English: a Chinese font has them as wide as a Chinese letter."""

from __future__ import annotations

import re

from kb.lazy_regex import expression

_HAN = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_LETTER = "A-Za-z0-9"
_TAGS = r"<(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>"
_MARKS = expression(
    rf"<(pre|code)\b.*?</\1>|{_TAGS}"
    rf"|(?<=[{_LETTER}])’(?=[{_LETTER}])"  # it’s
    rf"|(?<![{_HAN}])(?<![{_HAN}] )[‘“](?=[{_LETTER}(\[])"
    rf"|(?<=[{_LETTER}.,!?)\]…])[’”](?! ?[{_HAN}])",
    re.DOTALL,
)


def with_narrow_quotes(markup: str) -> str:
    """Set the marks that stand among English words in an element of their own, which the sheet gives another font."""
    if not any(mark in markup for mark in "‘’“”"):
        return markup
    return _MARKS.sub(lambda found: f"<tquote>{found[0]}</tquote>" if found[0] in "‘’“”" else found[0], markup)
