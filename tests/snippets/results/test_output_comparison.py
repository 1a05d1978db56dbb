"""Recorded outputs: what counts as the same, what does not, and how a difference is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.results.output_comparison import changes, choose, compare, holds, line_by_line, renewed
from tests.pace import thinking_within

plain = st.text().filter(lambda text: "..." not in text)
lines = st.lists(st.sampled_from(["...", "a", "b 0.5", "a ... b", ""]), max_size=8).map("\n".join)


@given(plain)
def test_every_output_is_the_same_as_itself(text: str) -> None:
    """Any output is the same as itself."""
    assert compare(text, text).same


@given(lines)
def test_also_with_gaps(text: str) -> None:
    """A recorded gap also matches three dots, because torch prints these itself."""
    assert compare(text, text).same


@given(st.lists(plain, min_size=1, max_size=5), st.data())
def test_a_changed_digit_is_noticed(words: list[str], data: st.DataObject) -> None:
    """A whole number that changes by one digit anywhere is a difference."""
    number = data.draw(st.integers(min_value=0, max_value=10**6))
    changed = data.draw(st.integers(min_value=0, max_value=10**6).filter(lambda n: n != number))
    lead = "".join(word for word in words if not any(c.isdigit() or c in ".eE" for c in word)).replace("\r", "")
    assert not compare(f"{lead}: {number} x", f"{lead}: {changed} x").same


@given(st.floats(min_value=1e-3, max_value=1e6), st.floats(min_value=2e-3, max_value=10))
def test_a_changed_float_is_noticed(value: float, factor: float) -> None:
    """A number beyond the tolerance is a difference, also inside a tensor's print."""
    other = value * (1 + factor)
    assert not compare(f"tensor([{value:.10f}, 2.])", f"tensor([{other:.10f}, 2.])").same


@given(st.floats(min_value=1e-3, max_value=1e6), st.floats(min_value=-9e-5, max_value=9e-5))
def test_noise_in_a_float_is_not(value: float, noise: float) -> None:
    """Sums in another order do not break a claim."""
    assert compare(f"loss {value!r} x", f"loss {value * (1 + noise)!r} x").same


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("a\n", "a"),
        ("a\n\n\n", "a"),
        ("a  \nb", "a\nb\t"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("", "\n"),
        ("...", ""),
        ("...", "a\nb"),
        ("a\n...\nb", "a\nb"),
        ("a\n  ...\nb", "a\n1\nb\n2\nb"),
        ("...\nb\n...\nd", "a\nb\nc\nb\nd"),
        ("took ... ms", "took 12.5 ms"),
        ("took ...", "took "),
        ("0x...", "0x7f3a"),
        ("0.1... s", "0.1234 s"),
        ("...234 s", "0.1234 s"),
        ("rank ... of ... on ...", "rank 0 of 2 on cpu"),
        ("...b...", "abbc"),
        ("pid ... loss 0.5000", "pid 17 loss 0.50001"),
        ("... 0.5 ... 0.7 ...", "0.4 0.5 0.6 0.70001 0.8"),
        ("tensor([[ 0.1000, -0.2000]])", "tensor([[0.1000, -0.2000]])"),
        ("x = 9.99999", "x = 10.0000"),
        ("1.0000e-08", "1.00001e-08"),
        ("1e3 .5", "1000.0 0.5"),
        ("nan inf", "nan inf"),
        ("0.5ms", "0.50001ms"),
        ("+0.5", "0.5"),
    ],
)
def test_the_same(expected: str, actual: str) -> None:
    """Gaps, tolerance, spaces and line ends as the module says."""
    assert compare(expected, actual).same
    assert compare(expected, actual).diff == ""


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("a", ""),
        ("", "a"),
        ("a\nb", "a"),
        ("a\n...\nb", "a\nc"),
        ("...\nb", "b\nc"),
        ("took ... ms", "took 5 s"),
        ("...a...a...", "bab"),
        ("... 0.5", "0.6"),
        ("a...", "b"),
        ("1", "1.0"),
        ("1.0", "1"),
        ("0.0", "1e-9"),
        ("torch 2.13.0", "torch 2.13.1"),
        ("torch 2.13.0", "torch 2.1300.0"),
        ("x1.5", "x1.50001"),
        ("a 0.5", "a0.5"),
        ("[...]", "[1\n2]"),
        ("  a", "a"),
        ("True", "False"),
        ("1_0.5", "1_0.50001"),
    ],
)
def test_not_the_same(expected: str, actual: str) -> None:
    """Words, whole numbers, versions and zeros are exact."""
    comparison = compare(expected, actual)
    assert not comparison.same
    assert comparison.diff


def test_the_tolerance_can_be_chosen() -> None:
    """It is relative; zero asks for equal values, however they are written."""
    assert compare("1.0", "1.1", tolerance=0.2).same
    assert not compare("1.0", "1.00001", tolerance=0).same
    assert compare("1.0", "1.00", tolerance=0).same


def test_the_diff_shows_only_what_differs() -> None:
    """Each block under the line numbers of both sides; lines that match, exactly or not, are left out."""
    recorded = "rank 0\nt ... s\nloss 0.50\nend\n...\n"
    printed = "rank 0\nt 1 s\nloss 0.61\nend\nmore\nand more\nextra\n"
    assert compare(recorded, printed).diff == "@@ -3 +3 @@\n-loss 0.50\n+loss 0.61\n"


def test_a_long_diff_is_cut() -> None:
    """A flood of differences ends with how much there is."""
    diff = compare("a\n" * 5000, "b\n" * 6000).diff
    assert len(diff.splitlines()) == 401
    assert diff.endswith("@@ 5000 lines recorded, 6000 lines now @@\n")


def test_a_flood_of_differences_is_told_soon() -> None:
    """Hundreds of lines that all differ, with numbers and gaps in them, take no noticeable time."""
    recorded = "".join(f"step {at} ... loss {at / 7:.4f} of {at / 3:.4f}\n" for at in range(500))
    printed = "".join(f"step {at} now loss {at / 6:.4f} of {at / 3:.4f}\n" for at in range(1000, 1500))
    with thinking_within(5):
        assert not compare(recorded, printed).same


def test_a_difference_beyond_the_shown_lines_is_told() -> None:
    """When the first hundreds of lines agree, the counts still say that something is not as it was."""
    assert compare("a\n" * 500, "a\n" * 501).diff == "@@ 500 lines recorded, 501 lines now @@\n"


@given(lines, st.lists(st.sampled_from(["a", "b 0.5", "a x b", "c"]), max_size=8).map("\n".join))
def test_what_is_renewed_holds(recorded: str, printed: str) -> None:
    """The text that is to be recorded always matches the output it was made from."""
    assert compare(renewed(recorded, printed), printed).same


def test_renewing_keeps_the_gaps_that_hold() -> None:
    """A change elsewhere in the output does not undo the author's gaps."""
    assert renewed("t ... s\nold\n...\nend\n", "t 3 s\nnew\nx\ny\nend\n") == "t ... s\nnew\nx\ny\nend\n"
    assert renewed("t ... s\nold", "t 3 s\nnew") == "t ... s\nnew\n"
    assert renewed("", "a  \r\nb") == "a\nb\n"


def test_renewing_a_flood_takes_it_as_it_is() -> None:
    """Thousands of lines are not searched for gaps."""
    assert renewed("t ...\n", "t 1\n" * 500) == "t 1\n" * 500


def test_the_device_chooses_its_output() -> None:
    """A kind's own output comes before the common one; of a foreign kind's there is nothing to compare with."""
    recorded = {"": "common", "cuda": "gpu"}
    assert choose(recorded, "cuda:0,1") == "gpu"
    assert choose(recorded, "cpu") == "common"
    assert choose({"cuda": "gpu"}, "cpu") is None


def test_line_by_line_over_what_is_recorded() -> None:
    """What the recorded lines allow is kept in its new words, with its number on both sides; the rest goes or comes."""
    found = line_by_line("a\nt ... s\nold\nend\n", "a\nt 3 s\nnew\nmore\nend\n")
    assert [(line.kind, line.text, line.was, line.now) for line in found.lines] == [
        ("kept", "a", 1, 1),
        ("kept", "t 3 s", 2, 2),
        ("removed", "old", 3, None),
        ("added", "new", None, 3),
        ("added", "more", None, 4),
        ("kept", "end", 4, 5),
    ]
    assert not found.same
    gap = line_by_line("a\n...\nz\n", "a\n1\n2\nz\n")
    assert gap.same
    assert [(line.text, line.now) for line in gap.lines] == [("a", 1), ("1", 2), ("2", 3), ("z", 4)]
    assert line_by_line("", "").same


def test_changes_between_two_runs_count_every_character() -> None:
    """Three points are three points, and a number that differs in its last place differs."""
    assert changes("a ... b\n0.5\n", "a ... b\n0.5\n").same
    assert [line.kind for line in changes("...\n0.5\n", "x\n0.500001\n").lines] == [
        "removed",
        "removed",
        "added",
        "added",
    ]


def test_beyond_what_anybody_reads_lines_are_counted() -> None:
    """The first lines are compared; the others are only counted, and the outputs differ even if these are the same."""
    found = changes("x\n" * 1000, "x\n" * 1000)
    assert len(found.lines) == 400
    assert found.left_out == 1200
    assert not found.same


@given(
    st.lists(st.sampled_from(["a", "b", "...", "t ... s", "0.5"])),
    st.lists(st.sampled_from(["a", "b", "t 1 s", "0.5"])),
)
def test_nothing_is_lost_between_the_lines(recorded: list[str], printed: list[str]) -> None:
    """All new lines are there in their order, and that all is kept means that the claim holds."""
    expected, actual = "".join(f"{line}\n" for line in recorded), "".join(f"{line}\n" for line in printed)
    found = line_by_line(expected, actual)
    assert [line.text for line in found.lines if line.kind != "removed"] == printed
    if found.same:
        assert holds(expected, actual)
    assert holds(expected, actual) == compare(expected, actual).same
