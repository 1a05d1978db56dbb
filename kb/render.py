"""A note's Markdown to a Page."""

from __future__ import annotations

import html
import re

import markdown

from kb.highlight import python_html
from kb.page import Cell as Cell
from kb.page import Formula as Formula
from kb.page import Page as Page
from kb.page import PageSection as PageSection
from kb.page import Prose as Prose

_PIECE = re.compile(
    r"^(?:(#{1,6}) +(.+?)|```python[^\n]*\n(.*?)^```(?:\n+```output\n(.*?)^```)?)$", re.MULTILINE | re.DOTALL
)


def render(note_text: str, *, path: str) -> Page:
    """Render a note; `path` is its place in the vault."""
    sections: list[PageSection] = []
    level, heading, line = 0, "", 1
    parts: list[Prose | Cell] = []
    at = blocks = 0

    def prose(to: int) -> None:
        if text := note_text[at:to].strip():
            parts.append(
                Prose(
                    markdown.markdown(text, extensions=["tables", "footnotes", "fenced_code"]),
                    1 + note_text.count("\n", 0, at),
                )
            )

    def close() -> None:
        if parts or level:
            title = html.escape(heading)
            head = f'<h{level}><a name="s{line}"></a>{title}</h{level}>' if level else ""
            sections.append(PageSection(head, heading, level, f"s{line}", line, tuple(parts)))

    for match in _PIECE.finditer(note_text):
        prose(match.start())
        here = 1 + note_text.count("\n", 0, match.start())
        if match[1]:
            close()
            parts, level, heading, line = [], len(match[1]), match[2], here
        else:
            blocks += 1
            end = 1 + note_text.count("\n", 0, match.end())
            parts.append(
                Cell("fence", f"block{blocks}", "", match[3], python_html(match[3]), "python", {}, match[4], here, end)
            )
        at = match.end()
    prose(len(note_text))
    close()
    return Page(tuple(sections))
