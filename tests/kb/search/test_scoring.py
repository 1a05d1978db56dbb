"""Ranking on a real index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from kb.index import segments, snapshot
from kb.index.index_update import update_index
from kb.index.snapshot import Snapshot
from kb.search import scoring
from kb.search.scoring import Alternative, Concept, Scorer, Unit
from kb.vault.vault import Vault

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


def ranked(scorer: Scorer, *units: Unit | Concept) -> list[str]:
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


def test_a_list_stands_behind_what_it_lists(score: Open) -> None:
    """A note that says `search: aside` is found, after those that tell of the thing themselves."""
    listing = "---\nsearch: {}\n---\n# list\n\ngather\n"
    told = {"b.md": "# b\n\nto gather takes " + "more " * 30}
    assert ranked(score({"a.md": listing.format("first"), **told}), unit("gather")) == ["list", "b"]
    assert ranked(score({"a.md": listing.format("aside"), **told}), unit("gather")) == ["b", "list"]


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


def concept(typed: str, *others: tuple[str, ...], weight: float = 0.7) -> Concept:
    """Something typed, and its other names, of each all terms that are needed."""
    named = (Alternative(typed, " ".join(name), tuple(unit(term) for term in name), weight) for name in others)
    return Concept((unit(typed),), tuple(named))


def test_a_thing_counts_once_whatever_it_is_called(score: Open) -> None:
    """A section with several names of it says no more than one with the name that was typed."""
    scorer = score({"a.md": "# x\n\nvram text\n", "b.md": "# y\n\ncard memory\n", "c.md": "# z\n\nvram memory\n"})
    scores = scorer.scores([concept("vram", ("memory",))])
    by_heading = {scorer.snapshot.stored(at).heading: scores[at] for at in range(len(scores))}
    assert by_heading["z"] == pytest.approx(by_heading["x"], rel=0.01)
    assert 0 < by_heading["y"] < by_heading["x"]


def test_all_of_another_name_is_needed(score: Open) -> None:
    """A part of it is nothing."""
    scorer = score({"a.md": "# x\n\nvideo of cats\n", "b.md": "# y\n\nvideo memory\n", "c.md": "# z\n\nmemory\n"})
    assert ranked(scorer, concept("vram", ("video", "memory"))) == ["y"]
    assert ranked(scorer, concept("vram", ("video", "nothing"))) == []
    assert ranked(scorer, concept("vram", ("video",), ("memory",))) != []


def test_what_nobody_knows_is_worth_what_is_known_of_it(score: Open) -> None:
    """A thing whose typed name stands nowhere outweighs no other thing of the query."""
    files = {f"{number}.md": f"# h{number}\n\nmemory\n" for number in range(9)}
    scorer = score({**files, "rare.md": "# rare\n\nneedle\n"})
    assert ranked(scorer, concept("vram", ("memory",)), unit("needle"))[0] == "rare"


def test_pieces_count_for_a_share(score: Open) -> None:
    """A part of an identifier is worth part of the share, the whole is worth all."""
    scorer = score(
        {"a.md": "# x\n\nloss_scale here\n", "b.md": "# y\n\nloss and scale\n", "c.md": "# z\n\nloss there\n"}
    )
    whole = Concept((unit("loss_scale"),), (), (unit("loss"), unit("scale")), 0.4)
    assert ranked(scorer, whole) == ["x", "y", "z"]
    scores = sorted(scorer.scores([whole]))
    assert scores[-1] > 2 * scores[-2] > 2 * scores[-3]
