"""From pinyin to the Chinese of an index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.analysis.pinyin import SYLLABLES
from kb.search.pinyin_search import PinyinSearch
from tests.kb.search.pinyin_helpers import NOTES, snapshot_of, voices_of


@pytest.fixture(scope="module")
def hearing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinyinSearch]:
    """What listens with the words of a small vault."""
    with snapshot_of(tmp_path_factory.mktemp("hearing"), NOTES) as snapshot:
        pairs, voices = voices_of(snapshot)
        yield PinyinSearch(snapshot, pairs, voices, pairs.often)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("hunhejingdu", "混合精度"),
        ("jingduxunlian", "精度训练"),
        ("hhjd", "混合精度"),
        ("djdk", "单机多卡"),
        ("zhxl", None),
        ("fbsh", "分布式"),
        ("dongjie", "冻结"),
        ("canshu", "参数"),
        ("zidongzhuanhuan", "自动转换"),
        ("banjingdu", "半精度"),
        ("hunhej", None),
        ("xianc", None),
        ("gp", None),
    ],
)
def test_what_headings_say_is_heard(hearing: PinyinSearch, typed: str, expected: str | None) -> None:
    """Headings, tags and other names, from any character on, by pinyin or initials; a syllable not begun only."""
    said = hearing.headed(typed, typing=False)
    assert (said.ways[0][0] if said else None) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("hunhej", "混合精"), ("hunh", "混合"), ("hunhe", "混合"), ("xiancunzh", "显存占"), ("hunhex", None)],
)
def test_a_syllable_may_be_begun_while_typing(hearing: PinyinSearch, typed: str, expected: str | None) -> None:
    """Then it is heard as far as it goes."""
    said = hearing.headed(typed, typing=True)
    assert (said.ways[0][0] if said else None) == expected


@pytest.mark.parametrize(
    ("typed", "typing", "expected"),
    [
        ("xiayi", False, "下溢"),
        ("piliang", False, "批量"),
        ("pilian", True, None),
        ("tidubaozha", False, "梯度爆炸"),
        ("piliangb", True, "批量"),
        ("celue", False, "策略"),
        ("celve", False, "策略"),
        ("nvxing", False, "女性"),
        ("nuxing", False, "女性"),
        ("xiancunpiliang", False, "显存批量"),
        ("tensor", True, None),
        ("gate", False, None),
        ("pi", False, None),
        ("liang", False, None),
        ("a" * 48, False, None),
    ],
)
def test_what_texts_say_is_put_together(hearing: PinyinSearch, typed: str, typing: bool, expected: str | None) -> None:  # noqa: FBT001
    """Neighbours all along, or two words; v and u are both ü."""
    said = hearing.anywhere(typed, typing=typing)
    assert (said.ways[0][0] if said else None) == expected


def test_how_often_it_may_be_is_told(hearing: PinyinSearch) -> None:
    """By the rarest pair."""
    said = hearing.headed("xunlian", typing=False)
    assert said is not None
    assert said.ways[0] == ("训练", said.often)
    assert said.often >= 4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(SYLLABLES)), min_size=1, max_size=12), st.booleans())
def test_anything_may_be_listened_to(hearing: PinyinSearch, syllables: list[str], typing: bool) -> None:  # noqa: FBT001
    """There is Chinese of the notes in every answer, the likeliest first."""
    for listen in (hearing.headed, hearing.anywhere):
        said = listen("".join(syllables), typing=typing)
        assert said is None or (said.ways and all(way and number > 0 for way, number in said.ways))


def test_only_so_many_answers_are_kept(hearing: PinyinSearch, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest goes."""
    monkeypatch.setattr("kb.search.pinyin_search._KEPT", 1)
    first = hearing.anywhere("caijian", typing=False)
    assert first is not None
    assert hearing.anywhere("jincheng", typing=False) is not None
    assert hearing.anywhere("caijian", typing=False) == first
