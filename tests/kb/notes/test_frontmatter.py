"""Front matter: read without fail, changed with comments kept."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from kb.errors import BadFrontMatter
from kb.notes import frontmatter
from kb.notes.frontmatter import NONE, split, with_values
from tests.pace import thinking_within


def test_the_fields_of_a_note() -> None:
    """Title, tags, aliases, language and the topics covered are read; all values are there."""
    found = split(
        "---\ntitle: 'Gather: a row'\n"
        "tags: [tensor, '#index']\naliases:\n  - pick\nlang: zh-CN\ncovers: [T11]\n---\n# x"
    )
    assert found.title == "Gather: a row"
    assert found.tags == ("tensor", "index")
    assert found.aliases == ("pick",)
    assert (found.lang, found.covers) == ("zh", ("T11",))
    assert found.values["tags"] == ["tensor", "#index"]
    assert (found.problem, found.lines) == (None, 8)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_will_do(end: str) -> None:
    """Front matter from any system is read and its lines are counted."""
    found = split(f"---{end}title: a b{end}...{end}text{end}---{end}")
    assert (found.title, found.lines) == ("a b", 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# heading\n---\ntitle: x\n---\n",
        "---",
        "---\ntitle: never closed\n",
        "--- \nSome prose, then a rule.\n---\n",
        "---\n- a\n- b\n---\n",
        "---\nprose [with a bracket\n---\n",
        "----\ntitle: x\n----\n",
        "---\n" + "x" * 70_000 + "\n---\n",
    ],
)
def test_a_note_without_front_matter(text: str) -> None:
    """A rule at the top is only a rule."""
    assert split(text) == NONE


@pytest.mark.parametrize(
    ("text", "lines"), [("---\n---\na", 2), ("---\n\n---", 3), ("---\n# only a comment\n---\n", 3)]
)
def test_empty_front_matter(text: str, lines: int) -> None:
    """It holds nothing, and is not text of the note."""
    assert split(text) == frontmatter.FrontMatter(lines=lines)


@pytest.mark.parametrize(
    "yaml",
    [
        "title: a\nb: [unclosed\n",
        "title: a\nb: 1: 2\n",
        "title: a\nb: c\nb: d\n",
        "title: a\nb: !!python/object/apply:os.system [ls]\n",
        "title: a\n\tb: c\n",
        "title: a\nb: \x07\n",
        "title: a\nb: " + "[" * 490 + "\n",
        "title: a\nb: " + "[" * 5_000 + "\n",
        "title: a\nb: 2020-99-99\n",
    ],
)
def test_broken_front_matter_is_told_and_the_body_is_read(yaml: str) -> None:
    """Never an exception: the problem in words, a plain title saved, the lines known."""
    found = split(f"---\n{yaml}---\nbody\n")
    assert found.problem
    assert found.title == "a"
    assert found.lines == yaml.count("\n") + 2
    assert found.values == {}
    with pytest.raises(BadFrontMatter):
        with_values(f"---\n{yaml}---\nbody\n", {"title": "b"})


def test_the_problem_names_the_line_of_the_file() -> None:
    """The number is that of the note, not of the YAML in it."""
    found = split("---\ntitle: 'a'\nlang: en\nb: [\n---\n")
    assert found.problem is not None
    assert found.problem.startswith("line 5")
    assert (found.title, found.lang) == ("a", "en")


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-11-21", dt.date(2026, 11, 21)),
        ("2026-11-21 08:00:00", dt.date(2026, 11, 21)),
        ("'2026-11-21'", None),
        ("yesterday", None),
        ("[2026-11-21]", None),
    ],
)
def test_the_day_a_note_was_proven(value: str, day: dt.date | None) -> None:
    """A day is a day, whichever way it is read; what is none is passed over."""
    assert split(f"---\nproven: {value}\n---\n").proven == day


def test_a_note_that_steps_aside() -> None:
    """It is said by one word; any other leaves it where it is."""
    assert split("---\nsearch: aside\n---\n").aside
    assert not split("---\nsearch: [aside]\n---\n").aside


def test_words_that_older_yaml_turns_into_truth() -> None:
    """`no` and `on` are words; keys that are numbers or dates are named as they are written."""
    found = split("---\nno: off\ntitle: 2024\n1: a\nday: 2024-01-02\ntags: a, b，c d\nalias: one name, two\n---\n")
    assert found.values["no"] == "off"
    assert found.values["1"] == "a"
    assert found.values["day"] == dt.date(2024, 1, 2)
    assert found.title == "2024"
    assert found.tags == ("a", "b", "c", "d")
    assert found.aliases == ("one name", "two")


@pytest.mark.parametrize("value", ["", "null", "[]", "{a: b}", "' '"])
def test_a_title_that_is_none(value: str) -> None:
    """An empty or odd title counts as missing, odd tags as no tags."""
    found = split(f"---\ntitle: {value}\ntags: {value}\nlang: fr\n---\n")
    assert found.title is None
    assert found.tags == ()
    assert found.lang is None


WORDS = st.text(alphabet="aT_1 .:#-[],中文\"'&*!%@?|>{}~/()+=0xn\t", max_size=14)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=3))
def test_the_quick_way_reads_what_yaml_reads(pairs: list[tuple[str, str]]) -> None:
    """Where plain front matter is read without the YAML library, the values are the same."""
    source = "".join(f"{key}: {value}\n" for key, value in pairs)
    values = frontmatter._plain_values(source)
    if values is not None:
        assert values == YAML(typ="safe", pure=True).load(source)


@pytest.mark.parametrize(
    "word",
    [
        "2026-11-21",
        "2026-1-1",
        "true",
        "False",
        "null",
        "no",
        "1e3",
        "a b",
        "a: b",
        "中文 (x)",
        "x/y",
        "a-b",
        "nan",
        ".inf",
        "a  b",
    ],
)
def test_the_quick_way_knows_its_limits(word: str) -> None:
    """Words that mean something else in YAML are left to it."""
    for source in (f"a: {word}\n", f"a: [{word}, x]\n", f"{word}: a\n"):
        values = frontmatter._plain_values(source)
        assert values is None or values == YAML(typ="safe", pure=True).load(source)
    assert frontmatter._plain_values("title: 张量 gather\ntags: [a, b c]\n") == {
        "title": "张量 gather",
        "tags": ["a", "b c"],
    }


def test_changes_keep_comments_order_and_the_rest() -> None:
    """One value is set, one removed, one added; every other character stays, the body to the byte."""
    before = (
        "---\r\n# mine\r\ntitle: 'Old'  # why\r\ntags:\r\n  - a # first\r\n  - b\r\nlang: en\r\n---\r\nbody\r\n\u2028"
    )
    after = with_values(before, {"title": "New: x", "lang": None, "topic": "T1", "gone": None})
    assert after == (
        "---\r\n# mine\r\ntitle: 'New: x' # why\r\n"
        "tags:\r\n  - a # first\r\n  - b\r\ntopic: T1\r\n---\r\nbody\r\n\u2028"
    )
    assert split(after).title == "New: x"


def test_front_matter_is_begun_where_there_is_none() -> None:
    """It gets the line end of the note; nothing is begun for nothing."""
    assert with_values("a\r\nb", {"title": "x", "tags": ["a"]}) == "---\r\ntitle: x\r\ntags:\r\n- a\r\n---\r\na\r\nb"
    assert with_values("", {"title": "x"}) == "---\ntitle: x\n---\n"
    assert with_values("a", {"title": None}) == "a"
    assert with_values("---\n---\na", {"title": "x"}) == "---\ntitle: x\n---\na"


def test_the_last_value_can_go() -> None:
    """What is left is empty front matter, not {}."""
    assert with_values("---\ntitle: x\n---\na", {"title": None}) == "---\n---\na"


@given(st.text(max_size=30), st.text(alphabet="ab:\n- #'", max_size=30))
def test_a_value_that_is_set_is_read_again(value: str, body: str) -> None:
    """Any text can be a value, before any body, and the body stays."""
    before = "---\nkept: 1\n---\n" + body
    try:
        after = with_values(before, {"note": value})
    except BadFrontMatter:
        return
    assert after.endswith("---\n" + body)
    assert split(after).values["kept"] == 1


@pytest.mark.parametrize(
    "text", ["---\n" + "a: [" * 20_000 + "\n---\n", "---\n" + "- " * 20_000 + "\n---\n", "---\n" * 25_000]
)
def test_hostile_front_matter_takes_no_time(text: str) -> None:
    """Deep nesting and endless rules are done with within a second."""
    with thinking_within(1):
        split(text)


@given(st.text(alphabet="ab:\n-[]{}&*!|>#'\"? ,.01<=%@\t~", max_size=80))
def test_no_front_matter_at_all_raises(yaml: str) -> None:
    """Whatever stands between the rules."""
    assert split(f"---\na: {yaml}\n---\n").lines >= 0
