"""What Enter, Backspace, Tab and paste do in Markdown, as text before and after."""

from __future__ import annotations

import pytest

from app.editor.auto_format import (
    KeyEdit,
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
        ("- one", "", KeyEdit(insert="\n- ")),
        ("* one", "more", KeyEdit(insert="\n* ")),
        ("  + one", "", KeyEdit(insert="\n  + ")),
        ("9. nine", "", KeyEdit(insert="\n10. ")),
        ("3) three", "", KeyEdit(insert="\n4) ")),
        ("- [x] done", "", KeyEdit(insert="\n- [ ] ")),
        ("> quoted", "", KeyEdit(insert="\n> ")),
        ("> - quoted item", "", KeyEdit(insert="\n> - ")),
        ("- ", "", KeyEdit(remove=2)),
        ("1. ", "", KeyEdit(remove=3)),
        ("- [ ] ", "", KeyEdit(remove=6)),
        ("  - ", "", KeyEdit(remove=4, insert="- ")),
        ("> - ", "", KeyEdit(remove=2)),
        ("> ", "", KeyEdit(remove=2)),
        ("- ", "text", KeyEdit(insert="\n- ")),
        ("    indented", "", KeyEdit(insert="\n    ")),
        ("plain", "", KeyEdit(insert="\n")),
        ("1.5 is a number", "", KeyEdit(insert="\n")),
        ("-dash", "", KeyEdit(insert="\n")),
    ],
)
def test_enter_continues_what_the_line_is(before: str, after: str, typed: KeyEdit) -> None:
    """A list or quote continues, an empty item ends it, numbers increase, and a new task is open."""
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
    """The indent is kept, and increases after a colon."""
    assert on_enter_in_code(before, python=True) == KeyEdit(insert=insert)


def test_enter_in_other_code() -> None:
    """A colon means nothing in other languages."""
    assert on_enter_in_code("  key:", python=False) == KeyEdit(insert="\n  ")


@pytest.mark.parametrize(
    ("line", "below", "typed"),
    [
        ("```python", "", KeyEdit(insert="\n", behind="\n```")),
        ("  ~~~~", "text", KeyEdit(insert="\n  ", behind="\n  ~~~~")),
        ("```python", "x = 1\n```\n", KeyEdit(insert="\n")),
        ("```python", "text\n```\ncode\n```", KeyEdit(insert="\n", behind="\n```")),
        ("no fence", "", KeyEdit(insert="\n")),
    ],
)
def test_fence_is_closed(line: str, below: str, typed: KeyEdit) -> None:
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
    """A tab is one level, a smaller indent is removed entirely, and a line without indent stays as it is."""
    assert outdented("\tx") == "x"
    assert outdented("  x") == "x"
    assert outdented("x") == "x"


def test_tab_goes_to_the_next_stop() -> None:
    """Tab stops are four columns apart."""
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
