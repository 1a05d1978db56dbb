"""The habits of the keys, as text before and after."""

from __future__ import annotations

import pytest

from app.editor.habits import (
    Typed,
    indented,
    is_item,
    linked,
    on_enter,
    on_enter_at_fence,
    on_enter_in_code,
    outdented,
    spaces_to_stop,
)


@pytest.mark.parametrize(
    ("before", "after", "typed"),
    [
        ("- one", "", Typed(insert="\n- ")),
        ("* one", "more", Typed(insert="\n* ")),
        ("  + one", "", Typed(insert="\n  + ")),
        ("9. nine", "", Typed(insert="\n10. ")),
        ("3) three", "", Typed(insert="\n4) ")),
        ("- [x] done", "", Typed(insert="\n- [ ] ")),
        ("> quoted", "", Typed(insert="\n> ")),
        ("> - quoted item", "", Typed(insert="\n> - ")),
        ("- ", "", Typed(remove=2)),
        ("1. ", "", Typed(remove=3)),
        ("- [ ] ", "", Typed(remove=6)),
        ("  - ", "", Typed(remove=4, insert="- ")),
        ("> - ", "", Typed(remove=2)),
        ("> ", "", Typed(remove=2)),
        ("- ", "text", Typed(insert="\n- ")),
        ("    indented", "", Typed(insert="\n    ")),
        ("plain", "", Typed(insert="\n")),
        ("1.5 is a number", "", Typed(insert="\n")),
        ("-dash", "", Typed(insert="\n")),
    ],
)
def test_enter_continues_what_the_line_is(before: str, after: str, typed: Typed) -> None:
    """A list or quote goes on, an empty item ends it, numbers count on, a new task is open."""
    assert on_enter(before, after) == typed


@pytest.mark.parametrize(
    ("before", "insert"),
    [
        ("def f():", "\n    "),
        ("    if x:  # why", "\n        "),
        ("    x = 1", "\n    "),
        ("x = {1: 2}", "\n"),
    ],
)
def test_enter_in_python(before: str, insert: str) -> None:
    """The indent is kept, and grows after a colon."""
    assert on_enter_in_code(before, python=True) == Typed(insert=insert)


def test_enter_in_other_code() -> None:
    """A colon means nothing in other languages."""
    assert on_enter_in_code("  key:", python=False) == Typed(insert="\n  ")


@pytest.mark.parametrize(
    ("line", "below", "typed"),
    [
        ("```python", "", Typed(insert="\n", behind="\n```")),
        ("  ~~~~", "text", Typed(insert="\n  ", behind="\n  ~~~~")),
        ("```python", "x = 1\n```\n", Typed(insert="\n")),
        ("```python", "text\n```\ncode\n```", Typed(insert="\n", behind="\n```")),
        ("no fence", "", Typed(insert="\n")),
    ],
)
def test_fence_is_closed(line: str, below: str, typed: Typed) -> None:
    """Enter behind an opening fence closes it, unless something below does."""
    assert on_enter_at_fence(line, below) == typed


@pytest.mark.parametrize(
    ("line", "deeper"),
    [
        ("- a", "  - a"),
        ("1. a", "   1. a"),
        ("10. a", "    10. a"),
        ("text", "    text"),
        ("", ""),
        ("  - a", "    - a"),
    ],
)
def test_indent_and_back(line: str, deeper: str) -> None:
    """A list item moves by the width of its marker, other text by four columns, and back."""
    assert indented(line) == deeper
    assert outdented(deeper) == line


def test_outdent_takes_what_there_is() -> None:
    """A tab counts as one level; less than a level goes whole; without indent nothing happens."""
    assert outdented("\tx") == "x"
    assert outdented("  x") == "x"
    assert outdented("x") == "x"


def test_tab_goes_to_the_next_stop() -> None:
    """Four columns a stop."""
    assert [len(spaces_to_stop(text)) for text in ("", "a", "abcd", "\t")] == [4, 3, 4, 4]


def test_items_are_known() -> None:
    """A marker needs a gap."""
    assert is_item("- a")
    assert is_item("> 1. a")
    assert not is_item("-a")
    assert not is_item("**bold**")


@pytest.mark.parametrize(
    ("selected", "pasted", "made"),
    [
        ("docs", "https://pytorch.org", "[docs](https://pytorch.org)"),
        ("文档", " https://a.b/c_(d)\n", "[文档](<https://a.b/c_(d)>)"),
        ("me", "mailto:a@b.c", "[me](mailto:a@b.c)"),
        ("", "https://pytorch.org", None),
        ("two\nlines", "https://pytorch.org", None),
        ("docs", "not an address", None),
        ("https://old.org", "https://new.org", None),
    ],
)
def test_address_over_words(selected: str, pasted: str, made: str | None) -> None:
    """An address pasted over words makes a link; over another address it replaces it."""
    assert linked(selected, pasted) == made
