"""Joins a reader's boxes to the runs of its note: what they print, how they ended, and how the ledger has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu

from app.cellmenu import CellMenu
from app.logview import LogView
from app.look import Look
from app.notice import Choice, Notice
from app.reader.cells import Hint
from app.reader.view import ReaderView
from app.runs import ActiveRun, CellKey, CellState
from app.titles import ago, seconds_since
from app.verdict import Judged
from app.words import Words
from app.workspace import Workspace
from kb.found import Hit
from snippets.outcome import Artifact, Outcome


class Outputs(QObject):
    """Shows the runs of one page in a reader; of two runs that share a box, the one that began last has it."""

    def __init__(self, view: ReaderView, workspace: Workspace, words: Words, look: Look) -> None:
        """Listen to the runs of `workspace`; nothing is shown before `show` says what is on the page."""
        super().__init__(view)
        self._view = view
        self._workspace = workspace
        self._words = words
        self.menu = CellMenu(workspace, words, look, view)
        self._page = ""
        self._cells: dict[str, str] = {}  # by snippet's name: the key of its box
        self._holders: dict[str, CellKey] = {}  # by the box's key: whose output is in it
        self._explained: dict[str, tuple[Hit, ...]] = {}  # by the box's key: what explains why the run failed
        view.stop_requested.connect(self._on_stop_requested)
        view.log_requested.connect(self._on_log_requested)
        view.device_menu_requested.connect(self._on_device_menu)
        view.hint_requested.connect(self._on_hint_requested)
        view.file_requested.connect(lambda path: self.offer_file(Path(path)))
        runs = workspace.runs
        runs.started.connect(self._on_started)
        runs.output.connect(self._on_output)
        runs.artifact.connect(self._on_artifact)
        runs.finished.connect(self._on_finished)
        runs.judged.connect(lambda run, *_: self._show_outcome(run.key))
        runs.states_known.connect(self._on_states)
        workspace.machine.device_chosen.connect(view.set_device)

    def show(self, page: str, cells: Mapping[str, str], *, anew: bool = True) -> None:
        """Take in which boxes there are, by snippets' names, and tell them what runs have said so far.

        Unless the page is built `anew`, boxes that were there before know that already.
        """
        anew = anew or page != self._page
        before = {} if anew else self._cells
        self._page, self._cells = page, dict(cells)
        self._holders = {cell: key for cell, key in self._holders.items() if before.get(key.snippet) == cell}
        for key in tuple(self._workspace.runs.transcripts):
            if key.page == page and key.snippet in cells and key.snippet not in before:
                self._replay(key)

    def offer_file(self, path: Path) -> None:
        """Say where a file is, and offer to open it or its folder."""
        url, folder = QUrl.fromLocalFile(str(path)), QUrl.fromLocalFile(str(path.parent))
        self._workspace.noticed.emit(Notice(
            f"文件：{path}", f"A file: {path}", "asked",
            (
                Choice("打开所在文件夹", "Open its folder", lambda: QDesktopServices.openUrl(folder)),
                Choice("打开文件", "Open it", lambda: QDesktopServices.openUrl(url)),
            ),
            topic="link",
        ))  # fmt: skip

    def _cell(self, key: CellKey) -> str | None:
        """Return the box that shows this run now, if one does."""
        cell = self._cells.get(key.snippet) if key.page == self._page else None
        return cell if cell is not None and self._holders.get(cell, key) == key else None

    def _take_box(self, key: CellKey, device: str) -> str | None:
        cell = self._cells.get(key.snippet) if key.page == self._page else None
        if cell is not None:
            self._holders[cell] = key
            self._explained.pop(cell, None)
            self._view.cell_started(cell, device)
        return cell

    def _replay(self, key: CellKey) -> None:
        """Show what a run has said so far."""
        transcript = self._workspace.runs.transcripts[key]
        if cell := self._take_box(key, transcript.device):
            transcript.replay(lambda stream, text: self._view.cell_output(cell, stream, text))
            for made in transcript.artifacts:
                self._on_artifact(key, made)
            self._show_outcome(key)

    def _on_started(self, run: ActiveRun) -> None:
        self._take_box(run.key, run.device)

    def _on_output(self, key: CellKey, stream: str, text: str) -> None:
        if cell := self._cell(key):
            self._view.cell_output(cell, stream, text)

    def _on_artifact(self, key: CellKey, made: Artifact) -> None:
        if (cell := self._cell(key)) is None:
            return
        if made.kind == "image":
            self._view.cell_image(cell, made.path)
        else:
            self._view.cell_file(cell, made.path, size=made.bytes)

    def _show_outcome(self, key: CellKey) -> None:
        cell, transcript = self._cell(key), self._workspace.runs.transcripts.get(key)
        if cell is None or transcript is None or transcript.outcome is None:
            return
        judged = transcript.judged or Judged(None, None)
        self._view.cell_finished(
            cell, transcript.outcome, failed_line=judged.failed_line, as_recorded=judged.as_recorded
        )
        if transcript.outcome.status == "failed" and cell not in self._explained:
            outcome = transcript.outcome
            self._workspace.kinship.explain(outcome.output, lambda hits: self._on_explained(key, outcome, hits))

    def _on_explained(self, key: CellKey, outcome: Outcome, hits: tuple[Hit, ...]) -> None:
        """Name what explains the failure of a run, if its box still shows that run."""
        cell, transcript = self._cell(key), self._workspace.runs.transcripts.get(key)
        if cell is None or transcript is None or transcript.outcome is not outcome:
            return
        note = self._workspace.notes.current
        own = set(note.entry.paths.values()) if note is not None else set()
        others = self._explained[cell] = tuple(hit for hit in hits if hit.path not in own)
        self._view.cell_hints(cell, tuple(Hint(hit.heading or hit.title, _place(hit)) for hit in others))

    def _on_hint_requested(self, cell: str, number: int) -> None:
        hits = self._explained.get(cell, ())
        if number < len(hits):
            hit = hits[number]
            self._workspace.open_note(hit.path, anchor=hit.anchor, line=hit.line, marks=hit.matched)

    def _on_finished(self, run: ActiveRun, outcome: Outcome) -> None:
        self._show_outcome(run.key)
        if run.key.page == self._page:
            self.menu.offer(run, outcome)

    def _on_states(self, page: str, states: Mapping[str, CellState]) -> None:
        for name, state in states.items():
            cell = self._cell(CellKey(page, name))
            if cell is not None and CellKey(page, name) not in self._workspace.runs.active:
                self._view.cell_status(cell, state.status, detail=self._detail(state))

    def _detail(self, state: CellState) -> str:
        last = state.last
        if last is None:
            return ""
        torch = f"torch {last.torch.split('+')[0]}" if last.torch else ""
        return " · ".join(part for part in (torch, last.device, ago(seconds_since(last.started), self._words)) if part)

    def _on_stop_requested(self, cell: str) -> None:
        if key := self._holders.get(cell):
            self._workspace.runs.stop(key)

    def _on_log_requested(self, cell: str) -> None:
        """Show the whole output of the run in this box, as far as it was kept."""
        key = self._holders.get(cell)
        if key is not None and (transcript := self._workspace.runs.transcripts.get(key)):
            LogView(key.snippet, transcript.text(), self._words, self._view.window()).show()

    def _on_device_menu(self, cell: str, where: QPoint) -> None:
        menu = QMenu(self._view)
        for device in self._workspace.machine.devices:
            action = menu.addAction(f"{device.id}  {device.name}")
            action.setEnabled(device.available)
            action.triggered.connect(lambda _=False, chosen=device.id: self._view.set_device(chosen, key=cell))
        name = next((name for name, box in self._cells.items() if box == cell), "")
        snippet = next((one for one in self._workspace.notes.shown if one.name == name), None)
        if snippet is not None:
            self.menu.fill(menu, CellKey(self._page, name), snippet)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)


def _place(hit: Hit) -> str:
    """Return the note and the headings above, where they say more than the heading."""
    above = dict.fromkeys((hit.title, *hit.trail))
    return " / ".join(one for one in above if one != (hit.heading or hit.title))
