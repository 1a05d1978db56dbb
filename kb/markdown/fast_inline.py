"""python-markdown's work within a line, without asking for what cannot be there.

It tries each of some twenty patterns on each piece of text, and most pieces have nothing that any of them begins with.
"""

from __future__ import annotations

import markdown
from markdown.treeprocessors import InlineProcessor
from markdown.util import AtomicString

# What a text must have in it for a pattern to match; a pattern that is not listed is always tried.
_NEEDED: dict[str, str | tuple[str, ...]] = {
    "backtick": "`", "math": ("$", "\\"), "wikilink": "[[", "escape": "\\", "footnote": "[^", "reference": "[",
    "link": "[", "image_link": "![", "image_reference": "![", "short_reference": "[", "short_image_ref": "![",
    "autolink": "<", "automail": "<", "linebreak": "  \n", "html": "<", "bare_address": ("://", "www."), "entity": "&",
    "special_name": "__", "emoji": ":", "strike": "~~", "mark": "==", "em_strong": ("*", "_"),
}  # fmt: skip


class FastInline(InlineProcessor):
    """Skips the patterns that have nothing to begin with. Names of two underscores are as their class knows them."""

    def __init__(self, md: markdown.Markdown) -> None:
        super().__init__(md)
        needed = {id(md.inlinePatterns[name]): signs for name, signs in _NEEDED.items() if name in md.inlinePatterns}
        self._patterns = [(pattern, _each(needed.get(id(pattern), ""))) for pattern in md.inlinePatterns]

    def _InlineProcessor__handleInline(self, data: str, patternIndex: int = 0) -> str:  # noqa: N802, N803
        if isinstance(data, AtomicString):
            return data
        start, index = 0, patternIndex
        while index < len(self._patterns):
            pattern, needed = self._patterns[index]
            matched = False
            if any(sign in data for sign in needed):
                data, matched, start = self._InlineProcessor__applyPattern(pattern, data, index, start)  # type: ignore[attr-defined]
            else:
                start = 0
            index += not matched
        return data


def _each(signs: str | tuple[str, ...]) -> tuple[str, ...]:
    return (signs,) if isinstance(signs, str) else signs
