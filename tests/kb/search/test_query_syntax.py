"""The table of the query language is held to the language itself, to the index and to the manual."""

from __future__ import annotations

import re

import pytest

from kb.index.facets import facets, looks
from kb.notes.note import parse
from kb.search import filter_masks, filters
from kb.search.query import parts, read
from kb.search.query_syntax import FILTERS, SYNTAX_EXAMPLES, SyntaxExample
from kb.vault.vault import SHIPPED_NOTES

EVERYTHING = """# Everything
[a link](https://example.org) ![plot](plot.png)

```python
print(1)
```

$x^2$

- [ ] a task

| a | b |
|---|---|
"""


def test_every_filter_is_read_and_applied() -> None:
    """A row of the table without a way to find its sections, or the other way round, is noticed."""
    assert list(filter_masks._SECTIONS) == list(FILTERS)
    assert set(filters.NAMES.values()) == set(FILTERS)


def test_no_spelling_means_two_things() -> None:
    """Neither of the names of filters nor of the values of one filter; the Chinese label can be typed."""
    for spelled in (
        [kind.spellings for kind in FILTERS.values()],
        *([value.spellings for value in kind.values] for kind in FILTERS.values()),
    ):
        words = " ".join(spelled).split()
        assert len(words) == len(set(words))
    assert all(kind.zh in kind.spellings.split() for kind in FILTERS.values())


def test_every_spelling_of_a_value_is_read() -> None:
    """As that value, or as the same span of days."""
    for kind in FILTERS.values():
        for value in kind.values:
            found = {filters.filter_of(kind.name, spelling) for spelling in value.spellings.split()}
            assert len(found) == 1
            assert None not in found


def test_the_index_knows_what_a_section_can_have() -> None:
    """Each value of `has:` is a facet that the indexing yields."""
    held = {facet for section in facets(parse("n.md", EVERYTHING.encode())) for facet in section} | {*looks(EVERYTHING)}
    assert {value.name for value in FILTERS["has"].values} <= held


@pytest.mark.parametrize("way", SYNTAX_EXAMPLES, ids=lambda one: one.example)
def test_every_example_is_understood(way: SyntaxExample) -> None:
    """As the query that it is an example of."""
    assert read(way.example).asks
    assert all(part.understood for part in parts(way.example))
    named = re.findall(r"\b(\w+):\S", way.example) if "Error" not in way.example else []
    assert [part.name for part in parts(way.example) if part.name] == named


def test_the_example_of_a_filter_uses_it() -> None:
    """The help is complete."""
    for name, kind in FILTERS.items():
        assert name in {part.name for part in parts(kind.example.example)}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_manual_has_the_examples_of_the_filters(lang: str) -> None:
    """In the same order as the help of the command line and of the window."""
    text = (SHIPPED_NOTES / "manual" / f"search.{lang}.md").read_text(encoding="utf-8")
    typed = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    assert typed[-len(FILTERS) :] == [kind.example.example for kind in FILTERS.values()]
