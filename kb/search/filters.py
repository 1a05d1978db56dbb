"""Reads the filters of a query; their names and values are in `query_syntax`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from kb.analysis.tokens import fold, words
from kb.lazy_regex import expression
from kb.search.query_syntax import FILTERS

NAMES: Mapping[str, str] = {spelling: kind.name for kind in FILTERS.values() for spelling in kind.spellings.split()}
LATEST = "9999-12-31"
EARLIEST = "0001-01-01"
_VALUES = {
    kind.name: {spelling: value.name for value in kind.values for spelling in value.spellings.split()}
    for kind in FILTERS.values()
    if kind.values
}
_TEXTS = {"title", "code"}  # in these a comma does not separate values
_COMMA = expression("[,，、]")
_DAY = expression(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?|年)?", re.ASCII)
_COMPARED = expression(r"(>=|<=|>|<|≥|≤)(.+)")
_AGO = {"today": 0, "week": 6, "month": 30, "year": 365}  # days before today
_YESTERDAY = {"yesterday", "昨天"}
_Span = tuple[str, str]


@dataclass(frozen=True)
class Filter:
    """A condition on sections. They must have any of the values or, if `negated`, none.

    Values are in lower case; those of "modified" are spans of days, "2026-01-01..2026-01-31". `growing`: it is being
    typed, so its value may be only the beginning of the one meant.
    """

    name: str
    values: tuple[str, ...]
    negated: bool = False
    growing: bool = False


def filter_of(name: str, value: str, *, quoted: bool = False, today: date | None = None) -> Filter | None:
    """Read a filter by its canonical name; None for an invalid value. Dates such as "week" count from `today`."""
    value = fold(value).strip().lower()
    whole = quoted or name in _TEXTS
    values = [value] if whole else [one.strip() for one in _COMMA.split(value) if one.strip()]
    meant = [_reader(name, today or date.today())(one) for one in values]  # noqa: DTZ011 - local days
    known = tuple(one for one in dict.fromkeys(meant) if one is not None)
    return Filter(name, known) if known and len(known) == len(set(meant)) else None


def _reader(name: str, today: date) -> Callable[[str], str | None]:
    if name == "modified":
        return lambda value: _spanned(value, today)
    if name in _VALUES:
        return _VALUES[name].get
    return lambda value: _texts(name, value)


def _texts(name: str, value: str) -> str | None:
    if next(words(value), None) is None:
        return None
    return value.lstrip("#") if name == "tag" else value.replace("\\", "/") if name == "path" else value


def _spanned(value: str, today: date) -> str | None:
    span = _relative(value, today) or _compared(value) or _between(value)
    return "..".join(span) if span and span[0] <= span[1] else None


def _relative(value: str, today: date) -> _Span | None:
    if value in _YESTERDAY:
        return (yesterday := (today - timedelta(1)).isoformat()), yesterday
    known = _VALUES["modified"].get(value)
    return ((today - timedelta(_AGO[known])).isoformat(), LATEST) if known else None


def _compared(value: str) -> _Span | None:
    match = _COMPARED.fullmatch(value)
    span = _days(match[2].strip()) if match else None
    if match is None or span is None:
        return None
    if match[1] in {">=", "≥"}:
        return span[0], LATEST
    if match[1] in {"<=", "≤"}:
        return EARLIEST, span[1]
    if match[1] == ">":
        return (_shifted(span[1], 1), LATEST) if span[1] != LATEST else None
    return (EARLIEST, _shifted(span[0], -1)) if span[0] != EARLIEST else None


def _between(value: str) -> _Span | None:
    first, dots, last = value.partition("..")
    if not dots:
        return _days(value)
    begin, end = _days(first.strip()), _days(last.strip())
    return (begin[0], end[1]) if begin and end else None


def _days(text: str) -> _Span | None:
    """Return the first and the last day of a year, a month or a day."""
    match = _DAY.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        first = date(year, month or 1, day or 1)
        if day:
            return first.isoformat(), first.isoformat()
        last = date(year, 12, 31) if not month or month == 12 else date(year, month + 1, 1) - timedelta(1)  # noqa: PLR2004
    except ValueError:
        return None
    return first.isoformat(), last.isoformat()


def _shifted(day: str, by: int) -> str:
    return (date.fromisoformat(day) + timedelta(by)).isoformat()
