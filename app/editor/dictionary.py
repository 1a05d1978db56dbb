"""Which English words there are: a dictionary of Hunspell, read by spylls where that is installed, and one's own words.

Reading the dictionary takes a third of a second and some 40 MB, so nobody does who wants no words marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from app.editor.markdown_tokens import State, spans
from kb.files.atomic import replace_file

_LEAST = 3  # letters of a word that is looked up
# One with capitals within, digits, dots or slashes is a name. A Chinese character beside a word ends it.
_PROSE_WORD = re.compile(
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
    for match in _PROSE_WORD.finditer(line.text):
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


SUGGESTED = 6  # words at most
_ALIKE = 88  # of 100, at least, where a name of the vault is suggested
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAME = "en_US"
# How the British write what the dictionary has as the Americans do, and what stands before a word; one at a time.
_OTHERWISE = tuple(
    (re.compile(pattern), made)
    for pattern, made in (
        (r"our", "or"),
        (r"is(e[drs]?|ing|ations?|able)$", r"iz\1"),
        (r"ys(e[drs]?|ing)$", r"yz\1"),
        (r"tre(s?|d)$", r"ter\1"),
        (r"ogue(s?)$", r"og\1"),
        (r"enc(e[sd]?)$", r"ens\1"),
        (r"ll(ed|ing|ers?)$", r"l\1"),
        (r"ae", "e"),
        (r"efact", "ifact"),
        (r"grey", "gray"),
        (r"spelt$", "spelled"),
        (r"(learn|burn|dream)t$", r"\1ed"),
        (r"^(?:un|re|sub|pre|non|multi)(?=.{5})", ""),
    )
)


class Dictionary(Protocol):
    """What is asked of a dictionary."""

    def lookup(self, word: str) -> bool:
        """Tell whether a word is one."""

    def suggest(self, word: str, *, far: bool) -> Iterator[str]:
        """Yield words that may have been meant, the likeliest first; `far` ones only where there are no others."""


def available() -> bool:
    """Tell whether there is something to read a dictionary with."""
    return find_spec("spylls") is not None


@cache
def english() -> Dictionary:
    """Return the dictionary, which is read once. Raises ImportError without spylls."""
    readers: Any = import_module("spylls.hunspell.readers")
    hunspell: Any = import_module("spylls.hunspell")

    class Reader(readers.FileReader):  # type: ignore[misc]  # it has no types
        """Closes what it has opened, as the one of the library does not."""

        def reset_encoding(self, encoding: str) -> None:
            before = self.io
            super().reset_encoding(encoding)
            before.close()

    place = Path(hunspell.__file__).parent / "data" / "en"
    rules = Reader(str(place / f"{_NAME}.aff"))
    affixes, context = readers.read_aff(rules)
    words = Reader(str(place / f"{_NAME}.dic"), encoding=context.encoding)
    try:
        made = hunspell.Dictionary(affixes, readers.read_dic(words, aff=affixes, context=context))
    finally:
        rules.io.close()
        words.io.close()
    return _English(made)


class _English:
    """The dictionary, which looks for words that are less alike only where there are none that are more so."""

    def __init__(self, made: Any) -> None:
        """Take a dictionary of spylls."""
        self._made = made
        bare = copy(made.aff)
        bare.MAXNGRAMSUGS, bare.PHONE = 0, None  # comparing with every word takes a second
        self._near = type(made.suggester)(bare, made.dic, made.lookuper)

    def lookup(self, word: str) -> bool:
        """Tell whether a word is one."""
        return bool(self._made.lookup(word))

    def suggest(self, word: str, *, far: bool) -> Iterator[str]:
        """Yield words that may have been meant, the likeliest first."""
        found = False
        for one in self._near(word):
            found = True
            yield one
        if not found and far:
            yield from self._made.suggest(word)


class Speller:
    """Knows the dictionary's words, and others beside it; what was looked up is remembered."""

    def __init__(self, dictionary: Dictionary, known: Iterable[str] = ()) -> None:
        """Know `known`, names of several words among them, in whatever case they are written."""
        self._dictionary = dictionary
        self._known = frozenset(word.lower() for name in known for word in words_of(name))
        self._found: dict[str, bool] = {}

    def knows(self, word: str) -> bool:
        """Tell whether a word is known, as the Americans or the British write it."""
        plain = word.replace("’", "'")
        found = self._found.get(plain)
        if found is None:
            found = self._found[plain] = self._looked_up(plain)
        return found

    def suggestions(self, word: str) -> tuple[str, ...]:
        """Return words that may have been meant; this may take half a second."""
        from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - a start has no use for it
        from rapidfuzz.process import extract  # noqa: PLC0415

        plain = word.replace("’", "'")
        named = [one for one, _, _ in extract(plain.lower(), self._known, limit=2, score_cutoff=_ALIKE, scorer=ratio)]
        return tuple(dict.fromkeys((*named, *islice(self._dictionary.suggest(plain, far=not named), SUGGESTED))))[
            :SUGGESTED
        ]

    def _looked_up(self, word: str) -> bool:
        bare = word.lower().removesuffix("'s")
        if bare in self._known or bare.removesuffix("s") in self._known or self._dictionary.lookup(word):
            return True
        others = (bare, *(pattern.sub(made, bare) for pattern, made in _OTHERWISE))
        return any(other != word and self._dictionary.lookup(other) for other in others)


def words_of(name: str) -> Iterator[str]:
    """Yield the words of a name, the parts of an identifier among them."""
    for word in _WORD.findall(name.replace("_", " ")):
        yield word
        if not word.islower():
            yield from re.findall(r"[A-Z]?[a-z]+", word)


def own_words(file: Path) -> frozenset[str]:
    """Return the words that a user has added, one in each line; none where the file cannot be read."""
    try:
        return frozenset(line.strip() for line in file.read_text("utf-8").splitlines() if line.strip())
    except (OSError, ValueError):
        return frozenset()


def add_own_word(file: Path, word: str) -> frozenset[str]:
    """Add a word to those of the user, and return them all. Raises SaveFailed."""
    words = own_words(file) | {word}
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(file, "".join(f"{one}\n" for one in sorted(words, key=str.lower)).encode())
    return words
