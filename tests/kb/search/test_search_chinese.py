"""Chinese found however it is typed, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault
from tests.kb.search.pinyin_helpers import NOTES


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    """A searcher of a small vault."""
    folder = tmp_path_factory.mktemp("chinese")
    root = folder / "vault"
    root.mkdir()
    for path, text in NOTES.items():
        (root / path).write_text(text, encoding="utf-8")
    update_index(Vault.open(root), folder / "index")
    searcher = Searcher(folder / "index", root)
    yield searcher
    searcher.close()


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("hunhejingdu", "混合精度训练"),
        ("hun he jing du", "混合精度训练"),
        ("hunhej", "混合精度训练"),
        ("hhjd", "混合精度训练"),
        ("hhjdxl", "混合精度训练"),
        ("混合经度", "混合精度训练"),
        ("混合精度訓練", "混合精度训练"),
        ("banjingdu", "混合精度训练"),
        ("zdzh", "混合精度训练"),
        ("danji duoka", "單機多卡"),
        ("单机多卡", "單機多卡"),
        ("單機", "單機多卡"),
        ("chuci chushihua", "分布式训练"),
        ("冻洁", "冻结参数"),
        ("凍潔參數", "冻结参数"),
        ("度梯爆炸", "冻结参数"),
        ("women", "Women and gates"),
        ('"每张显卡"', "單機多卡"),
    ],
)
def test_the_right_section_is_first(searcher: Searcher, query: str, heading: str) -> None:
    """By sound, by initials, by what it looks like, in simplified or traditional characters."""
    assert searcher.search(query).hits[0].heading == heading


def test_what_was_heard_is_said_and_marked(searcher: Searcher) -> None:
    """The letters typed and the Chinese they were taken for."""
    hit = searcher.search("hunhejingdu").hits[0]
    assert "hunhejingdu = 混合精度" in hit.why
    assert "混合精度" in hit.matched
    assert searcher.search("hunhejingdu").did_you_mean is None


def test_traditional_text_is_marked_at_its_own_characters(searcher: Searcher) -> None:
    """In heading and excerpt, as they stand there."""
    hit = searcher.search("显卡 多卡").hits[0]
    assert hit.heading == "單機多卡"
    assert {"多卡", "顯卡"} <= set(hit.matched)
    assert all(word in hit.heading or word in hit.excerpt for word in hit.matched)


@pytest.mark.parametrize(
    ("query", "meant", "why"),
    [
        ("冻洁", "冻结", "冻洁 → 冻结"),
        ("凍潔參數", "冻结参数", "冻洁参数 → 冻结参数"),  # a name, which is shown whole
        ("显存 冻洁", "显存 冻结", "冻洁 → 冻结"),
        ("混合经度 autocst", "混合精度 autocst", "混合经度 → 混合精度"),
    ],
)
def test_what_was_corrected_is_said(searcher: Searcher, query: str, meant: str, why: str) -> None:
    """The query as it is read, and the word that was wrong."""
    result = searcher.search(query)
    assert result.did_you_mean == meant
    assert any(why in hit.why for hit in result.hits)


def test_what_is_right_is_not_corrected(searcher: Searcher) -> None:
    """Nor what nobody knows better."""
    for query in ("梯度", "女性", "鲁棒性", "women", "tensors"):
        assert searcher.search(query).did_you_mean is None


def test_a_known_word_comes_before_what_sounds_like_it(searcher: Searcher) -> None:
    """Both are found."""
    hits = searcher.search("women").hits
    assert [hit.heading for hit in hits[:2]] == ["Women and gates", "我们"]
    assert "women = 我们" in hits[1].why


def test_an_index_without_chinese_is_searched_all_the_same(tmp_path: Path) -> None:
    """Pinyin finds nothing there, a known word itself."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("# Gate\n\nthe gate of an LSTM\n", encoding="utf-8")
    update_index(Vault.open(root), tmp_path / "index")
    searcher = Searcher(tmp_path / "index", root)
    try:
        assert searcher.search("hunhejingdu").hits == ()
        assert searcher.search("混合经度").hits == ()
        assert len(searcher.search("gate").hits) == 1
    finally:
        searcher.close()
