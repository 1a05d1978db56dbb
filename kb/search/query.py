"""Parses typed or pasted text as a query. Any text can be parsed: what is not well-formed counts as plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product

from kb.analysis.tokens import Word, fold, words
from kb.search.error_messages import is_message, message_of
from kb.search.filters import Filter
from kb.search.query_tokens import QUOTES, QueryPart, Role, Token, goes_on, groups, joins, start, tokens

MOST_WORDS = 48  # of a query; the rest is ignored
MOST_PAIRS = 96  # of a run of Chinese, or parts of an identifier
QUOTED = 0.5  # weight of names quoted in an exception line: they may be the user's own
REST = 0.25  # weight of the words of an error message that are not in its exception line
_FIRST, _LAST = 1900, 6000  # characters kept of a longer text that ends with an error message
_EXCEPTIONS = ("error", "exception", "warning", "interrupt", "iteration")
_LONGEST = 8000  # characters of a query that are read


@dataclass(frozen=True)
class Weighed:
    """A word of a query and its weight."""

    word: Word
    weight: float = 1.0


@dataclass(frozen=True)
class Query:
    """A parsed query. `text` is the rest of it as plain words; `typing`: its last word may be incomplete.

    `phrases`, `without` and `without_phrases` are folded and in lower case. `error`: it is an error message. `typed` is
    the original text. `alternatives`: if OR is used, each combination that satisfies the query; words and text are then
    those of all. A query with filters and no words matches everything that passes them.
    """

    text: str
    words: tuple[Weighed, ...]
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    without_phrases: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    typing: bool = False
    error: bool = False
    typed: str = ""
    alternatives: tuple[Query, ...] = ()

    @property
    def ways(self) -> tuple[Query, ...]:
        """The queries without OR; one of them must be satisfied."""
        return self.alternatives or (self,)

    @property
    def asks(self) -> bool:
        """Whether it searches for anything."""
        return bool(self.words or self.filters or self.alternatives)


def read(text: str, *, today: date | None = None) -> Query:
    """Parse a query; never raises. Dates such as "week" count from `today`."""
    text = _cut(text if len(text) <= _LONGEST or not is_message(text[-_LAST:]) else f"{text[:_FIRST]}\n{text[-_LAST:]}")
    found, at = tokens(text, today)
    if at < len(text):
        message = fold(text[at:])[:_LONGEST]
        return replace(_read_error(message, tuple(one.meant for one in found if one.meant)), typed=message)
    growing = found[-1].part if found and goes_on(text) else None
    wanted = groups(found)
    whole = _query([token for sides in wanted for token in sides], growing)
    if all(len(sides) == 1 for sides in wanted):
        return replace(whole, typed=text)
    ways = [_query(way, growing) for way in product(*wanted)]
    kept = Query(whole.text, whole.words, typing=whole.typing, typed=text)
    return replace(kept, alternatives=tuple(way for way in ways if way.asks))


def read_message(output: str) -> Query | None:
    """Parse the error in a failed program's output; None if there is none."""
    text = fold(output[-_LONGEST:].replace("\0", " "))[-_LONGEST:]
    return _read_error(text, ()) if is_message(text) else None


def parts(text: str, *, today: date | None = None) -> tuple[QueryPart, ...]:
    """Return the parts of a query in order, separated only by white space; an error message is one word."""
    cut = _cut(text)
    found, at = tokens(cut, today)
    message = cut[at:].rstrip()
    rest = (QueryPart("word", "", message, at, at + len(message)),) if message else ()
    return (*(token.part for token in found), *rest)


def without(text: str, part: QueryPart) -> str:
    """Return a query without one of its parts, and without an OR that no longer joins anything."""
    known = parts(text)
    at = known.index(part)
    gone = [at]
    if at + 1 < len(known) and joins(known[at + 1]):
        gone = [at + 1, at]
    elif at and joins(known[at - 1]):
        gone = [at, at - 1]
    for place in gone:
        text = text[: known[place].start] + text[start(text, known[place].end) :]
    return text


def reworded(text: str, change: Callable[[str], str]) -> str:
    """Return a query with its words changed, and filters, phrases and exclusions unchanged."""
    for part in reversed(parts(text)):
        if part.kind == "word":
            text = text[: part.start] + change(text[part.start : part.end]) + text[part.end :]
    return text


def with_filter(text: str, name: str, value: str) -> str:
    """Return a query with a filter prepended, unless it has that filter already."""
    value = " ".join(re.sub(rf"[{QUOTES}]", " ", value).split())
    known = parts(text)
    if any((one.kind, one.name, one.value.lower()) == ("filter", name, fold(value).lower()) for one in known):
        return text
    if known and known[0].kind == "or":  # it would join the filter to what follows
        return with_filter(text[known[0].end :], name, value)
    spelled = f'"{value}"' if re.search(r"[\s,，、]", value) else value
    return f"{name}:{spelled} {text.lstrip()}"


def _cut(text: str) -> str:
    return text[:_LONGEST].replace("\0", " ")


def _query(tokens: Sequence[Token], growing: QueryPart | None) -> Query:
    """Parse tokens without OR."""

    def texts(*roles: Role) -> list[str]:
        return [token.text for token in tokens if token.role in roles]

    rest = " ".join(texts("word", "phrase"))
    last = next((token for token in reversed(tokens) if token.role in {"word", "phrase"}), None)
    return Query(
        rest,
        tuple(_weighed(rest, 1.0)),
        phrases=tuple(one.lower() for one in texts("phrase")),
        without=tuple(texts("not")),
        without_phrases=tuple(texts("not phrase")),
        filters=tuple(token.meant for token in tokens if token.meant),
        typing=last is not None and last.role == "word" and last.part == growing,
    )


def _weighed(text: str, weight: float) -> Iterator[Weighed]:
    for count, word in enumerate(words(text)):
        if count == MOST_WORDS:
            return
        yield Weighed(replace(word, parts=word.parts[:MOST_PAIRS]) if len(word.parts) > MOST_PAIRS else word, weight)


def _as_name(one: Weighed) -> Weighed:
    """Return the name of an exception as one word without its module: its parts would match something else."""
    name = one.word.term.rpartition(".")[2]
    return replace(one, word=replace(one.word, term=name, parts=())) if is_exception(name) else one


def is_exception(term: str) -> bool:
    """Return whether a term is the name of an exception."""
    return term.endswith(_EXCEPTIONS)


def _read_error(text: str, filters: tuple[Filter, ...]) -> Query:
    """Parse an error message: the exception line weighs most, places and numbers are ignored."""
    message = message_of(text)
    best: dict[str, Weighed] = {}
    for part, weight in ((message.said, 1.0), (message.quoted, QUOTED), (message.rest, REST)):
        for one in map(_as_name, _weighed(part, weight)):
            best.setdefault(one.word.term, one)
    typing = message.alone and goes_on(text)
    return Query(message.line, tuple(best.values())[:MOST_WORDS], filters=filters, typing=typing, error=True)
