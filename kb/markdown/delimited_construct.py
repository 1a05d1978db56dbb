"""The description of a construct between two equal delimiters, such as `==marked==`, from which every reader works."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

LONGEST = 2000  # characters between two delimiters
_NAME = "A-Za-z0-9_"


@dataclass(frozen=True)
class DelimitedConstruct:
    """All that is known of one construct.

    name: of its token in the editor and of its python-markdown pattern.
    delimiter: what is written before and after the text, one character repeated.
    tag: the HTML element of rendered and of pasted text.
    priority: its place among python-markdown's patterns; a higher one is tried first.
    operator: whether the delimiter also compares, so that it opens nothing directly after a name.
    span_class: the class of the `<span>` that represents the element in a page, because Qt does not know the element.
    css: the declarations for that class in exported HTML.
    background: the colour of the theme (an attribute of `Theme`) painted behind the text.
    """

    name: str
    delimiter: str
    tag: str
    priority: int
    operator: bool = False
    span_class: str = ""
    css: str = ""
    background: str = ""

    def pattern(self, longest: int = LONGEST) -> str:
        """Return a regular expression for the construct; its group `NAME_text` is the text between the delimiters."""
        return self._around(f"(?P<{self.name}_text>.{{1,{longest}}}?)")

    def _around(self, text: str) -> str:
        sign, mark = re.escape(self.delimiter[0]), re.escape(self.delimiter)
        before, after = (f"(?<![{sign}!<>{_NAME}])", f"(?!{sign})") if self.operator else ("", "")
        return rf"{before}{mark}(?=[^\s{sign}]){text}(?<=[^\s{sign}]){mark}{after}"

    def opens(self, before: str, after: str) -> bool:
        """Return whether a delimiter between two characters may open the construct; either may be empty."""
        return bool(after.strip()) and not (self.operator and bool(re.match(f"[{_NAME}]", before)))

    def plain(self, text: str) -> str:
        """Return a text without the delimiters; inline code keeps its characters."""
        return self._plain.sub(lambda found: found["code"] or found["text"], text) if self.delimiter in text else text

    @cached_property
    def _plain(self) -> re.Pattern[str]:
        code = r"`[^`\n]+`"
        paragraph = rf"(?P<text>(?:{code}|[^`\n]|\n(?!\s*\n)){{1,{LONGEST}}}?)"
        return re.compile(f"(?P<code>{code})|{self._around(paragraph)}")
