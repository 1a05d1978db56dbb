"""Pairs, tables, lines that are carried, emphasis and counts, as text before and after."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.editor.auto_close import around, closing
from app.editor.line_commands import in_order, next_numbers, toggled
from app.editor.table_commands import cell_at, columns, extent, formatted, with_row
from app.editor.word_count import Count, count

CELLS = st.lists(st.text(alphabet="ab 中文`:-", max_size=6), min_size=1, max_size=4)


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


def test_a_table_is_brought_into_line() -> None:
    """A Chinese character is two columns wide; sides are kept, and cells that lack are filled in."""
    table = formatted(["| a | 中文名 | c", "|:-|:-:|--:|", "| long cell | x | 1 |", "|`a\\|b`| y"])
    assert table.lines == (
        "| a         | 中文名 |   c |",
        "|:----------|:------:|----:|",
        "| long cell |   x    |   1 |",
        "| `a\\|b`    |   y    |     |",
    )
    assert [len(row) for row in table.cells] == [3, 3, 3]
    assert table.lines[2][table.cells[1][0].start : table.cells[1][0].end] == "long cell"
    assert with_row(table.lines, len(table.lines)).lines[-1] == "|           |        |     |"


@given(CELLS, st.lists(CELLS, max_size=4))
def test_a_table_in_line_stays_as_it_is(head: list[str], rows: list[list[str]]) -> None:
    """Formatting twice is formatting once, every line is equally wide, and no word is lost."""
    lines = ["|" + "|".join(row) + "|" for row in (head, ["---"] * len(head), *rows)]
    table = formatted(lines)
    assert formatted(table.lines) == table
    assert len({columns(line) for line in table.lines}) == 1
    assert "".join("".join(lines[2:]).split()).replace("|", "") == "".join("".join(table.lines[2:]).split()).replace(
        "|", ""
    )


def test_a_table_is_found_around_a_line() -> None:
    """Where its second line delimits, and nowhere else."""
    lines = ["text | with a bar", "", "| a |", "|---|", "| b |", "", "end"]

    def line(at: int) -> str | None:
        return lines[at] if 0 <= at < len(lines) else None

    assert [extent(line, at) for at in range(7)] == [None, None, (2, 4), (2, 4), (2, 4), None, None]


@pytest.mark.parametrize(
    ("line", "at", "cell"), [("| a | b |", 3, 0), ("| a | b |", 6, 1), ("a | b", 0, 0), ("a | b", 4, 1)]
)
def test_the_cell_of_a_place(line: str, at: int, cell: int) -> None:
    """With and without a bar at the beginning."""
    assert cell_at(line, at) == cell


def test_the_numbers_below_a_new_item_count_on() -> None:
    """Its siblings alone, as long as they counted on before."""
    below = ["2. b", "   more", "   1. inner", "3. c", "text", "4. d"]
    assert next_numbers("2. ", below) == [(0, "3. b"), (3, "4. c")]
    assert next_numbers("2. ", ["1. ones", "1. ones"]) == []
    assert next_numbers("- ", below) == []
    assert next_numbers("> 2. ", ["> 2. b"]) == [(0, "> 3. b")]


def test_moved_items_keep_the_numbers_in_order() -> None:
    """Level by level; other lines stay."""
    assert in_order(["2. b", "   2. y", "   1. x", "1. a", "- c"]) == ["1. b", "   1. y", "   2. x", "2. a", "- c"]


@pytest.mark.parametrize(
    ("line", "start", "end", "mark", "made"),
    [
        ("a word b", 2, 6, "**", "a **word** b"),
        ("a word b", 1, 7, "**", "a **word** b"),
        ("a **word** b", 4, 8, "**", "a word b"),
        ("a **word** b", 2, 10, "**", "a word b"),
        ("a **word** b", 4, 8, "*", "a ***word*** b"),
        ("a ***word*** b", 5, 9, "*", "a **word** b"),
        ("a ***word*** b", 5, 9, "**", "a *word* b"),
        ("用 梯度 算", 2, 4, "`", "用 `梯度` 算"),
        ("", 0, 0, "**", "****"),
    ],
)
def test_emphasis_comes_and_goes(line: str, start: int, end: int, mark: str, made: str) -> None:
    """Around what is selected without its blanks; away again from within and from without."""
    marked = toggled(line, start, end, mark)
    assert line[: marked.start] + marked.text + line[marked.end :] == made


@given(st.text(alphabet="ab 中", min_size=1).filter(lambda text: text.strip()), st.sampled_from(["**", "*", "`"]))
def test_emphasis_twice_is_none(line: str, mark: str) -> None:
    """What was marked is selected, and the second key takes the marks away."""
    marked = toggled(line, 0, len(line), mark)
    made = line[: marked.start] + marked.text + line[marked.end :]
    again = toggled(made, marked.start + marked.selected[0], marked.start + marked.selected[1], mark)
    assert made[: again.start] + again.text + made[again.end :] == line


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("", Count(0, 0)),
        ("Two words, don't stop", Count(0, 4)),
        ("梯度累积 gradient accumulation", Count(4, 2)),
        ("---\ntitle: no words here\n---\n# 标题\n", Count(2, 0)),
        ("[a link](https://pytorch.org/docs) 和 <https://x.org>", Count(1, 2)),
        ("```python\nx = torch.ones(3)\n```\n", Count(0, 3)),
        ("𠮷野家", Count(3, 0)),
    ],
)
def test_words_are_counted_in_both_languages(text: str, counted: Count) -> None:
    """Chinese by the character, the rest by the word."""
    assert count(text) == counted
