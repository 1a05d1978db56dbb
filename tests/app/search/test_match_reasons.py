"""Why a section was found, as it is told."""

from __future__ import annotations

import pytest

from app.i18n import Translator
from app.search.match_reasons import reasons, worded


def test_why_is_said_only_where_it_is_not_plain() -> None:
    """What was typed and stands in the heading explains itself."""
    words = Translator("zh")
    assert worded("heading: bounds", "Bounds of", words) == ""
    assert worded("text: 冻结", "freeze", words) == "正文：冻结"
    assert worded("above: tensors", "gather", words) == "上级标题：tensors"
    assert worded("above: tensors", "gather", Translator("en")) == "headings above: tensors"
    assert worded("something new", "gather", words) == "something new"


def test_corrections_translations_and_pinyin_are_told_apart() -> None:
    """In both languages."""
    assert worded("scater → scatter", "scater", Translator("zh")) == "已改正：scater → scatter"
    assert worded("冻洁 → 冻结", "冻洁", Translator("en")) == "corrected: 冻洁 → 冻结"
    assert worded("显存 = GPU memory", "显存", Translator("en")) == "via 显存 = GPU memory"
    assert worded("hunhejingdu = 混合精度", "hunhejingdu", Translator("en")) == "by pinyin: hunhejingdu = 混合精度"
    assert worded("hhjd = 混合精度", "hhjd", Translator("zh")) == "按拼音：hhjd = 混合精度"
    assert worded("hunhe jingdu = 混合精度", "x", Translator("en")).startswith("by pinyin")


@pytest.mark.parametrize(
    "pair", ["loss = 损失", "tensor = 张量", "mean = 均值", "gradient clipping = 梯度裁剪", "显存 = GPU memory"]
)
def test_a_translation_is_no_pinyin(pair: str) -> None:
    """Though it is Latin letters beside Chinese."""
    assert worded(pair, pair.split(" = ", maxsplit=1)[0], Translator("en")) == f"via {pair}"


def test_what_was_corrected_is_not_told_again_for_its_place() -> None:
    """One reason where one is enough."""
    assert (
        reasons(("heading: scatter", "scater → scatter"), "scater", Translator("en")) == "corrected: scater → scatter"
    )
    assert reasons(("text: a b c d e f g h",), "x", Translator("en")) == "text: a b c d e f"
    assert reasons(("text: 显存", "above: cuda"), "gpu", Translator("en")) == "text: 显存 · headings above: cuda"
