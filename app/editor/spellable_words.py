"""The English words of a line's prose: what is code, a link, a formula, front matter or a name is none of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.editor.dictionary import Speller
from app.editor.markdown_tokens import State, spans

_LEAST = 3  # letters of a word that is looked up
# One with capitals within, digits, dots or slashes is a name. A Chinese character beside a word ends it.
_WORD = re.compile(
    r"(?<![A-Za-z0-9_./\\@#$%~'’À-ɏ])[A-Za-z][a-z]*+(?:['’][a-z]++)*(?![A-Za-z0-9_(/\\@=À-ɏ]|\.[A-Za-z0-9_]|:[A-Za-z0-9_/])"
)
_NO_PROSE = frozenset({
    "front", "block", "code", "math", "comment", "wiki", "link", "target", "auto", "tag", "escape", "foot", "callout",
    "key", "info",
})  # fmt: skip
_FENCED = re.compile(r"(?ms)^[ \t>]*(?P<marks>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=marks)|\Z)")
_INLINE = re.compile(r"`[^`\n]+`")


@dataclass(frozen=True)
class ProseLine:
    """A line of the source, and what it begins in."""

    text: str
    state: State


@dataclass(frozen=True)
class MisspeltWord:
    """A word that nobody knows: its line among those that were looked at, and its place there, in characters."""

    line: int
    start: int
    word: str


def words_in(line: ProseLine) -> Iterator[tuple[int, str]]:
    """Yield the words of a line's prose with their places."""
    if line.state.kind not in ("text", "start"):
        return
    found, _ = spans(line.text, line.state)
    taken = [(one.start, one.start + one.length) for one in found if not _NO_PROSE.isdisjoint(one.roles)]
    for match in _WORD.finditer(line.text):
        start, end = match.span()
        if end - start >= _LEAST and not any(start < last and end > first for first, last in taken):
            yield start, match[0]


def misspelt(lines: tuple[ProseLine, ...], speller: Speller) -> tuple[MisspeltWord, ...]:
    """Return the words of these lines that the speller does not know, in order."""
    return tuple(
        MisspeltWord(number, start, word)
        for number, line in enumerate(lines)
        for start, word in words_in(line)
        if not speller.knows(word)
    )


def code_of(text: str) -> str:
    """Return the code of a note: what is named there is a word in its prose, too."""
    fenced = "\n".join(match[0] for match in _FENCED.finditer(text))
    return f"{fenced}\n{' '.join(_INLINE.findall(_FENCED.sub('', text)))}"
