"""Copied HTML as Markdown."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.editor.html_to_markdown import as_markdown
from tests.pace import slowness


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Head <code>x</code></h2><p>one <b>two</b> <i>three</i></p>", "## Head `x`\n\none **two** *three*"),
        ("<p>a <strong> b </strong>c</p>", "a **b** c"),
        ('<a href="https://x.org/a(b)">words</a>', "[words](<https://x.org/a(b)>)"),
        ('<a href="https://x.org">https://x.org</a>', "<https://x.org>"),
        ('<a href="javascript:alert(1)">words</a>', "words"),
        ("<ul><li>a<li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"),
        ('<ol start="3"><li>a</li><li><p>b</p><p>c</p></li></ol>', "3. a\n4. b\n\n   c"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n   - b"),
        ('<ul><li><input type="checkbox" checked> done</li></ul>', "- [x] done"),
        ('<pre><code class="language-Python">x = "a|b"\n  y*z\n</code></pre>', '```python\nx = "a|b"\n  y*z\n```'),
        ("<pre>a<br>```<br>b</pre>", "````\na\n```\nb\n````"),
        (
            "<table><thead><tr><th>a<th align=right>中文<tbody><tr><td>x|y<td><b>2</b></table>",
            "| a    |  中文 |\n|------|------:|\n| x\\|y | **2** |",
        ),
        ("<table><tr><td><p>set by a table</p><h3>x</h3></td></tr></table>", "set by a table\n\n### x"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<p>a<br>b <code>c`d</code></p>", "a  \nb ``c`d``"),
        (
            '<p><img src="https://x.org/a.png" alt="cat"><img src="data:image/png;base64,AA" alt="dog">',
            "![cat](https://x.org/a.png)dog",
        ),
        ("<script>bad()</script><style>p{}</style><p>good <em>x</em></p>", "good *x*"),
        ('<b style="font-weight:normal"><p>all <b>of it</b></p></b>', "all **of it**"),
        (
            '<span><math><mi>x</mi><annotation>x^2</annotation></math><i aria-hidden="true">x2</i></span>',
            "$x^2$",
        ),
        ("<p>2 * 3 a_b _c_ <b>x</b></p>", "2 \\* 3 a_b \\_c\\_ **x**"),
        ("<p># no head <b>x</b></p><p>1. no item <b>x</b></p>", "\\# no head **x**\n\n1\\. no item **x**"),
        ("<dl><dt>term</dt><dd>what it is</dd></dl>", "**term**\n\nwhat it is"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<del>old</del> <mark>new</mark>", "~~old~~ ==new=="),
        ("<div style='font-family: monospace'><div><span>x</span> = 1</div></div>", None),
        ("plain text", None),
        ("", None),
    ],
)
def test_what_html_means(html: str, markdown: str | None) -> None:
    """Structure is kept, scripts and hidden elements are not; without structure the plain text is used."""
    assert as_markdown(html) == markdown


@given(st.text(alphabet='<>/abilpu"= \n|`*-1.&;', max_size=200))
def test_any_html_is_read(html: str) -> None:
    """However broken it is."""
    made = as_markdown(html)
    assert made is None or made.strip()


@pytest.mark.parametrize("part", ["<b>", "<ul><li>", "<table><tr><td>", "<div>", "<a href=x>", "<p>", "<pre>`"])
def test_html_without_end_is_read_in_time(part: str) -> None:
    """Thousands of nested elements do not exhaust the stack."""
    began = time.thread_time()
    as_markdown(part * 4_000 + "x <b>y</b>")
    assert time.thread_time() - began < 2 * slowness(time.thread_time)
