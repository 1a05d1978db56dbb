"""Code in colours that the theme chooses."""

from __future__ import annotations

import re

from kb.markdown.highlight import LONGEST, code_html, python_html, stylesheet, token_classes


def test_python_comes_out_in_spans() -> None:
    """Only short classes, no colours, no wrapper, and leading blank lines and spaces stay."""
    html = python_html("\n  def f():\n    return 1  # 一\n")
    assert html.startswith("\n  <span")
    assert '<span class="k">def</span>' in html
    assert "style" not in html
    assert "<pre" not in html


def test_every_class_is_known_to_the_theme() -> None:
    """The list of classes is complete for what code gives."""
    html = python_html("@d\nasync def f(x: int = 0x1) -> str:\n    '''doc'''\n    return f'{x!r:>{3}}' or b'' # c\n")
    assert set(re.findall(r'class="([^"]+)"', html)) - {"w"} <= set(token_classes())
    assert token_classes()["k"] == "Keyword"


def test_unknown_and_huge_code_is_escaped() -> None:
    """What is not coloured is still code."""
    assert code_html("a < b & c\n", "klingon") == "a &lt; b &amp; c\n"
    assert code_html("x" * LONGEST + "<", "python").endswith("&lt;")
    assert code_html("<", "") == "&lt;"


def test_a_page_of_its_own_has_colours() -> None:
    """Rules for the classes under a selector, and nothing else."""
    rules = stylesheet("pre").splitlines()
    assert any(rule.startswith("pre .k {") for rule in rules)
    assert all(rule.startswith("pre .") for rule in rules)
