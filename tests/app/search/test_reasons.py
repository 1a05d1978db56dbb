"""Why a section was found, as it is told."""

from __future__ import annotations

import pytest

from app.search.reasons import reasons, worded
from app.words import Words


def test_why_is_said_only_where_it_is_not_plain() -> None:
    """What was typed and stands in the heading explains itself."""
    words = Words("zh")
    assert worded("heading: bounds", "Bounds of", words) == ""
    assert worded("text: 冻结", "freeze", words) == "正文：冻结"
    assert worded("above: tensors", "gather", words) == "上级标题：tensors"
    assert worded("above: tensors", "gather", Words("en")) == "headings above: tensors"
    assert worded("something new", "gather", words) == "something new"


def test_corrections_translations_and_pinyin_are_told_apart() -> None:
    """In both languages."""
    assert worded("scater → scatter", "scater", Words("zh")) == "已改正：scater → scatter"
    assert worded("冻洁 → 冻结", "冻洁", Words("en")) == "corrected: 冻洁 → 冻结"
    assert worded("显存 = GPU memory", "显存", Words("en")) == "via 显存 = GPU memory"
    assert worded("hunhejingdu = 混合精度", "hunhejingdu", Words("en")) == "by pinyin: hunhejingdu = 混合精度"
    assert worded("hhjd = 混合精度", "hhjd", Words("zh")) == "按拼音：hhjd = 混合精度"
    assert worded("hunhe jingdu = 混合精度", "x", Words("en")).startswith("by pinyin")


@pytest.mark.parametrize(
    "pair", ["loss = 损失", "tensor = 张量", "mean = 均值", "gradient clipping = 梯度裁剪", "显存 = GPU memory"]
)
def test_a_translation_is_no_pinyin(pair: str) -> None:
    """Though it is Latin letters beside Chinese."""
    assert worded(pair, pair.split(" = ", maxsplit=1)[0], Words("en")) == f"via {pair}"


def test_what_was_corrected_is_not_told_again_for_its_place() -> None:
    """One reason where one is enough."""
    assert reasons(("heading: scatter", "scater → scatter"), "scater", Words("en")) == "corrected: scater → scatter"
    assert reasons(("text: a b c d e f g h",), "x", Words("en")) == "text: a b c d e f"
    assert reasons(("text: 显存", "above: cuda"), "gpu", Words("en")) == "text: 显存 · headings above: cuda"
