"""Wrong characters in Chinese."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.search.chinese_correction import ChineseCorrector, PairVocabulary
from kb.search.scoring import Scorer
from tests.kb.search.pinyin_helpers import snapshot_of, voices_of

NOTES = {
    "a.md": "# 冻结参数\n\n冻结的参数没有梯度。\n\n## 混合精度训练\n\n混合精度训练时损失要放大。经度与纬度。\n",
    "b.md": "# 梯度爆炸\n\n梯度爆炸时裁剪。\n\n## 梯度累加\n\n显存不够就累加。\n\n# 分布式训练\n\n先初始化进程组。\n",
    "c.md": "# 末尾\n\n取末尾的值。\n\n# 单机多卡\n\n单击按钮。单击两次。单击。\n\n# 神经网络\n\n卷积神经网络。\n",
} | {f"d{number}.md": f"# 第{number}\n\n单击一下，再单击。梯度下降。\n" for number in range(12)}


@pytest.fixture(scope="module")
def mender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChineseCorrector]:
    """What mends with the words of a small vault, to which 余弦退火 is a name that no note has."""
    with snapshot_of(tmp_path_factory.mktemp("slips"), NOTES) as snapshot:
        scorer = Scorer(snapshot)
        names = {"余弦退火", "退火", "混合精度"}
        known = PairVocabulary(lambda term: scorer.term(term).documents, names.__contains__)
        yield ChineseCorrector(*voices_of(snapshot), known)


@pytest.mark.parametrize(
    ("typed", "text", "slips"),
    [
        ("冻洁", "冻结", {"冻洁": "冻结"}),  # sounds and looks alike
        ("冻洁参数", "冻结参数", {"冻洁": "冻结"}),
        ("动结", "冻结", {"动结": "冻结"}),
        ("混合经度", "混合精度", {"混合经度": "混合精度"}),  # the wrong pair is known, too; the name is shown whole
        ("混和精度训练", "混合精度训练", {"混和精度": "混合精度"}),
        ("未尾", "末尾", {"未尾": "末尾"}),  # looks alike
        ("度梯", "梯度", {"度梯": "梯度"}),  # changed places
        ("结冻参数", "冻结参数", {"结冻": "冻结"}),
        ("神金网络", "神经网络", {"神金": "神经"}),  # sounds nearly alike
        ("分步式训炼", "分布式训练", {"分步": "分布", "训炼": "训练"}),  # two slips
        ("网洛", "网络", {"网洛": "网络"}),
        ("初始化近程组以后再训练", "初始化进程组以后再训练", {"化近": "化进"}),
        ("单击多卡", "单机多卡", {"单击": "单机"}),  # known well, but in no section with 多卡
    ],
)
def test_what_was_meant_is_known(mender: ChineseCorrector, typed: str, text: str, slips: dict[str, str]) -> None:
    """By the pairs that a stretch has then, best all in one section; the word that was wrong is shown."""
    mended = mender.mend(typed)
    assert mended is not None
    assert mended.text == text
    assert dict(mended.slips) == slips


@pytest.mark.parametrize(
    "typed",
    [
        "冻结参数",
        "经度",  # rarer than what sounds like it, but a word
        "单击",
        "梯度显存",  # two words that no section has side by side
        "参数裁剪梯度",
        "鲁棒性",  # not known at all, and nothing like it
        "余弦退火",  # a name that no note has
        "梯度爆炸的时候要先裁剪吗",  # a sentence
        "冻",
        "",
        "混" * 25,
    ],
)
def test_what_may_be_right_is_left_alone(mender: ChineseCorrector, typed: str) -> None:
    """Nothing is corrected away."""
    assert mender.mend(typed) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="冻结洁参数梯度末未尾训练炼混合精经aカ", max_size=26))
def test_any_text_may_be_mended(mender: ChineseCorrector, text: str) -> None:
    """What comes of it is as long, has other characters only where it says so, and is at rest."""
    mended = mender.mend(text)
    if mended is not None:
        assert len(mended.text) == len(text)
        assert mended.text != text
        assert 1 <= len(mended.slips) <= 3
        assert all(len(wrong) == len(right) and wrong != right for wrong, right in mended.slips)


def test_only_so_many_answers_are_kept(mender: ChineseCorrector, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest goes."""
    monkeypatch.setattr("kb.search.chinese_correction._KEPT", 1)
    first = mender.mend("梯渡")
    assert first is not None
    assert mender.mend("显村") is not None
    assert mender.mend("梯渡") == first
