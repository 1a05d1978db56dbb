"""What a user typed or pasted, read as a query. Anything can be read: what is not well-formed counts as plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.tokens import Word, fold, words

MOST_WORDS = 48  # of a query; what comes after is not looked at
REST = 0.25  # weight of the words of an error message that are not in its exception line
_LONGEST = 8000  # characters of a query that are read
_PART = re.compile(
    r'(?P<minus>-)?(?:(?P<name>lang|path|title|tag):)?(?:"(?P<phrase>[^"]*)"(?!\S)|(?P<plain>\S+))', re.IGNORECASE
)
# What is set aside in an error message: where it happened on another machine says nothing about what happened.
_FRAME = re.compile(
    r'File "[^"]*", line \d+(?:, in \S+)?|\bline \d+\b|\bin <module>|Traceback \(most recent call last\):?'
)
_FOLDERS = re.compile(r"(?<![\w:/\\])(?:[A-Za-z]:)?[\\/]?(?:[\w.+~@-]+[\\/])+(?=[\w.+-])")
_NUMBERS = re.compile(
    r"\b0x[0-9a-fA-F]+\b|\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]|(?<=[\w.)]):\d+(?::\d+)?\b|(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])"
)
_RAISED = re.compile(
    r"(?<![\w.])(?:[A-Za-z_]\w*\.){0,9}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit|Warning|Iteration)(?=:|\s*$)",
    re.MULTILINE,
)
_SAID = re.compile(_RAISED.pattern + r"(?=:\s)", re.MULTILINE)
_PASTED = re.compile(r"Traceback \(most|\bAssertion\b.*\bfailed\b|\.(?:cu|cpp|py|cc|h):\d+\b|^\s*File \"", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[a-z)])\.\s|\n|(?<=\w)\s(?=CUDA kernel errors)")


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
    text = fold(text[:_LONGEST].replace("\0", " "))[:_LONGEST]
    if _PASTED.search(text) or _SAID.search(text):
        return _read_error(text)
    query = _read_parts(text)
    if not query.words:  # nothing but exclusions and filters: then they are words
        return Query(text.strip(), tuple(_weighed(text, 1.0)), typing=_goes_on(text))
    return query


def _goes_on(text: str) -> bool:
    return bool(text) and not text[-1].isspace() and text[-1] != '"'


def _weighed(text: str, weight: float) -> Iterator[Weighed]:
    for count, word in enumerate(words(text)):
        if count == MOST_WORDS:
            return
        yield Weighed(word, weight)


def _read_parts(text: str) -> Query:
    plain: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    filters: dict[str, tuple[str, ...]] = {}
    typing = False
    for match in _PART.finditer(text):
        value = (match["plain"] if match["phrase"] is None else match["phrase"]).strip()
        name = (match["name"] or "").lower()
        typing = False
        if next(words(value), None) is None:
            continue
        if name and not match["minus"]:
            filters[name] = (*filters.get(name, ()), value.lower())
        elif match["minus"] and not name and len(value) > 1 and value[0] != "-":
            without.append(value.lower())
        elif match["phrase"] is not None:
            plain.append(value)
            phrases.append(value.lower())
        else:
            plain.append(match[0])
            typing = _goes_on(text)
    rest = " ".join(plain)
    return Query(rest, tuple(_weighed(rest, 1.0)), tuple(phrases), tuple(without), Filters(**filters), typing)


def _read_error(text: str) -> Query:
    """Read an error message: the exception line weighs most, places and numbers are set aside."""
    raised = list(_RAISED.finditer(text))
    start = raised[-1].start() if raised else 0
    said, *after = _SENTENCE.split(text[start:], maxsplit=1)
    best: dict[str, Weighed] = {}
    for one in (*_weighed(_bare(said), 1.0), *_weighed(_bare("\n".join((text[:start], *after))), REST)):
        best.setdefault(one.word.term, one)
    alone = not start and not "".join(after).strip()
    return Query(said.strip(), tuple(best.values())[:MOST_WORDS], typing=alone and _goes_on(text), error=True)


def _bare(text: str) -> str:
    return _NUMBERS.sub(" ", _FOLDERS.sub(" ", _FRAME.sub(" ", text)))
