"""Actions for the snippet of a cell: run on every device, options, history, difference from the recorded output."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.cells.device_comparison import DeviceComparison
from app.cells.output_dialogs import OutputDiffDialog
from app.cells.run_history_dialog import RunHistoryDialog
from app.cells.run_options_form import RunOptionsForm
from app.i18n import Translator
from app.runs.active_runs import BatchProgress, CellKey, CellRun
from app.runs.run_options import RunOptions
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.widgets.notification import Kind, Notification, NotificationAction
from snippets.model.snippet import Snippet
from snippets.results.outcome import Outcome
from snippets.running.run_variables import RerunSuggestion, offer_for

_NAMED = 5  # failures named in a summary


class CellMenu(QObject):
    """Fills the menu of a cell, opens its dialogs, and offers another run if that would tell more."""

    options_chosen = Signal(str)  # name of the snippet

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance, parent: QWidget) -> None:
        """Open dialogs in front of the window of `parent`."""
        super().__init__(parent)
        self._workspace, self._words, self._look = workspace, words, look
        self._widget = parent
        workspace.runs.batch.ended.connect(self._on_batch_ended)

    def fill(self, menu: QMenu, key: CellKey, snippet: Snippet) -> None:
        """Add the actions for a snippet to a menu."""
        words, runs = self._words, self._workspace.runs
        transcript = runs.transcripts.get(key)
        outcome = transcript.outcome if transcript is not None else None
        menu.addSeparator()
        here = menu.addAction(words("运行到这里", "Run to here"), lambda: self.run_to_here(key, snippet))
        here.setEnabled(not runs.active and not runs.waiting)
        every = menu.addAction(words("在每个设备上运行", "Run on every device"))
        every.setEnabled(not runs.active and not runs.waiting and bool(self._workspace.device_model.devices))
        every.triggered.connect(lambda: self.run_on_all_devices(key, snippet))
        chosen = "  ✓" if snippet.name in runs.options else ""
        menu.addAction(words("运行选项…", "Run options…") + chosen, lambda: self.choose_options(key, snippet))
        menu.addAction(words("运行历史…", "Past runs…"), lambda: self.show_past(key, snippet))
        differs = menu.addAction(words("与记录的差异…", "Difference from the record…"))
        differs.setEnabled(outcome is not None and outcome.status == "passed")
        differs.triggered.connect(lambda: self.show_difference(key, snippet))

    def run_to_here(self, key: CellKey, snippet: Snippet) -> None:
        """Run the cells above, then the snippet; a block of a session includes the ones before it by itself."""
        shown = self._workspace.notes.shown
        names = [one.name for one in shown]
        above = shown[: names.index(snippet.name)] if snippet.name in names and not snippet.session else ()
        self._workspace.runs.start_in_turn(key.page, (*above, snippet))

    def _on_batch_ended(self, batch: BatchProgress) -> None:
        """Show a summary of a batch of several runs."""
        proven, failed, others = len(batch.proven), len(batch.failed), len(batch.others)
        total = proven + failed + others
        if total == 1:
            return
        names = ", ".join(name.rpartition("#")[2] for name in batch.failed[:_NAMED])
        zh, en = f"{total} 段代码：{proven} 段通过", f"{proven} of {total} passed"
        if failed:
            zh, en = f"{zh}，{failed} 段失败（{names}）", f"{en}, {failed} failed ({names})"
        if others:
            zh, en = f"{zh}，{others} 段没有结果", f"{en}, {others} without a result"
        kind: Kind = "failed" if failed else "told"
        self._workspace.noticed.emit(Notification(f"{zh}。", f"{en}.", kind, topic="turn", passing=not failed))

    def run_on_all_devices(self, key: CellKey, snippet: Snippet) -> DeviceComparison:
        """Run a snippet on each device, one after another, and show the results side by side."""
        runs = self._workspace.runs
        devices = runs.devices_for(snippet)
        shown = DeviceComparison(key, devices, runs=runs, words=self._words, parent=self._widget.window())
        shown.show()
        runs.start_on(key.page, snippet, devices)
        return shown

    def choose_options(self, _: CellKey, snippet: Snippet) -> RunOptionsForm:
        """Show a form for the run options of a snippet."""
        options, present = self._workspace.runs.options[snippet.name], self._workspace.device_model.devices
        form = RunOptionsForm(
            snippet.name, options, tuple(one.id for one in present), words=self._words, parent=self._widget.window()
        )
        form.chosen.connect(lambda chosen: self.choose(snippet.name, chosen))
        form.show()
        return form

    def show_past(self, key: CellKey, snippet: Snippet) -> RunHistoryDialog:
        """Show the past runs of a snippet."""
        history = self._workspace.runs.history
        past = RunHistoryDialog(snippet.name, history, self._words, self._look, self._widget.window())
        past.pinned.connect(lambda _: self._look_again(key))
        past.show()
        return past

    def show_difference(self, key: CellKey, snippet: Snippet) -> OutputDiffDialog | None:
        """Show how the last output differs from the recorded one; None if there is no output."""
        transcript = self._workspace.runs.transcripts.get(key)
        if transcript is None or transcript.outcome is None:
            return None
        history, window = self._workspace.runs.history, self._widget.window()
        shown = OutputDiffDialog(
            snippet, transcript.outcome, history=history, words=self._words, look=self._look, parent=window
        )
        shown.accepted.connect(lambda _: self._look_again(key))
        shown.show()
        return shown

    def offer(self, run: CellRun, outcome: Outcome) -> None:
        """Offer a run with blocking launches if a CUDA error may name the wrong line."""
        options = self._workspace.runs.options[run.snippet.name]
        offer = offer_for(outcome.output, environment=options.environment(), device=run.device)
        if offer is not None:
            self._ask(run, offer)

    def _ask(self, run: CellRun, offer: RerunSuggestion) -> None:
        def again() -> None:
            self._workspace.runs.start_blocking(run.key, run.snippet, run.device)

        choice = NotificationAction("这样再运行一次", "Run it this way", again)
        self._workspace.noticed.emit(
            Notification(offer.reason.zh, offer.reason.en, "asked", (choice,), topic=f"blocking {run.snippet.name}")
        )

    def choose(self, name: str, options: RunOptions) -> None:
        """Set the run options of a snippet."""
        self._workspace.runs.options[name] = options
        self.options_chosen.emit(name)

    def _look_again(self, key: CellKey) -> None:
        """Look up the statuses of the page again, because a recorded output changed."""
        self._workspace.runs.states(key.page, self._workspace.notes.shown)
