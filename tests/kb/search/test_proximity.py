"""Things that stand together."""

from __future__ import annotations

import pytest

from kb.search.proximity import FILLED, HEADED, NAMED, PAIRS, in_words, proximity


@pytest.mark.parametrize(
    ("query", "heading", "text", "expected"),
    [
        ("freeze bn", "freeze bn", "", HEADED + FILLED),
        ("freeze bn", "**how** to freeze bn", "", HEADED + FILLED * 9 / 13),
        ("freeze bn", "", "we freeze (bn) here", 1),
        ("freeze bn", "", "bn, then freeze", 0),
        ("freeze the bn", "", "freeze the others, not the bn", PAIRS),
        ("freeze bn", "", "freeze freeze: bn", 1),
        ("gather", "", "torch.gather", 1),
        ("gather", "", "scatter", 0),
        ("", "x", "x", 0),
    ],
)
def test_how_close(query: str, heading: str, text: str, expected: float) -> None:
    """All of it in the heading is best, and the more the less else is there; then all in the text, then neighbours."""
    assert proximity(in_words((word,) for word in query.split()), heading, text) == pytest.approx(expected)


def test_any_name_of_a_thing_will_do() -> None:
    """Things stand together under whichever of their names, in several words or without spaces."""
    things = in_words([("freeze", "冻结"), ("batch norm", "bn", "批归一化")])
    assert proximity(things, "", "how to freeze the batch norm") == NAMED / 2
    assert proximity(things, "", "how to freeze the norm of a batch") == 0
    for text in (
        "freeze batch-norm",
        "冻结 bn",
        "先冻结批归一化层",
        "freeze bn",
        "not a batch, but: freeze: batch norm",
    ):
        assert proximity(things, "", text) == 1
    assert proximity(things, "冻结 bn", "") == HEADED + FILLED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("local rank. of what size a world is", NAMED / 3),
        ("each has a local rank, all have one world size", 2 * NAMED / 3),
        ("a 本地进程号, and one world size", 2 * NAMED / 3),
        ("size of rank, or a local world", 0),
    ],
)
def test_a_name_that_stands_whole_counts_though_the_others_are_elsewhere(text: str, expected: float) -> None:
    """What was typed are two things of two words each: three neighbours, two of them inside names."""
    things = in_words([("world size",), ("local rank", "本地进程号")])
    assert proximity(things, "", text) == pytest.approx(expected)


def test_a_long_text_is_looked_at_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands after many characters, or after many places of its first word, is not looked for."""
    assert proximity(in_words([("freeze",), ("bn",)]), "", "freeze x " * 100 + "freeze bn") == 0
    monkeypatch.setattr("kb.search.proximity._LOOKED_AT", 10)
    assert proximity(in_words([("bn",)]), "", "freeze the bn") == 0
