"""Misspelt words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.search import spelling_correction
from kb.search.scoring import Scorer
from kb.search.spelling_correction import ONE, TWO, SpellingCorrector
from tests.kb.search.pinyin_helpers import snapshot_of

NOTES = {f"{number}.md": f"# {number}\n\ntransform barrier\n" for number in range(12)} | {
    "a.md": "# meshgrid\n\ngather 梯度 h5py cross_entropy tranform layer optional\n",
}


@pytest.fixture(scope="module")
def spelling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpellingCorrector]:
    """What knows the words of a small vault, and that "later" is one."""
    with snapshot_of(tmp_path_factory.mktemp("misspelt"), NOTES) as snapshot:
        yield SpellingCorrector(Scorer(snapshot), {"later"}.__contains__)


def meant(spelling: SpellingCorrector, word: str) -> list[str]:
    """The words that one may be meant for."""
    return [right for right, _ in spelling.meant(word)]


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("meshgird", "meshgrid"),
        ("mehsgird", "meshgrid"),
        ("emshgrid", "meshgrid"),
        ("mesgrid", "meshgrid"),
        ("meshgridd", "meshgrid"),
        ("bareir", "barrier"),
        ("gahter", "gather"),
        ("cross_entorpy", "cross_entropy"),
    ],
)
def test_what_is_meant(spelling: SpellingCorrector, word: str, right: str) -> None:
    """Letters left out, doubled, wrong or in each other's place; two slips in longer words."""
    assert meant(spelling, word) == [right]


@pytest.mark.parametrize(
    "word", ["gather", "later", "xeshgrid", "gut", "ga", "barred", "梯渡", "9py", "meshes", "h5p", "x" * 50]
)
def test_what_is_not_set_right(spelling: SpellingCorrector, word: str) -> None:
    """Known words, words told to be right; another beginning, or end after two slips; short words."""
    assert meant(spelling, word) == []


def test_a_rare_word_may_be_a_slip_of_a_frequent_one(spelling: SpellingCorrector) -> None:
    """Where ten times as many sections have that one."""
    assert meant(spelling, "tranform") == ["transform"]
    assert meant(spelling, "transform") == []


def test_the_fewer_slips_and_the_more_letters_the_surer(spelling: SpellingCorrector) -> None:
    """Each word says how much what was meant is worth."""
    assert spelling.meant("meshgird") == (("meshgrid", ONE),)
    assert spelling.meant("mehsgird") == (("meshgrid", TWO),)
    assert spelling.meant("layex") == (("layer", 0.7 * ONE),)


def test_what_was_looked_up_is_kept_but_not_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same answers, and only so many of them at hand."""
    monkeypatch.setattr(spelling_correction, "_KEPT", 2)
    with snapshot_of(tmp_path, NOTES) as snapshot:
        spelling = SpellingCorrector(Scorer(snapshot), {"later"}.__contains__)
        for word in ("meshgird", "bareir", "gahter", "nothing", "meshgird"):
            spelling.meant(word)
        assert meant(spelling, "meshgird") == ["meshgrid"]
        assert len(spelling._found) == 2
