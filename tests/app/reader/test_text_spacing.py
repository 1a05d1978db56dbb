"""Tests of spacing in the HTML of prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reader.text_spacing import ROOM, spaced, with_narrow_quotes, without_empty_lines

CODE = f"{ROOM}<code>x</code>{ROOM}"


def test_code_at_the_edge_of_a_paragraph_has_no_space_there() -> None:
    """Letters align at the edges of a paragraph, but after the number of a list item there is space."""
    assert spaced(f"<p>{CODE}</p>") == "<p><code>x</code></p>"
    assert spaced(f"<li>{CODE} a</li>") == f"<li>{CODE} a</li>"
    assert spaced(f"<p>a {CODE} b</p>") == f"<p>a {CODE} b</p>"


def test_a_line_may_end_between_chinese_punctuation_and_code() -> None:
    """There is no blank after Chinese punctuation, so a break is allowed there, and nowhere else."""
    assert spaced(f"<p>甲，{CODE}乙</p>").count("\u200b") == 1
    assert "\u200b" not in spaced(f"<p>甲{CODE}乙</p>")


def test_punctuation_stays_on_the_line_of_its_formula() -> None:
    """A word joiner follows a formula if punctuation follows it."""
    assert spaced('<img src="f">。') == '<img src="f">\u2060。'
    assert spaced('<img src="f"> a') == '<img src="f"> a'


def test_line_breaks_after_blocks_are_removed() -> None:
    """Those within a paragraph stay."""
    assert without_empty_lines("<p>a<br>b</p>\n<br><br><p>c</p>") == "<p>a<br>b</p><p>c</p>"


@pytest.mark.parametrize("markup", ["<code>it’s</code>", '<a title="it’s">x</a>', "他说“是”。", "plain"])
def test_quotes_in_code_attributes_and_chinese_stay(markup: str) -> None:
    """Only quotation marks between English words are put into an element."""
    assert with_narrow_quotes(markup) == markup


@given(st.text("a甲’“”‘ <>\"'", max_size=30))
def test_narrow_quotes_change_no_text(text: str) -> None:
    """Without the added elements the markup is as before."""
    assert with_narrow_quotes(text).replace("<tquote>", "").replace("</tquote>", "") == text
