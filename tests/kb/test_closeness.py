"""Words that stand together."""

from __future__ import annotations

import pytest

from kb.closeness import HEADED, PAIRS, closeness


@pytest.mark.parametrize(
    ("words", "heading", "text", "expected"),
    [
        (["freeze", "bn"], "how to freeze bn", "", HEADED),
        (["freeze", "bn"], "", "we freeze (bn) here", 1),
        (["freeze", "bn"], "", "bn, then freeze", 0),
        (["freeze", "the", "bn"], "", "freeze the others, not the bn", PAIRS),
        (["freeze", "bn"], "", "freeze freeze: bn", 1),
        (["gather"], "", "torch.gather", 1),
        (["gather"], "", "scatter", 0),
        ([], "x", "x", 0),
    ],
)
def test_how_close(words: list[str], heading: str, text: str, expected: float) -> None:
    """All of it in the heading is best, then all in the text, then neighbours."""
    assert closeness(words, heading, text) == expected
