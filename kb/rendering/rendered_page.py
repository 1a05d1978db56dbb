"""The rendered note: sections of prose and runnable cells for a rich-text view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

_TASK = re.compile(r'href="task:(\d+)"')
EM = 16  # pixels at 1x: the text size to which a formula's measures refer


@dataclass(frozen=True)
class Formula:
    """A drawn formula.

    The SVG's strokes are `currentColor`. Width, height and depth (below the baseline) are pixels at 1x, for text whose
    em is `EM` pixels.
    """

    svg: bytes
    width: float
    height: float
    depth: float


@dataclass(frozen=True)
class Prose:
    """Sanitized HTML between two cells; `line` is its first line in the note (1-based)."""

    html: str
    line: int


@dataclass(frozen=True)
class Cell:
    """Code that can be run: a Python fence of the note, or a link to a library snippet.

    A cell of kind "snippet" has no code here; `app` fills it in from the library with `dataclasses.replace` and
    `kb.markdown.highlight.python_html`.
    """

    kind: str  # "fence" or "snippet"
    id: str  # the fence's id or the snippet's name
    label: str  # its title in the note; may be empty
    code: str
    code_html: str  # spans with Pygments' short classes, for a <pre>
    lang: str
    options: Mapping[str, str]
    output: str | None  # the output recorded in the note
    line: int
    end_line: int
    marked: tuple[int, ...] = ()  # highlighted lines of the code, 1-based

    @property
    def key(self) -> str:
        """Name of the cell, unique in its page."""
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True)
class PageSection:
    """A heading and the content up to the next heading; level 0 has no heading (`heading_html` is empty).

    `heading_html` is the whole element, `<h2><a name="anchor"></a>...</h2>`; `heading` is its plain text.
    """

    heading_html: str
    heading: str
    level: int
    anchor: str
    line: int
    parts: tuple[Prose | Cell, ...]


@dataclass(frozen=True)
class PagePiece:
    """A part of a page that was rendered on its own. `goes_on`: its first section continues the one before.

    `number` identifies its content and position while the worker that rendered it lives.
    """

    sections: tuple[PageSection, ...]
    formulas: Mapping[str, Formula]
    line: int
    goes_on: bool
    plain: bool = False
    number: int = 0


@dataclass(frozen=True)
class Page:
    """A rendered note. `plain`: it could not be rendered and is shown as written."""

    sections: tuple[PageSection, ...]
    formulas: Mapping[str, Formula] = field(default_factory=dict)
    plain: bool = False


def joined(pieces: Iterable[PagePiece]) -> Page:
    """Return the page that consists of pieces in order; it is plain if all of them are."""
    sections: list[PageSection] = []
    formulas: dict[str, Formula] = {}
    plain = True
    for piece in pieces:
        first = piece.sections[0] if piece.goes_on and sections and piece.sections else None
        if first is not None:
            sections[-1] = replace(sections[-1], parts=sections[-1].parts + first.parts)
        sections += piece.sections[first is not None :]
        formulas |= piece.formulas
        plain = plain and piece.plain
    return Page(tuple(sections), formulas, plain=plain)


def moved(piece: PagePiece, lines: int) -> PagePiece:
    """Return a piece moved down by so many lines."""
    return replace(piece, line=piece.line + lines, sections=tuple(_moved(one, lines) for one in piece.sections))


def _moved(section: PageSection, lines: int) -> PageSection:
    return replace(section, line=section.line + lines, parts=tuple(_part_moved(part, lines) for part in section.parts))


def _part_moved(part: Prose | Cell, lines: int) -> Prose | Cell:
    if isinstance(part, Cell):
        return replace(part, line=part.line + lines, end_line=part.end_line + lines)
    # The link of a task's box contains its line. No text of a note looks like that, because notes cannot link to tasks.
    told = (
        _TASK.sub(lambda task: f'href="task:{int(task[1]) + lines}"', part.html) if "task:" in part.html else part.html
    )
    return replace(part, html=told, line=part.line + lines)
