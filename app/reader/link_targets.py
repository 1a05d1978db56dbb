"""What the links and pictures of a note's document stand for; the document itself has only numbers."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar
from urllib.parse import unquote

from app.reader.page_set import Side

Item = TypeVar("Item")


@dataclass(frozen=True)
class ImageTarget:
    """A picture of a note (`side` tells of which file), or `figure`: one that a run made, at a path of this machine.

    Width and height are what the note asks for, in pixels at zoom 1 or, with `percent`, of the column; 0 is its own.
    """

    source: str
    side: Side = ""
    figure: bool = False
    version: int = 0  # of a figure: how often it was written anew
    remote: bool = False  # from another machine, shown once it was asked for
    width: int = 0
    height: int = 0
    percent: bool = False
    within: int = 0  # how many quotes and callouts it stands in
    apart: bool = False  # a formula that stands in a paragraph of its own


@dataclass(frozen=True)
class ButtonTarget:
    """What a button of a box means; the box is told by its number."""

    box: int
    action: str


@dataclass(frozen=True)
class JumpTarget:
    """A link within a note; each of the two languages side by side has places of its own under one name."""

    side: Side
    anchor: str


@dataclass(frozen=True)
class TaskTarget:
    """The box of a task in one language's file, so many lines below where a stretch of prose begins.

    The prose is told by its number, for the lines of a note change while it is shown.
    """

    side: Side
    prose: int
    below: int
    done: bool


@dataclass(frozen=True)
class CopyTarget:
    """The button of a block of code that is not to be run; the block is told by its number."""

    number: int


@dataclass(frozen=True)
class EnlargeImage:
    """A picture that can be looked at closely."""

    picture: ImageTarget


@dataclass(frozen=True)
class LoadImage:
    """A picture on another machine, at this address, that is shown once it is asked for."""

    address: str


@dataclass(frozen=True)
class BeginTranslation:
    """The language that the note does not have yet."""

    side: Side


@dataclass(frozen=True)
class TagTarget:
    """All notes of a tag."""

    tag: str


Target: TypeAlias = (
    str | ButtonTarget | JumpTarget | TaskTarget | CopyTarget | EnlargeImage | LoadImage | BeginTranslation | TagTarget
)


@dataclass
class LinkTargets:
    """What the document's links and pictures stand for.

    So a note can neither name a command of the reader nor have Qt follow or load anything by itself.
    """

    scheme: str = field(default_factory=lambda: f"x{secrets.token_hex(6)}")
    marked: list[tuple[int, ...]] = field(default_factory=list)  # the marked lines of each block of code, from 1
    prose_lines: list[int] = field(default_factory=list)  # where each stretch of prose begins in its file, by number
    _links: list[Target] = field(default_factory=list)
    _numbers: dict[Target, int] = field(default_factory=dict)
    _pictures: list[ImageTarget] = field(default_factory=list)

    def prose(self, line: int) -> int:
        """Register a stretch of prose that begins at a line and return its number."""
        self.prose_lines.append(line)
        return len(self.prose_lines) - 1

    def link(self, target: Target) -> str:
        """Register what a link stands for and return the address to write."""
        number = self._numbers.setdefault(target, len(self._links))
        if number == len(self._links):
            self._links.append(target)
        return f"{self.scheme}:{number}"

    def picture(self, picture: ImageTarget) -> str:
        """Register a picture and return the name to write."""
        self._pictures.append(picture)
        return f"{self.scheme}:{len(self._pictures) - 1}"

    def link_of(self, address: str) -> Target | None:
        """Return what an address stands for, None where it is none of ours."""
        return _numbered(self._links, self.scheme, address)

    def picture_of(self, name: str) -> ImageTarget | None:
        """Return the picture behind a name, None where it is none of ours."""
        return _numbered(self._pictures, self.scheme, name)


def _numbered(items: Sequence[Item], scheme: str, name: str) -> Item | None:
    head, _, number = name.partition(":")
    if head == scheme and number.isdecimal() and int(number) < len(items):
        return items[int(number)]
    return None


def as_written(target: Target | None) -> str:
    """Return a link's target as the note has it, nothing for a button."""
    if isinstance(target, JumpTarget):
        return f"#{target.anchor}"
    if isinstance(target, LoadImage):
        return target.address
    return target if isinstance(target, str) else ""


def readable_target(target: Target | None) -> str:
    """Return a link's target as a person reads it: one between brackets as it was typed, letters not as numbers."""
    link = as_written(target)
    if link.startswith(_WIKI):
        return f"[[{unquote(link.removeprefix(_WIKI))}]]"
    if link.startswith(_NOTE_OF):
        return ""
    return link if ":" in link.partition("/")[0] else unquote(link)


_WIKI, _NOTE_OF = "wiki:", ("#fn:", "#fnref")
