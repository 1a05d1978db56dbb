"""Definitions that hold in the whole note: destinations of references and texts of footnotes.

python-markdown collects both while it reads a text. Here it collects them from the whole note first, and then reads the
note piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree as ET

import markdown
from markdown.extensions.footnotes import FootnoteExtension

FootnoteState: TypeAlias = tuple[frozenset[str], tuple[tuple[str, int], ...]]
NOTHING: FootnoteState = frozenset(), ()  # before the first piece


class Footnotes(FootnoteExtension):
    """Footnotes that are listed only on request instead of below each piece."""

    def __init__(self) -> None:
        super().__init__(BACKLINK_TITLE="", BACKLINK_TEXT="↩")
        self.listed = False  # whether the list comes below the next text
        self._settled = False

    def freeze(self) -> None:
        """Ignore further definitions."""
        self._settled = True

    def setFootnote(self, id: str, text: str) -> None:  # noqa: N802, A002 - python-markdown's names
        """Store the text of a footnote."""
        if not self._settled:
            super().setFootnote(id, text)

    def makeFootnotesDiv(self, root: ET.Element) -> ET.Element | None:  # noqa: N802
        """Return the list of footnotes if it is requested."""
        return super().makeFootnotesDiv(root) if self.listed else None

    @property
    def state(self) -> FootnoteState:
        """What the pieces so far leave to the next: which references lead to which footnote, by their names."""
        return frozenset(self.used_refs), tuple(self.found_refs.items())

    def restore(self, state: FootnoteState) -> None:
        """Continue after the pieces that left this state."""
        self.used_refs, self.found_refs = set(state[0]), dict(state[1])


class _Known(dict[str, tuple[str, str]]):
    """References that ignore further definitions."""

    def __setitem__(self, name: str, leads: tuple[str, str]) -> None:
        pass


def collect_definitions(made: markdown.Markdown, footnotes: Footnotes, blocks: Iterable[str]) -> None:
    """Collect the definitions in these blocks; their other text is ignored."""
    for text in blocks:
        made.parser.parseChunk(ET.Element("div"), text)
    footnotes.freeze()
    made.references = _Known(made.references)
