"""Traditional characters as simplified ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.variants import simplified


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("混合精度訓練", "混合精度训练"),
        ("記憶體不足", "记忆体不足"),
        ("後處理", "后处理"),
        ("徵兆", "征兆"),
        ("训练", "训练"),
    ],
)
def test_traditional_characters_are_simplified(text: str, expected: str) -> None:
    """Each by itself; simplified ones stay."""
    assert simplified(text) == expected


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x2FFFF, exclude_categories=["Cs"])))
def test_every_character_keeps_its_place(text: str) -> None:
    """Places found in a simplified text hold in the text itself, and simplifying twice changes nothing more."""
    once = simplified(text)
    assert len(once) == len(text)
    assert simplified(once) == once
    assert all(new == simplified(old) for old, new in zip(text, once, strict=True))
