"""Regular expressions that are compiled late: what they find is what they would have found."""

from __future__ import annotations

import copy
import re

import pytest

from kb.lazy_regex import expression


def test_it_is_compiled_at_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before, and not again: a second use does not even come by."""
    compiled: list[str] = []
    truly = re.compile

    def compile_(source: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(source)
        return truly(source, flags)

    monkeypatch.setattr("re.compile", compile_)
    late = expression(r"(?P<word>b+)", re.IGNORECASE)
    assert compiled == []
    assert [found["word"] for found in late.finditer("aBba b")] == ["Bb", "b"]
    assert late.sub("-", "abc") == "a-c"
    assert late.fullmatch("bb")
    assert compiled == [r"(?P<word>b+)"]
    assert late.pattern == r"(?P<word>b+)"
    assert late.flags & re.IGNORECASE


def test_it_is_no_more_than_a_pattern() -> None:
    """What a pattern has not, it has not either; and it may be copied."""
    late = expression("a")
    with pytest.raises(AttributeError):
        late.nothing  # type: ignore[attr-defined]  # noqa: B018
    assert copy.copy(late).match("a")


def test_a_wrong_one_is_told_of() -> None:
    """A mistake in the expression comes out at the first use."""
    with pytest.raises(re.error):
        expression("(").match("")
