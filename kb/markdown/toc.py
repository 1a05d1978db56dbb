"""The table of contents for `[toc]`: the headings of a note as a list of links."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from kb.markdown.sections import Section

MOST = 200  # headings; a longer list is of no use


def contents_html(sections: Sequence[Section]) -> str:
    """Return the list, nested like the headings, without the title of the note."""
    heads = [section for section in sections if section.level]
    if len([head for head in heads if head.level == 1]) == 1 and heads[0].level == 1:
        heads = heads[1:]
    return "".join(_lists(heads[:MOST]))


def _lists(heads: Sequence[Section]) -> Iterator[str]:
    levels: list[int] = []
    for head in heads:
        while len(levels) > 1 and levels[-1] > head.level:
            levels.pop()
            yield "</li></ul>"
        if not levels or head.level > levels[-1]:
            levels.append(head.level)
            yield '<ul class="contents">' if len(levels) == 1 else "<ul>"
        else:
            yield "</li>"
        yield f'<li><a href="#{html.escape(head.anchor)}">{html.escape(head.heading, quote=False)}</a>'
    yield "</li></ul>" * len(levels)
