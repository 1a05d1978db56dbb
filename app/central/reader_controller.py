"""Connects the reader to the workspace: shows the open note, runs its cells and follows its links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.cells.cell_controller import CellController
from app.central.page_actions import LinkDestination, PageActions, target_of
from app.history import Location
from app.i18n import Translator
from app.notebook.note_loader import OpenNote
from app.reader.header_text import header_words
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet, PlacedCell, Side
from app.reader.scroll_anchors import ScrollAnchor as ReaderPlace
from app.state.workspace import Workspace
from app.style.appearance import Appearance, FocusLine
from app.widgets.notification import Notification, NotificationAction, of_error
from snippets.model.snippet import Snippet

_MOST_POSITIONS = 300
_SIDES: tuple[Side, ...] = ("zh", "en")


class ReaderController(QObject):
    """The reader of the window with everything it is connected to."""

    section_reached = Signal(str)
    edit_requested = Signal(str, int)  # path, line

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance, parent: QWidget) -> None:
        """Create the reader and connect it."""
        super().__init__(parent)
        self._workspace = workspace
        self.view = NotebookView(words, look.theme, executor=workspace.executor)
        self.cell_controller = CellController(self.view, workspace, words, look)
        self.page_actions = PageActions(self.view, workspace)
        self._jumping = False
        self._outdated = False  # the note has changed since the page was shown
        self._positions: dict[Location, ReaderPlace] = {}  # scroll positions of locations that were left
        FocusLine(self.view)
        self._connect_view()
        self._connect_workspace(look)

    def _connect_view(self) -> None:
        view = self.view
        view.link_activated.connect(self.follow)
        view.run_requested.connect(self._on_run_requested)
        view.edit_requested.connect(self._on_edit_requested)
        view.section_reached.connect(self._on_section_reached)
        view.zoom_changed.connect(lambda factor: self._workspace.set_state(zoom=str(round(factor * 100))))

    def _connect_workspace(self, look: Appearance) -> None:
        notes = self._workspace.notes
        notes.opening.connect(lambda _: self._keep_position())
        notes.opened.connect(self._on_opened)
        notes.reloaded.connect(self._renew)
        notes.grown.connect(self._renew)
        self._workspace.mode_changed.connect(lambda _: self._show_again())
        self._workspace.vault_opened.connect(lambda _: self.view.set_zoom(int(self._workspace.state.zoom) / 100))
        look.changed.connect(self.view.set_theme)

    # --- showing

    def go_to(self, anchor: str) -> None:
        """Go to a heading of the open note and add the step to the history."""
        self.catch_up()
        note = self._workspace.notes.current
        if note is None:
            return
        self._keep_position()
        self._jumping = True  # the section reached is a new step, not a change of the current one
        found = self.view.go_to(anchor) or self.view.go_to(_counterpart(note, anchor))
        self._jumping = False
        if found:
            self._workspace.notes.step_to(self.view.section or anchor)

    def go_to_line(self, path: str, line: int) -> None:
        """Go to a line of the source, for example when the editor closes."""
        self.catch_up()
        note = self._workspace.notes.current
        if note is not None:
            self.view.go_to_line(line, side=_side(note, path))

    def line_in_view(self) -> int:
        """Return the source line (1-based) of the section in view."""
        note = self._workspace.notes.current
        if note is None:
            return 1
        sections = (section for page in note.pages.values() for section in page.sections)
        return next((section.line for section in sections if section.anchor == note.place.anchor), 1)

    def catch_up(self) -> None:
        """Show the current content of the open note, before the page becomes visible again."""
        if self._outdated and (note := self._workspace.notes.current) is not None:
            self._show(note)

    def _renew(self, note: OpenNote) -> None:
        """Show the changed note; a hidden page, as while the note is edited, is updated by `catch_up`."""
        if self.view.isVisible() or not self.view.window().isVisible():
            self._show(note)
            return
        self._outdated = True
        cells: dict[tuple[str, str], Snippet] = {}
        for (_, key), snippet in note.snippets.items():  # the same code in both languages is one cell
            cells.setdefault((key, snippet.code), snippet)
        self._workspace.show_cells(cells.values())

    def _on_opened(self, note: OpenNote) -> None:
        place = note.place
        self._show(note)
        left = self._positions.get(replace(place, marks=())) if self._workspace.notes.returning else None
        if left is not None:
            self.view.restore(left)
        elif place.anchor:
            self.view.go_to(place.anchor) or self.view.go_to(_counterpart(note, place.anchor))
        elif place.line:
            self.view.go_to_line(place.line, side=_side(note, place.path))
        self.view.mark(place.marks)
        self.view.viewport().repaint()  # before other widgets, and before the rest of the note is laid out

    def _keep_position(self) -> None:
        """Keep the scroll position, to the pixel, for going back."""
        note, left = self._workspace.notes.current, self.view.place()
        if note is not None and left is not None:
            self._positions.pop(place := replace(note.place, marks=()), None)
            self._positions[place] = left
            while len(self._positions) > _MOST_POSITIONS:
                del self._positions[next(iter(self._positions))]

    def _show_again(self) -> None:
        if (note := self._workspace.notes.current) is not None:
            self._show(note)

    def _show(self, note: OpenNote) -> None:
        self._outdated = False
        pages = self._page_set(note)
        self.view.show_pages(pages)
        found = {one.key: _snippet(note, one) for one in self.view.placed}
        # A block of the same name in the other language has no box of its own; run from the editor, it prints here.
        others = {snippet.name: key for (_, key), snippet in note.snippets.items() if key in found}
        own = {snippet.name: key for key, snippet in found.items() if snippet is not None}
        self._workspace.show_cells(snippet for snippet in found.values() if snippet is not None)
        self.cell_controller.show(pages.key, {**others, **own})

    def _page_set(self, note: OpenNote) -> PageSet:
        vault = self._workspace.vault
        return PageSet(
            key=self._workspace.runs.page_key(note),
            pages=note.pages,
            mode=self._workspace.state.mode,  # type: ignore[arg-type]  # one of MODES
            note_paths={side: one.path for side, one in note.notes.items()},
            titles=note.titles,
            root=vault.root if vault is not None else None,
            folders={side: self._workspace.folder_name(note.entry, side) for side in note.notes},
            tags=note.entry.tags,
            proven={side: day for side, one in note.notes.items() if (day := one.meta.proven)},
            proven_on={side: one.meta.proven_on for side, one in note.notes.items()},
            heads={side: header_words(one.meta.values) for side, one in note.notes.items()},
        )

    def _on_section_reached(self, anchor: str) -> None:
        if not self._jumping:
            self._workspace.notes.reached(anchor)
        self.section_reached.emit(anchor)

    def _on_edit_requested(self, line: int, side: str) -> None:
        note = self._workspace.notes.current
        if note is not None:
            source = next((one for known, one in note.notes.items() if known == side), note.lead)
            self.edit_requested.emit(source.path, line)

    # --- running

    def _on_run_requested(self, cell: str, device: str) -> None:
        note, placed = self._workspace.notes.current, self.view.cell(cell)
        if note is None or placed is None:
            return
        if snippet := _snippet(note, placed):
            self._workspace.runs.start(self._workspace.runs.page_key(note), [snippet], device or None)
        elif error := note.problems.get((placed.side, placed.cell.key)):
            self._workspace.noticed.emit(of_error(error, topic="run"))

    # --- links and files

    def follow(self, link: str) -> None:
        """Follow a link of the open note, in a new tab while Ctrl is held."""
        new_tab = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)
        vault, note = self._workspace.vault, self._workspace.notes.current
        if vault is not None and note is not None:
            path = note.lead.path
            self._workspace.executor.run(
                lambda: target_of(vault, path, link),
                lambda target: self._follow(target, new_tab=new_tab),
                lambda error: self._report_bad_link(link, error),
            )

    def _follow(self, target: LinkDestination, *, new_tab: bool) -> None:
        note = self._workspace.notes.current
        if target.kind == "note" and note is not None and note.note_at(target.where) is not None and target.anchor:
            self.go_to(target.anchor)
        elif target.kind == "note":
            self._workspace.open_note(target.where, anchor=target.anchor, new_tab=new_tab)
        elif target.kind == "web":
            QDesktopServices.openUrl(QUrl(target.where))
        elif target.kind == "file":
            self.cell_controller.offer_file(Path(target.where))
        elif target.kind == "missing":
            zh, en = f"笔记库里没有“{target.where}”。", f'The vault has no "{target.where}".'
            self._workspace.noticed.emit(Notification(zh, en, topic="link"))
        else:
            self._offer_address(target.where)

    def _report_bad_link(self, link: str, error: Exception) -> None:
        zh, en = f"无法打开链接 {link}：{error}", f"The link {link} cannot be followed: {error}"
        self._workspace.noticed.emit(Notification(zh, en, "failed", topic="link"))

    def _offer_address(self, address: str) -> None:
        zh, en = f"这个链接会交给系统打开：{address}", f"This link would be opened by the system: {address}"
        show = NotificationAction("打开", "Open it", lambda: QDesktopServices.openUrl(QUrl(address)))
        self._workspace.noticed.emit(Notification(zh, en, "asked", (show,), "link"))


def _snippet(note: OpenNote, placed: PlacedCell) -> Snippet | None:
    """Return the snippet of a cell; the same code in both languages is one snippet, verified once."""
    own = note.snippets.get((placed.side, placed.cell.key))
    both = (note.snippets.get((side, placed.cell.key)) for side in _SIDES)
    return next((one for one in both if one is not None and own is not None and one.code == own.code), own)


def _counterpart(note: OpenNote, anchor: str) -> str:
    """Return the anchor of a section in the other language; empty if the sections do not correspond."""
    pages = [page.sections for page in note.pages.values()]
    if len({len(sections) for sections in pages}) != 1 or len(pages) == 1:
        return ""
    for own, other in ((pages[0], pages[1]), (pages[1], pages[0])):
        for one, twin in zip(own, other, strict=True):
            if anchor and anchor in {one.anchor, one.heading}:
                return twin.anchor
    return ""


def _side(note: OpenNote, path: str) -> Side:
    """Return the language of a file of the note."""
    return next((side for side, one in note.notes.items() if one.path == path), "")
