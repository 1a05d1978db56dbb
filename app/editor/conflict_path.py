"""Where our version of a note goes beside theirs."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePosixPath

from kb.lazy_regex import expression

_SUFFIX = expression(r"((?:\.(?:zh|en))?\.[^.]+)$")


def conflict_path(path: str, now: datetime, *, number: int = 1) -> str:
    """Return where our version goes beside theirs; the language and the kind of file stay at the end of the name."""
    place = PurePosixPath(path)
    found = _SUFFIX.search(place.name)
    suffix = found[1] if found else ""
    again = f" {number}" if number > 1 else ""
    stem = place.name.removesuffix(suffix)
    return str(place.with_name(f"{stem} (conflict {now:%Y-%m-%d %H%M}{again}){suffix}"))
