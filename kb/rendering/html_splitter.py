"""Cuts the HTML of a note at its marks. Elements that are open at a cut are closed before and opened again after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from kb.markdown.markdown_extension import BEGIN, END

_TOKEN = re.compile(
    rf'{BEGIN}(?P<mark>\d+){END}|<(?P<close>/?)(?P<name>[a-z][a-z0-9]*)(?P<rest>(?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*>'
)
_START = re.compile(r' start="(\d{1,9})"')
_VOID = frozenset({"br", "hr", "img"})
_BLOCKS = frozenset(("blockquote", "dd", "div", "li", "ol", "p", "pre", "table", "ul"))
LONGEST = 24_000  # characters of a fragment; a longer one is cut after a block, so that a view inserts it in steps


@dataclass(frozen=True)
class HtmlFragment:
    """Well-formed HTML."""

    html: str


@dataclass(frozen=True)
class SplitMark:
    """The place of a mark. For a heading, `html` is its content."""

    mark: int
    html: str = ""


@dataclass
class _Element:
    name: str
    rest: str
    written: bool = False  # its opening tag is in the current fragment
    begun: bool = False  # its opening tag is in an earlier fragment
    items: int = 0

    def opening(self, *, within_item: bool) -> str:
        """Return the opening tag, the first or a repeated one; a repeated list continues its numbers."""
        rest = self.rest
        if self.name == "ol" and (self.items - within_item) > 0:
            first = int(found[1]) if (found := _START.search(rest)) else 1
            rest = f'{_START.sub("", rest)} start="{first + self.items - within_item}"'
        elif self.name == "li" and self.begun:
            rest = ' style="list-style-type:none"'
        return f"<{self.name}{rest}>"


class HtmlSplitter:
    """Splits well-formed HTML in one pass.

    `inline` maps marks to the HTML that replaces them; every other mark is a cut. `headings` are marks in a heading,
    which is cut out as a whole.
    """

    def __init__(self, text: str, inline: dict[int, str], headings: frozenset[int]) -> None:
        self._text = text
        self._inline = inline
        self._headings = headings
        self._stack: list[_Element] = []
        self._out: list[str] = []
        self._begun = 0  # index at which the current fragment begins

    def pieces(self) -> Iterator[HtmlFragment | SplitMark]:
        """Yield the fragments of HTML and the cuts between them, in order."""
        at = 0
        heading: int | None = None
        for token in _TOKEN.finditer(self._text):
            between, at = self._text[at : token.start()], token.end()
            if heading is None:
                self._words(between)
            else:
                self._out.append(between)
            if token["mark"] and (mark := int(token["mark"])) not in self._inline:
                if mark in self._headings and self._stack:
                    self._stack.pop()  # the heading's own tag, which is not written yet
                    heading = mark
                self._begun = at
                yield from self._stretch()
                if heading is None:
                    yield SplitMark(mark)
            elif heading is not None and token["close"] and token["name"][0] == "h" and token["name"][1:].isdigit():
                inner, self._out = "".join(self._out), []
                yield SplitMark(heading, inner.strip())
                heading = None
            elif heading is not None:
                self._out.append(self._inline[int(token["mark"])] if token["mark"] else token[0])
            else:
                self._take(token)
                if at - self._begun > LONGEST and self._may_part(token):
                    self._begun = at
                    yield from self._stretch()
        self._words(self._text[at:])
        yield from self._stretch()

    def _may_part(self, token: re.Match[str]) -> bool:
        """Return whether the HTML may be cut after a token: at the end of a block, but not in a table."""
        return bool(token["close"]) and token["name"] in _BLOCKS and all(one.name != "table" for one in self._stack)

    def _take(self, token: re.Match[str]) -> None:
        if token["mark"]:
            self._content(self._inline[int(token["mark"])])
        elif token["name"] in _VOID:
            self._content(token[0])
        elif token["close"]:
            self._end(token["name"])
        else:
            if token["name"] == "li" and self._stack and self._stack[-1].name == "ol":
                self._stack[-1].items += 1
            self._stack.append(_Element(token["name"], token["rest"]))
            if token["name"] == "a" and "name=" in token["rest"]:
                self._content("")

    def _end(self, name: str) -> None:
        if self._stack and self._stack[-1].name == name:
            element = self._stack.pop()
            if element.written:
                self._out.append(f"</{name}>")
            elif name in ("td", "th", "li") and not element.begun:
                self._stack.append(element)
                self._content("")
                self._stack.pop()
                self._out.append(f"</{name}>")

    def _words(self, text: str) -> None:
        if text.strip() or (text and self._stack and self._stack[-1].written):
            self._content(text)

    def _content(self, text: str) -> None:
        for element, inner in zip_longest(self._stack, self._stack[1:]):
            if not element.written:
                self._out.append(element.opening(within_item=inner is not None and inner.name == "li"))
                element.written = element.begun = True
        self._out.append(text)

    def _stretch(self) -> Iterator[HtmlFragment]:
        for element in reversed(self._stack):
            if element.written:
                self._out.append(f"</{element.name}>")
                element.written = False
            element.begun = True
        if text := "".join(self._out).strip():
            yield HtmlFragment(text)
        self._out = []
