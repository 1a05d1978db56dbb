"""The words of a note as its author wrote them, and those of its page, to see that none was lost on the way."""

from __future__ import annotations

import html
import re
from collections import Counter

from kb.markdown.lines import split_lines
from kb.notes.frontmatter import split
from kb.rendering.rendered_page import Page, Prose

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+(?:_+[A-Za-z0-9]+)*|[\u3400-\u9fff]")  # each Chinese character counts as one
_UNSEEN = re.compile(
    r"<!--.*?-->|<(script|style|textarea|template|title|svg|math)\b.*?</\1\s*>"  # never shown
    r"|</?[A-Za-z][^<>]*>"  # tags
    r"|^[ \t>]*(?:`{3,}|~{3,})[^\n]*$|^[ \t>]*\[[^\]\n]+\]:[^\n]*$"  # what a fence says, and where a reference leads
    r"|\]\([ \n]*[^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)|\]\(<[^<>\n]*>\)"  # links
    r"|\$\$.*?\$\$|(?<![\\$])\$[^$\n]+\$|\\\[.*?\\\]|\\\([^\n]*?\\\)"  # formulas are drawn
    r"|\[\[[^\[\]|\n]*\|(?=[^\[\]]*\]\])"  # where a wikilink with words of its own leads
    r"|\{[^{}\n]*\}|^[ \t>]*\[\[?_?toc_?\]?\][ \t]*$|\[![A-Za-z]+\][+-]?|^[ \t]*!!![^\n]*$"
    r"|:[a-z0-9_+-]+:|\[\^[^\]\s]+\]",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_WITHIN = re.compile(r"</?(?:a|b|code|del|em|font|i|kbd|mark|s|small|span|strong|sub|sup|u)\b[^<>]*>")
_TAG = re.compile(r"<[^<>]*>")
_ALT = re.compile(r'\s(?:alt|title)="([^"]*)"')


def lost(text: str, page: Page) -> Counter[str]:
    """Return the words of a note that its page does not have, or not so often; code and prose alike."""
    meant, shown = words_of(text), page_text(page)
    missing = meant - Counter(_WORD.findall(shown))
    # What a tag or a mark parts in one of the two is one word in the other.
    return Counter({word: count for word, count in missing.items() if shown.count(word) < meant[word]})


def words_of(text: str) -> Counter[str]:
    """Count the words that a reader of the source would expect to see."""
    body = "\n".join(split_lines(text)[split(text).lines :])
    return Counter(_WORD.findall(html.unescape(_UNSEEN.sub(" ", body))))


def page_text(page: Page) -> str:
    """Return the text of a page, with the words of pictures."""
    found: list[str] = []
    for section in page.sections:
        found.append(_text(section.heading_html))
        found += [
            _text(part.html) if isinstance(part, Prose) else f"{part.label}\n{part.code}\n{part.output or ''}"
            for part in section.parts
        ]
    return "\n".join(found)


def _text(markup: str) -> str:
    said = " ".join(_ALT.findall(markup))
    return html.unescape(f"{_TAG.sub(' ', _WITHIN.sub('', markup))} {said}")
