"""Characters that look alike."""

from __future__ import annotations

from kb.analysis.char_folding import simplified
from kb.analysis.confusables import TABLE, lookalikes


def test_a_character_has_those_of_its_groups() -> None:
    """Of all its groups, without itself."""
    assert {"已", "巳"} <= lookalikes("己")
    assert "未" in lookalikes("末")
    assert "己" not in lookalikes("己")
    assert lookalikes("龘") == frozenset()


def test_likeness_goes_both_ways() -> None:
    """Whoever may be taken for another may have been meant by it."""
    every = {
        character for line in TABLE.read_text(encoding="utf-8").splitlines() if line[0] != "#" for character in line
    }
    assert all(one in lookalikes(other) for one in every for other in lookalikes(one))


def test_the_table_is_tidy() -> None:
    """Groups of two and more simplified characters, none twice, and no group within another."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    groups = [frozenset(line) for line in lines]
    for line, group in zip(lines, groups, strict=True):
        assert len(line) == len(group) >= 2, line
        assert simplified(line) == line, line
        assert sum(group <= other for other in groups) == 1, line
