"""The filters of the query language: names and values in both languages, and spans of days."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.search.filters import EARLIEST, LATEST, NAMES, filter_of

TODAY = date(2026, 3, 5)


@pytest.mark.parametrize(
    ("name", "value", "values"),
    [
        ("lang", "中文，英文", ("zh", "en")),
        ("lang", "ZH,zh,", ("zh",)),
        ("has", "图、表格", ("image", "table")),
        ("status", "失败", ("failed",)),
        ("status", "ｆａｉｌｅｄ", ("failed",)),
        ("device", "GPU", ("cuda",)),
        ("tag", "#CUDA", ("cuda",)),
        ("path", "Notes\\A,b", ("notes/a", "b")),
        ("title", "a, b", ("a, b",)),
        ("code", "zeros(2,3)", ("zeros(2,3)",)),
    ],
)
def test_values_in_either_language(name: str, value: str, values: tuple[str, ...]) -> None:
    """A list has commas of either kind, but where a comma may be meant."""
    found = filter_of(name, value)
    assert found is not None
    assert found.values == values


def test_a_comma_in_quotes_is_one() -> None:
    """What was quoted is one value."""
    found = filter_of("tag", "a,b", quoted=True)
    assert found is not None
    assert found.values == ("a,b",)


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026年", "2026-01-01", "2026-12-31"),
        ("2026-01", "2026-01-01", "2026-01-31"),
        ("2024/2", "2024-02-01", "2024-02-29"),
        ("2026年12月", "2026-12-01", "2026-12-31"),
        ("2026-02-03", "2026-02-03", "2026-02-03"),
        ("2026年2月3日", "2026-02-03", "2026-02-03"),
        (">2026-01", "2026-02-01", LATEST),
        (">=2026-01", "2026-01-01", LATEST),
        ("≥2026", "2026-01-01", LATEST),
        ("<2026-02-03", EARLIEST, "2026-02-02"),
        ("<=2026-02-03", EARLIEST, "2026-02-03"),
        ("≤2026-02", EARLIEST, "2026-02-28"),
        ("2025-12..2026-02", "2025-12-01", "2026-02-28"),
        ("today", "2026-03-05", LATEST),
        ("昨天", "2026-03-04", "2026-03-04"),
        ("week", "2026-02-27", LATEST),
        ("month", "2026-02-03", LATEST),
        ("一年", "2025-03-05", LATEST),
    ],
)
def test_spans_of_days(value: str, first: str, last: str) -> None:
    """Days, months and years, before, after and between; week and month reach back from today."""
    found = filter_of("modified", value, today=TODAY)
    assert found is not None
    assert found.values == (f"{first}..{last}",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lang", "fr"),
        ("lang", "zh,fr"),
        ("has", "cheese"),
        ("status", ","),
        ("tag", "#"),
        ("title", "..."),
        ("modified", "soon"),
        ("modified", "2026-13"),
        ("modified", "2026-02-30"),
        ("modified", "0000"),
        ("modified", ">soon"),
        ("modified", ">9999"),
        ("modified", "<0001"),
        ("modified", "2026-02..2025-12"),
        ("modified", "2026-02..soon"),
        ("modified", ".."),
        ("modified", ">week"),
    ],
)
def test_a_value_that_says_nothing_is_none(name: str, value: str) -> None:
    """Then it is not a filter at all."""
    assert filter_of(name, value, today=TODAY) is None


def test_days_count_from_today() -> None:
    """Without another day it is the one of the clock."""
    found = filter_of("modified", "today")
    assert found is not None
    assert found.values[0].endswith(LATEST)


@given(st.sampled_from(sorted(set(NAMES.values()))), st.text() | st.from_regex(r"[<>=]{0,2}\d{4}([-.]\d{1,2}){0,3}"))
def test_any_value_can_be_read(name: str, value: str) -> None:
    """Reading never raises, and a span never ends before it begins."""
    found = filter_of(name, value, today=TODAY)
    assert found is None or found.values
    if found and name == "modified":
        assert all(first <= last for first, last in (span.split("..") for span in found.values))
