"""The input of the reader: the rendered note in its languages, and which of them to show."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from kb.rendering.rendered_page import Cell, Page

Mode: TypeAlias = Literal["zh", "en", "both"]
Side: TypeAlias = Literal["zh", "en", ""]  # "" is a note of one file without a language


@dataclass(frozen=True)
class PageSet:
    """One note in each of its languages.

    `key` identifies the note during the session; outputs are kept by it. Paths are relative to `root`, the vault;
    without a root no picture is shown.
    """

    key: str
    pages: Mapping[Side, Page]
    mode: Mode
    note_paths: Mapping[Side, str] = field(default_factory=dict)
    titles: Mapping[Side, str] = field(default_factory=dict)
    root: Path | None = None
    folders: Mapping[Side, str] = field(default_factory=dict)  # the folder's name as in the tree
    tags: tuple[str, ...] = ()
    proven: Mapping[Side, dt.date] = field(default_factory=dict)  # the day when all its claims were last verified
    proven_on: Mapping[Side, str] = field(default_factory=dict)  # as in its front matter: devices and torch
    heads: Mapping[Side, str] = field(default_factory=dict)  # author and dates of its front matter

    def sides(self) -> tuple[Side, ...]:
        """Return the one or two sides to show, left to right: those of the mode, as far as they exist."""
        asked: tuple[Side, ...] = ("zh", "en") if self.mode == "both" else (self.mode,)
        return tuple(side for side in asked if side in self.pages) or tuple(self.pages)[:1]

    def lacking(self) -> Side:
        """Return the language of the mode that the note lacks; empty if it lacks none."""
        own = next(iter(self.pages), "")
        if len(self.pages) != 1 or own in {"", self.mode}:
            return ""
        return "en" if own == "zh" else "zh"


@dataclass(frozen=True)
class PlacedCell:
    """A cell of the page with its key, which is unique there, and its language."""

    key: str
    cell: Cell
    side: Side
