"""Regular expressions compiled at first use: compiling them all takes a tenth of a start."""

from __future__ import annotations

import re
from typing import cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


def expression(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a stand-in for `re.compile(source, flags)` with the methods and attributes of a pattern."""
    return cast("re.Pattern[str]", _Pattern(source, flags))


class _Pattern:
    def __init__(self, source: str, flags: int) -> None:
        self._made = source, flags

    def __getattr__(self, name: str) -> object:
        """Compile, and have the methods at hand from now on, as quick as those of the pattern itself."""
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(*self._made)
        vars(self).update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)
