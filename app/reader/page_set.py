"""What the reader is given: the rendered note in its languages, and how it is to be laid out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from kb.rendering.rendered_page import Cell, Page

Mode: TypeAlias = Literal["zh", "en", "both"]
Side: TypeAlias = Literal["zh", "en", ""]  # "" is a note of one file that names no language


@dataclass(frozen=True)
class PageSet:
    """One note in each of its languages.

    `key` names the note for as long as the window lives, so that outputs find it again.
    Paths are relative to `root`, the vault; without a root no picture is shown.
    """

    key: str
    pages: Mapping[Side, Page]
    mode: Mode
    note_paths: Mapping[Side, str] = field(default_factory=dict)
    titles: Mapping[Side, str] = field(default_factory=dict)
    root: Path | None = None
    folders: Mapping[Side, str] = field(default_factory=dict)  # the folder's name as the tree shows it
    tags: tuple[str, ...] = ()
    proven: Mapping[Side, dt.date] = field(default_factory=dict)  # the day all its claims last held
    heads: Mapping[Side, str] = field(default_factory=dict)  # what else its front matter says that is worth a word

    def sides(self) -> tuple[Side, ...]:
        """Return the one or two sides to show, left to right: what the mode asks for, as far as it exists."""
        asked: tuple[Side, ...] = ("zh", "en") if self.mode == "both" else (self.mode,)
        return tuple(side for side in asked if side in self.pages) or tuple(self.pages)[:1]

    def lacking(self) -> Side:
        """Return the language that was asked for and that the note does not have."""
        own = next(iter(self.pages), "")
        if len(self.pages) != 1 or own in {"", self.mode}:
            return ""
        return "en" if own == "zh" else "zh"


@dataclass(frozen=True)
class PlacedCell:
    """A snippet's box on the page: its key, unique there, and where it stands."""

    key: str
    cell: Cell
    side: Side
