"""What a note defines once and means everywhere: where its references lead and what its footnotes say.

python-markdown learns of both while it reads a text. Here it has learned them beforehand, from the whole note, and is
then given the note piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree as ET

import markdown
from markdown.extensions.footnotes import FootnoteExtension

FootnoteState: TypeAlias = tuple[frozenset[str], tuple[tuple[str, int], ...]]
NOTHING: FootnoteState = frozenset(), ()  # what stands before the first piece


class Footnotes(FootnoteExtension):
    """Footnotes that are listed where one says so, and not below each piece."""

    def __init__(self) -> None:
        super().__init__(BACKLINK_TITLE="", BACKLINK_TEXT="↩")
        self.listed = False  # whether the list is wanted below the next text
        self._settled = False

    def freeze(self) -> None:
        """Learn of no other footnote from now on."""
        self._settled = True

    def setFootnote(self, id: str, text: str) -> None:  # noqa: N802, A002 - python-markdown's names
        """Take in what a footnote says."""
        if not self._settled:
            super().setFootnote(id, text)

    def makeFootnotesDiv(self, root: ET.Element) -> ET.Element | None:  # noqa: N802
        """Give the list of the footnotes where it is wanted."""
        return super().makeFootnotesDiv(root) if self.listed else None

    @property
    def state(self) -> FootnoteState:
        """What the pieces before leave to the next: which places lead to which footnote, by their names."""
        return frozenset(self.used_refs), tuple(self.found_refs.items())

    def restore(self, state: FootnoteState) -> None:
        """Go on as after the pieces that left this behind."""
        self.used_refs, self.found_refs = set(state[0]), dict(state[1])


class _Known(dict[str, tuple[str, str]]):
    """References that are not defined anew."""

    def __setitem__(self, name: str, leads: tuple[str, str]) -> None:
        pass


def learn(made: markdown.Markdown, footnotes: Footnotes, blocks: Iterable[str]) -> None:
    """Have a python-markdown learn what these blocks define; what they say besides is left aside."""
    for text in blocks:
        made.parser.parseChunk(ET.Element("div"), text)
    footnotes.freeze()
    made.references = _Known(made.references)
