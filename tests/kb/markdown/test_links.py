"""Links of a note."""

from __future__ import annotations

import pytest

from kb.markdown.links import Link, links


def only(text: str) -> Link:
    (link,) = links(text)
    return link


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[gather]]", Link("wiki", "gather", "", "gather", 1, alone=True)),
        ("a [[x/gather#In place|the note]] b", Link("wiki", "x/gather", "In place", "the note", 1)),
        (r"| [[x/gather#In place\|the note]] |", Link("wiki", "x/gather", "In place", "the note", 1)),
        ("[[#here]]", Link("anchor", "", "here", "#here", 1, alone=True)),
        ("![[a.PNG]]", Link("image", "a.PNG", "", "a.PNG", 1, alone=True)),
        ("![[gather]]", Link("wiki", "gather", "", "gather", 1, alone=True)),
        ("see [a *b*](../c%20d.md#e%20f) there", Link("note", "../c d.md", "e f", "a *b*", 1)),
        ("[a](<b c.md>)", Link("note", "b c.md", "", "a", 1, alone=True)),
        ("[a]( b.md 'title' )", Link("note", "b.md", "", "a", 1, alone=True)),
        ('[a](b_(c).md "t")', Link("note", "b_(c).md", "", "a", 1, alone=True)),
        ("[a](#b)", Link("anchor", "", "b", "a", 1, alone=True)),
        ("[a]()", Link("anchor", "", "", "a", 1, alone=True)),
        ("[a](https://x.y/z#w)", Link("web", "https://x.y/z#w", "", "a", 1, alone=True)),
        ("[a](//x.y/z)", Link("web", "//x.y/z", "", "a", 1, alone=True)),
        ("[a](mailto:b@c)", Link("web", "mailto:b@c", "", "a", 1, alone=True)),
        ("<https://x.y>", Link("web", "https://x.y", "", "https://x.y", 1, alone=True)),
        ("![](a.png)", Link("image", "a.png", "", "", 1, alone=True)),
        ("![a](https://x/y.png)", Link("image", "https://x/y.png", "", "a", 1, alone=True)),
        ("\n\n[run it](snippet:gather_by_row)\n\nb", Link("snippet", "gather_by_row", "", "run it", 3, alone=True)),
        ("[run it](snippet:gather_by_row) now", Link("snippet", "gather_by_row", "", "run it", 1)),
        ("a\n[run it](snippet:x)", Link("snippet", "x", "", "run it", 2)),
        ("[two\nlines](a.md)", Link("note", "a.md", "", "two lines", 1, alone=True)),
        ("[a][Ref]\n\n[ref]: <b c.md>", Link("note", "b c.md", "", "a", 1, alone=True)),
        ("x [ref][] y\n\n[ref]: b.md 'title'", Link("note", "b.md", "", "ref", 1)),
        ("- item\n\n  [a](b.md)", Link("note", "b.md", "", "a", 3, alone=True)),
    ],
)
def test_each_kind_of_link(text: str, link: Link) -> None:
    """Kind, target, anchor, label, line, and whether it is a paragraph of its own."""
    assert only(text) == link


@pytest.mark.parametrize(
    "text",
    [
        "`[a](b)` and ``[[c]]``",
        "```\n[a](b)\n```",
        "    [a](b)",
        "<!-- [a](b) -->",
        r"\[a](b) \[[c]]",
        "[a] [b] [c]: d",
        "[a][unknown]",
        "[a](b c)",
        "[a](b",
        "[ ] todo",
        "text[1](",
        "",
    ],
)
def test_what_is_no_link(text: str) -> None:
    """Code, comments, escapes and brackets that are only brackets."""
    assert links(text) == ()


def test_a_picture_that_is_a_link_is_both() -> None:
    """The link first, then the picture in it."""
    assert [(link.kind, link.target) for link in links("[![a](b.png)](c.md)")] == [("note", "c.md"), ("image", "b.png")]


def test_lines_are_counted_over_the_whole_note() -> None:
    """Also after front matter, code and line ends of all kinds."""
    text = "---\ntitle: '[a](b)'\n---\r\n[a](1.md)\r```\n[x](y)\n```\n\n[b](2.md) [c](3.md)\n\n[d](4.md)"
    assert [(link.target, link.line) for link in links(text, 4)] == [
        ("1.md", 4),
        ("2.md", 9),
        ("3.md", 9),
        ("4.md", 11),
    ]
