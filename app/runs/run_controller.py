"""The room of running: cells of notes run on the chosen device and interpreter, their output, and the ledger."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QObject, Signal

from app.executor import GuiExecutor
from app.notebook.note_loader import OpenNote
from app.runs.active_runs import BatchRun, CellKey, CellRun, CellStatus, TrustRequest, fate_of, followed
from app.runs.device_model import DeviceModel
from app.runs.output_throttle import KEPT_RUNS, OutputThrottle, RunTranscript
from app.runs.run_history import HistorySource, RunHistory, RunVerdict, program_of, verify_run
from app.runs.run_options import RunChoices
from app.runs.run_services import RunServices
from app.runs.trust import Trust
from kb.vault.vault import Vault
from snippets.errors import Sentence, SnippetError
from snippets.model.catalog import LIBRARY
from snippets.model.snippet import Snippet
from snippets.process.isolation import Isolation, isolation
from snippets.results.ledger import SnippetStatus
from snippets.results.outcome import Artifact, Outcome
from snippets.running.run_progress import RunProgress
from snippets.running.runner import RunRequest
from snippets.targets.devices import every


class RunController(QObject):
    """Starts, watches and stops the runs of one vault; every signal comes on the GUI thread."""

    started = Signal(object)  # CellRun
    output = Signal(object, str, str)  # CellKey, stream, text
    artifact = Signal(object, object)  # CellKey, Artifact
    midway = Signal(object, object)  # CellKey, RunProgress
    finished = Signal(object, object)  # CellRun, Outcome
    judged = Signal(object, object, object)  # CellRun, Outcome, RunVerdict: what it proves, soon after it finished
    failed = Signal(object, object)  # CellKey, error: it did not start
    states_known = Signal(str, object)  # page, Mapping[snippet name, CellStatus]
    trust_asked = Signal(object)  # Ask
    isolation_known = Signal()
    unsaved = Signal(object)  # error: what was chosen for a run could not be written

    def __init__(self, door: GuiExecutor, machine: DeviceModel, trust: Trust, parent: QObject | None = None) -> None:
        """Run on what `machine` has chosen, code that `trust` allows."""
        super().__init__(parent)
        self._door = door
        self._machine = machine
        self._trust = trust
        self._bench: RunServices | None = None
        self._vault: Vault | None = None
        self._isolation: Isolation | None = None
        self.isolate = False
        self._ahead = False  # whether a Python stands ready for the next run
        machine.interpreter_chosen.connect(lambda _: self.prepare())
        self.turns = BatchRun(self)
        self._waiting: list[tuple[str, Snippet, str]] = []  # page, snippet, device: to run one after another
        self._held: list[tuple[CellKey, Snippet, str]] = []  # until it is known whether they can be isolated
        self.options = RunChoices()  # by snippet's name
        self.record = RunHistory(door, self._kept)
        self.active: dict[CellKey, CellRun] = {}
        self.known: dict[str, Mapping[str, CellStatus]] = {}  # by page, then by snippet
        self.transcripts: dict[CellKey, RunTranscript] = {}

    def attach(self, vault: Vault, bench: RunServices) -> None:
        """Turn to a vault; whatever ran in the one before is stopped."""
        if bench is not self._bench:
            self.detach()
        self._vault, self._bench = vault, bench
        self.options = bench.options
        self.options.failed = self.unsaved.emit

    def probe_isolation(self) -> None:
        """Find out whether runs can be isolated; one that is asked for before waits for the answer."""
        self._door.run(isolation, self._on_isolation, self._on_no_isolation)

    def detach(self) -> RunServices | None:
        """Let the vault go and return its bench, which is to be closed: that takes as long as its runs take to end."""
        bench, self._bench = self._bench, None
        self.active.clear()
        self._waiting.clear()
        self._held.clear()
        self.turns.forget()
        self.known.clear()
        self.options = RunChoices()
        self.transcripts.clear()
        return bench

    def keep_ready(self) -> None:
        """From now on have a Python stand ready that has imported torch, so that runs begin at once."""
        self._ahead = True
        self.prepare()

    def prepare(self) -> None:
        """Make ready, in the background, what the next run will be begun with; once all is known that it takes."""
        interpreter = self._machine.interpreter
        if self._ahead and self._bench is not None and self._isolation is not None and interpreter is not None:
            self._bench.runner.warm(interpreter.path, isolate=self.isolated)

    @property
    def looks_for_isolation(self) -> bool:
        """Whether runs are to be isolated and it is not known yet whether they can be: none begins before."""
        return self.isolate and self._isolation is None

    @property
    def isolated(self) -> bool:
        """Whether runs are in truth kept apart from the user's files and the network."""
        return self.isolate and self._isolation is not None and self._isolation.available

    @property
    def isolation_reason(self) -> Sentence | None:
        """Why runs cannot be isolated on this machine; None if they can, or it is not known yet."""
        known = self._isolation
        if known is None or known.available:
            return None
        return Sentence(known.reason_en or "", known.reason_zh or "")

    def page_key(self, note: OpenNote) -> str:
        """Return the key of a note's page, unique among vaults."""
        return f"{self._vault.root if self._vault else ''}\n{note.entry.key}"

    def start(self, page: str, snippets: Iterable[Snippet], device: str | None = None) -> None:
        """Run snippets of a page; one that is running is left alone, and untrusted code is asked about first."""
        wanted = [one for one in snippets if CellKey(page, one.name) not in self.active]
        for snippet in wanted:
            if self._trusted(snippet):
                self._start(CellKey(page, snippet.name), snippet, device or self.device_of(snippet))
        asked = tuple(snippet for snippet in wanted if not self._trusted(snippet))
        if asked and self._vault is not None:
            self.trust_asked.emit(TrustRequest(self._vault.root, page, asked, device or self._machine.device))

    def start_in_turn(self, page: str, snippets: Iterable[Snippet]) -> None:
        """Run snippets of a page one after another, so that they do not take the machine from each other.

        `turns` tells in the end how they went.
        """
        wanted = tuple(snippets)
        self.turns.begin((one.name for one in wanted), anew=not self._waiting)
        self._wait(*((page, one, self.device_of(one)) for one in wanted))

    def device_of(self, snippet: Snippet) -> str:
        """Return the device that was chosen for a snippet, else the one for all."""
        return self.options[snippet.name].device or self._machine.device

    def devices_for(self, snippet: Snippet) -> tuple[str, ...]:
        """Return the devices of this machine on each of which a snippet may be tried."""
        return every(snippet.devices, snippet.needs_gpus, present=self._machine.devices)

    def start_on(self, page: str, snippet: Snippet, devices: Iterable[str]) -> None:
        """Run a snippet on several devices, one after another."""
        self._wait(*((page, snippet, device) for device in devices))

    def _wait(self, *runs: tuple[str, Snippet, str]) -> None:
        self._waiting += runs
        if not self.active:
            self._start_next()

    @property
    def waiting(self) -> int:
        """How many runs wait for their turn."""
        return len(self._waiting)

    def allow(self, ask: TrustRequest) -> None:
        """Remember that this vault's code may run, and start what waited for it. Raises SaveFailed."""
        self._trust.allow(ask.root)
        self.start(ask.page, ask.snippets, ask.device)

    def stop(self, key: CellKey) -> None:
        """End a run with everything it started."""
        if active := self.active.get(key):
            active.stop_asked = True
            if active.run is not None:
                active.run.stop()

    def type(self, key: CellKey, line: str) -> None:
        """Give a line, with its end, to a run that waits for one; "" is the end of its input."""
        if (active := self.active.get(key)) and active.run is not None:
            active.run.type(line)

    def start_blocking(self, key: CellKey, snippet: Snippet, device: str) -> None:
        """Run a snippet with blocking launches from now on."""
        self.options[snippet.name] = self.options[snippet.name].with_blocking()
        self.start(key.page, [snippet], device)

    def stop_all(self) -> None:
        """End every run, and let none that waits begin."""
        for name in {snippet.name for _, snippet, _ in self._waiting}:
            self.turns.note(name, "others")
        self._waiting.clear()
        for key in tuple(self.active):
            self.stop(key)

    def follow(self, moves: Mapping[str, str], then: Callable[[], object]) -> None:
        """Know the code of notes that were moved by their new paths; tell `then` when the ledger does."""
        bench = self._bench
        if bench is None or not moves:
            return
        bench.options.follow(moves)
        self.transcripts = {followed(key, moves) if key not in self.active else key: one
                            for key, one in self.transcripts.items()}  # fmt: skip
        self._door.run(lambda: bench.ledger.follow(moves), lambda _: then(), lambda _: then())

    def states(self, page: str, snippets: Iterable[Snippet]) -> None:
        """Ask the ledger how the snippets of a page stand; `states_known` follows. Nothing is run."""
        bench, machine = self._bench, self._machine
        by_name = {one.name: one for one in snippets}
        if bench is not None:
            interpreter, present = machine.interpreter, machine.devices
            self._door.run(
                lambda: bench.standings(by_name, interpreter, present),
                lambda known: self._on_states(page, known),
                lambda _: None,
            )

    def statuses_of(self, snippets: Mapping[str, Snippet]) -> dict[str, str]:
        """Return how snippets stand, without signals; it reads the ledger, so from a background thread."""
        bench, machine = self._bench, self._machine
        known = bench.standings(snippets, machine.interpreter, machine.devices) if bench is not None else {}
        return {key: standing.badge for key, standing in known.items()}

    def _trusted(self, snippet: Snippet) -> bool:
        shipped = snippet.path is not None and snippet.path.is_relative_to(LIBRARY)
        return shipped or (self._vault is not None and self._trust.trusts(self._vault.root))

    def _start(self, key: CellKey, snippet: Snippet, device: str) -> None:
        if self._bench is None:
            return
        if self.looks_for_isolation:
            self._held.append((key, snippet, device))
            return
        door, interpreter = self._door, self._machine.interpreter
        chosen = self.options[snippet.name]
        self._keep(key, RunTranscript(device, program_of(snippet)))
        flow = OutputThrottle(door, lambda stream, text: self._on_output(key, stream, text), self)
        active = self.active[key] = CellRun(key, snippet, device, time.monotonic(), flow)
        request = RunRequest(
            snippet,
            device=device,
            python=interpreter.path if interpreter else None,
            isolate=self.isolated,
            vault=self._vault.root if self._vault is not None else None,
            timeout=chosen.seconds(),
            args=chosen.args(),
            environment=chosen.environment(),
            asks=True,
        )
        self.started.emit(active)
        try:
            active.run = self._bench.runner.start(
                request,
                output=flow.add,
                finished=lambda outcome: door.post(lambda: self._on_finished(active, outcome)),
                artifact=lambda made: door.post(lambda: self._on_artifact(key, made)),
                midway=lambda stands: door.post(lambda: self._on_midway(active, stands)),
            )
        except SnippetError as error:
            self._end(active)
            self.failed.emit(key, error)
            self.turns.note(snippet.name, "failed")

    def _start_next(self) -> None:
        """Begin what waits, once nothing runs any more; a question about trust takes all of it."""
        while self._waiting and not self.active and not self._held:
            page, snippet, device = self._waiting.pop(0)
            if not self._trusted(snippet):
                rest = tuple(one for other, one, _ in self._waiting if other == page)
                self._waiting.clear()
                self.turns.forget()
                self.start(page, (snippet, *rest), device)
                return
            self.start(page, [snippet], device)

    def _keep(self, key: CellKey, transcript: RunTranscript) -> None:
        self.transcripts.pop(key, None)
        self.transcripts[key] = transcript
        for old in tuple(self.transcripts)[: max(0, len(self.transcripts) - KEPT_RUNS)]:
            if old not in self.active:
                del self.transcripts[old]

    def _on_output(self, key: CellKey, stream: str, text: str) -> None:
        if transcript := self.transcripts.get(key):
            transcript.add(stream, text)
        self.output.emit(key, stream, text)

    def _on_artifact(self, key: CellKey, made: Artifact) -> None:
        if transcript := self.transcripts.get(key):
            transcript.take_artifact(made)
        self.artifact.emit(key, made)

    def _on_midway(self, active: CellRun, stands: RunProgress) -> None:
        transcript = self.transcripts.get(active.key)
        if transcript is not None and self.active.get(active.key) is active:
            active.flow.flush()  # what is asked stands above the field for the answer
            transcript.midway = stands
            self.midway.emit(active.key, stands)

    def _end(self, active: CellRun) -> bool:
        active.flow.deleteLater()
        return self.active.pop(active.key, None) is active

    def _on_finished(self, active: CellRun, outcome: Outcome) -> None:
        active.flow.flush()
        if not self._end(active):
            return
        if transcript := self.transcripts.get(active.key):
            transcript.outcome, transcript.midway = outcome, RunProgress()
        self.finished.emit(active, outcome)
        if self._machine.interpreter is not None and self._machine.interpreter.torch != outcome.torch:
            self._machine.renew()
        self._start_next()
        self._door.run(
            lambda: verify_run(active.snippet, outcome),
            lambda verdict: self._on_judged(active, outcome, verdict),
            lambda _: None,
        )

    def _on_judged(self, active: CellRun, outcome: Outcome, verdict: RunVerdict) -> None:
        if active.key not in self.active:  # else it runs again already
            if transcript := self.transcripts.get(active.key):
                transcript.judged = verdict
            self.judged.emit(active, outcome, verdict)
        self.turns.note(active.key.snippet, fate_of(outcome, as_recorded=verdict.as_recorded))

    def _on_states(self, page: str, known: Mapping[str, SnippetStatus]) -> None:
        states = {name: CellStatus(one.status, one.last) for name, one in known.items()}
        self.known[page] = states
        self.states_known.emit(page, states)

    def _kept(self) -> HistorySource | None:
        return HistorySource(self._vault, self._bench.ledger) if self._vault and self._bench else None

    def _on_isolation(self, known: Isolation) -> None:
        self._isolation = known
        self.isolation_known.emit()
        self.prepare()
        held, self._held = self._held, []
        for key, snippet, device in held:
            self._start(key, snippet, device)
        self._start_next()

    def _on_no_isolation(self, error: Exception) -> None:
        """Go on without walls that could not even be tried, and say why there are none."""
        said = error if isinstance(error, SnippetError) else SnippetError(str(error), str(error))
        self._on_isolation(Isolation(available=False, reason_en=said.sentence("en"), reason_zh=said.sentence("zh")))
