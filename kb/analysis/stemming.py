"""Inflected forms of English words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kb.lazy_regex import expression

_SHORT = 4  # letters; shorter words keep their ending
_ENDINGS = expression(r"(?:(?<=[^su])s|(?<=ss)es|(?<=[xz])es|(?<=[cs]h)es|(?<=[^e])ed|ing)$")
_DOUBLED = expression(r"([bdgmnprt])\1$")
_VOWEL = expression("[aeiouy]")


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the common stem of an English word's forms, in lower case: "freez" of freeze, freezes, freezing.

    It need not be a word; a few unrelated words share one.
    """
    if len(word) < _SHORT or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > _SHORT:
        return word[:-3] + "y"
    base = _ENDINGS.sub("", word)
    if base != word and (len(base) < _SHORT - 1 or not _VOWEL.search(base)):
        return word
    if base != word and not word.endswith("s"):
        base = _DOUBLED.sub(r"\1", base)
    return base.removesuffix("e") if len(base) >= _SHORT else base


def forms(word: str) -> tuple[str, ...]:
    """Return the possible forms of an English word in lower case, known or not, without itself."""
    return real(word, possible(word))


def possible(word: str) -> frozenset[str]:
    """Return a superset of the forms of a word."""
    if len(word) < _SHORT or not word.isascii() or not word.isalpha():
        return frozenset()
    base = stem(word)
    made = [base, *(base + ending for ending in ("e", "s", "es", "ed", "ing", base[-1] + "ed", base[-1] + "ing"))]
    if base.endswith("y"):
        made.append(base[:-1] + "ies")
    return frozenset(made)


def real(word: str, made: Iterable[str]) -> tuple[str, ...]:
    """Return those of its `possible` forms that are forms of a word, without itself, sorted."""
    base = stem(word)
    return tuple(sorted(form for form in made if form != word and len(form) >= _SHORT - 1 and stem(form) == base))


def beginning(word: str) -> str:
    """Return the common prefix of a word and all its forms."""
    return stem(word).removesuffix("y")
