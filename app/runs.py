"""The room of running: cells of notes run on the chosen device and interpreter, their output, and the ledger."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.books import Books, CellState
from app.flow import Flow
from app.machine import Machine
from app.notes import OpenNote
from app.threads import Door
from app.trust import Trust
from kb.places import VaultPlaces
from kb.vault import Vault
from snippets.catalog import LIBRARY
from snippets.form import Snippet
from snippets.outcome import Artifact, Outcome
from snippets.runner import Run, Runner, RunRequest


@dataclass(frozen=True)
class CellKey:
    """A cell of a note: the note's key in the vault, and the cell's key on its page."""

    page: str
    cell: str


@dataclass
class ActiveRun:
    """A run that is going on, or about to."""

    key: CellKey
    snippet: Snippet
    device: str
    began: float  # of time.monotonic()
    flow: Flow
    run: Run | None = None
    stop_asked: bool = False
    outcome: Outcome | None = None

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.began


@dataclass(frozen=True)
class Ask:
    """Cells that wait for the user's word, because the vault is not their own."""

    root: Path
    cells: tuple[tuple[CellKey, Snippet, str], ...]


class Runs(QObject):
    """Starts, watches and stops the runs of one vault; every signal comes on the GUI thread."""

    started = Signal(object)  # ActiveRun
    output = Signal(object, str, str)  # CellKey, stream, text
    artifact = Signal(object, object)  # CellKey, Artifact
    finished = Signal(object, object)  # ActiveRun, Outcome
    failed = Signal(object, object)  # CellKey, error: it did not start
    states_known = Signal(str, object)  # page key, Mapping[cell key, CellState]
    trust_asked = Signal(object)  # Ask
    emptied = Signal()  # the last run has ended

    def __init__(self, door: Door, machine: Machine, trust: Trust, parent: QObject | None = None) -> None:
        """Run on what `machine` has chosen, code that `trust` allows."""
        super().__init__(parent)
        self._door = door
        self._machine = machine
        self._trust = trust
        self._runner: Runner | None = None
        self._books: Books | None = None
        self._vault: Vault | None = None
        self.isolate = False
        self.active: dict[CellKey, ActiveRun] = {}
        self.known: dict[str, Mapping[str, CellState]] = {}  # by page key

    def attach(self, vault: Vault, places: VaultPlaces) -> None:
        """Turn to a vault; whatever ran in the one before is stopped."""
        self.detach()
        self._vault = vault
        self._runner = Runner(runs_folder=places.runs)
        self._books = Books(places.ledger, self._door)

    def detach(self) -> None:
        """Stop every run and close the ledger."""
        runner, books = self._runner, self._books
        self._runner = self._books = None
        if runner is not None:
            runner.close()
        for active in self.active.values():
            if books is not None and active.run is not None:
                books.finish(active.run.id, active.run.wait(5))
        self.active.clear()
        self.known.clear()
        if books is not None:
            books.close()

    def start(self, note: OpenNote, cells: Iterable[str], device: str | None = None) -> None:
        """Run cells of a note; a cell that is running is left alone."""
        device = device or self._machine.device
        keys = [key for cell in cells if (key := CellKey(note.entry.key, cell)) not in self.active]
        found = tuple((key, note.snippets[key.cell], device) for key in keys if key.cell in note.snippets)
        for key in keys:
            if error := note.problems.get(key.cell):
                self.failed.emit(key, error)
        asked = tuple(cell for cell in found if not self._trusted(cell[1]))
        for key, snippet, where in found:
            if self._trusted(snippet):
                self._start(key, snippet, where)
        if asked and self._vault is not None:
            self.trust_asked.emit(Ask(self._vault.root, asked))

    def allow(self, ask: Ask) -> None:
        """Remember that this vault's code may run, and start what waited for it. Raises SaveFailed."""
        self._trust.allow(ask.root)
        for key, snippet, device in ask.cells:
            if key not in self.active:
                self._start(key, snippet, device)

    def stop(self, key: CellKey) -> None:
        """End a run with everything it started."""
        if active := self.active.get(key):
            active.stop_asked = True
            if active.run is not None:
                self._door.run(active.run.stop, lambda _: None, lambda error: self.failed.emit(key, error))

    def stop_all(self) -> None:
        """End every run."""
        for key in tuple(self.active):
            self.stop(key)

    def states(self, note: OpenNote) -> None:
        """Ask the ledger how the cells of a note stand; `states_known` follows. Nothing is run."""
        if self._books is not None:
            page = note.entry.key
            self._books.states(
                note.snippets, self._machine.interpreter, lambda known: self.states_known.emit(page, known)
            )

    def states_of(self, snippets: Mapping[str, Snippet]) -> Mapping[str, CellState]:
        """Return how these snippets stand; blocks, so for a background thread."""
        return self._books.look(snippets, self._machine.interpreter) if self._books is not None else {}

    def _trusted(self, snippet: Snippet) -> bool:
        shipped = snippet.path is not None and snippet.path.is_relative_to(LIBRARY)
        return shipped or (self._vault is not None and self._trust.trusts(self._vault.root))

    def _start(self, key: CellKey, snippet: Snippet, device: str) -> None:
        runner, door = self._runner, self._door
        if runner is None:
            return
        flow = Flow(door, lambda stream, text: self.output.emit(key, stream, text), self)
        active = self.active[key] = ActiveRun(key, snippet, device, time.monotonic(), flow)
        interpreter = self._machine.interpreter
        request = RunRequest(
            snippet, device=device, python=interpreter.path if interpreter else None, isolate=self.isolate
        )
        self.started.emit(active)
        door.run(
            lambda: runner.start(
                request,
                output=flow.take,
                finished=lambda outcome: door.post(lambda: self._on_finished(active, outcome)),
                artifact=lambda made: door.post(lambda: self._on_artifact(key, made)),
            ),
            lambda run: self._on_started(active, request, run),
            lambda error: self._on_failed(active, error),
        )

    def _on_started(self, active: ActiveRun, request: RunRequest, run: Run) -> None:
        active.run = run
        if self._books is not None:
            self._books.begin(run.id, request)
        if active.stop_asked:
            self.stop(active.key)

    def _on_artifact(self, key: CellKey, made: Artifact) -> None:
        self.artifact.emit(key, made)

    def _on_finished(self, active: ActiveRun, outcome: Outcome) -> None:
        active.flow.flush()
        active.flow.deleteLater()
        self.active.pop(active.key, None)
        if self._books is not None:
            self._books.finish(outcome.run_id, outcome)
        self.finished.emit(active, outcome)
        if not self.active:
            self.emptied.emit()

    def _on_failed(self, active: ActiveRun, error: Exception) -> None:
        self.active.pop(active.key, None)
        active.flow.deleteLater()
        self.failed.emit(active.key, error)
        if not self.active:
            self.emptied.emit()
