"""HTML is cut anywhere and stays well-formed on both sides."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.markdown_extension import BEGIN, END
from kb.rendering.html_splitter import HtmlFragment, HtmlSplitter, SplitMark

MARK = f"{BEGIN}0{END}"


def cut(html: str, *, inline: dict[int, str] | None = None, headings: frozenset[int] = frozenset()) -> list[str]:
    """Cut and write the pieces down: the stretches as they are, a cut as its number and what stands in it."""
    pieces = HtmlSplitter(html, inline or {}, headings).pieces()
    return [piece.html if isinstance(piece, HtmlFragment) else f"{piece.mark}{piece.html}" for piece in pieces]


def test_a_list_counts_on_after_a_cut() -> None:
    """The rest of the item has no number of its own, the next item has the next one."""
    assert cut(f"<ol><li>a</li><li>b {MARK} c</li><li>d</li></ol>") == [
        "<ol><li>a</li><li>b </li></ol>",
        "0",
        '<ol start="2"><li style="list-style-type:none"> c</li><li>d</li></ol>',
    ]


def test_a_cut_at_the_end_of_an_item_leaves_nothing_empty() -> None:
    """The next item begins the continued list, with its own number."""
    assert cut(f'<ol start="3"><li>a{MARK}</li><li>b</li></ol>') == [
        '<ol start="3"><li>a</li></ol>',
        "0",
        '<ol start="4"><li>b</li></ol>',
    ]


def test_an_item_of_a_cut_alone_is_counted() -> None:
    """A number that is taken by a cell is not given twice."""
    assert cut(f"<ol><li>{MARK}</li><li>b</li></ol>") == ["0", '<ol start="2"><li>b</li></ol>']


def test_two_cuts_in_a_row_have_nothing_between_them() -> None:
    """White space is no stretch."""
    assert cut(f"<ul><li>{MARK} \n {MARK}</li></ul>") == ["0", "0"]


def test_quotes_and_tables_go_on() -> None:
    """Whatever is open is closed before and opened again after."""
    assert cut(f'<blockquote><table class="x"><tr><td>a{MARK}b</td></tr></table></blockquote>') == [
        '<blockquote><table class="x"><tr><td>a</td></tr></table></blockquote>',
        "0",
        '<blockquote><table class="x"><tr><td>b</td></tr></table></blockquote>',
    ]


def test_empty_cells_and_items_stay() -> None:
    """A table keeps its columns and a list its empty item."""
    html = "<table><tr><td></td><td>a</td></tr></table><ul><li></li></ul>"
    assert cut(html) == [html]


def test_empty_shells_go() -> None:
    """What has nothing in it takes no room."""
    assert cut("<div><p></p></div><p>a</p>") == ["<p>a</p>"]


def test_marks_of_code_are_filled_in() -> None:
    """A mark with HTML of its own does not cut."""
    assert cut(f"<li>{MARK}</li>", inline={0: "<pre>x</pre>"}) == ["<li><pre>x</pre></li>"]


def test_a_heading_cuts_with_what_is_in_it() -> None:
    """Also in an element that was never closed."""
    assert cut(f"<div>a<h2>{MARK}b <code>c</code><br></h2>d</div>", headings=frozenset({0})) == [
        "<div>a</div>",
        "0b <code>c</code><br>",
        "<div>d</div>",
    ]


def test_a_stray_end_is_dropped() -> None:
    """What was never opened closes nothing."""
    assert cut("a</p>b") == ["ab"]


def test_anchors_and_pictures_are_content() -> None:
    """They have no text but are not nothing."""
    html = '<p><a name="x"></a></p><p><img src="a.png"></p>'
    assert cut(html) == [html]


TREE = st.recursive(
    st.sampled_from(["a", MARK, "<br>", " "]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["ul", "ol", "li", "p", "div", "blockquote", "td"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@given(TREE)
def test_every_piece_is_well_formed(html: str) -> None:
    """Each stretch closes what it opens; all text and all cuts are there."""
    pieces = list(HtmlSplitter(html, {}, frozenset()).pieces())
    assert sum(isinstance(piece, SplitMark) for piece in pieces) == html.count(MARK)
    assert "".join(piece.html for piece in pieces if isinstance(piece, HtmlFragment)).count(">a") <= html.count("a")
    for piece in pieces:
        stack: list[str] = []
        for close, name in re.findall(r"<(/?)([a-z]+)", piece.html):
            if close:
                assert stack.pop() == name
            elif name != "br":
                stack.append(name)
        assert not stack
