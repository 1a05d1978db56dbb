"""From the words of a query to what is searched: forms, prefixes, parts, slips, and other names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.analysis.glossary import Glossary, things
from kb.analysis.stopwords import EMPTY
from kb.search.query import read
from kb.search.query_expansion import DOZEN, FORM, LONGER, PART, Expansion, QueryExpander
from kb.search.scoring import Concept, Scorer, Unit
from tests.kb.search.pinyin_helpers import snapshot_of

NOTES = {
    "a.md": "# Freezing layers\n\nfreezes the norm; clip_grad_norm_ clips. torch.nn.DataParallel copies the model.\n",
    "b.md": "# 显存\n\n梯度 和 爆炸, 显存占用 video memory, gradients gather; meshgrid scatter_ needle\n",
    "c.md": "# gather\n\ngathered " + " ".join(f"pre{number}" for number in range(20)) + " pre pre1\n",
    "d.md": "# grad\n\nrequires_grad needle\n",
    "e.md": "# needle\n\nneedle nestle\n",
}
WORDS = """
显存 = GPU memory, video memory, VRAM
梯度 = gradient, grad
梯度爆炸 = gradient explosion
冻结 = freeze
裁剪 = clip_grad_norm
占用, 用量 = usage
"""


@pytest.fixture(scope="module")
def expander(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryExpander]:
    """What expands queries to a small vault."""
    with snapshot_of(tmp_path_factory.mktemp("expansion"), NOTES) as snapshot:
        yield QueryExpander(Scorer(snapshot), Glossary(things(WORDS)))


def expanded(expander: QueryExpander, query: str) -> Expansion:
    """What a query asks for."""
    return expander.expand(read(query))


def terms(expander: QueryExpander, query: str) -> dict[str, float]:
    """The terms of the first thing that a finished query asks for, with their weights."""
    first = expanded(expander, f"{query} ").nodes[0]
    while isinstance(first, Concept):
        first = first.parts[0]
    return dict(first.terms)


def names(expansion: Expansion) -> set[tuple[str, str]]:
    """What was typed and what else it is called."""
    return {(other.typed, other.text) for other in expansion.others}


def test_a_word_is_searched_by_the_forms_that_are_known(expander: QueryExpander) -> None:
    """The word itself, if known, weighs more than its other forms; forms that stand nowhere are left out."""
    assert terms(expander, "freeze") == {"freezing": FORM, "freezes": FORM}
    assert terms(expander, "gather") == {"gather": 1.0, "gathered": FORM}


def test_a_word_that_nobody_knows_counts_all_the_same(expander: QueryExpander) -> None:
    """It was asked for, so a section without it is no full answer."""
    expansion = expanded(expander, "xqzvwk gather ")
    assert expansion.nodes[0] == Unit((("xqzvwk", 1.0),), 1.0)
    assert expansion.corrected == {}


def test_a_word_being_typed_becomes_the_most_frequent_longer_ones(expander: QueryExpander) -> None:
    """At most a dozen; one that is a word already is both."""
    expansion = expanded(expander, "pre")
    found = dict(expansion.units[0].terms)
    assert len(expansion.completed["pre"]) == DOZEN
    assert found == dict.fromkeys(expansion.completed["pre"], LONGER) | {"pre": 1.0}
    assert dict(expanded(expander, "meshg").units[0].terms) == {"meshgrid": 1.0}
    assert expanded(expander, "meshg ").completed == {}
    assert expanded(expander, "g").completed == {}


def test_an_identifier_counts_as_a_whole_and_its_parts_less(expander: QueryExpander) -> None:
    """Pieces that are known stand beside the whole; without a whole they are what there is."""
    (whole,) = expanded(expander, "torch.nn.DataParallel ").nodes
    assert isinstance(whole, Concept)
    assert whole.parts == (Unit((("torch.nn.dataparallel", 1.0),), 1.0),)
    assert whole.share == PART
    assert {"torch", "nn", "dataparallel"} <= {term for piece in whole.pieces for term, _ in piece.terms}
    assert all(isinstance(node, Unit) for node in expanded(expander, "torch.gather ").nodes)


def test_a_slip_is_set_right_and_noted(expander: QueryExpander) -> None:
    """What was meant takes the place of what nobody knows, with less weight the more slips there are."""
    one, two = (expanded(expander, query) for query in ("meshgird ", "mehsgird "))
    assert one.corrected == {"meshgird": "meshgrid"}
    assert two.corrected == {"mehsgird": "meshgrid"}
    assert dict(one.units[0].terms) == dict(two.units[0].terms) == {"meshgrid": 1.0}
    assert two.units[0].weight < one.units[0].weight < 1


@pytest.mark.parametrize("query", ["gather ", "meshg", "freeze ", "usages ", "the ", "needed"])
def test_what_is_no_slip_is_left_alone(expander: QueryExpander, query: str) -> None:
    """A word that is known, being typed, a form of a known one, in the glossary, or one of every sentence."""
    assert expanded(expander, query).corrected == {}


def test_an_identifier_being_typed_is_hardly_two_slips(tmp_path: Path) -> None:
    """Its last name may go on; once it is finished, or where one slip is enough, it is set right."""
    with snapshot_of(tmp_path, {"a.md": "# norms\n\n`torch.norm` in torch, and `x.permute`\n"}) as snapshot:
        expander = QueryExpander(Scorer(snapshot), Glossary(()))
        typed = expanded(expander, "torch.perm")
        assert typed.corrected == {}
        assert "permute" in {term for unit in typed.units for term, _ in unit.terms}
        assert expanded(expander, "torch.perm ").corrected["torch.perm"] == "torch.norm"
        assert expanded(expander, "torch.nrm").corrected["torch.nrm"] == "torch.norm"


def test_words_that_say_little_weigh_little(expander: QueryExpander) -> None:
    """Beside others; alone they are what was asked for."""
    assert [unit.weight for unit in expanded(expander, "the gather ").units] == [EMPTY, 1.0]
    assert [unit.weight for unit in expanded(expander, "the ").units] == [1.0]
    weights = {unit.terms[0][0]: unit.weight for unit in expanded(expander, "显存的用").units}
    assert weights["存的"] == weights["的用"] == pytest.approx(weights["显存"] * EMPTY)


def test_pairs_of_a_stretch_weigh_about_what_its_words_would(expander: QueryExpander) -> None:
    """Two characters one word, four of them two."""
    assert sum(unit.weight for unit in expanded(expander, "显存").units) == 1
    assert sum(unit.weight for unit in expanded(expander, "显存占用").units) == pytest.approx(2)
    assert [unit.terms for unit in expanded(expander, "存").units] == [(("存", 1.0),)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("显存", {("显存", "video memory")}),
        ("GPU memory", {("gpu memory", "显存"), ("gpu memory", "video memory")}),
        ("gpu-memories leak", {("gpu memories", "显存"), ("gpu memories", "video memory")}),
        ("gradient explosion", {("gradient explosion", "梯度爆炸"), ("gradient", "梯度"), ("gradient", "grad")}),
        ("裁剪", {("裁剪", "clip_grad_norm")}),
        ("显存占用", {("显存", "video memory")}),
        ("video memory usage", {("video memory", "显存"), ("usage", "占用")}),
        ("gather", set()),
    ],
)
def test_what_was_typed_has_other_names(expander: QueryExpander, query: str, found: set[tuple[str, str]]) -> None:
    """The longest names first, and shorter ones in them; only those that stand somewhere, in either language."""
    expected = {pair for pair in found if pair[1] != "梯度爆炸"}  # its pairs stand in no section
    assert names(expanded(expander, f"{query} ")) == expected


def test_the_word_being_typed_has_other_names_if_it_is_whole(expander: QueryExpander) -> None:
    """Before that it only becomes longer words."""
    assert ("gradient", "梯度") in names(expanded(expander, "gradient"))
    assert names(expanded(expander, "gradien")) == set()


def test_an_error_message_says_what_it_says(expander: QueryExpander) -> None:
    """Its words have no other names: the notes that explain it cite it."""
    assert names(expanded(expander, "RuntimeError: GPU memory gradient")) == set()


def test_things_stand_in_the_order_in_which_they_were_typed(expander: QueryExpander) -> None:
    """Each with its names; a stretch of Chinese between names stays whole; empty words are left out."""
    assert expanded(expander, "the GPU memory of scatter_ ").order == (
        ("gpu memory", "显存", "video memory"),
        ("scatter_",),
    )
    assert expanded(expander, "大显存不够 gather").order == (("大",), ("显存", "video memory"), ("不够",), ("gather",))


def test_forms_are_kept_but_not_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same answers, and only so many of them at hand; what is done with them does not change them."""
    monkeypatch.setattr("kb.search.query_expansion._KEPT", 2)
    with snapshot_of(tmp_path, NOTES) as snapshot:
        expander = QueryExpander(Scorer(snapshot), Glossary(things(WORDS)))
        for query in ("gather", "freeze", "needle", "gather"):
            assert expanded(expander, f"{query} ").nodes == expanded(expander, f"{query} ").nodes
        assert len(expander._forms) == 2


def test_forms_are_found_among_many_that_begin_alike(expander: QueryExpander, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read together, or looked up one by one."""
    look = expander._scorer.snapshot.among
    wanted = {"gather", "gathered", "gathers"}
    assert look(("heading", "body"), "gather", wanted) == {"gather", "gathered"}
    monkeypatch.setattr("kb.index.snapshot._FEW", 0)
    assert look(("heading", "body"), "gather", wanted) == {"gather", "gathered"}
