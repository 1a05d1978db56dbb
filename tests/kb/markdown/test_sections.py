"""Sections: headings, their plain text, anchors and lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.lines import split_lines
from kb.markdown.sections import plain_heading, sections, slug
from tests.pace import thinking_within

NOTE = """\
---
title: x
---
Before.

# One **two**

## `scatter_` ##

```python
# no heading
```

    # nor this

<!--
# nor that
-->

Setext 标题
=====

Second
---

#no
#
###### Six
"""


def test_the_sections_of_a_note() -> None:
    """Headings of both kinds, none in code, comments or front matter, with all that stands above them."""
    found = sections(NOTE, 4)
    assert [(s.heading, s.level, s.line, s.end_line) for s in found] == [
        ("", 0, 4, 5),
        ("One two", 1, 6, 7),
        ("scatter_", 2, 8, 19),
        ("Setext 标题", 1, 20, 22),
        ("Second", 2, 23, 26),
        ("", 1, 27, 27),
        ("Six", 6, 28, 28),
    ]
    assert [s.anchor for s in found] == ["", "one-two", "scatter_", "setext-标题", "second", "section", "six"]
    assert found[2].trail == ("One two",)
    assert found[4].trail == ("Setext 标题",)
    assert found[6].trail == ("",)
    assert found[2].raw_heading == "`scatter_`"


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("a\nb\n---\n", []),
        ("- a\n---\n", []),
        ("| a |\n---\n", []),
        ("a | b | c\n---\n", []),
        ("> a\n---\n", []),
        ("# a\nb\n---\n", ["a", "b"]),
        ("a\n-\n", []),
        ("===\n===\n", []),
        ("a\n---", ["a"]),
        ("   # a\n    # b\n", ["a"]),
        ("####### a\n", []),
        ("#\ta\n", ["a"]),
        ("# a # b #\n# c#\n", ["a # b", "c#"]),
        ("\r\n# a\r\n# b\r\n", ["a", "b"]),
        ("> # quoted\n", []),
        ("```\na\n", []),
    ],
)
def test_what_is_a_heading(text: str, headings: list[str]) -> None:
    """As CommonMark says; a rule under a longer paragraph, a list or a table makes none."""
    assert [s.heading for s in sections(text) if s.level] == headings


@pytest.mark.parametrize("text", ["", "\n", "a", "---\na: b\n---\n", "---\na: b\n---"])
def test_a_note_without_headings_is_one_section(text: str) -> None:
    """It has level 0 and all lines; an empty note too."""
    (only,) = sections(text, 4 if text.startswith("---") else 1)
    assert (only.level, only.heading, only.anchor, only.trail) == (0, "", "", ())
    assert only.line <= only.end_line


def test_blank_lines_before_the_first_heading_are_no_section() -> None:
    """Only text is."""
    assert [s.level for s in sections("\n\n# a\n")] == [1]


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("**9**.pytorch model load", "9.pytorch model load"),
        ("scatter_", "scatter_"),
        ("__init__ and _private", "__init__ and _private"),
        ("`__init__` of *x*", "__init__ of x"),
        ('[gather](a.md "t") & [b](c_(d).md)', "gather & b"),
        ("标题[](#anchor '永久链接')", "标题"),
        ("[![i](a.png)](b) x", "i x"),
        ("[[a|b]] [[c]] ![[d.png]]", "b c d.png"),
        ("[x][ref] and [y]", "x and [y]"),
        ("**kwargs and *args", "**kwargs and *args"),
        ("torch.* a", "torch.* a"),
        ("***", "***"),
        ("_two words_ __重要__ _Note_", "two words 重要 _Note_"),
        ("~~old~~ ==new== x==1 and y==2", "old new x==1 and y==2"),
        ("``a`b`` `*c*`", "a`b *c*"),
        (r"\*x\* a \# b", "*x* a # b"),
        ("&lt;T&gt; `&lt;`", "<T> &lt;"),
        ('<a name="x"></a>标题 <!-- c -->', "标题"),
        ("标题 {#id .x}", "标题"),
        ("<https://x.y/z>", "https://x.y/z"),
        ("](x", "](x"),
        ("x](y) z", "x](y) z"),
        ("  a   b  ", "a b"),
        ("x" * 3000 + " **a**", "x" * 3000 + " **a**"),
    ],
)
def test_headings_lose_markup_and_keep_names(raw: str, plain: str) -> None:
    """What a reader sees, with identifiers whole."""
    assert plain_heading(raw) == plain


def test_anchors_are_those_of_github_and_unique() -> None:
    """Punctuation goes, Chinese stays, repetitions are numbered, also where a number is taken."""
    assert slug("What's 1.2 显存 (GPU)?") == "whats-12-显存-gpu"
    anchors = [s.anchor for s in sections("# a\n# a\n# a-1\n# a\n# !\n# ?\n")]
    assert anchors == ["a", "a-1", "a-1-1", "a-2", "section", "section-1"]


@given(st.text(alphabet="ab#=-` \n\t\r>*[]()<!", max_size=80))
def test_sections_cover_every_line_once(text: str) -> None:
    """Put together, they are the note; anchors are unique."""
    found = sections(text)
    lines = split_lines(text)
    covered = [line for s in found for line in range(s.line, s.end_line + 1)]
    first = found[0].line
    assert all(not line.strip() for line in lines[: first - 1])
    assert covered == list(range(first, len(lines) + (len(lines) == 1 or lines[-1] != "")))
    anchors = [s.anchor for s in found if s.level]
    assert len(set(anchors)) == len(anchors)


@pytest.mark.parametrize(
    "text", ["# a\n" * 25_000, "# a-1\n# a\n" * 8_000, "a\n===\n" * 15_000, "# " + "[" * 100_000, "# `" * 30_000 + "\n"]
)
def test_hostile_headings_take_no_time(text: str) -> None:
    """A hundred kilobytes of them are done with within two seconds."""
    with thinking_within(2):
        sections(text)
