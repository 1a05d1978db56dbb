"""Notes as people write them, and the pages that they become.

Each case is a file in tests/data/render with what is expected of it beside it. To write the expectations anew after a
change that is meant, run `TORCHLEAF_GOLDEN=1 pytest tests/kb/rendering/test_render.py` and read the difference before
it is kept.
"""

from __future__ import annotations

import os
import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import RenderFailed
from kb.markdown.fences import fences
from kb.markdown.sanitizer import sanitise as clean
from kb.rendering.render import render
from kb.rendering.rendered_page import Cell, Page, PageSection, Prose
from tests.note_words import lost, page_text

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

CASES = Path(__file__).parents[2] / "data" / "render"


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
    """What no window could list is an error, and the renderer's plain page takes its place."""
    with pytest.raises(RenderFailed, match="split it"):
        render("# a\n" * 25_001, path="a.md")


def test_a_large_note_is_a_page() -> None:
    """Thousands of sections, paragraphs, items, rows and cells are rendered, and no word is lost."""
    text = "".join(
        f"## Part {n}\n\nSome *words{n}* of [it][where].\n\n```python\nprint({n})\n```\n\n- a{n}\n- b{n}\n\n"
        for n in range(600)
    )
    text += "\n\n".join(f"para{n} **graph**" for n in range(2_000)) + "\n\n"
    text += (
        "".join(f"{n + 1}. item{n}\n" for n in range(1_500))
        + "\n[where]: https://example.org\n\n| a | b |\n|---|---|\n"
    )
    text += "".join(f"| row{n} | {n} |\n" for n in range(1_000))
    page = render(text, path="a.md")
    assert lost(text, page).keys() <= {"where"}
    assert [section.line for section in page.sections] == [1 + 11 * n for n in range(600)]
    proses = [part.html for section in page.sections for part in section.parts if isinstance(part, Prose)]
    assert (
        sum(html.count("<em>words") for html in proses)
        == sum(html.count('href="https://example.org"') for html in proses)
        == 600
    )
    assert sum(html.count("<li>item") for html in proses) == 1_500
    assert '<ol start="' in "".join(proses)
    assert sum(html.count("<td>row") for html in proses) == 1_000
    assert not any("<pre" in html for html in proses)
    assert max(map(len, proses)) < 60_000


@pytest.mark.parametrize("case", sorted(CASES.glob("*.md")), ids=lambda case: case.stem)
def test_a_note_comes_out_alike_however_it_is_cut(case: Path) -> None:
    """References, footnotes, anchors, lists of headings and the names of cells hold across pieces."""
    text = case.read_text(encoding="utf-8")
    whole, cut = render(text, path=case.name), render(text, path=case.name, size=1)
    assert [section_of(one) for one in cut.sections] == [section_of(one) for one in whole.sections]
    assert sorted(page_text(cut).split()) == sorted(page_text(whole).split())
    cells = [
        [replace(part, code_html="") for s in page.sections for part in s.parts if isinstance(part, Cell)]
        for page in (cut, whole)
    ]
    assert cells[0] == cells[1]
    targets = [
        re.findall(
            r'(?:href|name|src)="[^"]*"',
            "".join(p.html for s in page.sections for p in s.parts if isinstance(p, Prose)),
        )
        for page in (cut, whole)
    ]
    assert targets[0] == targets[1]
    assert dict(cut.formulas) == dict(whole.formulas)


def section_of(section: PageSection) -> tuple[str, str, int]:
    """Tell a section by its heading, as it is written and in the page, and its line."""
    return section.heading, section.heading_html, section.line


def test_a_word_without_end_is_shown_in_parts() -> None:
    """A word of 200 KB would stop a rich-text view for seconds; in paragraphs of their own its parts do not."""
    assert all(len(html) < 5_000 for part in parts("x" * 200_000) if isinstance(part, Prose) for html in [part.html])
    assert html_of("x" * 200_000).count("x") == 200_000


def test_a_page_of_too_many_cells_has_the_others_as_code() -> None:
    """More runnable blocks than any note has are shown, and not all can be run."""
    found = parts("```python\n1\n```\n```output\n1\n```\n" * 4_003)
    assert sum(isinstance(part, Cell) for part in found) == 4_000
    assert sum(part.html.count("<pre") for part in found if isinstance(part, Prose)) == 6


def test_a_block_that_got_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather the note as written than a cell that is missing from it."""
    monkeypatch.setattr("kb.rendering.render.sanitise", lambda text: "")
    page = render("# A\n\nwords\n\n```python\n1\n```", path="a.md")
    assert page.plain
    assert [type(part).__name__ for section in page.sections for part in section.parts] == ["Prose", "Cell"]
    assert page.sections[0].heading == "A"


def test_only_the_piece_that_cannot_be_rendered_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the note is rendered round it, headings, footnotes and all."""

    def sanitise(text: str) -> str:
        if "hostile" in text:
            raise RecursionError
        return clean(text)

    monkeypatch.setattr("kb.rendering.render.sanitise", sanitise)
    text = "# A\n\n*a*[^1]\n\n## B\n\nhostile\n\n## C\n\n*c*[^1]\n\n[^1]: said\n"
    page = render(text, path="a.md", size=1)
    assert not page.plain
    assert [section.anchor for section in page.sections] == ["a", "b", "c"]
    assert page.sections[1].parts == (Prose('<pre class="plain">hostile</pre>', 7),)
    assert "<em>c</em>" in html_of_page(page)
    assert html_of_page(page).count("said") == 1
    assert '#fnref2:1"' in html_of_page(page)


def html_of_page(page: Page) -> str:
    """Give the prose of a page."""
    return "".join(part.html for section in page.sections for part in section.parts if isinstance(part, Prose))


def test_a_wide_table_is_shown_as_written() -> None:
    """A table of 50,000 cells in 50 columns stays text, for no view lays it out in time."""
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
