"""Text to terms, for notes and queries alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.tokens import LONGEST, fold, lowered, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.nn.DataParallel", {"torch.nn.dataparallel", "torch", "nn", "dataparallel", "data", "parallel"}),
        ("CUDA_LAUNCH_BLOCKING=1", {"cuda_launch_blocking", "cuda", "launch", "blocking", "1"}),
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
