"""The table of the query language is held to the language itself."""

from __future__ import annotations

import re

import pytest

from app.search.query_syntax import NAMED, SYNTAX_EXAMPLES, VALUES
from kb.search import filters
from kb.search.query import parts, read


def test_every_filter_and_value_has_its_words() -> None:
    """None is forgotten, none is made up."""
    assert set(NAMED) == set(filters.NAMES.values())
    known = {(name, value) for name, values in filters.VALUES.items() for value in values}
    assert {key for key in VALUES if key[0] != "modified"} == known
    for name, value in VALUES:
        assert filters.filter_of(name, value) is not None, (name, value)


@pytest.mark.parametrize("manner", SYNTAX_EXAMPLES, ids=lambda one: one.example)
def test_every_example_is_understood(manner: object) -> None:
    """As the query that it is an example of."""
    example = manner.example  # type: ignore[attr-defined]
    assert read(example).asks
    assert all(part.understood for part in parts(example))
    named = re.findall(r"\b(\w+):\S", example) if "Error" not in example else []
    assert [part.name for part in parts(example) if part.name] == named


def test_every_filter_has_an_example() -> None:
    """The help is complete."""
    shown = {part.name for manner in SYNTAX_EXAMPLES for part in parts(manner.example)}
    assert set(NAMED) <= shown
