"""The live preview next to the editor: a second reader that shows the text as it is typed and runs its blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtWidgets import QWidget

from app.cells.cell_controller import CellController
from app.i18n import Translator
from app.notebook.note_loader import OpenNote, cells
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.state.workspace import Workspace
from app.style.appearance import Appearance, FocusLine
from kb.markdown.lines import split_lines
from kb.notes.note import Note
from kb.rendering.first_screen import reached
from kb.rendering.rendered_page import Page
from kb.rendering.viewport import Viewport

_NEAR = 2  # heights of the view
_FOOTNOTE = "fn:"  # prefix of a footnote's anchor


def line_of(note: Note, anchor: str) -> int:
    """Return the line (1-based) of a heading, or of a footnote's definition if it is found; 0 if there is none."""
    if anchor.startswith(_FOOTNOTE):
        label = f"[^{anchor.removeprefix(_FOOTNOTE)}]:"
        return next((at for at, line in enumerate(split_lines(note.text), 1) if line.lstrip().startswith(label)), 0)
    return next(iter(reached([note], 0, anchor=anchor)), 0)


class PreviewPane:
    """Shows pages for the editor. Code is run by the editor, which saves the note first."""

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance, parent: QWidget) -> None:
        """Create the reader; the editor puts it into its layout."""
        self._workspace = workspace
        self._words = words
        self.view = NotebookView(words, look.theme, parent, executor=workspace.executor)
        self.view.hide()
        self.view.rest()
        FocusLine(self.view)
        self._outputs = CellController(self.view, workspace, words, look)
        self.view.set_device(workspace.device_model.device)  # may have been chosen before the preview was created
        self._run: Callable[[int, str], object] | None = None
        self._turn_to: Callable[[int], object] | None = None
        self._tick: Callable[[int, bool], object] | None = None
        self._look: Callable[[int], object] | None = None
        self._follow: Callable[[str], object] | None = None
        self._part = Viewport()  # the part of the note that is shown
        self._scrolling = False  # by the editor, not by the user
        self._shown = ""  # path of the note
        self.view.run_requested.connect(self._on_run_requested)
        self.view.edit_requested.connect(lambda line, _: self._turn_to(line) if self._turn_to else None)
        self.view.links.ticked.connect(lambda _, line, done: self._tick(line, done) if self._tick else None)
        self.view.link_activated.connect(self._on_link_activated)
        self.view.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        look.changed.connect(self.view.set_theme)
        words.changed.connect(self._retranslate)
        self._retranslate()

    def widget(self) -> QWidget:
        """Return the reader."""
        return self.view

    def listen(
        self,
        *,
        run: Callable[[int, str], object],
        turn_to: Callable[[int], object],
        tick: Callable[[int, bool], object],
    ) -> None:
        """Call `run` with line and device when a block's button is pressed, and `turn_to` with a line to edit.

        `tick` is called with the line of a clicked task, and whether it is done now.
        """
        self._run, self._turn_to, self._tick = run, turn_to, tick

    def listen_for_more(self, look: Callable[[int], object]) -> None:
        """Call `look` with the line in view when the user scrolls near the end of the rendered part of a long note."""
        self._look = look

    def listen_for_links(self, follow: Callable[[str], object]) -> None:
        """Call `follow` with a link that leads out of this note."""
        self._follow = follow

    def show_page(self, page: Page, path: str, *, part: Viewport) -> None:
        """Replace the page, at the same scroll position."""
        self._part = part
        vault, note = self._workspace.vault, self._workspace.notes.current
        pages = PageSet(
            key=f"preview:{vault.root if vault else ''}:{path}",
            pages={"": page},
            mode="both",
            titles={} if part.above else {"": _title(page, note, path)},
            note_paths={"": path},
            root=vault.root if vault else None,
        )
        with self._programmatic_scroll():
            self.view.show_pages(pages)
        if note is not None and note.note_at(path) is not None:
            names = {cell.id if cell.kind == "snippet" else f"{path}#{cell.id}": cell.key for cell in cells(page)}
            self._outputs.show(self._workspace.runs.page_key(note), names, rebuilt=path != self._shown)
            self._shown = path

    def wait(self) -> None:
        """Postpone work on the page while the user types."""
        self.view.wait()

    def follow(self, line: int) -> None:
        """Scroll to a line of the source, unless it is visible."""
        if not self.view.shows_line(line):
            with self._programmatic_scroll():
                self.view.go_to_line(line)

    @contextmanager
    def _programmatic_scroll(self) -> Iterator[None]:
        """Mark scrolling within the context as not done by the user."""
        self._scrolling = True
        try:
            yield
        finally:
            self._scrolling = False

    def _on_scrolled(self, value: int) -> None:
        """Request more of the note when the user nears an end of the rendered part."""
        bar, part = self.view.verticalScrollBar(), self._part
        near = _NEAR * self.view.viewport().height()
        at_end = (part.above and value < near) or (part.below and bar.maximum() - value < near)
        if not at_end or self._scrolling or self._look is None:
            return
        if (place := self.view.place()) is not None and place.line:
            self._look(place.line)

    def _on_link_activated(self, link: str) -> None:
        """Go to a place of the note outside the rendered part, or hand the link on."""
        opened = self._workspace.notes.current
        note = opened.note_at(self._shown) if opened is not None and link.startswith("#") else None
        if note is None:
            self._on_no_place(link)
        else:
            self._workspace.executor.run(
                lambda: line_of(note, link[1:]),
                lambda line: self._turn_to(line) if line and self._turn_to else self._on_no_place(link),
                lambda _: self._on_no_place(link),
            )

    def _on_no_place(self, link: str) -> None:
        if self._follow is not None:
            self._follow(link)

    def _on_run_requested(self, key: str, device: str) -> None:
        placed = self.view.cell(key)
        if placed is not None and self._run is not None:
            self._run(placed.cell.line, device)

    def _retranslate(self) -> None:
        self.view.setAccessibleName(self._words("预览", "Preview"))


def _title(page: Page, note: OpenNote | None, path: str) -> str:
    """Return the title above a page; empty if the page begins with a heading and the saved note sets no title."""
    if note is None:
        return path
    headed = bool(page.sections and page.sections[0].level)
    return "" if headed and note.lead.meta.title is None else note.lead.title
