"""Names that a text defines."""

from __future__ import annotations

import pytest

from kb.search.definition_boost import defined
from kb.search.proximity import in_words

THINGS = in_words([("world size", "总进程数"), ("local",), ("rank", "进程号")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("world size(world_size): how many there are", 2 / 4),
        ("first\n- world size : how many\n2. local rank: which one here", 1),
        ("总进程数: world size", 2 / 4),
        ("world size - how many\nlocal rank —— which one", 1),
        ("the world size: how many", 0),
        ("world size is how many\nworld size = 8", 0),
        ("world\nsize: 8", 0),
        ("rank: which one\nlocal: here", 0),
        ("local ranks: which ones", 0),
        ("", 0),
    ],
)
def test_a_line_that_begins_with_a_name_of_several_words_defines_it(text: str, expected: float) -> None:
    """Whatever list mark is before it, and by any of its names; a single word defines nothing, nor does a use."""
    assert defined(THINGS, text) == expected


def test_words_that_follow_each_other_are_one_name() -> None:
    """The longest that is defined counts, of Latin words; Chinese is a thing of its own."""
    things = in_words((word,) for word in ("mixed", "precision", "loss", "scale", "冻结"))
    assert defined(things, "mixed precision: half the bits\nloss scale: what gradients are multiplied by") == 4 / 5
    assert defined(things, "precision loss: what rounds off") == 2 / 5
    assert defined(things, "mixed precision loss scale: all of it") == 4 / 5
    assert defined(things, "scale 冻结: no name") == 0
    assert defined(in_words([]), "mixed precision: half") == 0
