"""The notes of a vault, each in one or two languages, with titles and tags."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb.errors import KbError
from kb.files.encoding import decode
from kb.files.tree import read_regular
from kb.lazy_regex import expression
from kb.markdown.sections import sections
from kb.notes.frontmatter import split
from kb.notes.language import split_name
from kb.notes.note import title_of

_NUMBER = expression(r"([0-9]{1,18})")
_HEAD = 16 * 1024  # bytes that are searched for a title


@dataclass(frozen=True)
class NoteEntry:
    """One note in each of its languages ("" if neither its file name nor that of its translation names one).

    `key` is the path without language and suffix ("tensors/gather"), `folder` and `name` are its two parts.
    """

    key: str
    folder: str
    name: str
    paths: Mapping[str, str]
    titles: Mapping[str, str]
    tags: tuple[str, ...]
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Head:
    title: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]


_Stamp = tuple[int, int, int]


class MetadataCache:
    """Reads titles and tags, and caches them while a file keeps its time, size and inode."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._heads: dict[str, tuple[_Stamp, _Head]] = {}

    def entries(self, paths: Iterable[str]) -> tuple[NoteEntry, ...]:
        """Return the notes that files make up, sorted by key. A file that cannot be read has its name as title."""
        groups: dict[str, dict[str, str]] = {}
        seen = set()
        for path in paths:
            seen.add(path)
            stem, lang = split_name(path)
            group = groups.setdefault(stem, {})
            # Two files with the same name and language (a.md and a.txt) are two notes.
            (group if (lang or "") not in group else groups.setdefault(path, {})).setdefault(lang or "", path)
        for gone in self._heads.keys() - seen:
            del self._heads[gone]
        return tuple(self._entry(key, _sided(groups[key])) for key in sorted(groups, key=_order))

    def _entry(self, key: str, paths: dict[str, str]) -> NoteEntry:
        heads = {lang: self._head(path) for lang, path in sorted(paths.items())}
        folder, _, name = key.rpartition("/")
        return NoteEntry(
            key=key,
            folder=folder,
            name=name,
            paths=dict(sorted(paths.items())),
            titles={lang: head.title for lang, head in heads.items()},
            tags=tuple(dict.fromkeys(tag for head in heads.values() for tag in head.tags)),
            aliases=tuple(dict.fromkeys(alias for head in heads.values() for alias in head.aliases)),
        )

    def _head(self, path: str) -> _Head:
        try:
            state = os.stat(f"{self._root}/{path}")  # noqa: PTH116 - a Path costs three times as much, a hundred thousand times
            stamp = (state.st_mtime_ns, state.st_size, state.st_ino)
            known = self._heads.get(path)
            if known is None or known[0] != stamp:
                known = stamp, _read_head(path, read_regular(self._root / path, path, most=_HEAD))
                self._heads[path] = known
        except (OSError, KbError):
            return _Head(split_name(path)[0].rpartition("/")[2], (), ())
        return known[1]


def _sided(paths: dict[str, str]) -> dict[str, str]:
    """Return the files by language; without one in its name, x.md has the language that x.en.md or x.zh.md has not."""
    other = {"zh": "en", "en": "zh"}
    named = [lang for lang in paths if lang]
    if "" not in paths or len(named) != 1:
        return paths
    return {lang or other[named[0]]: path for lang, path in paths.items()}


def _order(key: str) -> tuple[list[str | int], str]:
    """Return a key that sorts 2 before 10 and a before B; words and numbers alternate, so that they never compare."""
    parts = _NUMBER.split(key.casefold())
    return [int(part) if index % 2 else part for index, part in enumerate(parts)], key


def _read_head(path: str, data: bytes) -> _Head:
    if len(data) == _HEAD and b"\n" in data:
        data = data[: data.rindex(b"\n") + 1]  # the last character may be incomplete
    text = decode(data, path).text
    meta = split(text)
    heading = None
    if meta.title is None:
        heading = next((part.heading for part in sections(text, meta.lines + 1) if part.heading), None)
    return _Head(title_of(path, meta, heading), meta.tags, meta.aliases)
