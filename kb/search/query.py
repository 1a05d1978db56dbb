"""What a user typed or pasted, read as a query. Anything can be read: what is not well-formed counts as plain words."""

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

MOST_WORDS = 48  # of a query; what comes after is not looked at
MOST_PAIRS = 96  # of neighbours in a run of Chinese, or parts of an identifier
QUOTED = 0.5  # weight of the names that an exception line quotes: they may be the user's own
REST = 0.25  # weight of the words of an error message that are not in its exception line
_FIRST, _LAST = 1900, 6000  # of a longer text that ends with an error message
_EXCEPTIONS = ("error", "exception", "warning", "interrupt", "iteration")
_LONGEST = 8000  # characters of a query that are read


@dataclass(frozen=True)
class Weighed:
    """A word of a query and how much it counts."""

    word: Word
    weight: float = 1.0


@dataclass(frozen=True)
class Query:
    """A query that was read. `text` is what is left of it as plain words; `typing`: its last word may go on.

    `phrases`, `without` and `without_phrases` are folded and in lower case. `error`: it is an error message.
    `typed` is all of it as it was typed. `alternatives`: where OR stands in it, each way in which it may be met;
    words and text are then those of all.
    A query with filters and no words asks for everything that passes them.
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
        """The queries without OR of which one must be met."""
        return self.alternatives or (self,)

    @property
    def asks(self) -> bool:
        """Whether it asks for anything."""
        return bool(self.words or self.filters or self.alternatives)


def read(text: str, *, today: date | None = None) -> Query:
    """Read a query; never raises. `today` is what dates such as "week" are counted from."""
    text = _cut(text if len(text) <= _LONGEST or not is_message(text[-_LAST:]) else f"{text[:_FIRST]}\n{text[-_LAST:]}")
    found, at = tokens(text, today)
    if at < len(text):
        return _read_error(fold(text[at:])[:_LONGEST], tuple(one.meant for one in found if one.meant))
    growing = found[-1].part if found and goes_on(text) else None
    wanted = groups(found)
    whole = _query([token for sides in wanted for token in sides], growing)
    if all(len(sides) == 1 for sides in wanted):
        return replace(whole, typed=text)
    ways = [_query(way, growing) for way in product(*wanted)]
    kept = Query(whole.text, whole.words, typing=whole.typing, typed=text)
    return replace(kept, alternatives=tuple(way for way in ways if way.asks))


def read_message(output: str) -> Query | None:
    """Read what a program printed before it failed; None where no error is in it."""
    text = fold(output[-_LONGEST:].replace("\0", " "))[-_LONGEST:]
    return _read_error(text, ()) if is_message(text) else None


def parts(text: str, *, today: date | None = None) -> tuple[QueryPart, ...]:
    """Return the pieces of a query in order, with nothing but white space between them; a message is one word."""
    cut = _cut(text)
    found, at = tokens(cut, today)
    message = cut[at:].rstrip()
    rest = (QueryPart("word", "", message, at, at + len(message)),) if message else ()
    return (*(token.part for token in found), *rest)


def without(text: str, part: QueryPart) -> str:
    """Return a query without one of its parts, and without an OR that joins nothing any more."""
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
    """Return a query with its words changed, and all else as it is: filters, phrases, what is left out."""
    for part in reversed(parts(text)):
        if part.kind == "word":
            text = text[: part.start] + change(text[part.start : part.end]) + text[part.end :]
    return text


def with_filter(text: str, name: str, value: str) -> str:
    """Return a query with a filter put before it, unless it has that filter already."""
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
    """Read tokens all of which are meant."""

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
    """Take the name of an exception as a whole, without its module: what it is made of says something else."""
    name = one.word.term.rpartition(".")[2]
    return replace(one, word=replace(one.word, term=name, parts=())) if is_exception(name) else one


def is_exception(term: str) -> bool:
    """Tell whether a term is the name of a kind of exception."""
    return term.endswith(_EXCEPTIONS)


def _read_error(text: str, filters: tuple[Filter, ...]) -> Query:
    """Read an error message: the exception line weighs most, places and numbers are set aside."""
    message = message_of(text)
    best: dict[str, Weighed] = {}
    for part, weight in ((message.said, 1.0), (message.quoted, QUOTED), (message.rest, REST)):
        for one in map(_as_name, _weighed(part, weight)):
            best.setdefault(one.word.term, one)
    typing = message.alone and goes_on(text)
    return Query(message.line, tuple(best.values())[:MOST_WORDS], filters=filters, typing=typing, error=True)
