"""Joins the reader to the rooms: it shows the open note, runs its cells, and follows its links."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu, QWidget

from app.books import CellState
from app.following import Target, target_of
from app.look import Look
from app.notice import Choice, Notice
from app.opening import OpenNote
from app.reader.pages import PageSet
from app.reader.view import ReaderView
from app.runs import ActiveRun, CellKey
from app.titles import ago
from app.verdict import Judged
from app.words import Words
from app.workspace import Workspace
from snippets.outcome import Artifact, Outcome


class Reading(QObject):
    """The reader of the window with everything it is connected to."""

    section_reached = Signal(str)
    edit_requested = Signal(str, int)  # path, line

    def __init__(self, workspace: Workspace, words: Words, look: Look, parent: QWidget) -> None:
        """Make the reader and connect it."""
        super().__init__(parent)
        self._workspace = workspace
        self._words = words
        self.view = ReaderView(words, look.theme)
        self.view.setAccessibleName(words("笔记正文", "Note"))
        self._zoom = int(workspace.state.zoom) / 100
        self._connect_view()
        self._connect_rooms(look)

    def _connect_view(self) -> None:
        view = self.view
        view.link_activated.connect(self._on_link)
        view.run_requested.connect(self._on_run_requested)
        view.stop_requested.connect(lambda key: self._workspace.runs.stop(self._key(key)))
        view.edit_requested.connect(self._on_edit_requested)
        view.section_reached.connect(self._on_section_reached)
        view.device_menu_requested.connect(self._on_device_menu)
        view.file_requested.connect(lambda path: self._offer_file(Path(path)))
        view.log_requested.connect(self._on_log_requested)
        view.zoom_changed.connect(lambda factor: self._workspace.remember(zoom=str(round(factor * 100))))

    def _connect_rooms(self, look: Look) -> None:
        notes, runs, machine = self._workspace.notes, self._workspace.runs, self._workspace.machine
        notes.opened.connect(self._on_opened)
        notes.reloaded.connect(self._on_reloaded)
        self._workspace.mode_changed.connect(lambda _: self._show_again())
        self._workspace.vault_opened.connect(lambda _: self.view.set_zoom(int(self._workspace.state.zoom) / 100))
        look.changed.connect(self.view.set_theme)
        runs.started.connect(self._on_run_started)
        runs.output.connect(lambda key, stream, text: self.view.cell_output(key.cell, stream, text, page=key.page))
        runs.artifact.connect(self._on_artifact)
        runs.finished.connect(self._on_run_finished)
        runs.judged.connect(self._on_judged)
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
        side = next((side for side, one in note.notes.items() if one.path == path), "") if note else ""
        self.view.go_to_line(line, side=side)

    def line_in_view(self) -> int:
        """Return the source line of the section in view."""
        note = self._workspace.notes.current
        if note is None:
            return 1
        sections = (section for page in note.pages.values() for section in page.sections)
        return next((section.line for section in sections if section.anchor == note.place.anchor), 1)

    def run_cell_in_view(self) -> None:
        """Run the first cell at or below the section in view."""
        note = self._workspace.notes.current
        key = self.view.cell_in_view()
        if note is not None and key:
            self._workspace.runs.start(note, [key])

    def _on_opened(self, note: OpenNote) -> None:
        place = note.place
        self.view.show_pages(self._page_set(note))
        side = next((side for side, one in note.notes.items() if one.path == place.path), "")
        if place.anchor:
            self.view.go_to(place.anchor)
        elif place.line:
            self.view.go_to_line(place.line, side=side)
        if place.marks:
            self.view.mark(place.marks)

    def _on_reloaded(self, note: OpenNote) -> None:
        self.view.show_pages(self._page_set(note))
        self._workspace.runs.states(note)

    def _show_again(self) -> None:
        note = self._workspace.notes.current
        if note is not None:
            anchor = note.place.anchor
            self.view.show_pages(self._page_set(note))
            if anchor:
                self.view.go_to(anchor)

    def _page_set(self, note: OpenNote) -> PageSet:
        vault = self._workspace.vault
        return PageSet(
            key=self._workspace.runs.page_key(note),
            pages=note.pages,
            mode=self._workspace.state.mode,  # type: ignore[arg-type] - one of MODES
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
            self.edit_requested.emit(note.notes.get(side, note.lead).path, line)

    # --- running

    def _key(self, cell: str) -> CellKey:
        note = self._workspace.notes.current
        return CellKey(self._workspace.runs.page_key(note) if note else "", cell)

    def _on_run_requested(self, cell: str, device: str) -> None:
        if (note := self._workspace.notes.current) is not None:
            self._workspace.runs.start(note, [cell], device or None)

    def _on_run_started(self, run: ActiveRun) -> None:
        self.view.cell_started(run.key.cell, run.device, page=run.key.page)

    def _on_artifact(self, key: CellKey, made: Artifact) -> None:
        show = self.view.cell_image if made.kind == "image" else self.view.cell_file
        show(key.cell, made.path, page=key.page)

    def _on_run_finished(self, run: ActiveRun, outcome: Outcome) -> None:
        self.view.cell_finished(run.key.cell, outcome, page=run.key.page)

    def _on_judged(self, run: ActiveRun, outcome: Outcome, judged: Judged) -> None:
        self.view.cell_finished(
            run.key.cell, outcome, page=run.key.page, failed_line=judged.failed_line, as_recorded=judged.as_recorded
        )

    def _on_states(self, page: str, states: Mapping[str, CellState]) -> None:
        if page != self._key("").page:
            return
        for cell, state in states.items():
            if CellKey(page, cell) not in self._workspace.runs.active:
                self.view.cell_status(cell, state.status, detail=self._detail(state))

    def _detail(self, state: CellState) -> str:
        last = state.last
        if last is None:
            return ""
        torch = f"torch {last.torch.split('+')[0]}" if last.torch else ""
        return " · ".join(part for part in (torch, last.device, ago(time.time() - last.began, self._words)) if part)

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
        log = self._workspace.runs.log_of(self._key(cell))
        if log is not None:
            self._offer_file(log)
