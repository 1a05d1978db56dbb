"""Syntax highlighting: Pygments' short class names, never colours; those belong to the theme."""

# Pygments is imported for the first code: at start, many pages have no code, or highlighted code already.
# ruff: noqa: PLC0415

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pygments.token import STANDARD_TYPES

if TYPE_CHECKING:  # only the names of the classes are needed before the first code
    from pygments.formatters import HtmlFormatter
    from pygments.lexer import Lexer

LONGEST = 100_000  # characters; longer code is not highlighted
_PLAIN = frozenset({"", "text", "txt", "plain", "output", "none"})


def python_html(code: str) -> str:
    """Return Python code as spans for a `<pre>`."""
    return code_html(code, "python")


@lru_cache(maxsize=512)
def code_html(code: str, lang: str) -> str:
    """Return code as spans for a `<pre>`; code in an unknown language is only escaped."""
    lexer = _lexer(lang) if len(code) <= LONGEST else None
    if lexer is None:
        return html.escape(code, quote=False)
    # Some lexers, such as the console's, drop a last line without a line end.
    from pygments import highlight

    return str(highlight(f"{code}\n", lexer, _formatter())).rstrip("\n")


def token_classes() -> Mapping[str, str]:
    """Return every class of a span with its Pygments token: `{"k": "Keyword", ...}`."""
    return {short: ".".join(token) for token, short in STANDARD_TYPES.items() if short}


def stylesheet(selector: str) -> str:
    """Return CSS for the classes, for an exported page; the window has its own theme."""
    from pygments.formatters import HtmlFormatter

    rules = HtmlFormatter(style="friendly").get_style_defs(selector)
    return "\n".join(rule for rule in str(rules).splitlines() if rule.startswith(f"{selector} ."))


@cache
def _formatter() -> HtmlFormatter[str]:
    from pygments.formatters import HtmlFormatter

    return HtmlFormatter(nowrap=True)


@cache
def _lexer(lang: str) -> Lexer | None:
    if lang in _PLAIN:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(lang, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
