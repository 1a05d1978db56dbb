"""A note as the window opens it: read in each of its languages, rendered, its cells joined to what they run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from app import shelf
from app.history import Place
from kb.entries import Entry
from kb.errors import NoteMissing
from kb.fences import Fence
from kb.note import Note
from kb.page import Cell, Page
from kb.patterns import expression
from kb.renderer import Renderer
from kb.vault import Vault
from snippets.catalog import Catalog
from snippets.errors import SnippetError, UnknownSnippet
from snippets.form import Snippet

_METADATA = expression(r"^# /// snippet[ \t]*\n(?:#.*\n)*?# ///[ \t]*\n", re.MULTILINE)

Side: TypeAlias = Literal["zh", "en", ""]
_SIDES: Mapping[str, Side] = {"zh": "zh", "en": "en", "": ""}


@dataclass(frozen=True)
class OpenNote:
    """A note in each of its languages ("" for a note of its own), what its cells run, and where to look at it."""

    entry: Entry
    notes: Mapping[Side, Note]
    pages: Mapping[Side, Page]
    place: Place
    snippets: Mapping[tuple[Side, str], Snippet]  # by language and cell key
    problems: Mapping[tuple[Side, str], SnippetError]  # why a cell cannot be run

    @property
    def lead(self) -> Note:
        """The file that was asked for."""
        return next((n for n in self.notes.values() if n.path == self.place.path), next(iter(self.notes.values())))

    @property
    def hashes(self) -> Mapping[str, str]:
        """The content hash of each file, by path."""
        return {note.path: note.hash for note in self.notes.values()}

    def titled(self, language: str) -> str:
        """Return the title in this language where there is one."""
        return next((note.title for side, note in self.notes.items() if side == language), self.lead.title)

    def note_at(self, path: str) -> Note | None:
        """Return the file of the note that has this path."""
        return next((note for note in self.notes.values() if note.path == path), None)


def open_note(
    vault: Vault, place: Place, renderer: Renderer, *, begun: Callable[[OpenNote], object] | None = None
) -> OpenNote:
    """Read and render a note; it takes a while, so off the GUI thread. Raises KbError.

    `begun` is called with the beginning of a long note, as soon as that can be shown.
    """
    entry = vault.entry_of(place.path)
    if entry is None:
        raise NoteMissing(place.path)
    notes = {_SIDES[language]: vault.read(path) for language, path in entry.paths.items()}
    if begun is not None and len(notes) == 1:
        ((language, note),) = notes.items()
        page = renderer.render(
            note.text, path=note.path, begun=lambda page: begun(_joined(vault, entry, notes, {language: page}, place))
        )
        return _joined(vault, entry, notes, {language: page}, place)
    pages = {language: renderer.render(note.text, path=note.path) for language, note in notes.items()}
    return _joined(vault, entry, notes, pages, place)


def _joined(
    vault: Vault, entry: Entry, notes: Mapping[Side, Note], pages: Mapping[Side, Page], place: Place
) -> OpenNote:
    """Join the cells of the pages to what they run."""
    wanted = any(cell.kind == "snippet" for page in pages.values() for cell in cells(page))
    library = shelf.library(vault) if wanted else Catalog({}, ())
    snippets: dict[tuple[Side, str], Snippet] = {}
    problems: dict[tuple[Side, str], SnippetError] = {}
    for language, page in pages.items():
        fences = {fence.id: fence for fence in reversed(notes[language].fences) if fence.runnable}
        for cell in cells(page):
            try:
                snippets[language, cell.key] = _snippet(notes[language], cell, library, fences)
            except SnippetError as error:
                problems[language, cell.key] = error
    filled = {language: with_code(page, library.snippets) for language, page in pages.items()}
    return OpenNote(entry, notes, filled, place, snippets, problems)


def cells(page: Page) -> Iterator[Cell]:
    """Yield the cells of a page in order."""
    return (part for section in page.sections for part in section.parts if isinstance(part, Cell))


def with_code(page: Page, library: Mapping[str, Snippet]) -> Page:
    """Return the page with the library's code in the cells that are links to it."""
    return replace(
        page,
        sections=tuple(
            replace(
                section,
                parts=tuple(
                    _filled(part, library[part.id])
                    if isinstance(part, Cell) and part.kind == "snippet" and part.id in library
                    else part
                    for part in section.parts
                ),
            )
            for section in page.sections
        ),
    )


def without_metadata(code: str) -> str:
    """Return a library file's code as a reader wants it: without the comment block that describes it."""
    return _METADATA.sub("", code, count=1).strip("\n") + "\n"


def lines_hidden(code: str) -> int:
    """Return how many lines `without_metadata` takes off the top, to place a traceback's line."""
    shown = without_metadata(code).split("\n", 1)[0]
    return code.split("\n").index(shown) if shown else 0


def _filled(cell: Cell, snippet: Snippet) -> Cell:
    from kb.highlight import python_html  # noqa: PLC0415 - many notes show no snippet, and it loads slowly

    code = without_metadata(snippet.code)
    recorded = snippet.recorded.get("", next(iter(snippet.recorded.values()), None))
    return replace(cell, code=code, code_html=python_html(code), lang="python", output=recorded)


def _snippet(note: Note, cell: Cell, library: Catalog, fences: Mapping[str, Fence]) -> Snippet:
    if cell.kind == "snippet":
        return library.find(cell.id)
    if cell.id in fences:
        return shelf.fence_snippet(note, fences[cell.id])
    raise UnknownSnippet(
        f"The block {cell.id} is no longer in {note.path}; open the note again.",
        f"{note.path} 里已经没有代码块 {cell.id}；请重新打开这篇笔记。",
    )
