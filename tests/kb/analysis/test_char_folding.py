"""Traditional characters as simplified ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opencc import OpenCC

from kb.analysis.char_folding import simplified


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


def test_all_characters_are_those_of_the_library() -> None:
    """They are asked for in one go; one by one they come out the same."""
    converter = OpenCC("t2s")
    characters = [chr(code) for code in (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000), *range(0xF900, 0xFB00))]
    alone = [form if len(form := converter.convert(one)) == 1 else one for one in characters]
    assert [simplified(one) for one in characters] == alone


def test_full_width_forms_are_made_plain() -> None:
    """Letters, signs and the wide space, each at its place; what is plain stays."""
    assert simplified("ｇｐｕ　顯存，ok！") == "gpu 显存,ok!"
