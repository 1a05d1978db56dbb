"""Constructs between two delimiters."""

from __future__ import annotations

import re

import pytest

from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.delimited_construct import DelimitedConstruct
from kb.markdown.mark import MARK


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
