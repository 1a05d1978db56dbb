"""Shows the runs of a note in the cells of a reader: output, results, status in the ledger, explanations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu

from app.i18n import Translator
from app.reader.cell_state import EarlierRun, Hint, Program
from app.reader.notebook_view import NotebookView
from app.runs.active_runs import CellKey, CellRun, CellStatus
from app.runs.run_history import RunVerdict, program_of
from app.state.tree_model import ago, seconds_since
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.widgets.deferred_delete import popup_once
from app.widgets.notification import Notification, NotificationAction
from kb.results import Hit
from snippets.errors import Sentence
from snippets.model.snippet import Snippet, picture_path
from snippets.results.expected_output import code_hash
from snippets.results.ledger import RunRow
from snippets.results.outcome import Artifact, Outcome
from snippets.results.run_output import kept_output
from snippets.running.run_progress import RunProgress
from snippets.running.run_record import RunRecord
from snippets.running.run_variables import offer_for

if TYPE_CHECKING:  # its dialogs are not needed for the first page
    from app.cells.cell_menu import CellMenu


def worth_recalling(row: RunRow | None, snippet: Snippet) -> bool:
    """Return whether the latest run of a snippet has ended and ran the code shown."""
    return row is not None and row.status != "running" and row.code_sha256 == code_hash(snippet)


def earlier_of(row: RunRow, runs: Path, words: Translator) -> EarlierRun | None:
    """Return output and files left by a run, or None; `runs` is the parent of all run folders. Raises OSError."""
    output = row.output
    if row.status == "interrupted" and not output:
        head, data = RunRecord(runs, row.run_id).output()
        output = kept_output(head, data, 0).both
    here = [made for made in row.artifacts if made.path.is_file()]
    figures = tuple(made.path for made in here if made.kind == "image")
    files = tuple((made.path, made.bytes) for made in here if made.kind != "image")
    if not (output.strip() or figures or files):
        return None
    told = Sentence(row.reason_en, row.reason_zh or "") if row.status != "passed" and row.reason_en else None
    return EarlierRun(output, figures, files, ago(seconds_since(row.started), words), told)


class CellController(QObject):
    """Shows the runs of one page in a reader; of two runs that share a cell, the later one is shown."""

    def __init__(self, view: NotebookView, workspace: Workspace, words: Translator, look: Appearance) -> None:
        """Listen to the runs of `workspace`; nothing is shown before `show` is called with the cells."""
        super().__init__(view)
        self._view = view
        self._workspace = workspace
        self._words = words
        self._look = look
        self._page = ""
        self._cells: dict[str, str] = {}  # cell keys by name of the snippet
        self._named: tuple[Sequence[Snippet], dict[str, Snippet]] = (), {}  # snippets of the note, and the same by name
        self._states: dict[str, CellStatus] = {}  # by name of the snippet
        self._holders: dict[str, CellKey] = {}  # whose output a cell shows, by cell key
        self._recalled: dict[str, str] = {}  # run ids looked up in the ledger, by cell key
        self._explained: dict[str, tuple[Hit, ...]] = {}  # explanations of failures, by cell key
        view.stop_requested.connect(self._on_stop_requested)
        view.log_requested.connect(self._on_log_requested)
        view.differs_requested.connect(self._on_differs_requested)
        view.device_menu_requested.connect(self._on_device_menu)
        view.hint_requested.connect(self._on_hint_requested)
        view.typed.connect(self._on_typed)
        view.blocking_requested.connect(self._on_blocking_requested)
        view.python_requested.connect(workspace.device_model.choice_requested)
        view.file_requested.connect(lambda path: self.offer_file(Path(path)))
        runs = workspace.runs
        runs.started.connect(self._on_started)
        runs.output.connect(self._on_output)
        runs.artifact.connect(self._on_artifact)
        runs.midway.connect(self._on_midway)
        runs.finished.connect(self._on_finished)
        runs.judged.connect(lambda run, *_: self._show_outcome(run.key))
        runs.states_known.connect(self._on_states)
        workspace.device_model.device_chosen.connect(view.set_device)

    @functools.cached_property
    def menu(self) -> CellMenu:
        """The menu and dialogs of the cells."""
        from app.cells.cell_menu import CellMenu  # noqa: PLC0415 - see above

        made = CellMenu(self._workspace, self._words, self._look, self._view)
        made.options_chosen.connect(self._on_options_chosen)
        return made

    def show(self, page: str, cells: Mapping[str, str], *, rebuilt: bool = True) -> None:
        """Set the cells of the page, cell keys by name of the snippet, and show in them the output so far.

        Unless the page was `rebuilt`, cells that were there before show it already.
        """
        rebuilt = rebuilt or page != self._page
        before = {} if rebuilt else self._cells
        if page != self._page:
            self._states = {}
        self._page, self._cells = page, dict(cells)
        self._recalled = {} if rebuilt else self._recalled
        self._holders = {cell: key for cell, key in self._holders.items() if before.get(key.snippet) == cell}
        for name, options in self._workspace.runs.options.items():
            if name in cells:
                self._view.set_device(options.device, key=cells[name])
        self._show_pictured()
        self._on_states(page, {name: self._states[name] for name in cells.keys() & self._states.keys() - before.keys()})
        for key in tuple(self._workspace.runs.transcripts):
            if key.page == page and key.snippet in cells and key.snippet not in before:
                self._replay(key)

    def _show_pictured(self) -> None:
        """Show the recorded pictures of library snippets."""
        for snippet in self._workspace.notes.shown:
            cell = self._cells.get(snippet.name)
            if cell is not None and snippet.path is not None:
                picture = picture_path(snippet.path)
                self._view.cell_pictured(cell, (picture,) if picture.is_file() else ())

    def offer_file(self, path: Path) -> None:
        """Show the path of a file, and offer to open it or its folder."""
        url, folder = QUrl.fromLocalFile(str(path)), QUrl.fromLocalFile(str(path.parent))
        actions = (
            NotificationAction("打开所在文件夹", "Open its folder", lambda: QDesktopServices.openUrl(folder)),
            NotificationAction("打开文件", "Open it", lambda: QDesktopServices.openUrl(url)),
        )
        self._workspace.noticed.emit(Notification(f"文件：{path}", f"File: {path}", "asked", actions, topic="link"))

    def _cell(self, key: CellKey) -> str | None:
        """Return the cell that shows this run, if there is one."""
        cell = self._cells.get(key.snippet) if key.page == self._page else None
        return cell if cell is not None and self._holders.get(cell, key) == key else None

    def _take_cell(self, key: CellKey, device: str, program: Program) -> str | None:
        cell = self._cells.get(key.snippet) if key.page == self._page else None
        if cell is not None:
            self._holders[cell] = key
            self._explained.pop(cell, None)
            self._view.cell_started(cell, device, program)
        return cell

    def _replay(self, key: CellKey) -> None:
        """Show the output of a run so far."""
        transcript = self._workspace.runs.transcripts[key]
        if cell := self._take_cell(key, transcript.device, transcript.program):
            transcript.replay(lambda stream, text: self._view.cell_output(cell, stream, text))
            for made in transcript.artifacts:
                self._on_artifact(key, made)
            self._view.cell_midway(cell, transcript.midway)
            self._show_outcome(key)

    def _on_started(self, run: CellRun) -> None:
        self._take_cell(run.key, run.device, program_of(run.snippet))

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

    def _on_midway(self, key: CellKey, midway: RunProgress) -> None:
        if cell := self._cell(key):
            self._view.cell_midway(cell, midway)

    def _on_typed(self, cell: str, line: str) -> None:
        if key := self._holders.get(cell):
            self._workspace.runs.type(key, line)

    def _on_blocking_requested(self, cell: str) -> None:
        key = self._holders.get(cell)
        transcript = self._workspace.runs.transcripts.get(key) if key else None
        if key is not None and transcript is not None and (snippet := self._snippet(key.snippet)) is not None:
            self._workspace.runs.start_blocking(key, snippet, transcript.device)

    def _snippet(self, name: str) -> Snippet | None:
        shown = self._workspace.notes.shown
        if shown is not self._named[0]:
            self._named = shown, {one.name: one for one in reversed(shown)}
        return self._named[1].get(name)

    def _show_outcome(self, key: CellKey) -> None:
        cell, transcript = self._cell(key), self._workspace.runs.transcripts.get(key)
        if cell is None or transcript is None or transcript.outcome is None:
            return
        judged = transcript.judged or RunVerdict(None, None)
        self._view.cell_finished(
            cell, transcript.outcome, failed_line=judged.failed_line, as_recorded=judged.as_recorded
        )
        outcome = transcript.outcome
        environment = self._workspace.runs.options[key.snippet].environment()
        if offer := offer_for(outcome.output, environment=environment, device=outcome.device):
            self._view.cell_offer(cell, offer.reason)
        if outcome.status == "failed" and cell not in self._explained:
            mode = self._workspace.state.mode
            language = self._words.language if mode == "both" else mode
            self._workspace.related_notes.explain(
                outcome.output, language, lambda hits: self._on_explained(key, outcome, hits)
            )

    def _on_explained(self, key: CellKey, outcome: Outcome, hits: tuple[Hit, ...]) -> None:
        """Show sections that explain a failure, if the cell still shows that run."""
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

    def _on_finished(self, run: CellRun, outcome: Outcome) -> None:
        self._show_outcome(run.key)
        if run.key.page == self._page:
            self.menu.offer(run, outcome)

    def _on_states(self, page: str, states: Mapping[str, CellStatus]) -> None:
        if page == self._page:
            self._states |= states
        for name, state in states.items():
            cell = self._cell(CellKey(page, name))
            if cell is not None and CellKey(page, name) not in self._workspace.runs.active:
                self._view.cell_status(cell, state.status, detail=self._detail(state))
                self._recall(cell, CellKey(page, name), state)

    def _recall(self, cell: str, key: CellKey, state: CellStatus) -> None:
        """Show the output of the latest run in the ledger, if this window has run none."""
        snippet, last = self._snippet(key.snippet), state.last
        known = key in self._workspace.runs.transcripts
        if snippet is None or last is None or known or not worth_recalling(last, snippet):
            return
        if self._recalled.get(cell) == last.run_id or (vault := self._workspace.vault) is None:
            return
        self._recalled[cell] = last.run_id
        executor, words, runs = self._workspace.executor, self._words, self._workspace.places.for_vault(vault.root).runs

        def found(row: RunRow) -> None:
            executor.run(lambda: earlier_of(row, runs, words), show, lambda _: None)

        def show(earlier: EarlierRun | None) -> None:
            now = self._snippet(key.snippet)  # the code may have changed
            same = self._cell(key) == cell and now is not None and now.code == snippet.code
            if earlier is not None and same and key not in self._workspace.runs.transcripts:
                self._view.cell_recalled(cell, earlier, program_of(snippet))

        self._workspace.runs.history.find(last.run_id, found, lambda _: None)

    def _detail(self, state: CellStatus) -> str:
        last = state.last
        if last is None:
            return ""
        torch = f"torch {last.torch.split('+')[0]}" if last.torch else ""
        return " · ".join(part for part in (torch, last.device, ago(seconds_since(last.started), self._words)) if part)

    def _on_stop_requested(self, cell: str) -> None:
        if key := self._holders.get(cell):
            self._workspace.runs.stop(key)

    def _on_log_requested(self, cell: str) -> None:
        """Show all output kept of the run in this cell."""
        key = self._holders.get(cell)
        if key is not None and (transcript := self._workspace.runs.transcripts.get(key)):
            from app.cells.output_dialogs import LogView  # noqa: PLC0415 - see above

            LogView(key.snippet, transcript.text(), self._words, self._view.window()).show()

    def _on_differs_requested(self, cell: str) -> None:
        """Show the difference between the output and the recorded one."""
        key, snippet = self._holders.get(cell), self._shown_in(cell)
        if key is not None and snippet is not None:
            self.menu.show_difference(key, snippet)

    def about_current(self, what: Callable[[CellKey, Snippet], object]) -> None:
        """Call `what` for the snippet whose cell is in view, if there is one."""
        cell = self._view.current_cell()
        snippet = self._shown_in(cell) if cell is not None else None
        if snippet is not None:
            what(CellKey(self._page, snippet.name), snippet)

    def _shown_in(self, cell: str) -> Snippet | None:
        return next((one for one in self._workspace.notes.shown if self._cells.get(one.name) == cell), None)

    def _choose_device(self, cell: str, device: str) -> None:
        """Run the snippet of a cell on this device from now on."""
        if (snippet := self._shown_in(cell)) is not None:
            self.menu.choose(snippet.name, replace(self._workspace.runs.options[snippet.name], device=device))
        else:
            self._view.set_device(device, key=cell)

    def _on_options_chosen(self, name: str) -> None:
        if cell := self._cells.get(name):
            self._view.set_device(self._workspace.runs.options[name].device, key=cell)

    def _on_device_menu(self, cell: str, where: QPoint) -> None:
        menu = QMenu(self._view)
        for device in self._workspace.device_model.devices:
            action = menu.addAction(f"{device.id}  {device.name}")
            action.setEnabled(device.available)
            action.triggered.connect(lambda _=False, chosen=device.id: self._choose_device(cell, chosen))
        if (snippet := self._shown_in(cell)) is not None:
            if self._workspace.runs.options[snippet.name].device:
                follow = self._words("用窗口所选的设备", "As chosen in the window")
                menu.addAction(follow, lambda: self._choose_device(cell, ""))
            self.menu.fill(menu, CellKey(self._page, snippet.name), snippet)
        popup_once(menu, where)


def _place(hit: Hit) -> str:
    """Return the title of the note and the headings above a hit, without the heading itself."""
    above = dict.fromkeys((hit.title, *hit.trail))
    return " / ".join(one for one in above if one != (hit.heading or hit.title))
