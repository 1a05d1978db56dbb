"""Reading what a query is about by a glossary."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from kb.analysis.glossary import Glossary, things
from kb.search import glossary_expansion
from kb.search.glossary_expansion import EXACT, OTHER, GlossaryExpander
from kb.search.query import read
from kb.search.scoring import Concept, Unit

WORDS = """
学习率 = learning rate, lr
学习 = learning
率 = rate
模型, 网络模型 = model
保存模型 = save model, torch.save
瓶颈 = bottleneck
瓶颈层 = bottleneck
键值 缓存 = KV cache
"""


Known = Callable[[str], Mapping[str, float]]


def everywhere(term: str) -> Mapping[str, float]:
    """Every word stands somewhere."""
    return {term: 1.0}


def read_by(query: str, known: Known = everywhere, *, named: bool = True) -> tuple[tuple[Unit | Concept, ...], object]:
    """What a query asks for, each Latin word searched by itself."""
    words = read(query).words
    made = GlossaryExpander(Glossary(things(WORDS)), known)
    return made.read(words, lambda at: (Unit(((words[at].word.term, 1.0),), 1.0),), named=named)


def shape(nodes: tuple[Unit | Concept, ...]) -> list[object]:
    """Terms as they stand, and names within names as lists after what else they are called."""
    return [
        node.terms[0][0] if isinstance(node, Unit) else [{other.text for other in node.others}, *shape(node.parts)]
        for node in nodes
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("model", [[{"模型", "网络模型"}, "model"]]),
        ("the model", ["the", [{"模型", "网络模型"}, "model"]]),
        (
            "learning rate",
            [[{"学习率", "lr"}, [{"学习"}, "learning"], [{"率"}, "rate"]]],
        ),
        ("学习率", [[{"learning rate", "lr"}, [{"learning"}, "学习"], "习率"]]),
        ("率", [[{"rate"}, "率"]]),
        ("保存模型后", [[{"save model", "torch.save"}, "保存", "存模", [{"model"}, "模型"]], "型后"]),
        ("网络模型", [[{"model", "模型"}, "网络", "络模", [{"model"}, "模型"]]]),
        ("torch.save", [[{"保存模型", "save model"}, "torch.save"]]),
        ("torch.saved.model", ["torch.saved.model"]),
        ("键值缓存", [[{"KV cache"}, "键值", "值缓", "缓存"]]),
    ],
)
def test_the_longest_names_are_found_and_those_in_them(query: str, expected: list[object]) -> None:
    """A name may have names in it; single characters and parts of identifiers are none; pairs between names stay."""
    nodes, _ = read_by(query)
    assert shape(nodes) == expected


def test_what_stands_nowhere_is_no_other_name() -> None:
    """A name of which some part is unknown is left out, and what has no known names is no thing."""
    nodes, order = read_by("learning rate", lambda term: {} if term in {"lr", "率", "习率"} else {term: 1.0})
    assert shape(nodes) == [[{"学习"}, "learning"], "rate"]
    assert order == (("learning", "学习"), ("rate",))


def test_not_named_nothing_has_names() -> None:
    """Only words then."""
    assert shape(read_by("learning rate", named=False)[0]) == ["learning", "rate"]


def test_the_worth_of_other_names() -> None:
    """Less than what was typed, less still if the word means two things, or names something in code."""

    def worth(query: str) -> set[float]:
        (node,) = read_by(query)[0]
        assert isinstance(node, Concept)
        return {other.weight for other in node.others}

    assert worth("model") == {OTHER}
    assert worth("torch.save") == {OTHER * EXACT}
    assert worth("bottleneck") == {OTHER * 0.5**0.5}


def test_what_names_are_searched_by_is_kept_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many of them."""
    monkeypatch.setattr(glossary_expansion, "_KEPT", 3)
    made = GlossaryExpander(Glossary(things(WORDS)), everywhere)
    for query in ("model", "learning rate", "bottleneck", "model"):
        words = read(query).words
        nodes, _ = made.read(words, lambda _: ())
        assert all(isinstance(node, Concept) for node in nodes)
    assert len(made._units) == 3


def test_of_an_endless_query_only_so_much_is_searched() -> None:
    """A pasted book asks for no more than its first words and characters."""
    assert len(read_by("冻结" * 5000)[0]) < 1000
    assert len(read_by("a_b_c." * 5000)[0]) < 1000
