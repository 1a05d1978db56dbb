"""The shape of a rendered note."""

from __future__ import annotations

from kb.rendering.rendered_page import Cell, Page


def test_a_cell_is_known_by_its_kind_and_name() -> None:
    """A fence and a library snippet of the same name are two cells."""
    fence, snippet = (Cell(kind, "a", "", "", "", "python", {}, None, 1, 1) for kind in ("fence", "snippet"))
    assert (fence.key, snippet.key) == ("fence:a", "snippet:a")


def test_a_page_is_rendered_unless_it_says_otherwise() -> None:
    """And has no formulas but those given."""
    assert Page(()) == Page((), {}, plain=False)
