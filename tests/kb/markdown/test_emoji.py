"""Short names become the signs that people mean by them."""

from __future__ import annotations

import re

import pytest

from kb.markdown.emoji import SHORT_NAME, emoji_of


@pytest.mark.parametrize(
    ("name", "sign"),
    [("fire", "🔥"), ("+1", "👍"), ("rocket", "🚀"), ("white_check_mark", "✅"), ("no_such_thing", None), ("a", None)],
)
def test_names(name: str, sign: str | None) -> None:
    """Those of Unicode, those that chats made up, and no others."""
    assert emoji_of(name) == sign


def test_no_letter_is_an_emoji() -> None:
    """Unicode has names for letters and rules too."""
    assert emoji_of("latin_small_letter_a") is None
    assert emoji_of("black_square") is None


@pytest.mark.parametrize("text", ["a:fire:", "::fire::", ":fire:b", "x[:fire:]", "10:30:45", ":class:`Tensor`"])
def test_what_is_no_short_name(text: str) -> None:
    """Slices, scopes, times and roles stay as they are."""
    assert re.search(SHORT_NAME, text) is None
