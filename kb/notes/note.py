"""A note: its text and front matter, and its sections, fences and links, read on demand."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from kb.files.encoding import TextForm, decode
from kb.lazy_regex import expression
from kb.markdown.fences import Fence, fences
from kb.markdown.lines import Scan, scan
from kb.markdown.links import Link, links
from kb.markdown.sections import Section, sections
from kb.notes.frontmatter import FrontMatter, split
from kb.notes.language import language_of, split_name

HEAD = 16 * 1024  # characters that are searched for a title


@dataclass(frozen=True)
class Note:
    """A note as it was read. `path` is relative to the vault, with /; `hash` is the SHA-256 of its bytes in hex.

    `text` keeps the line ends of the file. Everything else is computed on first use and kept, because a window that
    shows the beginning of a note of a megabyte needs little of it, at once.
    """

    path: str
    text: str
    form: TextForm
    hash: str
    meta: FrontMatter

    @cached_property
    def scanned(self) -> Scan:
        """Lines and their kinds."""
        return scan(self.text, self._first)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Sections in order."""
        return sections(self.text, self._first, scanned=self.scanned)

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """Fences in order."""
        return fences(self.text, self._first, scanned=self.scanned)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Links in order."""
        return links(self.text, self._first, scanned=self.scanned)

    @cached_property
    def title(self) -> str:
        """Title from the front matter, from the first heading in the first `HEAD` characters, or from the file name."""
        if self.meta.title is not None:
            return title_of(self.path, self.meta, None)
        if len(self.text) <= HEAD:
            known = self.sections
        else:
            known = sections(self.text[: self.text.rfind("\n", 0, HEAD) + 1], self._first)  # no line is cut in two
        return title_of(self.path, self.meta, next((part.heading for part in known if part.heading), None))

    @cached_property
    def lang(self) -> str:
        """Language: "zh", "en" or "mixed"."""
        said = self.meta.lang or split_name(self.path)[1]
        return said or language_of(self.text, self._first, scanned=self.scanned)

    @property
    def _first(self) -> int:
        return self.meta.lines + 1


def parse(path: str, data: bytes) -> Note:
    """Return the note in these bytes. Raises NotText."""
    decoded = decode(data, path)
    return Note(path, decoded.text, decoded.form, hash_of(data), split(decoded.text))


def hash_of(data: bytes) -> str:
    """Return the SHA-256 of a file's content in hex."""
    return hashlib.sha256(data).hexdigest()


_TO_FILL = expression(r"\{\{[ \t]*title[ \t]*\}\}")


def title_of(path: str, meta: FrontMatter, heading: str | None) -> str:
    """Return the title of the front matter, otherwise the first heading, otherwise the file name without language.

    A placeholder of a template is no title.
    """
    found = meta.title or heading or ""
    return found if found and not _TO_FILL.search(found) else PurePosixPath(split_name(path)[0]).name
