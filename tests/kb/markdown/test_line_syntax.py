"""How lines begin and how rows are counted."""

from __future__ import annotations

from kb.markdown.line_syntax import cell_count, indent_of, without_tabs


def test_tabs_count_four_columns_at_the_beginning() -> None:
    """Before a marker and after it; a tab in the text stays."""
    assert without_tabs("\t- \ta\tb") == "    -   a\tb"
    assert without_tabs("no tab") == "no tab"
    assert indent_of(without_tabs("\t\tx")) == 8


def test_invisible_characters_hide_nothing() -> None:
    """A zero-width space before a number is no reason for it not to be a list."""
    assert without_tabs("\u200b1. a") == "1. a"


def test_cells_are_counted_as_tables_do() -> None:
    """Outer bars count for nothing, and an escaped one is text."""
    assert cell_count(r"| a | b\|c |") == cell_count("a|b") == 2
