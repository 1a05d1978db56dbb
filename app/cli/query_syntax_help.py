"""The query language in the help of the command line."""

from __future__ import annotations

import unicodedata

from kb.search.query_syntax import SYNTAX_EXAMPLES

_WIDTH = 19  # characters; after a longer example, the explanation is on a line of its own
_UNWRAPPED = "\b\n"  # marks a paragraph that the help must not wrap


def query_syntax_lines() -> str:
    """Return a table of the query language, one example with its meaning per line."""
    rows = (_row(manner.example, manner.en) for manner in SYNTAX_EXAMPLES)
    return _UNWRAPPED + "\n".join(("What can be asked, alone or together:", *rows))


def _row(example: str, meaning: str) -> str:
    space = _WIDTH - sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in example)
    between = " " * (space + 1) if space >= 0 else "\n" + " " * (_WIDTH + 3)
    return f"  {example}{between}{meaning}"
