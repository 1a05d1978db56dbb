"""Find: what matches, and that no pattern can block the window."""

from __future__ import annotations

import pytest

from app.editor.text_search import SearchPattern, find_all
from tests.pace import thinking_within


def places(text: str, needle: SearchPattern) -> list[str]:
    raw = text.encode("utf-16-le")
    return [raw[2 * m.start : 2 * m.end].decode("utf-16-le") for m in find_all(text, needle).matches]


def test_plain_text_is_taken_literally() -> None:
    """Without regular expressions every character stands for itself, and case is ignored."""
    assert places("a.b A.B axb", SearchPattern("a.b")) == ["a.b", "A.B"]
    assert places("a.b A.B", SearchPattern("a.b", case=True)) == ["a.b"]


def test_whole_words() -> None:
    """A whole word has no letter on either side, whatever the script."""
    assert places("gather gathering torch.gather 中gather", SearchPattern("gather", whole_word=True)) == [
        "gather",
        "gather",
    ]


def test_places_behind_an_emoji() -> None:
    """Positions are in UTF-16 units, in which an emoji is two."""
    assert find_all("😀x", SearchPattern("x")).matches[0].start == 2


def test_lines_have_their_own_ends() -> None:
    """^ and $ match at the start and end of lines."""
    assert places("# a\ntext\n# b", SearchPattern("^# .$", regular=True)) == ["# a", "# b"]


def test_empty_places_are_left_out() -> None:
    """A pattern that matches the empty string everywhere finds nothing."""
    assert find_all("abc", SearchPattern("x*", regular=True)).matches == ()
    assert find_all("abc", SearchPattern("")).matches == ()


def test_wrong_pattern_is_said() -> None:
    """An invalid pattern gives a result with the error, not an exception."""
    found = find_all("abc", SearchPattern("(", regular=True))
    assert found.wrong
    assert not found.matches


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", r"(\w*)*\d", r"(.*)(.*)(.*)(.*)(.*)\d"])
def test_hostile_patterns_are_given_up(pattern: str) -> None:
    """A pattern that would search for ever is stopped within a fraction of a second, and reported as slow."""
    with thinking_within(2):
        found = find_all("a" * 5000 + "!#", SearchPattern(pattern, regular=True))
    assert found.slow


def test_slow_search_over_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """All matches together have a time limit as well."""
    assert find_all("a" * 100, SearchPattern("a"), seconds=0).slow


def test_list_is_bounded() -> None:
    """The number of matches is limited, and the result says that there are more."""
    found = find_all("a" * 10, SearchPattern("a"), most=3)
    assert len(found.matches) == 3
    assert found.more


@pytest.mark.parametrize(
    ("replacement", "made"),
    [
        (r"\2 \1", "b a"),
        ("$2-$1", "b-a"),
        ("${second}!", "b!"),
        ("${1}0", "a0"),
        (r"\n\t\\", "\n\t\\"),
        (r"\9", ""),
        ("", ""),
    ],
)
def test_groups_in_the_replacement(replacement: str, made: str) -> None:
    """Groups are inserted by number or name; escapes stand for line feed and tab."""
    found = find_all("a b", SearchPattern("(a) (?<second>b)", regular=True), replacement=replacement)
    assert found.matches[0].replacement == made


def test_replacement_of_plain_text_is_plain() -> None:
    """Without regular expressions the replacement is literal."""
    assert find_all("a", SearchPattern("a"), replacement=r"\1$1").matches[0].replacement == r"\1$1"
