"""A note: its bytes read as text, front matter, sections, fences and links."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from kb.encoding import TextForm, decode
from kb.fences import Fence, fences
from kb.frontmatter import FrontMatter, split
from kb.language import language_of, split_name
from kb.lines import scan
from kb.links import Link, links
from kb.patterns import expression
from kb.sections import Section, sections


@dataclass(frozen=True)
class Note:
    """A note as it was read. `path` is relative to the vault, with /; `hash` is the SHA-256 of its bytes, in hex.

    `text` keeps the line ends of the file. `lang` is "zh", "en" or "mixed".
    """

    path: str
    text: str
    form: TextForm
    hash: str
    meta: FrontMatter
    sections: tuple[Section, ...]
    fences: tuple[Fence, ...]
    links: tuple[Link, ...]
    title: str
    lang: str


def parse(path: str, data: bytes) -> Note:
    """Read a note from its bytes; NotText where they are none."""
    decoded = decode(data, path)
    text = decoded.text
    meta = split(text)
    first = meta.lines + 1
    scanned = scan(text, first)
    parts = sections(text, first, scanned=scanned)
    return Note(
        path=path,
        text=text,
        form=decoded.form,
        hash=hash_of(data),
        meta=meta,
        sections=parts,
        fences=fences(text, first, scanned=scanned),
        links=links(text, first, scanned=scanned),
        title=title_of(path, meta, next((part.heading for part in parts if part.heading), None)),
        lang=meta.lang or split_name(path)[1] or language_of(text, first, scanned=scanned),
    )


def hash_of(data: bytes) -> str:
    """Return what tells one content of a file from another."""
    return hashlib.sha256(data).hexdigest()


_TO_FILL = expression(r"\{\{[ \t]*title[ \t]*\}\}")


def title_of(path: str, meta: FrontMatter, heading: str | None) -> str:
    """Return the title: of the front matter, else the first heading, else the file's name without language.

    A heading that a template leaves to be filled in names nothing.
    """
    found = meta.title or heading or ""
    return found if found and not _TO_FILL.search(found) else PurePosixPath(split_name(path)[0]).name
