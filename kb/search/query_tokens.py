"""Splits the text of a query into words, phrases, filters, exclusions and ORs.

What is not well-formed is read as words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from kb.analysis.tokens import fold, has_words
from kb.lazy_regex import expression
from kb.search.error_messages import is_message
from kb.search.filters import NAMES, Filter, filter_of

MOST_WAYS = 12  # combinations of alternatives; further ORs are words
MOST_PARTS = 200  # of a query; the rest is one part, which is ignored
QUOTES = '"“”„＂'
_MINUS = "(?P<minus>[-－−])?"
_QUOTED = rf"(?P<quoted>[{QUOTES}][^{QUOTES}]*[{QUOTES}]|「[^「」]*」|『[^『』]*』)(?!\S)"
_PART = expression(rf"{_MINUS}(?:(?P<name>[^\W\d_]{{1,20}})[:：])?(?:{_QUOTED}|(?P<plain>\S+))")
_PLAIN = expression(rf"{_MINUS}(?:{_QUOTED}|(?P<plain>\S+))")
_STRAY = expression(rf"[-－−]?(?:[^\W\d_]{{1,20}}[:：])?[{QUOTES}「『]")

Kind = Literal["word", "phrase", "not", "filter", "or"]


@dataclass(frozen=True)
class QueryPart:
    """A part of a query's text, from character `start` to `end`: a chip, or a word.

    `name` is the canonical name of a filter ("lang"), also after a minus ("not"); `value` is without quotes.
    `understood` is false for what is read as plain words although more was meant: a bad date, a lone quote, a stray OR.
    """

    kind: Kind
    name: str
    value: str
    start: int
    end: int
    understood: bool = True


Role = Literal["", "word", "phrase", "not", "not phrase", "filter"]
_ASKING = {"word", "phrase", "filter"}


@dataclass(frozen=True)
class Token:
    """A part and its role in the search; "" without any word in it."""

    part: QueryPart
    role: Role
    text: str  # folded
    meant: Filter | None = None


def start(text: str, at: int) -> int:
    """Return where the next part begins."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def tokens(text: str, today: date | None) -> tuple[list[Token], int]:
    """Return the tokens, and where the error message that follows them begins: at the end if there is none."""
    found: list[Token] = []
    at = start(text, 0)
    looked = False
    while at < len(text):
        token = _token(text, at, today)
        if not looked and token.role != "filter":
            looked = True
            if is_message(fold(text[at:])):
                return found, at
        found.append(token)
        at = start(text, token.part.end)
        if len(found) == MOST_PARTS and at < len(text):
            rest = text[at:].rstrip()
            found.append(Token(QueryPart("word", "", fold(rest), at, at + len(rest)), "", ""))
            break
    if not any(token.role in _ASKING for token in found):  # only exclusions: read them as words
        found = [_as_word(token) if token.role else token for token in found]
    return _joined(found), len(text)


def _as_word(token: Token) -> Token:
    return replace(token, part=replace(token.part, understood=False), role="word")


def _token(text: str, at: int, today: date | None) -> Token:
    match = next(_PART.finditer(text, at))
    name = NAMES.get(fold(match["name"] or "").lower(), "")
    if match["name"] and not name:  # what looks like a filter and is none
        match = next(_PLAIN.finditer(text, at))
    minus, quoted, plain = match.group("minus", "quoted", "plain")
    value = fold(plain or quoted[1:-1]).strip()
    part = QueryPart("filter" if name else "phrase", name, value, at, match.end())
    if name:
        return _filter(part, text, today, negated=bool(minus), quoted=bool(quoted))
    if not (quoted or minus) or not has_words(value):
        return _word(text, at)
    if not minus:
        return Token(part, "phrase", value)
    if plain and (len(value) == 1 or value[0] == "-" or value.isdecimal()):  # -1, -U, --option
        return _word(text, at)
    return Token(replace(part, kind="not"), "not phrase" if quoted else "not", value.lower())


def _filter(part: QueryPart, text: str, today: date | None, *, negated: bool, quoted: bool) -> Token:
    part = replace(part, kind="not" if negated else "filter")
    meant = filter_of(part.name, part.value, quoted=quoted, today=today)
    if meant is None or (not quoted and part.value[0] in QUOTES):
        return _as_word(Token(part, "word", fold(text[part.start : part.end])))
    growing = part.end == len(text) and not quoted
    return Token(part, "filter", part.value, replace(meant, negated=negated, growing=growing))


def _word(text: str, at: int) -> Token:
    end = at
    while end < len(text) and not text[end].isspace():
        end += 1
    value = fold(text[at:end])
    kind: Kind = "or" if value in {"OR", "|"} else "phrase" if _STRAY.match(text, at) else "word"
    role: Role = "word" if has_words(value) else ""
    return Token(QueryPart(kind, "", value, at, end, understood=kind == "word"), role, value)


def _joined(tokens: list[Token]) -> list[Token]:
    """Mark the ORs that are between two alternatives."""
    ways = sides = 1
    for at, token in enumerate(tokens[1:-1], 1):
        around = (tokens[at - 1], tokens[at + 1])
        if token.part.kind == "or" and all(one.role and one.part.kind != "or" for one in around):
            if ways * (sides + 1) <= MOST_WAYS:
                sides += 1
                tokens[at] = replace(token, part=replace(token.part, understood=True), role="")
        elif not joins(tokens[at - 1].part):
            ways, sides = ways * sides, 1
    return tokens


def groups(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the required tokens, each with its alternatives."""
    groups: list[list[Token]] = []
    for at, token in enumerate(tokens):
        if not token.role:
            continue
        if at and joins(tokens[at - 1].part):
            groups[-1] = _either(groups[-1], token)
        else:
            groups.append([token])
    return groups


def _either(sides: list[Token], token: Token) -> list[Token]:
    """Add an alternative; filters of one name become one with more values."""
    old, new = sides[-1].meant, token.meant
    if old and new and (old.name, old.negated, new.negated) == (new.name, False, False):
        merged = replace(old, values=(*old.values, *new.values), growing=new.growing)
        return [*sides[:-1], replace(token, meant=merged)]
    return [*sides, token]


def joins(part: QueryPart) -> bool:
    """Return whether a part is an OR that joins its neighbours."""
    return part.kind == "or" and part.understood


def goes_on(text: str) -> bool:
    """Return whether the last word may be incomplete."""
    return bool(text) and not text[-1].isspace() and text[-1] not in QUOTES
