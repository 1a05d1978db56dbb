"""The index as it stood at one commit: several segments read as if they were one, without what was deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

from kb.index import segments, snapshot
from kb.index.index_update import update_index
from kb.index.snapshot import Snapshot
from kb.vault.vault import Vault

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]
Open = Callable[[Mapping[str, str | bytes]], Snapshot]


@pytest.fixture
def opened(make_vault: MakeVault, tmp_path: Path) -> Iterator[Open]:
    """Return a function that writes notes, each of which becomes a segment, and opens the index."""
    found: list[Snapshot] = []

    def open_with(files: Mapping[str, str | bytes]) -> Snapshot:
        for path, text in files.items():
            update_index(make_vault({path: text}), tmp_path / "index")
        found.append(Snapshot(segments.open_leaves(tmp_path / "index")))
        return found[-1]

    yield open_with
    for one in found:
        one.close()


def names(found: Snapshot, field: str, term: str) -> dict[str, float]:
    """Return how often each section has a term, by heading."""
    ids, counts = found.postings(field, term)
    return {found.stored(at).heading: float(often) for at, often in zip(ids.tolist(), counts, strict=True)}


def test_segments_are_read_as_one(opened: Open) -> None:
    """Documents are numbered through; what is in no segment is nowhere."""
    found = opened({"a.md": "# one\n\nword word\n\n# two\n\nother\n", "b.md": "# three\n\nword\n"})
    assert len(found.leaves) == 2
    assert (found.size, found.sections, found.whole) == (3, 3, True)
    assert names(found, "body", "word") == {"one": 2, "three": 1}
    assert names(found, "heading", "two") == {"two": 1}
    assert names(found, "body", "none") == names(found, "none", "word") == {}
    assert found.frequency("body", "word") == 2
    assert found.lengths("body").tolist() == [2, 1, 1]
    assert [found.stored(at).path for at in range(3)] == ["a.md", "a.md", "b.md"]
    assert set(found.files()) == {"a.md", "b.md"}


def test_an_index_without_anything(opened: Open, make_vault: MakeVault, tmp_path: Path) -> None:
    """It has no sections, and asking is no error."""
    update_index(make_vault({}), tmp_path / "index")
    found = opened({})
    assert (found.size, found.sections, found.files()) == (0, 0, {})
    assert found.lengths("body").tolist() == []
    assert found.expand("body", "a", 3) == []
    assert found.vocabulary(("body",), "a", "b") == found.resembling(("body",), "gather", 2, ("g",)) == set()
    assert found.within("body", "a", "b").tolist() == found.ranks("modified").tolist() == []


def test_deleted_documents_keep_their_numbers(opened: Open, make_vault: MakeVault, tmp_path: Path) -> None:
    """They are in the postings, but neither live nor counted nor among the files."""
    notes = {"a.md": "# one\n\nword\n", "b.md": "# two\n\nword\n\n# three\n"}
    update_index(make_vault(notes), tmp_path / "index")
    found = opened({})
    before = found.files()["a.md"]
    found = opened({"a.md": "# four\n\nother\n"})
    assert found.sections == 3
    assert not found.whole
    assert found.live.tolist() == [False, True, True, True]
    assert names(found, "body", "word") == {"one": 1, "two": 1}
    assert set(found.files()) == {"a.md", "b.md"}
    assert found.files()["a.md"] != before


def test_a_prefix_becomes_its_most_frequent_terms(opened: Open) -> None:
    """Over all segments together, the most frequent first, no more than asked for."""
    files = {f"n{number}.md": "# x\n\n" + " ".join(f"pre{one}" for one in "abcde"[: number + 1]) for number in range(5)}
    found = opened(files)
    assert found.expand("body", "pre", 3) == [("prea", 5), ("preb", 4), ("prec", 3)]
    assert dict(found.expand("body", "pre", 9)) == {"prea": 5, "preb": 4, "prec": 3, "pred": 2, "pree": 1}
    assert found.expand("body", "post", 3) == []


def test_a_prefix_of_very_many_terms(opened: Open) -> None:
    """Those that are in the most documents are found among thousands."""
    words = ["".join(letters) for letters in product("abcdefghijklmno", repeat=3)]
    texts = "\n\n".join(f"# s{number}\n\npreamble {'prefix' * (number % 2)}" for number in range(6))
    found = opened({"a.md": f"# a\n\n{' '.join(f'pre{word}' for word in words)}\n\n{texts}\n"})
    assert found.expand("body", "pre", 2) == [("preamble", 6), ("prefix", 3)]


def test_the_vocabulary_is_that_of_all_segments(opened: Open) -> None:
    """Between two words, the second excluded, in any of some fields; and what a slip may have made."""
    found = opened({"a.md": "# gather\n\nscatter\n", "b.md": "# b\n\ngahter 冻结\n"})
    assert found.vocabulary(("heading", "body"), "g", "s") == {"gahter", "gather"}
    assert found.vocabulary(("body",), "g", "scatter") == {"gahter"}
    assert {"gather", "gahter"} <= found.resembling(("heading", "body"), "gathr", 1, ("g", "ag"))
    assert not found.resembling(("heading", "body"), "gathr", 1, ("s", "ag"))


def test_texts_at_hand_are_bounded(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many sections, the newest; a very long one is read each time."""
    monkeypatch.setattr(snapshot, "_KEPT", 2)
    monkeypatch.setattr(snapshot, "_LONG", 50)
    found = opened({"a.md": f"# one\n\n# two\n\n# three\n\n# four\n\n{'long ' * 20}\n"})
    assert found.stored(0) is found.stored(0)
    assert found.stored(3) is not found.stored(3)
    for at in range(3):
        found.stored(at)
    assert list(found._stored) == [1, 2]


def test_lower_case_keeps_places() -> None:
    """Heading and text as they are compared, each character where it was."""
    stored = snapshot.StoredSection("a.md", "Gather 凍結", 1, "gather", "en", "a", (), "Ｇather İ")
    heading, text = stored.low
    assert heading == "gather 冻结"
    assert len(text) == len(stored.text)
    assert text.startswith("gather")
