"""Synonyms: the shipped glossary, the user's own in the vault, and the aliases of notes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from stat import S_ISREG

from kb.analysis.stemming import stem
from kb.analysis.tokens import HAN, normalized
from kb.files.encoding import decode
from kb.lazy_regex import expression

SHIPPED = Path(__file__).with_name("glossary.txt")
OWN = ("glossary.md", "glossary.txt")  # the user's, at the root of the vault
LONGEST = 14  # words or characters of a form; longer ones are ignored
_CHARACTERS = 80  # of a form
_KEPT = 2000  # forms whose other forms are cached
_LARGEST = 1_000_000  # bytes of a user's glossary that are read
_ATOM = expression(rf"[{HAN}]|[^\W_{HAN}]+")
_ITEM = expression(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?")
_MARKS = expression(r"[`*\s]+")
_COMMA = expression("[,，、;；]")
_EQUAL = expression("[=＝]")
_EMPTY = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})

Forms = tuple[str, ...]


@dataclass(frozen=True)
class OtherForm:
    """Another form of the same concept; `share` is smaller the more concepts the form may mean."""

    text: str
    share: float


class Glossary:
    """Concepts and their forms, in addition to those of the glossary `beside`.

    A form matches in any case and number, with or without spaces and hyphens.
    """

    def __init__(
        self, things: Iterable[Forms], beside: Glossary | None = None, *, level: Callable[[str], str] = normalized
    ) -> None:
        self._things = tuple(things)
        self._beside = beside
        self._known: dict[str, list[Forms]] = {}
        self._words: set[str] = set()
        self._others: dict[str, tuple[OtherForm, ...]] = {}
        for forms in self._things:
            cut = [_atoms(level(form)) for form in forms]
            self._words.update(*cut)
            for key in {key for form in cut for key in keys(form)}:
                self._known.setdefault(key, []).append(forms)

    def others(self, form: Sequence[str]) -> tuple[OtherForm, ...]:
        """Return the other forms of the concept that some atoms are a form of; empty if they are no form.

        Forms that contain the form itself are left out: a text that has them has it too.
        """
        row = "".join(form)
        if row not in self._others:
            if len(self._others) >= _KEPT:
                self._others.clear()
            self._others[row] = self._found(form)
        return self._others[row]

    def _found(self, form: Sequence[str]) -> tuple[OtherForm, ...]:
        mine = keys(form)
        found: dict[str, float] = {}
        for key in filter(self._knows, mine):
            meant = self._meant(key)
            for other in (other for forms in meant for other in forms):
                found[other] = max(found.get(other, 0.0), 1 / len(meant))
        if not found:
            return ()
        cut = {text: atoms(text) for text in found}
        return tuple(
            OtherForm(text, share)
            for text, share in found.items()
            if not mine & keys(cut[text]) and not _has(cut[text], tuple(form))
        )

    def has(self, name: str) -> bool:
        """Return whether a name is a form of any concept."""
        return any(map(self._knows, keys(atoms(name))))

    def has_word(self, word: str) -> bool:
        """Return whether a Latin word is part of any form."""
        return stem(word) in self._words or (self._beside is not None and self._beside.has_word(word))

    def _knows(self, key: str) -> bool:
        return key in self._known or (self._beside is not None and self._beside._knows(key))  # noqa: SLF001

    def _meant(self, key: str) -> list[Forms]:
        mine = self._known.get(key, [])
        return mine if self._beside is None else mine + self._beside._meant(key)  # noqa: SLF001


def atoms(text: str) -> tuple[str, ...]:
    """Return the Chinese characters of a text and the stems of its Latin words, in order."""
    return _atoms(normalized(text))


def _atoms(level: str) -> tuple[str, ...]:
    return tuple(stem(atom) for atom in _ATOM.findall(level))


def _has(whole: Forms, part: Forms) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def keys(form: Sequence[str]) -> frozenset[str]:
    """Return the keys of a form: its atoms in order, and its Latin words in any order without stop words."""
    row = "".join(form)
    if len(form) < 2 or not row.isascii() or not _EMPTY.isdisjoint((form[0], form[-1])):  # noqa: PLR2004
        return frozenset((row,)) if row else frozenset()
    return frozenset((row, " ".join(sorted(atom for atom in form if atom not in _EMPTY))))


def things(text: str) -> Iterator[Forms]:
    """Yield the forms of each concept in a glossary's text; other lines are skipped.

    A line, or an item of a list, is "显存, 显卡内存 = GPU memory, VRAM".
    """
    for line in text.splitlines():
        if ("=" not in line and "＝" not in line) or line.startswith("#"):
            continue
        sides = [_forms(side) for side in _EQUAL.split(_ITEM.sub("", line, count=1))]
        if len(sides) > 1 and all(sides):
            yield tuple(dict.fromkeys(form for side in sides for form in side))


def _forms(side: str) -> list[str]:
    plain = (_MARKS.sub(" ", form).strip() for form in _COMMA.split(side))
    return [form for form in plain if form and len(form) <= _CHARACTERS and _ATOM.search(form)]


@cache
def shipped() -> Glossary:
    """Return the glossary that comes with the program."""
    # It is written in simplified characters and half-width letters, so it needs no folding table.
    return Glossary(things(SHIPPED.read_text(encoding="utf-8")), level=str.lower)


class OwnGlossary:
    """The user's glossary files in a folder; they may be missing or unreadable."""

    def __init__(self, folder: Path) -> None:
        self._places = [str(folder / name) for name in OWN]

    def stamp(self) -> tuple[tuple[int, int, int] | None, ...]:
        """Return a value that changes whenever the files do."""
        return tuple(map(_stamp, self._places))

    def things(self) -> Iterator[Forms]:
        """Yield the forms of each concept in the files; unreadable files are skipped."""
        for place in self._places:
            try:
                data = Path(place).read_bytes() if _stamp(place) else b""
            except OSError:
                continue
            yield from things(decode(data).text)


def _stamp(place: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(place)  # noqa: PTH116 - every search looks here
    except (OSError, ValueError):
        return None
    readable = S_ISREG(found.st_mode) and found.st_size <= _LARGEST
    return (found.st_ino, found.st_size, found.st_mtime_ns) if readable else None


def named(aliases: Iterable[str]) -> Iterator[Forms]:
    """Yield the forms of each note with other names; `aliases` are those of the index: "name, tab, title"."""
    forms: dict[str, list[str]] = {}
    for alias, _, title in (one.partition("\t") for one in sorted(aliases)):
        forms.setdefault(title, []).append(alias)
    for title, others in forms.items():
        known = tuple(one for one in dict.fromkeys((title, *others)) if _ATOM.search(one))
        if len(known) > 1:
            yield known
