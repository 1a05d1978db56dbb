"""Skipping patterns changes nothing but the time."""

from __future__ import annotations

import markdown
from hypothesis import given
from hypothesis import strategies as st
from markdown.extensions.footnotes import FootnoteExtension
from markdown.treeprocessors import InlineProcessor

from kb.markdown.inline_patterns import _REQUIRED
from kb.markdown.markdown_extension import converter

_PIECES = st.sampled_from(
    [
        "`a`",
        "**b**",
        "_c_",
        "[d](e)",
        "![f](g)",
        "[[h|i]]",
        "[j][k]",
        "[^l]",
        "<https://m.org>",
        "<n@o.org>",
        "  \n",
        "\\*",
        "www.p.org",
        "&amp;",
        "__init__",
        ":fire:",
        "~~q~~",
        "==r==",
        "<b>s</b>",
        "$t$",
        "u ",
        "<",
        "[",
        "中文",
    ]
)


def converted(text: str, *, swift: bool) -> str:
    """Convert a text, with python-markdown's own way through the patterns or ours."""
    made: markdown.Markdown = converter(lambda _, __: None, FootnoteExtension())
    if not swift:
        made.treeprocessors.register(InlineProcessor(made), "inline", 20)
    return made.convert(text)


@given(st.lists(_PIECES, max_size=12))
def test_the_result_is_the_same(pieces: list[str]) -> None:
    """Whatever stands beside what."""
    text = "".join(pieces)
    assert converted(text, swift=True) == converted(text, swift=False)


def test_every_pattern_is_known() -> None:
    """A pattern of another name is tried everywhere, which is slow."""
    made = converter(lambda _, __: None, FootnoteExtension())
    assert len(list(made.inlinePatterns)) == sum(name in made.inlinePatterns for name in _REQUIRED) == len(_REQUIRED)
