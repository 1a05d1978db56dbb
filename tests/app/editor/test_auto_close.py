"""Which signs are paired, and what goes around a selection."""

from __future__ import annotations

import pytest

from app.editor.auto_close import around, closing


@pytest.mark.parametrize(
    ("char", "before", "after", "code", "closes"),
    [
        ("(", "see ", "", False, ")"),
        ("(", "see ", "here", False, ""),
        ("[", "", " more", False, "]"),
        ("[", "", ")", False, "]"),
        ("{", "x = ", "", True, "}"),
        ("(", "a \\", "", False, ""),
        ("`", "the ", "", False, "`"),
        ("`", "``", "", False, ""),
        ("`", "x = ", "", True, ""),
        ('"', "say ", "", False, '"'),
        ('"', "word", "", False, ""),
        ('"', "x = f", "", True, '"'),
        ('"', "x = leaf", "", True, ""),
        ('"', '""', "", True, ""),
        ("'", "don", "", False, ""),
        ("'", "x = ", "", True, "'"),
        ("「", "他说", "", False, "」"),
        ("（", "梯度", "。", False, "）"),
        ("“", "所谓", "梯度", False, ""),
        ("（", "# ", "", True, ""),
        ("*", "", "", False, ""),
        ("x", "", "", False, ""),
    ],
)
def test_a_pair_is_closed_where_it_is_meant(char: str, before: str, after: str, *, code: bool, closes: str) -> None:
    """Brackets at the end of words, quotes where one opens, Chinese signs in prose; nothing before a word."""
    assert closing(char, before, after, code=code) == closes


@pytest.mark.parametrize(
    ("char", "selected", "code", "made"),
    [
        ("(", "a\nb", False, ("(", ")")),
        ("“", "梯度", False, ("“", "”")),
        ("*", "word", False, ("*", "*")),
        ("_", "a\nb", False, None),
        ("`", "x", True, None),
        ("x", "word", False, None),
        ("*", "  ", False, None),
        ("'", "x", True, ("'", "'")),
    ],
)
def test_a_sign_goes_around_what_is_selected(
    char: str, selected: str, *, code: bool, made: tuple[str, str] | None
) -> None:
    """Brackets and quotes anywhere; marks of Markdown around words of prose."""
    assert around(char, selected, code=code) == made
