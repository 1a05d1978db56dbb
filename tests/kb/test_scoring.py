"""Ranking on a real index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from kb import scoring, segments, snapshot
from kb.index import update_index
from kb.scoring import Scorer, Unit
from kb.snapshot import Snapshot
from kb.vault import Vault

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]
Open = Callable[[Mapping[str, str | bytes]], Scorer]


@pytest.fixture
def score(make_vault: MakeVault, tmp_path: Path) -> Iterator[Open]:
    """Return a function that indexes notes and opens a scorer on them."""
    opened: list[Snapshot] = []

    def make(files: Mapping[str, str | bytes]) -> Scorer:
        update_index(make_vault(files), tmp_path / "index")
        opened.append(Snapshot(segments.open_leaves(tmp_path / "index")))
        return Scorer(opened[-1])

    yield make
    for one in opened:
        one.close()


def ranked(scorer: Scorer, *units: Unit) -> list[str]:
    """The headings of the sections with a score, best first."""
    scores = scorer.scores(units)
    best = sorted(range(len(scores)), key=lambda at: -scores[at])
    return [scorer.snapshot.stored(at).heading for at in best if scores[at] > 0]


def unit(*terms: str) -> Unit:
    """A unit of terms that weigh the same."""
    return Unit(tuple((term, 1.0) for term in terms))


def test_a_heading_says_more_than_the_text(score: Open) -> None:
    """A section about a thing goes before one that mentions it."""
    scorer = score({"a.md": "# other\n\ngather gather gather\n", "b.md": "# gather\n\nother\n"})
    assert ranked(scorer, unit("gather")) == ["gather", "other"]


def test_all_words_go_before_many_of_one(score: Open) -> None:
    """A section with every word of the query goes before one with one of them, often."""
    scorer = score({"a.md": "# x\n\n" + "freeze " * 30, "b.md": "# y\n\nfreeze the norm and " + "more " * 30})
    assert ranked(scorer, unit("freeze"), unit("norm")) == ["y", "x"]


def test_terms_of_one_unit_add_up(score: Open) -> None:
    """Forms of a word are one thing, found in any of them."""
    scorer = score({"a.md": "# x\n\nmetric metrics\n", "b.md": "# y\n\nmetric and text\n", "c.md": "# z\n\nnone\n"})
    assert ranked(scorer, unit("metric", "metrics")) == ["x", "y"]


def test_nothing_asked_or_nothing_known_scores_nothing(score: Open) -> None:
    """No unit, no score; an empty vault, no error."""
    scorer = score({"a.md": "# x\n\ntext\n"})
    assert ranked(scorer) == []
    assert ranked(scorer, unit("unknown"), unit("unknown", "neither")) == []
    assert len(Scorer(Snapshot([])).scores([unit("x")])) == 0


def test_what_was_deleted_has_no_score(score: Open) -> None:
    """A section whose note changed is out of the ranking before its segment is rewritten."""
    files = {f"n{number}.md": f"# gather {number}\n" for number in range(5)}
    score(files)
    scorer = score({"n3.md": "# changed\n"})
    assert not scorer.snapshot.whole
    assert sorted(ranked(scorer, unit("gather"))) == ["gather 0", "gather 1", "gather 2", "gather 4"]


def test_memory_is_bounded(score: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many terms and sections are kept at hand; what is let go is read again."""
    monkeypatch.setattr(scoring, "_CACHED", 2 * (scoring._EACH + 1))  # each is in one section
    monkeypatch.setattr(snapshot, "_KEPT", 2)
    scorer = score({"a.md": "# a\n\n# b\n\n# c\n\n# d\n"})
    for _ in range(2):
        assert [ranked(scorer, unit(term))[0] for term in "abcd"] == ["a", "b", "c", "d"]
    assert len(scorer._known) == 2
    assert len(scorer.snapshot._stored) == 2
