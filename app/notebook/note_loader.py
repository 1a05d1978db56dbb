"""Loads a note for the window: reads it in each language, renders it, and finds the snippets of its cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from app.history import Location
from app.notebook import vault_snippets
from kb.errors import NoteMissing
from kb.lazy_regex import expression
from kb.markdown.fences import Fence
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.rendering.first_screen import beginnings, reached
from kb.rendering.rendered_page import Cell, Page
from kb.rendering.renderer import Renderer
from kb.vault.vault import Vault
from snippets.errors import SnippetError, UnknownSnippet
from snippets.model.catalog import Catalog
from snippets.model.snippet import Snippet

_METADATA = expression(r"^# /// snippet[ \t]*\n(?:#.*\n)*?# ///[ \t]*\n", re.MULTILINE)

Side: TypeAlias = Literal["zh", "en", ""]
_SIDES: Mapping[str, Side] = {"zh": "zh", "en": "en", "": ""}


@dataclass(frozen=True)
class OpenNote:
    """A note in its languages ("" if it has only one), the snippets of its cells, and the location to show."""

    entry: NoteEntry
    notes: Mapping[Side, Note]
    pages: Mapping[Side, Page]
    place: Location
    snippets: Mapping[tuple[Side, str], Snippet]  # by language and cell key
    problems: Mapping[tuple[Side, str], SnippetError]  # cells that cannot be run
    titles: Mapping[Side, str] = field(default_factory=dict)

    @property
    def lead(self) -> Note:
        """The file that was opened."""
        return next((n for n in self.notes.values() if n.path == self.place.path), next(iter(self.notes.values())))

    @property
    def hashes(self) -> Mapping[str, str]:
        """The content hash of each file, by path."""
        return {note.path: note.hash for note in self.notes.values()}

    def titled(self, language: str) -> str:
        """Return the title in this language, else that of `lead`."""
        return next((title for side, title in self.titles.items() if side == language), self.lead.title)

    def note_at(self, path: str) -> Note | None:
        """Return the file of the note with this path, or None."""
        return next((note for note in self.notes.values() if note.path == path), None)


def open_note(
    vault: Vault,
    place: Location,
    renderer: Renderer,
    *,
    begun: Callable[[OpenNote], object] | None = None,
    returning: bool = False,
    wanted: Callable[[], bool] = lambda: True,
) -> OpenNote:
    """Read and render a note; slow, so not on the GUI thread. Raises KbError, Unwanted.

    `begun` is called with the beginning of a long note, up to one screen after `place`, as soon as it is rendered.
    With `returning` the whole section of `place` is included, because any part of it may have been in view.
    """
    entry = vault.entry_of(place.path)
    if entry is None:
        raise NoteMissing(place.path)
    notes = {_SIDES[language]: vault.read(path) for language, path in entry.paths.items()}
    heads = _beginning(notes, place, renderer, returning=returning) if begun is not None else {}
    first = {
        side: page for side, one in heads.items() if (page := renderer.begin(one.text, path=one.path, wanted=wanted))
    }
    if begun is not None and heads and len(first) == len(heads):
        begun(_joined(vault, entry, notes, first, place, within=heads))

    def late(page: Page) -> None:
        if begun is not None and len(notes) == 1:
            begun(_joined(vault, entry, notes, dict.fromkeys(notes, page), place))

    pages = {side: renderer.render(note.text, path=note.path, late=late, wanted=wanted) for side, note in notes.items()}
    return _joined(vault, entry, notes, pages, place)


def _beginning(notes: Mapping[Side, Note], place: Location, renderer: Renderer, *, returning: bool) -> dict[Side, Note]:
    """Return the beginning of the note in each language; empty if rendering all of it takes no longer."""
    files, lines = list(notes.values()), tuple[int, ...]()
    if all(renderer.knows(note.text, path=note.path) for note in files):
        return {}
    if place.anchor or place.line or returning:
        at = next((at for at, note in enumerate(files) if note.path == place.path), 0)
        whole = returning or bool(place.marks)
        lines = reached(files, at, anchor=place.anchor, line=place.line, whole=whole)
    if not lines and (place != Location(place.path) or returning):  # the place is found only in the whole note
        return {}
    texts = beginnings(files, lines)
    return {side: replace(note, text=text) for (side, note), text in zip(notes.items(), texts, strict=False)}


def _joined(
    vault: Vault,
    entry: NoteEntry,
    notes: Mapping[Side, Note],
    pages: Mapping[Side, Page],
    place: Location,
    *,
    within: Mapping[Side, Note] | None = None,
) -> OpenNote:
    """Return the note with the snippets of its cells; `within` are the texts rendered, by default all of `notes`."""
    within = within or notes
    wanted = any(cell.kind == "snippet" for page in pages.values() for cell in cells(page))
    library = vault_snippets.library(vault) if wanted else Catalog({}, ())
    snippets: dict[tuple[Side, str], Snippet] = {}
    problems: dict[tuple[Side, str], SnippetError] = {}
    for language, page in pages.items():
        fences = {fence.id: fence for fence in reversed(within[language].fences) if fence.runnable}
        for cell in cells(page):
            try:
                snippets[language, cell.key] = _snippet(within[language], cell, library, fences)
            except SnippetError as error:
                problems[language, cell.key] = error
    filled = {language: with_code(page, library.snippets) for language, page in pages.items()}
    titles = {language: note.title for language, note in notes.items()}
    return OpenNote(entry, notes, filled, place, snippets, problems, titles)


def cells(page: Page) -> Iterator[Cell]:
    """Return an iterator over the cells of a page in order."""
    return (part for section in page.sections for part in section.parts if isinstance(part, Cell))


def with_code(page: Page, library: Mapping[str, Snippet]) -> Page:
    """Return the page with the code of library snippets in the cells that link to them."""
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
    """Return the code of a snippet file without its metadata block."""
    return _METADATA.sub("", code, count=1).strip("\n") + "\n"


def lines_hidden(code: str) -> int:
    """Return the number of lines that `without_metadata` removes at the top."""
    shown = without_metadata(code).split("\n", 1)[0]
    return code.split("\n").index(shown) if shown else 0


def _filled(cell: Cell, snippet: Snippet) -> Cell:
    from kb.markdown.highlight import python_html  # noqa: PLC0415 - slow to load, and many notes need none

    code = without_metadata(snippet.code)
    recorded = snippet.recorded.get("", next(iter(snippet.recorded.values()), None))
    return replace(cell, code=code, code_html=python_html(code), lang="python", output=recorded)


def _snippet(note: Note, cell: Cell, library: Catalog, fences: Mapping[str, Fence]) -> Snippet:
    if cell.kind == "snippet":
        return library.find(cell.id)
    if cell.id in fences:
        return vault_snippets.fence_snippet(note, fences[cell.id])
    raise UnknownSnippet(
        f"The block {cell.id} is no longer in {note.path}; open the note again.",
        f"{note.path} 里已经没有代码块 {cell.id}；请重新打开这篇笔记。",
    )
