"""A note's blocks in batches: each small, none lost, and those after what was changed the same as before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.block_tree import ContainerBlock, LeafBlock
from kb.rendering.batches import DENSE_TEXT, LONGEST_TEXT, PART_OF_CODE, PART_OF_TABLE, SIZE, batches, leaves, line_of


def root(*nodes: ContainerBlock | LeafBlock) -> ContainerBlock:
    """Give a tree of these blocks."""
    return ContainerBlock("root", children=list(nodes))


def texts(*nodes: ContainerBlock | LeafBlock) -> list[str]:
    """Give the texts of the batches' leaves, in order."""
    return [leaf.text for batch in batches(root(*nodes), 1) for node in batch.nodes for leaf in leaves(node)]


@given(st.lists(st.text("ab \n", max_size=3_000), max_size=30))
def test_no_word_is_lost_and_no_batch_is_long(said: list[str]) -> None:
    """However long the paragraphs are."""
    nodes = [LeafBlock("text", text.strip() or "x", line) for line, text in enumerate(said, 1)]
    made = batches(root(*nodes), 1)
    shown = "".join(leaf.text for batch in made for node in batch.nodes for leaf in leaves(node))
    assert "".join(shown.split()) == "".join("".join(node.text for node in nodes).split())
    assert all(sum(len(leaf.text) for node in batch.nodes for leaf in leaves(node)) <= SIZE for batch in made)
    assert [batch.line for batch in made] == sorted(batch.line for batch in made)


def test_batches_after_a_change_stay_the_same() -> None:
    """A word more in one paragraph makes one or two batches others, and not all that follow."""
    nodes = [LeafBlock("text", f"{line} {'words ' * 60}", line) for line in range(1, 400)]
    before = {batch.nodes for batch in batches(root(*nodes), 1)}
    nodes[20] = LeafBlock("text", nodes[20].text + "more " * 300, 21)
    after = {batch.nodes for batch in batches(root(*nodes), 1)}
    assert len(after - before) <= 3 < len(before) / 10


def test_a_batch_that_begins_with_a_heading_says_so() -> None:
    """What comes before the first heading goes on with nothing."""
    heading = LeafBlock("section", "h", 3, 1)
    assert [batch.begins for batch in batches(root(LeafBlock("text", "a", 1), heading), 1, size=1)] == [False, True]
    assert batches(root(), 7)[0].line == 7


def test_an_element_of_html_stays_whole() -> None:
    """What stands between its tags is rendered with it, up to a bound."""
    inside = [LeafBlock("text", f"{line} {'words ' * 100}", line) for line in range(2, 30)]
    nodes = [
        LeafBlock("raw", "<details>", 1),
        *inside,
        LeafBlock("raw", "</details>", 31),
        LeafBlock("text", "words " * 900, 33),
    ]
    assert len(batches(root(*nodes), 1)[0].nodes) == 30
    endless = [LeafBlock("raw", "<div>", 1), *(LeafBlock("text", "words " * 600, line) for line in range(2, 100))]
    assert len(batches(root(*endless), 1)) > 1


def test_a_table_is_cut_between_its_rows() -> None:
    """Each part has the header; a wide one is shown as it is written."""
    rows = "\n".join(f"| {n} | b |" for n in range(1_000))
    parts = texts(LeafBlock("table", f"| a | b |\n|---|---|\n{rows}", 1))
    assert all(part.startswith("| a | b |\n|---|---|\n| ") and part.count("\n") <= PART_OF_TABLE for part in parts)
    assert "\n".join(part.split("\n", 2)[2] for part in parts) == rows
    wide = "|" + "a|" * 30 + "\n|" + "-|" * 30 + ("\n|" + "b|" * 30) * 40
    (batch,) = batches(root(LeafBlock("table", wide, 1)), 1, size=100_000)
    assert [leaf.kind for node in batch.nodes for leaf in leaves(node)] == ["code"]


def test_a_list_is_cut_between_its_items_and_counts_on() -> None:
    """It stays one list by its numbers."""
    items = [ContainerBlock("item", children=[LeafBlock("text", f"{n} {'words ' * 40}", n)]) for n in range(1, 200)]
    made = batches(root(ContainerBlock("list", start=5, children=list(items))), 1)
    lists = [node for batch in made for node in batch.nodes if isinstance(node, ContainerBlock)]
    assert len(lists) > 3
    assert [one.start for one in lists] == [
        5 + sum(len(before.children) for before in lists[:at]) for at in range(len(lists))
    ]
    assert [item for one in lists for item in one.children] == items
    assert line_of(lists[1]) == line_of(lists[1].children[0]) > 1
    assert line_of(ContainerBlock("quote")) == 0


def test_what_is_dense_or_without_end_is_cut_short() -> None:
    """At the end of a line, at a blank, or anywhere in a word without end; long code between its lines."""
    assert all(len(part) <= LONGEST_TEXT for part in texts(LeafBlock("text", "x" * 50_000, 1)))
    assert all(len(part) <= DENSE_TEXT for part in texts(LeafBlock("text", "[^1] " * 2_000, 1)))
    assert texts(LeafBlock("text", "a" * 3_000 + "\n" + "b" * 3_000, 1)) == ["a" * 3_000, "b" * 3_000]
    code = "\n".join(f"line {n}" for n in range(1_000))
    parts = texts(LeafBlock("code", code, 1))
    assert "\n".join(parts) == code
    assert all(part.count("\n") < PART_OF_CODE for part in parts)
