"""English spelling: a Hunspell dictionary, read by spylls if that is installed, and the user's own words.

Reading the dictionary takes a third of a second and some 40 MB, so it happens only if words are marked.
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
from kb.files.tree import read_own

SUGGESTED = 6  # words at most
_ALIKE = 88  # of 100, the least similarity of a suggested name of the vault
_LEAST = 3  # letters of a word to look up
# A word with inner capitals, digits, dots or slashes is a name. A Chinese character ends a word.
_PROSE_WORD = re.compile(
    r"(?<![A-Za-z0-9_./\\@#$%~'’À-ɏ])[A-Za-z][a-z]*+(?:['’][a-z]++)*(?![A-Za-z0-9_(/\\@=À-ɏ]|\.[A-Za-z0-9_]|:[A-Za-z0-9_/])"
)
_NO_PROSE = frozenset(  # roles of markup
    re.findall(r"\w+", "front block code math comment wiki link target auto tag escape foot callout key info")
)
_FENCED = re.compile(r"(?ms)^[ \t>]*(?P<marks>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=marks)|\Z)")
_INLINE = re.compile(r"`[^`\n]+`")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAME = "en_US"
# American for British spelling, as spylls comes with American English only, and prefixes to drop; one at a time.
_VARIANTS = tuple(
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


@dataclass(frozen=True)
class ProseLine:
    """A line of the source, and the state at its start."""

    text: str
    state: State


@dataclass(frozen=True)
class MisspeltWord:
    """An unknown word: the index of its line among those checked, and its start there, in characters."""

    line: int
    start: int
    word: str


def words_in(line: ProseLine) -> Iterator[tuple[int, str]]:
    """Yield the start and text of each word in a line's prose."""
    if line.state.kind not in ("text", "start"):
        return
    found, _ = spans(line.text, line.state)
    taken = [(one.start, one.start + one.length) for one in found if not _NO_PROSE.isdisjoint(one.roles)]
    for match in _PROSE_WORD.finditer(line.text):
        start, end = match.span()
        if end - start >= _LEAST and not any(start < last and end > first for first, last in taken):
            yield start, match[0]


def misspelt(lines: tuple[ProseLine, ...], speller: Speller) -> tuple[MisspeltWord, ...]:
    """Return the words of some lines that the speller does not know, in order."""
    return tuple(
        MisspeltWord(number, start, word)
        for number, line in enumerate(lines)
        for start, word in words_in(line)
        if not speller.knows(word)
    )


def code_of(text: str) -> str:
    """Return the code of a note, whose names are known words in its prose."""
    fenced = "\n".join(match[0] for match in _FENCED.finditer(text))
    return f"{fenced}\n{' '.join(_INLINE.findall(_FENCED.sub('', text)))}"


class Dictionary(Protocol):
    """A dictionary: spylls has no types, and tests use a small one."""

    def lookup(self, word: str) -> bool:
        """Return whether a word is known."""

    def suggest(self, word: str, *, far: bool) -> Iterator[str]:
        """Yield suggestions, the likeliest first; with `far`, also less similar words if there are no others."""


def available() -> bool:
    """Return whether spylls is installed."""
    return find_spec("spylls") is not None


@cache
def english() -> Dictionary:
    """Return the dictionary, read once. Raises ImportError without spylls."""
    readers: Any = import_module("spylls.hunspell.readers")
    hunspell: Any = import_module("spylls.hunspell")

    class Reader(readers.FileReader):  # type: ignore[misc]  # spylls has no types
        """Closes the files it opens, unlike its base."""

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
    """A spylls dictionary that looks for distant suggestions only if there are no close ones."""

    def __init__(self, made: Any) -> None:
        """Wrap a dictionary of spylls."""
        self._made = made
        bare = copy(made.aff)
        bare.MAXNGRAMSUGS, bare.PHONE = 0, None  # comparing with every word takes a second
        self._near = type(made.suggester)(bare, made.dic, made.lookuper)

    def lookup(self, word: str) -> bool:
        """Return whether a word is known."""
        return bool(self._made.lookup(word))

    def suggest(self, word: str, *, far: bool) -> Iterator[str]:
        """Yield suggestions, the likeliest first."""
        found = False
        for one in self._near(word):
            found = True
            yield one
        if not found and far:
            yield from self._made.suggest(word)


class Speller:
    """Knows the words of a dictionary and additional ones; lookups are cached."""

    def __init__(self, dictionary: Dictionary, known: Iterable[str] = ()) -> None:
        """Add the words of the names `known`, in any case."""
        self._dictionary = dictionary
        self._known = frozenset(word.lower() for name in known for word in words_of(name))
        self._found: dict[str, bool] = {}

    def knows(self, word: str) -> bool:
        """Return whether a word is known, in American or British spelling."""
        plain = word.replace("’", "'")
        found = self._found.get(plain)
        if found is None:
            found = self._found[plain] = self._looked_up(plain)
        return found

    def suggestions(self, word: str) -> tuple[str, ...]:
        """Return suggestions for a word; this may take half a second."""
        from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - not needed at start
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
        others = (bare, *(pattern.sub(made, bare) for pattern, made in _VARIANTS))
        return any(other != word and self._dictionary.lookup(other) for other in others)


def words_of(name: str) -> Iterator[str]:
    """Yield the words of a name, including the parts of identifiers."""
    for word in _WORD.findall(name.replace("_", " ")):
        yield word
        if not word.islower():
            yield from re.findall(r"[A-Z]?[a-z]+", word)


def own_words(file: Path) -> frozenset[str]:
    """Return the user's own words, one on each line of the file; none if it cannot be read."""
    try:
        return frozenset(line.strip() for line in read_own(file).decode("utf-8").splitlines() if line.strip())
    except (OSError, ValueError):
        return frozenset()


def add_own_word(file: Path, word: str) -> frozenset[str]:
    """Add a word to the user's own, and return them all. Raises SaveFailed."""
    words = own_words(file) | {word}
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(file, "".join(f"{one}\n" for one in sorted(words, key=str.lower)).encode())
    return words
