"""A note as written: whole as far as it goes, safe, and bounded."""

from __future__ import annotations

from kb.rendering.plain_page import LONGEST, MOST_CELLS, MOST_SECTIONS, WIDEST, plain_page
from kb.rendering.rendered_page import Cell, Prose
from tests.pace import thinking_within


def test_text_is_escaped_and_headings_and_cells_are_kept() -> None:
    """One can still read, jump and run."""
    head = "---\ntitle: t\n---\nintro <b>\n\n# A `b`\n\n"
    text = head + "```python id=x title=T\nprint(1 < 2)\n```\n```output\nTrue\n```\n\n```sh\nls\n```\n"
    page = plain_page(text)
    assert page.plain
    first, second = page.sections
    assert first.parts == (Prose('<pre class="plain">intro &lt;b&gt;</pre>', 4),)
    assert second.heading_html == '<h1><a name="a-b"></a>A b</h1>'
    cell, after = second.parts
    assert isinstance(cell, Cell)
    assert (cell.id, cell.label, cell.code, cell.output) == ("x", "T", "print(1 < 2)\n", "True\n")
    assert cell.code_html == "print(1 &lt; 2)\n"
    assert (cell.line, cell.end_line) == (8, 13)
    assert after == Prose('<pre class="plain">```sh\nls\n```</pre>', 14)


def test_a_long_note_is_cut_and_says_so() -> None:
    """Fifty megabytes take no longer than the part that is shown."""
    with thinking_within(2):
        page = plain_page("word " * 10_000_000)
    (cut,) = page.sections[-1].parts
    assert isinstance(cut, Prose)
    assert f"{50_000_000 - LONGEST:,}" in cut.html


def test_a_note_of_very_many_lines_is_cut() -> None:
    """Lines cost a view more than letters do."""
    page = plain_page("x\n" * 20_000)
    assert "32,000" in getattr(page.sections[-1].parts[0], "html", "")


def test_a_line_without_end_is_broken() -> None:
    """No view is given a line that stops it."""
    (prose,) = plain_page("x" * 5_000).sections[0].parts
    assert isinstance(prose, Prose)
    assert max(len(line) for line in prose.html.split("\n")) <= WIDEST + 30


def test_storms_of_headings_and_fences_are_bounded() -> None:
    """What is past the bounds stays as text."""
    assert len(plain_page("# a\n" * 4_000).sections) == MOST_SECTIONS
    cells = [part for part in plain_page("```python\n1\n```\n" * 1_000).sections[0].parts if isinstance(part, Cell)]
    assert len(cells) == MOST_CELLS


def test_an_empty_note_has_a_section() -> None:
    """There is always something to show."""
    assert len(plain_page("").sections) == 1


def test_many_lines_are_several_pieces() -> None:
    """So that a view takes them in one by one; none is lost, and each says where it begins."""
    lines = [f"line {number}" for number in range(2_000)]
    (section,) = plain_page("\n".join(lines)).sections
    proses = [part for part in section.parts if isinstance(part, Prose)]
    assert [part.line for part in proses] == list(range(1, 2_000, 300))
    shown = "\n".join(part.html.removeprefix('<pre class="plain">').removesuffix("</pre>") for part in proses)
    assert shown.split("\n") == lines
