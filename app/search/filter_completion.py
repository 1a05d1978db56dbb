"""Completes the filter being typed: with the vault's tags and folders, or the filter's own values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.i18n import Translator
from app.state.tree_model import tags_of
from app.widgets.list_delegates import QuerySuggestion
from kb.lazy_regex import expression
from kb.notes.note_listing import NoteEntry
from kb.search.filters import NAMES
from kb.search.query_syntax import FILTERS

MOST = 8  # completions
_FILTER = expression(r"(?:^|\s)(?P<spelled>[-－−]?[^\W\d_]{1,20}[:：])[\"“]?(?P<value>[^\s\"“”]*)$")


@dataclass(frozen=True)
class _Typed:
    """A filter up to the cursor: its name, the name as typed, the typed part of its value, and its offset."""

    name: str
    spelled: str
    begun: str
    start: int


def offers(text: str, cursor: int, entries: Sequence[NoteEntry], words: Translator) -> tuple[QuerySuggestion, ...]:
    """Return the completions of the filter before the cursor, likeliest first; empty if it is complete."""
    typed = _typed(text, cursor)
    if typed is None:
        return ()
    choices = [one for one in _choices(typed.name, entries, words) if one[0].lower() != typed.begun]
    fitting = sorted(
        (one for one in choices if _fits(one[0].lower(), typed.begun)),
        key=lambda one: not one[0].lower().startswith(typed.begun),
    )
    after = text[cursor:].lstrip()
    return tuple(
        QuerySuggestion(
            f"{typed.spelled}{value}",
            told,
            f"{text[: typed.start]}{typed.spelled}{_quoted(value)} {after}",
            (typed.begun,),
        )
        for value, told in fitting[:MOST]
    )


def is_whole(text: str, cursor: int, entries: Sequence[NoteEntry], words: Translator) -> bool:
    """Return whether the filter before the cursor has a known value, or there is no filter."""
    typed = _typed(text, cursor)
    return typed is None or typed.begun in {value.lower() for value, _ in _choices(typed.name, entries, words)}


def _fits(value: str, begun: str) -> bool:
    """Return whether a value may be meant: a single letter must be its first."""
    return value.startswith(begun) or (len(begun) > 1 and begun in value)


def _typed(text: str, cursor: int) -> _Typed | None:
    """Return the filter that is being typed, if the cursor is at its end."""
    match = _FILTER.search(text[:cursor])
    name = NAMES.get(match["spelled"].strip("-－−:：").lower(), "") if match else ""
    if match is None or not name or text[cursor : cursor + 1].strip():
        return None
    return _Typed(name, match["spelled"], match["value"].lower().lstrip("#"), match.start("spelled"))


def _choices(name: str, entries: Sequence[NoteEntry], words: Translator) -> Iterator[tuple[str, str]]:
    """Yield the values of a filter, the commonest first, each with its description."""
    if name == "tag":
        for tag, count in tags_of(entries):
            yield tag, _notes(count, words)
    elif name == "path":
        for folder, count in _folders(entries):
            yield folder, _notes(count, words)
    else:
        for value in FILTERS[name].values:
            yield value.name, words(value.zh, value.en)


def _folders(entries: Sequence[NoteEntry]) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for entry in entries:
        parts = entry.folder.split("/") if entry.folder else []
        counts.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return sorted(counts.items(), key=lambda item: (item[0].count("/"), -item[1], item[0]))


def _notes(count: int, words: Translator) -> str:
    return words(f"{count} 篇", f"{count} notes" if count != 1 else "1 note")


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"[\s,，、]", value) else value
