"""Lines of code that are to be seen are named in several ways."""

from __future__ import annotations

import pytest

from kb.markdown.highlight_lines import MOST, marked_lines


@pytest.mark.parametrize(
    ("info", "lines"),
    [
        ("python {2,4-6}", (2, 4, 5, 6)),
        ("python {1}", (1,)),
        ('python hl_lines="2 4"', (2, 4)),
        ("python hl_lines='3-4'", (3, 4)),
        ("python hl_lines=5", (5,)),
        ("python {0}", ()),
        ("python {5-3}", ()),
        ("python {#id .class}", ()),
        ("python id=a2", ()),
        ("{.python}", ()),
    ],
)
def test_ways(info: str, lines: tuple[int, ...]) -> None:
    """In braces, or as a list under a name."""
    assert marked_lines(info) == lines


def test_an_endless_span_is_cut() -> None:
    """Nobody marks a million lines."""
    assert len(marked_lines("python {1-999999}")) <= MOST
