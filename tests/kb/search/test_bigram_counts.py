"""Which Chinese characters stand side by side."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.search.bigram_counts import BigramCounts
from tests.kb.search.pinyin_helpers import NOTES, snapshot_of

TEXT = st.text(alphabet="混合精度训练a \U00020000", max_size=12)


def test_neighbours_are_counted(tmp_path: Path) -> None:
    """By the headings and texts that have them, in simplified characters, in either direction."""
    with snapshot_of(tmp_path, NOTES) as snapshot:
        pairs = BigramCounts(snapshot)
        assert pairs.often("混合") == 2
        assert pairs.often("合混") == 0
        assert pairs.after("精")["度"] == 2
        assert pairs.before("度")["梯"] == 2
        assert pairs.often("单机") == 1
        assert pairs.least("混合精度") == 2
        assert pairs.least("混合金度") == 0
        assert pairs.least("混") == 0
        assert {"混", "单"} <= pairs.characters
        assert not {"a", "單", "，"} & pairs.characters


def test_an_empty_index_has_no_pairs(tmp_path: Path) -> None:
    """Nothing is known of anything."""
    with snapshot_of(tmp_path, {}) as snapshot:
        pairs = BigramCounts(snapshot)
        assert pairs.often("混合") == 0
        assert pairs.characters == frozenset()
        assert pairs.after("\U00020000") == pairs.before("\U00020000") == {}


@settings(max_examples=20)
@given(st.lists(TEXT, min_size=1, max_size=4))
def test_the_count_is_that_of_the_texts(tmp_path_factory: object, texts: list[str]) -> None:
    """Whatever stands in the notes; a character beyond the first plane has no pairs, and spoils none."""
    folder = tmp_path_factory.mktemp("pairs")  # type: ignore[attr-defined]
    notes = {f"{number}.md": f"# x\n\ny {text}\n" for number, text in enumerate(texts)}
    expected = Counter(
        pair
        for text in texts
        for pair in {
            one + other for one, other in pairwise(text) if max(one, other) < "\U00010000" and min(one, other) > "z"
        }
    )
    with snapshot_of(folder, notes) as snapshot:
        pairs = BigramCounts(snapshot)
        assert all(pairs.often(pair) == number for pair, number in expected.items())
        assert sum(sum(pairs.after(one).values()) for one in "混合精度训练") == expected.total()
