"""Text to terms, for notes and queries alike."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb.analysis.char_folding import simplified
from kb.analysis.tokens import LONGEST, fold, lowered, normalized, terms, words, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "torch.nn.DataParallel",
            {"torch.nn.dataparallel", "nn.dataparallel", "torch", "nn", "dataparallel", "data", "parallel"},
        ),
        ("m.load_state_dict", {"m.load_state_dict", "m", "load_state_dict", "state_dict", "load", "state", "dict"}),
        ("_private_name_", {"_private_name_", "private_name", "private", "name", "name_"}),
        ("CUDA_LAUNCH_BLOCKING=1", {"cuda_launch_blocking", "launch_blocking", "cuda", "launch", "blocking", "1"}),
        ("scatter_(dim)", {"scatter_", "scatter", "dim"}),
        ("findAlgorithm", {"findalgorithm", "find", "algorithm"}),
        ("HTTPServer", {"httpserver", "http", "server"}),
        ("ResNet50", {"resnet50", "res", "net", "50"}),
        ("bf16 x", {"bf16", "bf", "16", "x"}),
        ("Gather!", {"gather"}),
        ("__init__", {"__init__", "init"}),
        ("naïve", {"naïve"}),
        ("混合精度", {"混", "合", "精", "度", "混合", "合精", "精度"}),
        ("用GPU训练", {"用", "gpu", "训", "练", "训练"}),
        ("ＧＰＵ　显存", {"gpu", "显", "存", "显存"}),
        ("訓練", {"训", "练", "训练"}),
        ("カタカナ", {"カ", "タ", "ナ", "カタ", "タカ", "カナ"}),
        ("... -- !", set()),
    ],
)
def test_what_a_text_is_found_by(text: str, expected: set[str]) -> None:
    """Words in lower case, identifiers whole and in parts, Chinese by characters and pairs, widths folded."""
    assert set(terms(text)) == expected


def test_repeated_words_are_counted() -> None:
    """A term comes as often as it stands in the text."""
    assert terms("gather and gather").count("gather") == 2
    assert terms("训练训练").count("训练") == 2


def test_words_say_where_they_stand() -> None:
    """A word knows its place, so that it can be replaced."""
    text = "see torch.gather 分布式"
    assert [(text[word.start : word.end], word.term, word.han) for word in words(text)] == [
        ("see", "see", False),
        ("torch.gather", "torch.gather", False),
        ("分布式", "分布式", True),
    ]
    assert [word.parts for word in words(text)] == [(), ("torch", "gather"), ("分布", "布式")]


def test_one_chinese_character_is_its_own_part() -> None:
    """A query of one character finds what has it."""
    (word,) = words("冻")
    assert word.parts == ("冻",)


def test_endless_words_are_cut() -> None:
    """A wall of letters gives terms of bounded length."""
    assert all(len(term) <= LONGEST for term in terms("x" * 100_000 + "_" + "Yz" * 5000))


@given(st.text())
def test_any_text_has_terms_that_can_be_stored(text: str) -> None:
    """No term is empty or holds the mark that parts terms on disk."""
    assert all(term and "\0" not in term for term in terms(text))


@given(st.text())
def test_words_and_terms_agree(text: str) -> None:
    """Every part of every word of a text is among the text's terms."""
    known = set(terms(text))
    for word in words(text):
        assert set(word.parts) <= known
        assert fold(text)[word.start : word.end]


@given(st.text())
def test_lower_case_keeps_every_place(text: str) -> None:
    """Characters that become two in lower case stay as they are."""
    assert len(lowered(text)) == len(text)


@given(st.text())
def test_a_levelled_text_keeps_every_place(text: str) -> None:
    """Lower case, half-width, simplified: a place in it is one in the text."""
    assert len(normalized(text)) == len(text)


@given(st.text(min_size=1))
@example("ΟΔΟΣ Σ")
@example("İstanbul ＡＢ 訓練 \U000f0000 \U00010400")
def test_a_long_text_is_levelled_as_a_short_one(text: str) -> None:
    """The table for long texts says what the steps for short ones say."""
    long = (text + "\n") * 101
    assert normalized(long) == simplified(lowered(long))


def test_what_is_written_otherwise_is_found_in_a_levelled_text() -> None:
    """A query and a note need not be written in one way."""
    assert normalized("ＧＰＵ　訓練ﬁ") == "gpu 训练ﬁ"


@pytest.mark.parametrize(
    ("found", "texts", "expected"),
    [
        (("训练", "gpu"), ("GPU 训练",), ("训练", "gpu")),
        (("训练", "gpu"), ("ＧＰＵ 訓練",), ("訓練", "ｇｐｕ")),
        (("训练",), ("訓練", "训练訓练訓練"), ("訓練", "训练", "訓练")),
        (("训练", "none"), ("訓練",), ("訓練",)),
    ],
)
def test_words_are_marked_as_they_are_written(
    found: tuple[str, ...], texts: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    """Each in every way in which it stands there, in lower case."""
    assert set(written(found, *((text, normalized(text)) for text in texts))) == set(expected)


@given(st.text(alphabet="訓練训练ＧG g", max_size=8), st.text(alphabet="訓練训练ＧG g", max_size=20))
def test_whatever_is_found_is_marked(word: str, text: str) -> None:
    """A word that stands in a levelled text stands in the text in one of the ways given."""
    level = normalized(word)
    if level and level in normalized(text):
        assert any(one in lowered(text) for one in written([level], (text, normalized(text))))
