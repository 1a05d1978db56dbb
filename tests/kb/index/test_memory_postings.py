"""The postings of a segment while it is written: exactly the terms of the texts, sorted, however they came in."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.analysis.tokens import terms
from kb.index import memory_postings as pools
from kb.index.memory_postings import MemoryPostings
from kb.index.term_dictionary import as_bytes

TEXTS = st.lists(st.text(alphabet="ab_.1A \n中文字々𠀀é，", max_size=30), max_size=6)
Found = dict[str, dict[int, int]]  # by term, how often each document has it


def found(pool: MemoryPostings, field: str) -> Found:
    """What a pool holds of a field."""
    raw, starts, ids, counts = pool.sorted_postings(field)
    assert raw == sorted(set(raw))
    result = {}
    for at, term in enumerate(raw):
        span = slice(int(starts[at]), int(starts[at + 1]))
        assert ids[span].tolist() == sorted(set(ids[span].tolist()))
        result[term.decode("utf-8", "surrogatepass")] = dict(
            zip(ids[span].tolist(), counts[span].tolist(), strict=True)
        )
    return result


def expected(texts: list[str]) -> Found:
    """What it should hold, counted plainly."""
    result: Found = {}
    for document, text in enumerate(texts):
        for term, times in Counter(terms(text)).items():
            result.setdefault(term, {})[document] = times
    return result


@given(TEXTS)
def test_a_text_gives_the_terms_that_it_has(texts: list[str]) -> None:
    """Words one by one and Chinese all at once come to the same as `terms` of each text, and so does their number."""
    pool = MemoryPostings()
    for document, text in enumerate(texts):
        assert pool.add_text("body", document, text) == len(terms(text))
    assert not texts or found(pool, "body") == expected(texts)


@given(TEXTS)
def test_a_list_of_terms_is_the_same_as_the_text(texts: list[str]) -> None:
    """A field may take its terms as a list."""
    pool = MemoryPostings()
    for document, text in enumerate(texts):
        assert pool.add_terms("body", document, terms(text)) == len(terms(text))
    assert not texts or found(pool, "body") == expected(texts)


def test_much_chinese_is_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the blocks end makes no difference."""
    monkeypatch.setattr(pools, "_BLOCK", 5)
    texts = ["冻结参数", "a", "参数冻结 freeze 参数", "字", "冻结参数，冻结"]
    pool = MemoryPostings()
    for document, text in enumerate(texts):
        pool.add_text("body", document, text)
    assert found(pool, "body") == expected(texts)


def test_more_occurrences_than_a_byte_holds_are_as_many_as_it_holds() -> None:
    """255 and 300 times the same word, or character, count alike."""
    pool = MemoryPostings()
    pool.add_text("body", 0, "word 字 " * 300)
    assert found(pool, "body") == {"word": {0: 255}, "字": {0: 255}}


def test_an_empty_pool_has_no_fields() -> None:
    """And a field without any term has postings without any."""
    pool = MemoryPostings()
    assert pool.fields() == []
    pool.add_text("body", 0, "...")
    raw, starts, ids, counts = pool.sorted_postings("body")
    assert (raw, starts.tolist(), len(ids), len(counts)) == ([], [0], 0, 0)


def test_numbers_lie_with_the_lowest_byte_first() -> None:
    """On every machine."""
    assert as_bytes(np.array([1, 256], np.uint32)) == b"\1\0\0\0\0\1\0\0"
