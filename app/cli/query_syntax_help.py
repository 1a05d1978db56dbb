"""The query language as the help of the command line shows it."""

from __future__ import annotations

import unicodedata

from kb.search.query_syntax import SYNTAX_EXAMPLES

_WIDTH = 19  # characters of the longest example that has its explanation beside it
_UNWRAPPED = "\b\n"  # before what the help is to leave as it is


def query_syntax_lines() -> str:
    """Return a table of what a query can be, an example and its meaning a line."""
    rows = (_row(manner.example, manner.en) for manner in SYNTAX_EXAMPLES)
    return _UNWRAPPED + "\n".join(("What can be asked, alone or together:", *rows))


def _row(example: str, meaning: str) -> str:
    space = _WIDTH - sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in example)
    between = " " * (space + 1) if space >= 0 else "\n" + " " * (_WIDTH + 3)
    return f"  {example}{between}{meaning}"
