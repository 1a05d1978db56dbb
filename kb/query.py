"""What a user typed or pasted, read as a query. Anything can be read: what is not well-formed counts as plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kb.tokens import Word, fold, words

MOST_WORDS = 48  # of a query; what comes after is not looked at
_LONGEST = 8000  # characters of a query that are read
_PART = re.compile(r'(?P<minus>-)?(?:(?P<name>lang|path|title|tag):)?(?:"(?P<phrase>[^"]*)"|(?P<plain>\S+))', re.IGNORECASE)

# What is set aside in an error message: where it happened on another machine says nothing about what happened.
_FRAME = re.compile(r'File "[^"]*", line \d+(?:, in \S+)?|\bline \d+\b|\bin <module>|Traceback \(most recent call last\):?')
_FOLDERS = re.compile(r"(?<![\w:/])(?:[A-Za-z]:)?[\\/]?(?:[\w.+~@-]+[\\/])+(?=[\w.+-])")
_NUMBERS = re.compile(r"\b0x[0-9a-fA-F]+\b|\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]|(?<=[\w.)]):\d+(?::\d+)?\b|(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_RAISED = re.compile(r"(?:^|(?<=[\s:]))(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning|Iteration)\b(?=:|\s*$)", re.MULTILINE)
_ERROR = re.compile(r"Traceback \(most|\bAssertion\b.*\bfailed\b|\.(?:cu|cpp|py|cc|h):\d+\b|^\s*File \"", re.MULTILINE)
_NEXT_SENTENCE = re.compile(r"(?<=[a-z)])\.\s|\n|(?<=\w)\s(?=CUDA kernel errors)")
REST = 0.25  # weight of the words of an error message that are not in its exception line


@dataclass(frozen=True)
class Weighed:
    """A word of a query and how much it counts."""

    word: Word
    weight: float = 1.0


@dataclass(frozen=True)
class Filters:
    """What a hit must be: in a language, under a path, under a heading, with a tag. Each may be given several times."""

    lang: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()


@dataclass(frozen=True)
class Query:
    """A query that was read. `text` is what is left of it as plain words; `typing`: its last word may go on.

    `phrases` and `without` are folded and in lower case. `error`: it is an error message.
    """

    text: str
    words: tuple[Weighed, ...]
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)
    typing: bool = False
    error: bool = False


def read(text: str) -> Query:
    """Read a query; never raises."""
    text = fold(text.replace("\0", " "))[:_LONGEST]
    if _ERROR.search(text) or _RAISED.search(text):
        return _read_error(text)
    query = _read_parts(text)
    if not query.words and not query.phrases:  # nothing but exclusions and filters: then they are words
        return Query(text.strip(), _plain(text), typing=_goes_on(text))
    return query


def _goes_on(text: str) -> bool:
    return bool(text) and not text[-1].isspace() and text[-1] not in '"'


def _plain(text: str, weight: float = 1.0) -> tuple[Weighed, ...]:
    return tuple(Weighed(word, weight) for word in words(text))[:MOST_WORDS]


def _read_parts(text: str) -> Query:
    plain: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    kept: dict[str, tuple[str, ...]] = {}
    for match in _PART.finditer(text):
        value = (match["phrase"] if match["phrase"] is not None else match["plain"]).strip()
        name = (match["name"] or "").lower()
        if not any(True for _ in words(value)):
            continue
        if name and not match["minus"]:
            kept[name] = (*kept.get(name, ()), value.lower())
        elif match["minus"] and (len(value) > 1 and value[0] != "-"):
            without.append(value.lower())
        else:
            plain.append(match[0] if match["minus"] else value)
            if match["phrase"] is not None:
                phrases.append(value.lower())
    rest = " ".join(plain)
    return Query(
        rest, _plain(rest), tuple(phrases), tuple(without), Filters(**kept),
        typing=_goes_on(text) and not (kept or without) or (_goes_on(text) and bool(plain) and text.endswith(plain[-1])),
    )


def _read_error(text: str) -> Query:
    """Read an error message: the exception line weighs most, places and numbers are set aside."""
    raised = list(_RAISED.finditer(text))
    at = raised[-1].start() if raised else 0
    said = _NEXT_SENTENCE.split(text[at:], maxsplit=1)
    found = [*_stripped(said[0], 1.0), *_stripped("\n".join([text[:at], *said[1:]]), REST)]
    best: dict[str, Weighed] = {}
    for one in found:
        best.setdefault(one.word.term, one)
    return Query(said[0].strip(), tuple(best.values())[:MOST_WORDS], error=True)


def _stripped(text: str, weight: float) -> Iterator[Weighed]:
    bare = _NUMBERS.sub(" ", _FOLDERS.sub(" ", _FRAME.sub(" ", text)))
    for one in _plain(bare, weight):
        yield replace(one, weight=weight)
