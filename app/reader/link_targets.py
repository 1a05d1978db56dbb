"""The targets of the links and pictures in a note's document; the document itself only has numbers."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar
from urllib.parse import unquote

from app.reader.page_set import Side

Item = TypeVar("Item")
_WIKI, _FOOTNOTE = "wiki:", ("#fn:", "#fnref")


@dataclass(frozen=True)
class ImageTarget:
    """A picture of a note in the language `side`, or, with `figure`, of a run, by its path.

    Width and height are set by the note, in pixels at zoom 1 or, with `percent`, of the column; 0: the picture's own.
    """

    source: str
    side: Side = ""
    figure: bool = False
    version: int = 0  # of a figure: how often it was overwritten
    remote: bool = False  # from another machine, loaded on request
    width: int = 0
    height: int = 0
    percent: bool = False
    within: int = 0  # number of quotes and callouts around it
    apart: bool = False  # a formula in a paragraph of its own


@dataclass(frozen=True)
class ButtonTarget:
    """A button of a cell, which is identified by its number in the document."""

    box: int
    action: str


@dataclass(frozen=True)
class JumpTarget:
    """A link within a note; both languages may have an anchor of the same name."""

    side: Side
    anchor: str


@dataclass(frozen=True)
class TaskTarget:
    """The check box of a task in one language's file, `below` lines below the beginning of its part of prose.

    The prose is identified by its number, because the lines of a note may change while it is shown.
    """

    side: Side
    prose: int
    below: int
    done: bool


@dataclass(frozen=True)
class CopyTarget:
    """The copy button of a block of code that cannot be run, which is identified by its number."""

    number: int


@dataclass(frozen=True)
class EnlargeImage:
    """A picture that a click enlarges."""

    picture: ImageTarget


@dataclass(frozen=True)
class LoadImage:
    """A remote picture that a click loads."""

    address: str


@dataclass(frozen=True)
class BeginTranslation:
    """The link that starts a missing language."""

    side: Side


@dataclass(frozen=True)
class TagTarget:
    """A link to all notes of a tag."""

    tag: str


Target: TypeAlias = (
    str | ButtonTarget | JumpTarget | TaskTarget | CopyTarget | EnlargeImage | LoadImage | BeginTranslation | TagTarget
)


@dataclass
class LinkTargets:
    """The targets of a document's links and pictures, by number.

    Thus a note can neither forge a command of the reader nor make Qt follow or load anything.
    """

    scheme: str = field(default_factory=lambda: f"x{secrets.token_hex(6)}")
    marked: list[tuple[int, ...]] = field(default_factory=list)  # the marked lines of each block of code, from 1
    prose_lines: list[int] = field(default_factory=list)  # first source line of each part of prose, by number
    _links: list[Target] = field(default_factory=list)
    _numbers: dict[Target, int] = field(default_factory=dict)
    _pictures: list[ImageTarget] = field(default_factory=list)

    def prose(self, line: int) -> int:
        """Register a part of prose that begins at a line and return its number."""
        self.prose_lines.append(line)
        return len(self.prose_lines) - 1

    def link(self, target: Target) -> str:
        """Register the target of a link and return the address to write."""
        number = self._numbers.setdefault(target, len(self._links))
        if number == len(self._links):
            self._links.append(target)
        return f"{self.scheme}:{number}"

    def picture(self, picture: ImageTarget) -> str:
        """Register a picture and return the name to write."""
        self._pictures.append(picture)
        return f"{self.scheme}:{len(self._pictures) - 1}"

    def link_of(self, address: str) -> Target | None:
        """Return the target of an address; None if it is not one of ours."""
        return _numbered(self._links, self.scheme, address)

    def picture_of(self, name: str) -> ImageTarget | None:
        """Return the picture of a name; None if it is not one of ours."""
        return _numbered(self._pictures, self.scheme, name)


def _numbered(items: Sequence[Item], scheme: str, name: str) -> Item | None:
    head, _, number = name.partition(":")
    if head == scheme and number.isdecimal() and int(number) < len(items):
        return items[int(number)]
    return None


def as_written(target: Target | None) -> str:
    """Return a link's target as in the note; empty for a button."""
    if isinstance(target, JumpTarget):
        return f"#{target.anchor}"
    if isinstance(target, LoadImage):
        return target.address
    return target if isinstance(target, str) else ""


def readable_target(target: Target | None) -> str:
    """Return a link's target for people: wikilinks in brackets, percent-encoded letters decoded; empty for a button."""
    link = as_written(target)
    if link.startswith(_WIKI):
        return f"[[{unquote(link.removeprefix(_WIKI))}]]"
    if link.startswith(_FOOTNOTE):
        return ""
    return link if ":" in link.partition("/")[0] else unquote(link)
