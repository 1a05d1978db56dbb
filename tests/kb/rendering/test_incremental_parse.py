"""What is read anew after an edit is what reading all of the note gives, whatever the edit and whatever the note."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.markdown.block_tree import ContainerBlock, LeafBlock
from kb.markdown.fences import fences
from kb.markdown.sections import sections
from kb.notes.frontmatter import split
from kb.rendering import incremental_parse
from kb.rendering.incremental_parse import IncrementalParse
from kb.rendering.parse_regions import ParseRegion
from kb.rendering.render import Rendering, render
from kb.rendering.rendered_page import Cell, joined

AWKWARD = (
    "# One",
    "## Two",
    "## Two",
    "### 三 `x`",
    "Title\n=====",
    "Title\n---",
    "---",
    "---\ntitle: A\ntags: [b]\n---",
    "plain words",
    "中文的一段话。",
    "words\nthat go on",
    "a  \nb",
    "",
    "",
    "\t",
    "    code",
    "```",
    "~~~~",
    "```python\nx = 1\n```",
    "```python id=a\nx\n```\n\n```output\n1\n```",
    "```output\n2\n```",
    "````\n```\n````",
    "> ```\n> q\n> ```",
    "> quote",
    "> [!NOTE] N\n> more",
    '!!! tip "T"\n    inside\n\n    more',
    "- item",
    "- [ ] task",
    "- [x] done\n\n  more",
    "* other",
    "1. one\n2. two",
    "3) three",
    "  - deep\n    - deeper",
    "- ```python\n  y\n  ```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "| x |",
    "Term\n: meaning",
    ": meaning alone",
    "[r]: https://a.b",
    "[r]: snippet:s",
    "[text][r]",
    "[go](snippet:s)",
    "[s][r]",
    "[^n]: a note\n\n    of two",
    "[^n] and[^m] text[^n]",
    "[^m]: other",
    "<!-- c",
    "-->",
    "<!-- a -->",
    "<div>",
    "</div>",
    "<details><summary>S</summary>",
    "</details>",
    "<pre>",
    "</pre>",
    "- <script>",
    "</script>",
    "$$",
    "$$\nx\n\ny\n$$",
    "$$x^2$$",
    "\\[",
    "\\]",
    "$y$ inline",
    "[toc]",
    "~~gone~~ ==mark==",
    "[[link]] **b**",
    "\u2066\ufdd0odd\x00",
    "a\u2028b",
)
text = st.lists(st.sampled_from(AWKWARD), max_size=40).map("\n".join) | st.lists(
    st.sampled_from(AWKWARD), max_size=30
).map("\n\n".join)
edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 60), text | st.sampled_from(("", "\n", "x", "`", "\r\n"))), max_size=5
)
SIZE = 120  # characters of a piece, so that there are many


def edited(note: str, edit: tuple[float, int, str]) -> str:
    """Give a note with something else in the place of some of it."""
    at = round(edit[0] * len(note))
    return note[:at] + edit[2] + note[at + edit[1] :]


def blocks(node: ContainerBlock, before: int, around: tuple[object, ...] = ()) -> Iterator[object]:
    """Yield all that there is to know of the blocks, in order; they stand below so many lines."""
    for child in node.children:
        if isinstance(child, LeafBlock):
            yield (*around, child.kind, child.text, child.line + before, child.level)
        else:
            told = child.kind, child.loose, child.task, child.label, child.title, child.start is None
            yield from blocks(child, before, (*around, told))


def read(regions: list[ParseRegion]) -> list[object]:
    """Give all that is known of these regions."""
    return [
        (one.lines, one.kinds, one.heads, one.fences, one.snippets, one.batches, one.defining, one.before, one.allowed)
        for one in regions
    ]


@settings(max_examples=250, deadline=None)
@given(text, edits)
@example("---\ntitle: A\n---", [(0, 0, "---\ntitle: A\n---\n# One")])  # of which nothing was there but its head
def test_what_is_read_after_edits_is_what_the_note_says(note: str, changes: list[tuple[float, int, str]]) -> None:
    """Regions, pieces and page are those of a note that is read for the first time."""
    rendering = Rendering(note, "a.md", size=SIZE)
    for change in changes:
        note = edited(note, change)
        rendering.update(note)
        fresh = Rendering(note, "a.md", size=SIZE)
        assert read(rendering._regions.all) == read(fresh._regions.all)
        assert rendering.count == fresh.count
        for number in range(fresh.count):
            assert rendering.signature(number) == fresh.signature(number)
            assert rendering.shown(number) == fresh.shown(number)
            assert rendering.footnotes_left(number) == fresh.footnotes_left(number)


@settings(max_examples=250, deadline=None)
@given(text)
def test_no_block_is_another_for_the_note_being_cut(note: str) -> None:
    """Regions have the blocks, headings and fences that the note has when it is read at one go."""
    whole = IncrementalParse(size=0, whole=len(note))
    whole.update(note)
    cut = IncrementalParse(size=SIZE, whole=0)
    cut.update(note)
    assert len(whole.all) == 1
    found = [
        block
        for one in cut.all
        for batch in one.batches
        for block in blocks(ContainerBlock("root", children=list(batch.nodes)), one.before)
    ]
    (one,) = whole.all
    root = ContainerBlock("root", children=[node for batch in one.batches for node in batch.nodes])
    assert found == list(blocks(root, one.before))
    first = split(note).lines + 1
    heads = [(head.line + one.before, head.anchor) for one in cut.all for head in one.heads.values()]
    assert heads == [(head.line, head.anchor) for head in sections(note, first) if head.level]
    named = [(fence.line + one.before, fence.id) for one in cut.all for fence in one.fences.values()]
    assert named == [(fence.line, fence.id) for fence in fences(note, first)]


@settings(max_examples=60, deadline=None)
@given(text, edits)
def test_cells_beyond_the_bound_are_code(note: str, changes: list[tuple[float, int, str]]) -> None:
    """Also where an edit makes others of them the first ones."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(incremental_parse, "MOST_CELLS", 2)
        rendering = Rendering(note, "a.md", size=SIZE)
        for change in changes:
            note = edited(note, change)
            rendering.update(note)
            assert joined(map(rendering.shown, range(rendering.count))) == render(note, path="a.md", size=SIZE)
            assert sum(region.allowed for region in rendering._regions.all) <= 2


def test_cells_far_below_an_edit_are_code_when_there_are_more_above(monkeypatch: pytest.MonkeyPatch) -> None:
    """And can be run again when there are fewer; nothing else of what stands there is read anew."""
    monkeypatch.setattr(incremental_parse, "MOST_CELLS", 3)
    note = "".join(f"## Part {n}\n\n{'words ' * 60}\n\n```python\n{n}\n```\n\n" for n in range(8))
    rendering = Rendering(note, "a.md", size=SIZE)
    last = rendering._regions.all[-1]
    for changed in ("```python\nfirst\n```\n\n" + note, note, note.replace("```python\n1", "```text\n1"), note):
        rendering.update(changed)
        fresh = Rendering(changed, "a.md", size=SIZE)
        assert read(rendering._regions.all) == read(fresh._regions.all)
        page = joined(map(rendering.shown, range(rendering.count)))
        assert page == render(changed, path="a.md", size=SIZE)
        assert sum(isinstance(part, Cell) for section in page.sections for part in section.parts) == 3
        assert rendering._regions.all[-1] is last


def test_an_edit_has_little_read_anew() -> None:
    """Of a long note the regions that were not touched are the same ones, with headings or without any."""
    for part in ("## Part {n}\n\n{words}\n\n- a\n- b\n\n", "Paragraph {n} {words}\n\n"):
        note = "".join(part.format(n=n, words="words " * 90) for n in range(300))
        regions = IncrementalParse(size=6_000, whole=0)
        regions.update(note)
        before = set(map(id, kept := regions.all[:]))
        for place in (0, len(note) // 2, len(note)):
            regions.update(note[:place] + "a few\n\nwords more" + note[place:])
            assert len([one for one in regions.all if id(one) not in before]) <= 4
            assert [one.before for one in regions.all][-1] == regions.count - len(regions.all[-1].lines)
            regions.update(note)
            before = set(map(id, kept := [*kept, *regions.all]))
