"""The forms of English words."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.analysis.stemming import beginning, forms, stem


@pytest.mark.parametrize(
    "words",
    [
        "freeze freezes freezing",
        "clip clips clipped clipping",
        "gradient gradients",
        "copy copies copying",
        "class classes",
        "loss losses",
        "batch batches batched batching",
        "index indexes indexing indexed",
        "accumulate accumulates accumulated accumulating",
    ],
)
def test_the_forms_of_a_word_share_their_stem(words: str) -> None:
    """However a word stands in a sentence, it is the same word, and each form is among those of the others."""
    every = words.split()
    assert len({stem(word) for word in every}) == 1
    for word in every:
        assert set(every) - {word} <= set(forms(word))


@pytest.mark.parametrize(
    "word", ["gpu", "bus", "status", "string", "red", "loss", "need", "data", "h5py", "度量", "no_grad"]
)
def test_what_only_looks_like_a_form_is_none(word: str) -> None:
    """Short words, names, Chinese, and endings that belong to the word are left alone."""
    assert stem(word) == word


@pytest.mark.parametrize("word", ["gpu", "h5py", "度量", "no_grad", ""])
def test_names_have_no_forms(word: str) -> None:
    """Only words of letters have."""
    assert forms(word) == ()


@given(st.text(string.ascii_lowercase, max_size=15))
def test_forms_are_of_the_same_word(word: str) -> None:
    """Whatever the letters: each form has the stem of the word, and none is the word itself."""
    assert all(stem(form) == stem(word) and form != word for form in forms(word))
    assert all(form.startswith(beginning(word)) for form in (word, *forms(word)))
    assert len(forms(word)) < 10
