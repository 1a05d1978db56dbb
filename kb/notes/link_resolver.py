"""Resolves links: from the target of a link to a file of the vault."""

from __future__ import annotations

import posixpath
import unicodedata
from urllib.parse import unquote

from kb.notes.language import split_name
from kb.notes.note_listing import NoteEntry

_INDEX = "index"


class LinkResolver:
    """The notes of a vault by path, key, name, title and alias."""

    def __init__(self, entries: tuple[NoteEntry, ...]) -> None:
        self.entries = entries
        self._paths: dict[str, tuple[NoteEntry, str]] = {}
        self._keys: dict[str, NoteEntry] = {}
        self._names: dict[str, list[NoteEntry]] = {}
        for entry in entries:
            self._keys.setdefault(_folded(entry.key), entry)
            for path in entry.paths.values():
                self._paths[_normal(path)] = entry, path
            for name in {_folded(n) for n in (entry.name, *entry.titles.values(), *entry.aliases)}:
                self._names.setdefault(name, []).append(entry)

    def owner(self, path: str) -> NoteEntry | None:
        """Return the note that a file belongs to."""
        found = self._paths.get(_normal(path))
        return found[0] if found else None

    def resolve(self, from_path: str, target: str) -> str | None:
        """Return the path of the note that a link means, None if there is none."""
        place = target.partition("#")[0].strip()
        if not place:
            return from_path or None
        for path in joined(from_path, place):
            if (known := self._paths.get(_normal(path))) is not None:
                return known[1]
            for key in (path, _stem(path), f"{path}/{_INDEX}"):
                if (entry := self._keys.get(_folded(key))) is not None:
                    return _chosen(entry, from_path, path)
        return self._named(from_path, place)

    def _named(self, from_path: str, place: str) -> str | None:
        for name in (place, _stem(place)):
            if found := self._names.get(_folded(name.rpartition("/")[2] if "/" in name else name)):
                fitting = (
                    [entry for entry in found if _folded(entry.key).endswith(_folded(name))] if "/" in name else found
                )
                if fitting:
                    return _chosen(min(fitting, key=lambda entry: _distance(entry, from_path)), from_path, place)
        return None


def joined(from_path: str, target: str) -> tuple[str, ...]:
    """Return the paths that a link may mean, likeliest first: relative to its note, then to the vault.

    All of them are inside the vault; a link that leaves it, or is an address, has none.
    """
    place = unicodedata.normalize("NFC", target.partition("#")[0]).strip()
    if not place or "\0" in place or ":" in place.split("/")[0] or place.startswith("//") or "\\" in place:
        return ()
    folder = "" if place.startswith("/") else posixpath.dirname(from_path)
    plain = place.lstrip("/")
    spelled = dict.fromkeys(
        posixpath.normpath(posixpath.join(base, name)) for base in (folder, "") for name in (plain, unquote(plain))
    )
    return tuple(
        path for path in spelled if path not in {".", ".."} and not path.startswith("../") and "\0" not in path
    )


def _stem(path: str) -> str:
    """Return a path without language and suffix; either may be missing ("gather.en", "gather.md")."""
    stem, lang = split_name(path)
    return split_name(f"{path}.md")[0] if lang is None and stem == path else stem


def _normal(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _folded(name: str) -> str:
    return " ".join(_normal(name).casefold().split())


def _chosen(entry: NoteEntry, from_path: str, asked: str) -> str:
    """Return the file in the language of the link, otherwise of the linking note, otherwise of the matching title."""
    titled = next((lang for lang, title in entry.titles.items() if _folded(title) == _folded(asked)), None)
    for lang in (split_name(asked)[1] or split_name(f"{asked}.md")[1], split_name(from_path)[1], titled):
        if lang is not None and lang in entry.paths:
            return entry.paths[lang]
    return next(iter(entry.paths.values()))


def _distance(entry: NoteEntry, from_path: str) -> tuple[bool, int, str]:
    return entry.folder != posixpath.dirname(from_path), entry.key.count("/"), entry.key
