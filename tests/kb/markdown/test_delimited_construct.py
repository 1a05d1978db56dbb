"""Constructs between two delimiters."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.delimited_construct import DelimitedConstruct
from kb.markdown.mark import MARK

ADDED = """
import kb.markdown.constructs as table
from kb.markdown.delimited_construct import DelimitedConstruct
table.CONSTRUCTS += (DelimitedConstruct(name="added", delimiter="++", tag="ins", priority=63, operator=True),)
from kb.markdown.lines import scan
from kb.markdown.plain_text import section_text
from kb.markdown.sections import plain_heading, sections
from kb.rendering.html_export import page_html
from kb.rendering.render import render
text = "a ++new word++, i++ and j++"
scanned = scan(text)
print(page_html(render(text, path="a.md"), standalone=False).strip())
print(plain_heading(text))
print(section_text(scanned, sections(text, scanned=scanned)[0]).text)
"""


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda one: one.name)
def test_pattern_and_plain_text_agree(construct: DelimitedConstruct) -> None:
    """Both see the same words, and none between spaces."""
    mark = construct.delimiter
    found = re.search(construct.pattern(), f"a {mark}two words{mark}, b")
    assert found
    assert found[f"{construct.name}_text"] == "two words"
    assert construct.plain(f"a {mark}two words{mark}, `{mark}code{mark}`") == f"a two words, `{mark}code{mark}`"
    assert construct.plain(f"a {mark} b {mark} c {mark}{mark}") == f"a {mark} b {mark} c {mark}{mark}"


def test_a_comparison_is_no_mark() -> None:
    """After a name, == compares; after Chinese it marks."""
    assert MARK.plain("x==1 and y==2, a == b != c == d, <==e==") == "x==1 and y==2, a == b != c == d, <==e=="
    assert MARK.plain("中文==标记==，==tensor==s") == "中文标记，tensors"
    assert MARK.opens("", "x")
    assert not MARK.opens("x", "1")
    assert not MARK.opens("", " ")


def test_delimiters_of_two_paragraphs_are_no_pair() -> None:
    """A line may end between them, a paragraph may not."""
    assert MARK.plain("==a\nb==") == "a\nb"
    assert MARK.plain("==a\n\nb==") == "==a\n\nb=="


def test_a_construct_in_the_table_reaches_every_reader() -> None:
    """Nothing else has to know it: neither the page and its sanitizer, nor headings, nor the index."""
    root = Path(__file__).parents[3]
    found = subprocess.run([sys.executable, "-c", ADDED], cwd=root, capture_output=True, text=True, check=True)
    page, *plain = found.stdout.splitlines()
    assert page == "<p>a <u>new word</u>, i++ and j++</p>"
    assert plain == ["a new word, i++ and j++"] * 2
