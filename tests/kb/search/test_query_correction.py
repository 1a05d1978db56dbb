"""What is meant by words that are not spelled as the notes are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kb.index.snapshot import Snapshot
from kb.search import chinese_correction
from kb.search.query import read
from kb.search.query_correction import CorrectedQuery, QueryCorrector, Vocabulary
from kb.search.scoring import Scorer
from tests.kb.search.pinyin_helpers import NOTES, snapshot_of


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """The index of a small vault."""
    with snapshot_of(tmp_path_factory.mktemp("meaning"), NOTES) as snapshot:
        yield snapshot


@pytest.fixture
def meaning(snapshot: Snapshot) -> QueryCorrector:
    """What understands by it; "piliang" is a slip of a word that many sections have."""
    scorer = Scorer(snapshot)
    chinese = chinese_correction.PairVocabulary(lambda pair: scorer.term(pair).documents, lambda _: False)
    longer = {"trai": 9, "xunl": 1}
    return QueryCorrector(
        snapshot,
        Vocabulary(scorer.frequency, lambda word: longer.get(word, 0), lambda word: 99 * (word == "piliang"), chinese),
    )


def of(meaning: QueryCorrector, text: str, *, spoken: bool = True) -> CorrectedQuery:
    """What is meant by a query."""
    query = read(text)
    return meaning.of(query.words, typing=query.typing, spoken=spoken)


def said(understood: CorrectedQuery) -> list[str]:
    """The words that are meant."""
    return [one.word.term for one in understood.words]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hunhejingdu", ["混合精度"]),
        ("hun he jing du", ["混合精度"]),
        ("HunHe jingdu ", ["混合精度"]),
        ("hhjd", ["混合精度"]),
        ("hunhej", ["混合精"]),
        ("hunhej ", ["hunhej"]),
        ("danji duoka", ["单机多卡"]),
        ("tidu baozha", ["梯度爆炸"]),  # in no heading together, but neighbours
        ("fenbushi xunlian model", ["分布式训练", "model"]),
        ("cuda tidu", ["cuda", "梯度"]),
        ("xia yi", ["下溢"]),
        ("xiancun piliang", ["显存", "piliang"]),  # a slip of an English word rather
        ("canshu xiancun", ["参数", "显存"]),  # no neighbours
        ("canshutidu", ["参数", "梯度"]),
        ("torch.nn hunhe", ["torch.nn", "混合"]),
        ("tensors", ["tensors"]),
        ("lanuch", ["lanuch"]),
        ("naïve", ["naïve"]),
    ],
)
def test_pinyin_is_heard(meaning: QueryCorrector, text: str, words: list[str]) -> None:
    """Whole or begun, in one word or several, by initials; what is none stays as it is."""
    assert said(of(meaning, text)) == words


def test_what_was_heard_is_told(meaning: QueryCorrector) -> None:
    """By what was typed; each pair is searched with less weight than what is typed as it stands in the notes."""
    understood = of(meaning, "hun he jing du")
    assert understood.heard == {"hun he jing du": ("混合精度",)}
    assert set(understood.beside) == {"混合", "合精", "精度"}
    assert all(weight < 1 for terms in understood.beside.values() for _, weight in terms)


def test_a_known_word_is_not_drowned_by_what_sounds_like_it(meaning: QueryCorrector) -> None:
    """It stays the word that it is, and the Chinese is another name of it."""
    understood = of(meaning, "women")
    assert said(understood) == ["women"]
    assert understood.otherwise == {"women": ("我们",)}
    assert of(meaning, "gate").otherwise == {}


def test_known_words_in_a_row_are_taken_apart_only_where_what_they_sound_like_is_everywhere(
    meaning: QueryCorrector,
) -> None:
    """Two English words are not one of pinyin."""
    assert said(of(meaning, "a women")) == ["a", "women"]


def test_a_word_that_may_yet_become_a_known_one_is_not_pinyin(meaning: QueryCorrector) -> None:
    """While it is typed, what it may become counts."""
    assert of(meaning, "trai").heard == {}
    assert of(meaning, "xunl").otherwise == {"xunl": ("训练",)}


def test_a_known_word_among_pinyin_counts_in_full(meaning: QueryCorrector) -> None:
    """A section that has what was typed is found by it, too, where the whole is heard."""
    understood = of(meaning, "wo men")
    assert said(understood) == ["我们"]
    assert dict(understood.beside["我们"])["wo"] == 1.0
    assert said(of(meaning, "xun a lian"))[1] == "a"


def test_wrong_characters_are_set_right(meaning: QueryCorrector) -> None:
    """The wrong pair counts beside the right one where the notes have it; the weight of the words stays."""
    understood = of(meaning, "冻洁参数")
    assert said(understood) == ["冻结参数"]
    assert understood.corrected == {"冻洁": "冻结"}
    assert understood.beside["冻结"] == (("冻结", 1.0),)
    assert said(of(meaning, "混合精度")) == ["混合精度"]


def test_no_pinyin_is_looked_for_in_an_error_message(meaning: QueryCorrector) -> None:
    """Its words are English or names."""
    assert said(of(meaning, "tidu", spoken=False)) == ["tidu"]
    assert said(of(meaning, "冻洁", spoken=False)) == ["冻结"]
