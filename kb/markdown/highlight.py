"""Code in colours: Pygments' short class names, never colours; those belong to the theme."""

# Pygments is loaded for the first code: a start shows many pages that have none, or have it in colours already.
# ruff: noqa: PLC0415

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pygments.token import STANDARD_TYPES

if TYPE_CHECKING:  # all of it but the names of the classes is loaded for the first code
    from pygments.formatters import HtmlFormatter
    from pygments.lexer import Lexer

LONGEST = 100_000  # characters; longer code is shown without colours
_PLAIN = frozenset({"", "text", "txt", "plain", "output", "none"})


def python_html(code: str) -> str:
    """Give Python code as spans for a `<pre>`."""
    return code_html(code, "python")


@lru_cache(maxsize=512)
def code_html(code: str, lang: str) -> str:
    """Give code as spans for a `<pre>`; an unknown language comes out escaped and uncoloured."""
    lexer = _lexer(lang) if len(code) <= LONGEST else None
    if lexer is None:
        return html.escape(code, quote=False)
    # Some lexers, that of a console among them, drop a last line that does not end.
    from pygments import highlight

    return str(highlight(f"{code}\n", lexer, _formatter())).rstrip("\n")


def token_classes() -> Mapping[str, str]:
    """Name every class a span may carry, with Pygments' token for it: `{"k": "Keyword", ...}`."""
    return {short: ".".join(token) for token, short in STANDARD_TYPES.items() if short}


def stylesheet(selector: str) -> str:
    """Give CSS for the classes, for a page that stands alone; the window has its own theme."""
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
