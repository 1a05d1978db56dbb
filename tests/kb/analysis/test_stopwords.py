"""Words that say little."""

from __future__ import annotations

from kb.analysis.stopwords import is_stopword


def test_words_that_join_others_are_empty() -> None:
    """In both languages; a pair with a particle in it, too."""
    assert all(map(is_stopword, ["the", "of", "with", "一个", "怎么", "积的", "了吗"]))


def test_words_that_name_something_are_not() -> None:
    """Nor single characters, nor longer stretches."""
    assert not any(map(is_stopword, ["gpu", "gradient", "冻结", "的", "卷积的", ""]))
