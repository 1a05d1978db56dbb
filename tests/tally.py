"""Counts of the long tests, which append them to the file $TORCHLEAF_TALLY; `make torture` prints them as a table."""

from __future__ import annotations

import json
import os
from pathlib import Path

COLUMNS = ("tried", "lost", "torn", "orphans", "hangs", "escapes")


def tally(tried: int, *, lost: int = 0, torn: int = 0, orphans: int = 0, hangs: int = 0, escapes: int = 0) -> None:
    """Note how often something was tried, and how often it went wrong in which way."""
    if path := os.environ.get("TORCHLEAF_TALLY"):
        counts = dict(zip(COLUMNS, (tried, lost, torn, orphans, hangs, escapes), strict=True))
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(counts) + "\n")
