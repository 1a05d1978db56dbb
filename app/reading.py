"""Joins the reader to the rooms: it shows the open note, runs its cells, and follows its links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu, QWidget

from app.following import Target, target_of
from app.logview import LogView
from app.look import Look
from app.notice import Choice, Notice, of_error
from app.opening import OpenNote
from app.reader.pages import PageSet, Side
from app.reader.pairing import CellRow, rows
from app.reader.view import ReaderView
from app.runs import ActiveRun, CellKey, CellState
from app.titles import ago, seconds_since
from app.verdict import Judged
from app.words import Words
from app.workspace import Workspace
from snippets.outcome import Artifact


class Reading(QObject):
    """The reader of the window with everything it is connected to."""

    section_reached = Signal(str)
    edit_requested = Signal(str, int)  # path, line

    def __init__(self, workspace: Workspace, words: Words, look: Look, parent: QWidget) -> None:
        """Make the reader and connect it."""
        super().__init__(parent)
        self._workspace = workspace
        self._words = words
        self.view = ReaderView(words, look.theme, door=workspace.door)
        self._keys: dict[str, str] = {}  # by snippet's name: the key of its cell on the page
        self._connect_view()
        self._connect_rooms(look)

    def _connect_view(self) -> None:
        view = self.view
        view.link_activated.connect(self._on_link)
        view.run_requested.connect(self._on_run_requested)
        view.stop_requested.connect(self._on_stop_requested)
        view.edit_requested.connect(self._on_edit_requested)
        view.section_reached.connect(self._on_section_reached)
        view.device_menu_requested.connect(self._on_device_menu)
        view.file_requested.connect(lambda path: self._offer_file(Path(path)))
        view.log_requested.connect(self._on_log_requested)
        view.zoom_changed.connect(lambda factor: self._workspace.remember(zoom=str(round(factor * 100))))

    def _connect_rooms(self, look: Look) -> None:
        notes, runs, machine = self._workspace.notes, self._workspace.runs, self._workspace.machine
        notes.opened.connect(self._on_opened)
        notes.reloaded.connect(self._show)
        self._workspace.mode_changed.connect(lambda _: self._show_again())
        self._workspace.vault_opened.connect(lambda _: self.view.set_zoom(int(self._workspace.state.zoom) / 100))
        look.changed.connect(self.view.set_theme)
        runs.started.connect(self._on_run_started)
        runs.output.connect(self._on_output)
        runs.artifact.connect(self._on_artifact)
        runs.finished.connect(lambda run, _: self._show_outcome(run.key))
        runs.judged.connect(lambda run, *_: self._show_outcome(run.key))
        runs.states_known.connect(self._on_states)
        machine.device_chosen.connect(self.view.set_device)

    # --- showing

    def go_to(self, anchor: str) -> None:
        """Go to a heading of the open note and remember the step."""
        note = self._workspace.notes.current
        if note is not None and self.view.go_to(anchor):
            self._workspace.notes.step_to(anchor)

    def go_to_line(self, path: str, line: int) -> None:
        """Go to a line of the source, as when coming back from the editor."""
        note = self._workspace.notes.current
        if note is not None:
            self.view.go_to_line(line, side=_side(note, path))

    def line_in_view(self) -> int:
        """Return the source line of the section in view."""
        note = self._workspace.notes.current
        if note is None:
            return 1
        sections = (section for page in note.pages.values() for section in page.sections)
        return next((section.line for section in sections if section.anchor == note.place.anchor), 1)

    def _on_opened(self, note: OpenNote) -> None:
        place = note.place
        self._show(note)
        if place.anchor:
            self.view.go_to(place.anchor)
        elif place.line:
            self.view.go_to_line(place.line, side=_side(note, place.path))
        self.view.mark(place.marks)

    def _show_again(self) -> None:
        if (note := self._workspace.notes.current) is not None:
            self._show(note)

    def _show(self, note: OpenNote) -> None:
        pages = self._page_set(note)
        self.view.show_pages(pages)
        placed = [row.placed for row in rows(pages) if isinstance(row, CellRow)]
        found = {one.key: note.snippets.get((one.side, one.cell.key)) for one in placed}
        self._keys = {snippet.name: key for key, snippet in found.items() if snippet is not None}
        self._workspace.show_cells(snippet for snippet in found.values() if snippet is not None)
        for key in self._workspace.runs.transcripts:
            if key.page == pages.key and key.snippet in self._keys:
                self._replay(key)

    def _replay(self, key: CellKey) -> None:
        """Show what a run has said so far in its cell, when a note is opened again."""
        transcript, cell = self._workspace.runs.transcripts[key], self._keys[key.snippet]
        self.view.cell_started(cell, transcript.device)
        transcript.replay(lambda stream, text: self.view.cell_output(cell, stream, text))
        for made in transcript.artifacts:
            self._show_artifact(cell, made)
        self._show_outcome(key)

    def _page_set(self, note: OpenNote) -> PageSet:
        vault = self._workspace.vault
        return PageSet(
            key=self._workspace.runs.page_key(note),
            pages=note.pages,
            mode=self._workspace.state.mode,  # type: ignore[arg-type]  # one of MODES
            note_paths={side: one.path for side, one in note.notes.items()},
            titles={side: one.title for side, one in note.notes.items()},
            root=vault.root if vault is not None else None,
            folders={side: self._workspace.folder_name(note.entry, side) for side in note.notes},
            tags=note.entry.tags,
        )

    def _on_section_reached(self, anchor: str) -> None:
        self._workspace.notes.reached(anchor)
        self.section_reached.emit(anchor)

    def _on_edit_requested(self, line: int, side: str) -> None:
        note = self._workspace.notes.current
        if note is not None:
            source = next((one for known, one in note.notes.items() if known == side), note.lead)
            self.edit_requested.emit(source.path, line)

    # --- running

    def _cell(self, key: CellKey) -> str | None:
        """Return the key of a snippet's cell on the page, if it is on the page that is shown."""
        note = self._workspace.notes.current
        shown = note is not None and key.page == self._workspace.runs.page_key(note)
        return self._keys.get(key.snippet) if shown else None

    def _on_run_requested(self, cell: str, device: str) -> None:
        note, placed = self._workspace.notes.current, self.view.cell(cell)
        if note is None or placed is None:
            return
        named = placed.side, placed.cell.key
        if snippet := note.snippets.get(named):
            self._workspace.runs.start(self._workspace.runs.page_key(note), [snippet], device or None)
        elif error := note.problems.get(named):
            self._workspace.noticed.emit(of_error(error, topic="run"))

    def _on_stop_requested(self, cell: str) -> None:
        note = self._workspace.notes.current
        name = next((name for name, key in self._keys.items() if key == cell), None)
        if note is not None and name is not None:
            self._workspace.runs.stop(CellKey(self._workspace.runs.page_key(note), name))

    def _on_run_started(self, run: ActiveRun) -> None:
        if cell := self._cell(run.key):
            self.view.cell_started(cell, run.device)

    def _on_output(self, key: CellKey, stream: str, text: str) -> None:
        if cell := self._cell(key):
            self.view.cell_output(cell, stream, text)

    def _on_artifact(self, key: CellKey, made: Artifact) -> None:
        if cell := self._cell(key):
            self._show_artifact(cell, made)

    def _show_artifact(self, cell: str, made: Artifact) -> None:
        if made.kind == "image":
            self.view.cell_image(cell, made.path)
        else:
            self.view.cell_file(cell, made.path, size=made.bytes)

    def _show_outcome(self, key: CellKey) -> None:
        cell, transcript = self._cell(key), self._workspace.runs.transcripts.get(key)
        if cell is None or transcript is None or transcript.outcome is None:
            return
        judged = transcript.judged or Judged(None, None)
        self.view.cell_finished(
            cell, transcript.outcome, failed_line=judged.failed_line, as_recorded=judged.as_recorded
        )

    def _on_states(self, page: str, states: Mapping[str, CellState]) -> None:
        for name, state in states.items():
            cell = self._cell(CellKey(page, name))
            if cell is not None and CellKey(page, name) not in self._workspace.runs.active:
                self.view.cell_status(cell, state.status, detail=self._detail(state))

    def _detail(self, state: CellState) -> str:
        last = state.last
        if last is None:
            return ""
        torch = f"torch {last.torch.split('+')[0]}" if last.torch else ""
        return " · ".join(part for part in (torch, last.device, ago(seconds_since(last.started), self._words)) if part)

    def _on_device_menu(self, cell: str, where: QPoint) -> None:
        menu = QMenu(self.view)
        for device in self._workspace.machine.devices:
            action = menu.addAction(f"{device.id}  {device.name}")
            action.setEnabled(device.available)
            action.triggered.connect(lambda _=False, chosen=device.id: self.view.set_device(chosen, key=cell))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    # --- links and files

    def _on_link(self, link: str) -> None:
        vault, note = self._workspace.vault, self._workspace.notes.current
        if vault is not None and note is not None:
            path = note.lead.path
            self._workspace.door.run(
                lambda: target_of(vault, path, link), self._follow, lambda error: self._tell_no_target(link, error)
            )

    def _follow(self, target: Target) -> None:
        note = self._workspace.notes.current
        if target.kind == "note" and note is not None and note.note_at(target.where) is not None and target.anchor:
            self.go_to(target.anchor)
        elif target.kind == "note":
            self._workspace.open_note(target.where, anchor=target.anchor)
        elif target.kind == "web":
            QDesktopServices.openUrl(QUrl(target.where))
        elif target.kind == "file":
            self._offer_file(Path(target.where))
        elif target.kind == "missing":
            self._workspace.noticed.emit(Notice(
                f"笔记库里没有“{target.where}”。", f"The vault has no “{target.where}”.", topic="link",
            ))  # fmt: skip
        else:
            self._offer_address(target.where)

    def _tell_no_target(self, link: str, error: Exception) -> None:
        self._workspace.noticed.emit(Notice(
            f"无法打开链接 {link}：{error}", f"The link {link} cannot be followed: {error}", "failed", topic="link",
        ))  # fmt: skip

    def _offer_address(self, address: str) -> None:
        self._workspace.noticed.emit(Notice(
            f"这个链接会交给系统打开：{address}", f"This link would be opened by the system: {address}", "asked",
            (Choice("打开", "Open it", lambda: QDesktopServices.openUrl(QUrl(address))),), topic="link",
        ))  # fmt: skip

    def _offer_file(self, path: Path) -> None:
        url, folder = QUrl.fromLocalFile(str(path)), QUrl.fromLocalFile(str(path.parent))
        self._workspace.noticed.emit(Notice(
            f"文件：{path}", f"A file: {path}", "asked",
            (
                Choice("打开所在文件夹", "Open its folder", lambda: QDesktopServices.openUrl(folder)),
                Choice("打开文件", "Open it", lambda: QDesktopServices.openUrl(url)),
            ),
            topic="link",
        ))  # fmt: skip

    def _on_log_requested(self, cell: str) -> None:
        """Show the whole output of the cell's last run, as far as it was kept."""
        note = self._workspace.notes.current
        name = next((name for name, key in self._keys.items() if key == cell), "")
        key = CellKey(self._workspace.runs.page_key(note), name) if note is not None else None
        if key is not None and (transcript := self._workspace.runs.transcripts.get(key)):
            LogView(name, transcript.text(), self._words, self.view.window()).show()


def _side(note: OpenNote, path: str) -> Side:
    """Return the language of a file of the note."""
    return next((side for side, one in note.notes.items() if one.path == path), "")
