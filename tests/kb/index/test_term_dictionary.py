"""Sorted terms in their bytes: found as in a plain sorted list, and damage is no answer."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from kb.index.term_dictionary import NO_SHAPES, NO_TERMS, DiskArray, Terms, encoded, packed, resembling, shapes

WORDS = st.text(alphabet="abcdz_.0é中字\U00020000", min_size=1, max_size=6)
VOCABULARY = st.sets(WORDS, max_size=120)
SLIPS = st.text(alphabet="abcdez_.05", min_size=1, max_size=9)


def made(words: set[str]) -> tuple[list[str], Terms]:
    """Some words sorted, and the same as they lie on disk."""
    raw = sorted(map(encoded, words))
    blob, bounds, _, posts, marks = packed(raw)
    return [one.decode() for one in raw], Terms(blob, np.frombuffer(bounds, np.uint32), posts, marks)


def lying(words: set[str]) -> Terms:
    """Words that are read in pieces."""
    blob, bounds, _, posts, marks = packed(sorted(map(encoded, words)))
    numbers = np.frombuffer(bounds, np.uint32)
    return Terms(
        DiskArray(len(blob), lambda start, stop: blob[start:stop]),
        DiskArray(len(numbers), lambda start, stop: numbers[start:stop]),
        posts,
        marks,
    )


@given(VOCABULARY, WORDS, WORDS, st.booleans())
def test_it_answers_as_a_sorted_list_does(words: set[str], start: str, stop: str, on_disk: bool) -> None:  # noqa: FBT001
    """The same terms at the same places, whether a term is there or not; their order is that of the characters."""
    plain, found = made(words)
    if on_disk:
        found = lying(words)
    assert plain == sorted(words)
    assert list(found) == plain
    assert len(found) == len(plain)
    assert found[1:4] == plain[1:4]
    assert found.find(start) == (plain.index(start) if start in plain else None)
    assert found.place(encoded(start)) == bisect_left(plain, start)
    low, high = found.span(start)
    assert plain[low:high] == [word for word in plain if word.startswith(start)]
    if start <= stop:
        low, high = found.span(start, stop)
        assert plain[low:high] == [word for word in plain if start <= word < stop]


def test_pieces_are_read_until_all_is() -> None:
    """The first looks read little; after many, nothing is read any more."""
    words = [b"%04d" % number for number in range(5000)]
    blob, bounds, _, posts, marks = packed(words)
    numbers = np.frombuffer(bounds, np.uint32)
    read: list[int] = []

    def text(start: int, stop: int) -> bytes:
        read.append(stop - start)
        return blob[start:stop]

    found = Terms(
        DiskArray(len(blob), text), DiskArray(len(numbers), lambda start, stop: numbers[start:stop]), posts, marks
    )
    assert read == []
    assert found.find("0777") == 777
    assert max(read) <= 32 * 4
    for number in range(0, 5000, 50):
        assert found.find(f"{number:04}") == number
    assert read.count(len(blob)) == 1
    before = len(read)
    assert found[4999] == "4999"
    assert len(read) == before


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_place_is_found_from_a_number_on(*, on_disk: bool) -> None:
    """As `bisect` has it."""
    words = {f"{number:03}" for number in range(100)}
    plain, found = made(words)
    if on_disk:
        found = lying(words)
    for low in range(0, 100, 7):
        for word in ("", "000", "05", "031", "032", "033", "099", "1"):
            assert found.place(encoded(word), low) == bisect_left(plain, word, low), (word, low)


def test_a_number_that_no_term_has_is_an_error() -> None:
    """As it is in a list; numbers from the end are not known."""
    _, found = made({"a", "b"})
    for at in (2, -1):
        with pytest.raises(IndexError):
            found[at]
    assert list(NO_TERMS) == []
    assert NO_TERMS.find("a") is None


def test_a_sieve_that_is_cut_is_damage() -> None:
    """Its length is a power of two."""
    blob, bounds, _, posts, marks = packed([b"a", b"b", b"c"])
    assert len(marks) == 4
    with pytest.raises(ValueError, match="sieve"):
        Terms(blob, np.frombuffer(bounds, np.uint32), posts, marks[:3])


def test_the_sieve_lets_few_through_that_are_no_terms() -> None:
    """At most an eighth, so that most of what is looked for in vain costs nothing."""
    raw = [str(number).encode() for number in range(0, 20_000, 2)]
    _, found = made({one.decode() for one in raw})
    passed = [number for number in range(1, 20_000, 2) if found.may_have(str(number).encode())]
    assert all(map(found.may_have, raw))
    assert len(passed) < 10_000 / 8


@pytest.mark.parametrize("bounds", [[], [0, 5], [0, 2]])
def test_bounds_that_do_not_fit_are_damage(bounds: list[int]) -> None:
    """The last bound is the length of the text."""
    with pytest.raises(ValueError, match="not as long"):
        Terms(b"abc", np.array(bounds, np.uint32))


@given(st.sets(SLIPS, max_size=30), SLIPS, st.integers(1, 2))
def test_nothing_that_slips_make_is_left_out(words: set[str], word: str, slips: int) -> None:
    """Whatever is so few slips away is among what resembles a word."""
    plain, found = made(words)
    shape = shapes(b"".join(map(encoded, plain)), found.bounds)
    near = set(resembling(word, slips, found, shape, (0, len(found))))
    assert {one for one in words if OSA.distance(word, one) <= slips} <= near


def test_what_shares_no_letters_does_not_resemble() -> None:
    """Length and letters tell most words apart without looking at them one by one."""
    plain, found = made({"gather", "gathers", "gahter", "scatter", "g", "broadcast", "gathering"})
    shape = shapes(b"".join(map(encoded, plain)), found.bounds)
    assert set(resembling("gather", 1, found, shape, (0, len(found)))) == {"gather", "gathers", "gahter"}
    assert len(shapes(b"", np.zeros(1, np.uint32))) == len(NO_SHAPES) == 0
