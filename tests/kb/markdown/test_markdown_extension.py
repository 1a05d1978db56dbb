"""What is said to python-markdown, and what the marks in it stand for; the habits themselves are golden files."""

from __future__ import annotations

import pytest

from kb.markdown.block_tree import ContainerBlock, LeafBlock
from kb.markdown.markdown_extension import BEGIN, END, TIGHT, Composer, converter, without_marks
from kb.markdown.markdown_references import Footnotes


def nothing(_latex: str, _display: bool) -> str | None:  # noqa: FBT001
    """Draw no formula."""
    return None


def compose(*children: ContainerBlock | LeafBlock, chinese: bool = False) -> tuple[str, list[str]]:
    composer = Composer(draw=nothing, chinese=chinese)
    text = composer.compose(ContainerBlock("root", children=list(children)))
    return text.replace(BEGIN, "{").replace(END, "}").replace(TIGHT, "^"), [mark.text for mark in composer.marks]


def test_a_tree_becomes_flat_text_with_marks() -> None:
    """Lists stand in marks, side by side ones in one, and the text of a tight item is said to be so."""
    items = [ContainerBlock("item", children=[LeafBlock("text", name, 1)]) for name in ("a", "b")]
    text, marks = compose(ContainerBlock("list", children=[*items]), LeafBlock("text", "c", 3))
    assert text == "{0}\n\n^a\n\n{1}\n\n^b\n\n{2}\n\nc\n"
    assert marks == ["<ul><li>", "</li><li>", "</li></ul>"]


def test_titles_are_in_the_language_of_the_note() -> None:
    """A callout without a title of its own is named in Chinese in a Chinese note."""
    callout = ContainerBlock("quote", children=[LeafBlock("text", "[!TIP]\nx", 1)])
    assert "{1}Tip" in compose(callout)[0]
    assert "{1}提示" in compose(callout, chinese=True)[0]


@pytest.mark.parametrize(
    ("name", "english", "chinese"),
    [
        ("EXAMPLE", "Example", "示例"),
        ("danger", "Danger", "危险"),
        ("faq", "FAQ", "常见问题"),
        ("Mine", "Mine", "Mine"),
    ],
)
def test_each_kind_is_named_by_what_its_author_called_it(name: str, english: str, chinese: str) -> None:
    """Kinds that share a colour keep their own names, in both languages; one that nobody knows keeps its word."""
    callout = ContainerBlock("quote", children=[LeafBlock("text", f"[!{name}]\nx", 1)])
    assert f"{{1}}{english}\n" in compose(callout)[0]
    assert f"{{1}}{chinese}\n" in compose(callout, chinese=True)[0]


def test_a_formula_that_is_not_drawn_is_code() -> None:
    """Its source stays in sight."""
    assert compose(LeafBlock("display", "x", 1)) == ("{0}\n", ["x"])


def test_reserved_characters_are_cleared() -> None:
    """No note can hold a mark."""
    assert without_marks(f"a{BEGIN}1{END}\x02") == "a\ufffd1\ufffd\ufffd"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("- not a list", "<p>- not a list</p>"),
        ("# not a heading", "<p># not a heading</p>"),
        ("> not a quote", "<p>&gt; not a quote</p>"),
        ("    not code", "<p>not code</p>"),
        ("a `b` **c** _d_", "<p>a <code>b</code> <strong>c</strong> <em>d</em></p>"),
        ("$x$ for $5", '<p><code class="formula-source">x</code> for $5</p>'),
        (r"\(a\) \[b\]", "<p>(a) [b]</p>"),
        ("(www.example.org/a),", '<p>(<a href="https://www.example.org/a">www.example.org/a</a>),</p>'),
        ("[[a]] ![[b.png]]", '<p><a href="wiki:a">a</a> <img alt="" src="b.png"></p>'),
    ],
)
def test_the_converter_reads_inline_text_only(text: str, html: str) -> None:
    """Blocks are read by the scanner; python-markdown must not find any of its own."""
    assert converter(nothing, Footnotes()).convert(text) == html
