"""Notes as people write them, and the pages that they become.

Each case is a file in tests/data/render with what is expected of it beside it. To write the expectations anew after a
change that is meant, run `TORCHLEAF_GOLDEN=1 pytest tests/kb/test_render.py` and read the difference before it is kept.
"""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import RenderFailed
from kb.fences import fences
from kb.page import Cell, Page, Prose
from kb.render import render

LINES = r"""# h
## `x`
- a
  - b
    c
1. d
3) e
> q
> - r
```python
```
```output
    code
| a | b |
|---|---|
$$
$x$
[s](snippet:s)
<div>
</div>
<details>
<b>
***
---
===
[^1]: f
t[^1]
- [ ] t
!!! note
\\
**b
~~~
<!--
-->
<script>
</script>
<table>
<a href="x">
中文：

- ```python
  ```
> ```py
[r]: u
\[
<p>x</p>
<pre>"""

CASES = Path(__file__).parents[1] / "data" / "render"


def written(page: Page) -> str:
    """Write a page down so that a person can read what became of the note."""
    lines: list[str] = []
    for section in page.sections:
        lines.append(f"<!-- section {section.level} #{section.anchor} line {section.line}: {section.heading} -->")
        lines += [section.heading_html] if section.heading_html else []
        for part in section.parts:
            if isinstance(part, Prose):
                lines += [f"<!-- prose line {part.line} -->", part.html]
            else:
                options = " ".join(f"{key}={value}" for key, value in part.options.items())
                lines.append(f"<!-- cell {part.key} lines {part.line}-{part.end_line} {part.label!r} {options} -->")
                lines += [f"<!-- lines {part.marked} marked -->"] if part.marked else []
                lines += [f'<pre class="cell">{part.code_html}</pre>', f"<!-- output {part.output!r} -->"]
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n")) + "\n"


def parts(text: str) -> list[Prose | Cell]:
    """Give all parts of a rendered text, the sections left aside."""
    return [part for section in render(text, path="a.md").sections for part in section.parts]


def html_of(text: str) -> str:
    """Give the prose of a rendered text."""
    return "".join(part.html for part in parts(text) if isinstance(part, Prose))


@pytest.mark.parametrize("case", sorted(CASES.glob("*.md")), ids=lambda case: case.stem)
def test_a_note_comes_out_as_its_author_meant(case: Path) -> None:
    """Every note in the folder becomes exactly the page beside it."""
    expected = case.with_suffix(".html")
    result = written(render(case.read_text(encoding="utf-8"), path=case.name))
    if os.environ.get("TORCHLEAF_GOLDEN"):
        expected.write_text(result, encoding="utf-8", newline="\n")
    assert result == expected.read_text(encoding="utf-8")


def test_every_expectation_has_its_note() -> None:
    """No expectation is left behind when a case is renamed."""
    assert {page.stem for page in CASES.glob("*.html")} == {note.stem for note in CASES.glob("*.md")}


def test_an_empty_note_is_a_page_with_one_empty_section() -> None:
    """A view always has something to show."""
    (section,) = render("", path="a.md").sections
    assert (section.level, section.heading, section.parts) == (0, "", ())


def test_line_ends_do_not_matter() -> None:
    """A note from Windows or an old Mac is the same page."""
    text = "# A\n\n- b\n- c\n\n```python\nprint(1)\n```\n"
    pages = {written(render(text.replace("\n", end), path="a.md")) for end in ("\n", "\r\n", "\r")}
    assert len(pages) == 1


def test_the_marks_of_the_renderer_cannot_be_forged() -> None:
    """A note that holds the characters that marks are made of comes out with replacement characters."""
    assert html_of("a \ufdd00\ufdd1 b\n\n```\ncode\n```\n").startswith("<p>a \ufffd0\ufffd b</p>")


def test_pages_travel_between_processes() -> None:
    """A page can be pickled, options and all."""
    page = render("```python id=a timeout=3\nx\n```\n$x$\n", path="a.md")
    assert pickle.loads(pickle.dumps(page)) == page


def test_a_page_of_too_many_sections_is_refused() -> None:
    """What a view could not lay out in time is an error, and the renderer's plain page takes its place."""
    with pytest.raises(RenderFailed, match="split it"):
        render("# a\n" * 2_001, path="a.md")


def test_a_page_of_too_many_cells_is_refused() -> None:
    """A thousand runnable blocks are no note."""
    with pytest.raises(RenderFailed):
        render("```python\n1\n```\n" * 501, path="a.md")


def test_a_paragraph_without_end_is_refused() -> None:
    """A word of 200 KB would stop a rich-text view for seconds."""
    with pytest.raises(RenderFailed):
        render("x" * 200_000, path="a.md")


def test_a_list_of_too_many_items_is_refused() -> None:
    """It would take python-markdown longer than anybody waits."""
    with pytest.raises(RenderFailed):
        render("- a\n" * 10_000, path="a.md")


def test_a_block_that_got_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather the note as written than a cell that is missing from it."""
    monkeypatch.setattr("kb.render.sanitise", lambda text: "")
    with pytest.raises(RenderFailed, match="as written"):
        render("```python\n1\n```", path="a.md")


def test_a_huge_table_is_shown_as_written() -> None:
    """A table of 50,000 cells stays text, for no view lays it out in time."""
    row = "|" + "a|" * 50 + "\n"
    assert html_of(row + "|" + "-|" * 50 + "\n" + row * 1_000).startswith('<pre class="code">|a|a|')


def test_deep_nesting_is_cut() -> None:
    """500 nested lists or quotes come out, no deeper than a view can bear."""
    lists = html_of("\n".join("  " * depth + "- x" for depth in range(500)))
    quotes = html_of(">" * 500 + " x")
    assert 10 < lists.count("<ul>") < 30
    assert 3 < quotes.count("<blockquote>") < 10


def test_unknown_languages_are_shown_without_colours() -> None:
    """A fence of a language that nobody knows keeps its text."""
    assert html_of("```klingon\na < b\n```\n") == '<pre class="code language-klingon">a &lt; b</pre>'


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES.split("\n")), max_size=25))
def test_no_block_is_ever_lost(lines: list[str]) -> None:
    """Whatever stands beside what, it renders, and every runnable fence is a cell, in order and with its code."""
    text = "\n".join(lines)
    wanted = [(fence.id, fence.code) for fence in fences(text) if fence.runnable]
    assert [(part.id, part.code) for part in parts(text) if isinstance(part, Cell) and part.kind == "fence"] == wanted
