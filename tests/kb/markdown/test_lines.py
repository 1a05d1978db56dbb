"""Telling the lines of a note apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.line_syntax import columns
from kb.markdown.lines import LineKind, scan, split_lines, without_code

LETTERS = {
    "p": LineKind.PROSE,
    "-": LineKind.BLANK,
    "f": LineKind.FENCE,
    "c": LineKind.CODE,
    "h": LineKind.HTML,
    "m": LineKind.META,
}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a\n```\n# b\n```\nc", "pfcfp"),
        ("~~~~\n~~~\n```\n~~~~~\na", "fccfp"),
        ("```\n```python\n```\na", "fcfp"),
        ("```\nnever closed\n# x", "fcc"),
        ("```a`b```\nx", "pp"),
        ("- a\n\n  ```\n  b\n  ```\n", "p-fcf-"),
        ("1. a\n\n    ```\n    b\n    ```\n", "p-fcf-"),
        ("- ```\n  a\n  ```\nb", "fcfp"),
        ("a\n\n    ```\n    b\n", "p-cc-"),
        ("a\n    still a\n", "pp-"),
        ("- a\n\n    b in the list\n", "p-p-"),
        ("- a\n\nb\n\n    code\n", "p-p-c-"),
        ("- a\n# b\n\n\tcode\n", "pp-c-"),
        ("- a\n```\n```\n\n    code\n", "pff-c-"),
        ("> ```\n> a\n> ```\nb", "fcfp"),
        ("> ```\n> a\nb", "fcp"),
        ("    ```\n", "c-"),
        ("```\na\n      ```\n```", "fccf"),
        ("<!--\n# a\n-->\nb", "hhhp"),
        ("<!-- a --> b\nc", "hp"),
        ("<!-- a\n# never closed", "hh"),
        ("<pre>\n# a\n</PRE>\nb", "hhhp"),
        ("<preface>\na", "pp"),
        ("```\r\na\r```\n\u2028b", "fcfp"),
        ("", "-"),
    ],
)
def test_each_line_is_what_it_looks_like(text: str, kinds: str) -> None:
    """Prose, blank, fence, code, HTML, as CommonMark has it or as the author plainly meant."""
    assert scan(text).kinds == [LETTERS[letter] for letter in kinds]


def test_front_matter_is_set_apart() -> None:
    """What stands before the first line is not looked at, even where it looks like a fence."""
    assert scan("---\n```\n---\na\n", 4).kinds == [LineKind.META] * 3 + [LineKind.PROSE, LineKind.BLANK]
    assert scan("a", 9).kinds == [LineKind.META]


def test_columns_count_tabs() -> None:
    """A tab ends at a multiple of four."""
    assert [columns(text) for text in ("a", "  a", "\ta", " \ta", "\t a", "  ")] == [0, 2, 4, 4, 5, 2]


@given(st.text(alphabet="a`~#>- \n\t\r<!", max_size=60))
def test_every_line_has_a_kind(text: str) -> None:
    """Whatever the text: as many kinds as lines, fences in order and not over one another."""
    scanned = scan(text)
    assert scanned.lines == split_lines(text)
    assert len(scanned.kinds) == len(scanned.lines)
    places = [place for fence in scanned.fences for place in (fence.first, fence.last)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("prose", "blanked"),
    [
        ("a `b` c", "a     c"),
        ("a ``b ` c`` d", "a           d"),
        ("`a\nb` c", "  \n   c"),
        ("`a ``b", "`a ``b"),
        (r"\`a` b`", r"\`a    "),
        ("`a` ``b `c`", "    ``b    "),
    ],
)
def test_inline_code_is_blanked_out(prose: str, blanked: str) -> None:
    """What stands in backticks becomes spaces of the same length."""
    assert without_code(prose) == blanked
