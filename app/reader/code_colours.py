"""The colours of code, as elements that the sheet of a note's document knows."""

from __future__ import annotations

import re
from functools import lru_cache

from app.style.stylesheets import TOKENS
from kb.lazy_regex import expression
from kb.markdown.highlight import token_classes

_TOKEN = expression(r'<span class="([^"]*)">([^<]*)</span>')
_BETWEEN = expression(r"</(t[a-z]+)><\1>")  # two of one colour
_ELEMENTS = {name: TOKENS.get(name, "") for name in token_classes()}


@lru_cache(maxsize=512)
def coloured(code: str) -> str:
    """Give Pygments' spans the elements that the sheet has colours for; other spans of code are dropped.

    Spans that are none of Pygments' stay.
    """
    return _BETWEEN.sub("", _TOKEN.sub(_token, code))


def _token(match: re.Match[str]) -> str:
    element = _element(match[1])
    if element is None:
        return match[0]
    return f"<{element}>{match[2]}</{element}>" if element else match[2]


@lru_cache(maxsize=512)
def _element(classes: str) -> str | None:
    """Return the element of a span's classes: empty where it has no colour, None where it is no span of code."""
    return next((found for name in classes.split() if (found := _ELEMENTS.get(name)) is not None), None)
