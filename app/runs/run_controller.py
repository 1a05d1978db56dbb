"""Runs of cells on the chosen device and interpreter: started, queued, stopped, with output and status."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.executor import GuiExecutor
from app.notebook.note_loader import OpenNote
from app.notebook.vault_snippets import all_code
from app.runs.active_runs import BatchRun, CellKey, CellRun, CellStatus, TrustRequest, fate_of, followed
from app.runs.device_model import DeviceModel
from app.runs.output_throttle import KEPT_RUNS, OutputThrottle, RunTranscript
from app.runs.run_history import HistorySource, RunHistory, RunVerdict, program_of, verify_run
from app.runs.run_options import RunChoices
from app.runs.run_services import RunServices
from app.runs.trust import Trust
from app.runs.trusted_code import Policy, TrustedCode
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
    """Starts and stops the runs of one vault and reports on them; signals are emitted on the GUI thread."""

    started = Signal(object)  # CellRun
    output = Signal(object, str, str)  # CellKey, stream, text
    artifact = Signal(object, object)  # CellKey, Artifact
    midway = Signal(object, object)  # CellKey, RunProgress
    finished = Signal(object, object)  # CellRun, Outcome
    judged = Signal(object, object, object)  # CellRun, Outcome, RunVerdict; soon after `finished`
    failed = Signal(object, object)  # CellKey, error; the run did not start
    states_known = Signal(str, object)  # page, Mapping[snippet name, CellStatus]
    trust_asked = Signal(object)  # TrustRequest
    isolation_known = Signal()
    unsaved = Signal(object)  # error; run options could not be written

    def __init__(
        self, executor: GuiExecutor, device_model: DeviceModel, trust: Trust, parent: QObject | None = None
    ) -> None:
        """Run code that `trust` allows on the device and interpreter of `device_model`."""
        super().__init__(parent)
        self._executor = executor
        self._device_model = device_model
        self._trust = trust
        self._services: RunServices | None = None
        self._vault: Vault | None = None
        self._isolation: Isolation | None = None
        self.isolate = False
        self._keeps_ready = False  # whether a Python is kept ready for the next run
        device_model.interpreter_chosen.connect(lambda _: self.prepare())
        self.batch = BatchRun(self)
        self._waiting: list[tuple[str, Snippet, str]] = []  # page, snippet, device; run one after another
        self._held: list[tuple[CellKey, Snippet, str]] = []  # until isolation is known
        self.options = RunChoices()  # by name of the snippet
        self.code = TrustedCode()
        self.policy: Policy = "always"  # for code that is new or changed in a trusted vault
        self.history = RunHistory(executor, self._history_source)
        self.active: dict[CellKey, CellRun] = {}
        self.known: dict[str, Mapping[str, CellStatus]] = {}  # by page, then by name of the snippet
        self.transcripts: dict[CellKey, RunTranscript] = {}

    def attach(self, vault: Vault, services: RunServices) -> None:
        """Switch to a vault."""
        if services is not self._services:
            self.detach()
        self._vault, self._services = vault, services
        self.options, self.code = services.options, services.code
        self.code.later = lambda write: self._executor.run(write, lambda _: None, self.unsaved.emit)
        self.options.failed = self.unsaved.emit

    def probe_isolation(self) -> None:
        """Find out whether runs can be isolated; runs started before that wait for the answer."""
        self._executor.run(isolation, self._on_isolation, self._on_no_isolation)

    def detach(self) -> RunServices | None:
        """Leave the vault and return its services; the caller closes them, which blocks until all runs have ended."""
        services, self._services = self._services, None
        self.active.clear()
        self._waiting.clear()
        self._held.clear()
        self.batch.forget()
        self.known.clear()
        self.options, self.code = RunChoices(), TrustedCode()
        self.transcripts.clear()
        return services

    def keep_ready(self) -> None:
        """Keep a Python ready that has imported torch from now on, so that runs begin at once."""
        self._keeps_ready = True
        self.prepare()

    def prepare(self) -> None:
        """Start a Python for the next run in the background, once interpreter and isolation are known."""
        interpreter = self._device_model.interpreter
        if self._keeps_ready and self._services is not None and self._isolation is not None and interpreter is not None:
            self._services.runner.warm(interpreter.path, isolate=self.isolated)

    @property
    def looks_for_isolation(self) -> bool:
        """Whether isolation is wanted but not probed yet; runs wait until it is."""
        return self.isolate and self._isolation is None

    @property
    def isolated(self) -> bool:
        """Whether runs have no access to the user's files and the network."""
        return self.isolate and self._isolation is not None and self._isolation.available

    @property
    def isolation_reason(self) -> Sentence | None:
        """Why runs cannot be isolated on this machine; None if they can, or before the probe."""
        known = self._isolation
        if known is None or known.available:
            return None
        return Sentence(known.reason_en or "", known.reason_zh or "")

    def page_key(self, note: OpenNote) -> str:
        """Return the key of a note's page, unique among vaults."""
        return f"{self._vault.root if self._vault else ''}\n{note.entry.key}"

    def start(self, page: str, snippets: Iterable[Snippet], device: str | None = None) -> None:
        """Run those snippets of a page that are not running; untrusted ones wait for consent (`trust_asked`)."""
        wanted = [one for one in snippets if CellKey(page, one.name) not in self.active]
        for snippet in wanted:
            if self._trusted(snippet):
                self._start(CellKey(page, snippet.name), snippet, device or self.device_of(snippet))
        asked = tuple(snippet for snippet in wanted if not self._trusted(snippet))
        if asked and self._vault is not None:
            self._ask(page, asked, device or self._device_model.device, self._vault.root)

    def _ask(self, page: str, snippets: tuple[Snippet, ...], device: str, root: Path) -> None:
        """Ask for consent to the vault or to this code; say so where the policy is never to run it."""
        if not self._trust.trusts(root):
            self.trust_asked.emit(TrustRequest(root, page, snippets, device))
            return
        decided = {snippet.name: self.code.decide(snippet, self.policy) for snippet in snippets}
        for snippet in snippets:
            if decided[snippet.name] == "never":
                self.failed.emit(CellKey(page, snippet.name), _refused())
        if asked := tuple(snippet for snippet in snippets if decided[snippet.name] == "ask"):
            self.trust_asked.emit(TrustRequest(root, page, asked, device, code=True))

    def learn_code(self) -> None:
        """Take the code that the vault has now for allowed, if it is trusted and that is not done yet."""
        vault, code = self._vault, self.code
        if vault is not None and self.policy != "always" and not code.begun and self._trust.trusts(vault.root):
            self._executor.run(lambda: code.begin(all_code(vault)), lambda _: None, self.unsaved.emit)

    def start_in_turn(self, page: str, snippets: Iterable[Snippet]) -> None:
        """Run snippets of a page one after another as a batch; `batch.ended` follows."""
        wanted = tuple(snippets)
        self.batch.begin((one.name for one in wanted), new=not self._waiting)
        self._wait(*((page, one, self.device_of(one)) for one in wanted))

    def device_of(self, snippet: Snippet) -> str:
        """Return the device chosen for a snippet, else the one chosen in the window."""
        return self.options[snippet.name].device or self._device_model.device

    def devices_for(self, snippet: Snippet) -> tuple[str, ...]:
        """Return the devices of this machine that can run a snippet."""
        return every(snippet.devices, snippet.needs_gpus, present=self._device_model.devices)

    def start_on(self, page: str, snippet: Snippet, devices: Iterable[str]) -> None:
        """Run a snippet on several devices, one after another."""
        self._wait(*((page, snippet, device) for device in devices))

    def _wait(self, *runs: tuple[str, Snippet, str]) -> None:
        self._waiting += runs
        if not self.active:
            self._start_next()

    @property
    def waiting(self) -> int:
        """Number of queued runs."""
        return len(self._waiting)

    def allow(self, ask: TrustRequest) -> None:
        """Trust the vault, or the code, and start the snippets that waited for it. Raises SaveFailed."""
        if not ask.code:
            self._trust.allow(ask.root)
            self.learn_code()
        self.code.allow(ask.snippets)
        self.start(ask.page, ask.snippets, ask.device)

    def stop(self, key: CellKey) -> None:
        """Stop a run with all its processes."""
        if active := self.active.get(key):
            active.stop_asked = True
            if active.run is not None:
                active.run.stop()

    def type(self, key: CellKey, line: str) -> None:
        """Send a line, with its newline, to the standard input of a run; "" closes it."""
        if (active := self.active.get(key)) and active.run is not None:
            active.run.type(line)

    def start_blocking(self, key: CellKey, snippet: Snippet, device: str) -> None:
        """Run a snippet with blocking launches, now and from now on."""
        self.options[snippet.name] = self.options[snippet.name].with_blocking()
        self.start(key.page, [snippet], device)

    def stop_all(self) -> None:
        """Stop all runs and drop the queued ones."""
        for name in {snippet.name for _, snippet, _ in self._waiting}:
            self.batch.note(name, "others")
        self._waiting.clear()
        for key in tuple(self.active):
            self.stop(key)

    def follow(self, moves: Mapping[str, str], then: Callable[[], object]) -> None:
        """Apply moved paths (new by old) to options, transcripts and ledger, then call `then`."""
        services = self._services
        if services is None or not moves:
            return
        services.options.follow(moves)
        keys = (key if key in self.active else followed(key, moves) for key in self.transcripts)
        self.transcripts = dict(zip(keys, self.transcripts.values(), strict=True))
        self._executor.run(lambda: services.ledger.follow(moves), lambda _: then(), lambda _: then())

    def states(self, page: str, snippets: Iterable[Snippet]) -> None:
        """Look up the statuses of the snippets of a page in the ledger; `states_known` follows."""
        services, model = self._services, self._device_model
        by_name = {one.name: one for one in snippets}
        if services is not None:
            interpreter, present = model.interpreter, model.devices
            self._executor.run(
                lambda: services.standings(by_name, interpreter, present),
                lambda known: self._on_states(page, known),
                lambda _: None,
            )

    def statuses_of(self, snippets: Mapping[str, Snippet]) -> dict[str, str]:
        """Return the statuses of snippets by key. Reads the ledger: not on the GUI thread."""
        services, model = self._services, self._device_model
        known = services.standings(snippets, model.interpreter, model.devices) if services is not None else {}
        return {key: status.badge for key, status in known.items()}

    def _trusted(self, snippet: Snippet) -> bool:
        shipped = snippet.path is not None and snippet.path.is_relative_to(LIBRARY)
        if shipped or self._vault is None:
            return shipped
        return self._trust.trusts(self._vault.root) and self.code.decide(snippet, self.policy) == "always"

    def _start(self, key: CellKey, snippet: Snippet, device: str) -> None:
        if self._services is None:
            return
        if self.looks_for_isolation:
            self._held.append((key, snippet, device))
            return
        executor, interpreter = self._executor, self._device_model.interpreter
        chosen = self.options[snippet.name]
        self._keep(key, RunTranscript(device, program_of(snippet)))
        flow = OutputThrottle(executor, lambda stream, text: self._on_output(key, stream, text), self)
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
            active.run = self._services.runner.start(
                request,
                output=flow.add,
                finished=lambda outcome: executor.post(lambda: self._on_finished(active, outcome)),
                artifact=lambda made: executor.post(lambda: self._on_artifact(key, made)),
                midway=lambda progress: executor.post(lambda: self._on_midway(active, progress)),
            )
        except SnippetError as error:
            self._end(active)
            self.failed.emit(key, error)
            self.batch.note(snippet.name, "failed")

    def _start_next(self) -> None:
        """Start the next queued run if none is active; an untrusted one empties the queue and asks for its page."""
        while self._waiting and not self.active and not self._held:
            page, snippet, device = self._waiting.pop(0)
            if not self._trusted(snippet):
                rest = tuple(one for other, one, _ in self._waiting if other == page)
                self._waiting.clear()
                self.batch.forget()
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

    def _on_midway(self, active: CellRun, progress: RunProgress) -> None:
        transcript = self.transcripts.get(active.key)
        if transcript is not None and self.active.get(active.key) is active:
            active.flow.flush()  # a prompt must be above the input field
            transcript.midway = progress
            self.midway.emit(active.key, progress)

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
        if self._device_model.interpreter is not None and self._device_model.interpreter.torch != outcome.torch:
            self._device_model.renew()
        self._start_next()
        self._executor.run(
            lambda: verify_run(active.snippet, outcome),
            lambda verdict: self._on_judged(active, outcome, verdict),
            lambda _: None,
        )

    def _on_judged(self, active: CellRun, outcome: Outcome, verdict: RunVerdict) -> None:
        if active.key not in self.active:  # else it was started again
            if transcript := self.transcripts.get(active.key):
                transcript.judged = verdict
            self.judged.emit(active, outcome, verdict)
        self.batch.note(active.key.snippet, fate_of(outcome, as_recorded=verdict.as_recorded))

    def _on_states(self, page: str, known: Mapping[str, SnippetStatus]) -> None:
        states = {name: CellStatus(one.status, one.last) for name, one in known.items()}
        self.known[page] = states
        self.states_known.emit(page, states)

    def _history_source(self) -> HistorySource | None:
        return HistorySource(self._vault, self._services.ledger) if self._vault and self._services else None

    def _on_isolation(self, known: Isolation) -> None:
        self._isolation = known
        self.isolation_known.emit()
        self.prepare()
        held, self._held = self._held, []
        for key, snippet, device in held:
            self._start(key, snippet, device)
        self._start_next()

    def _on_no_isolation(self, error: Exception) -> None:
        """Treat a failed probe as no isolation, with the error as reason."""
        said = error if isinstance(error, SnippetError) else SnippetError(str(error), str(error))
        self._on_isolation(Isolation(available=False, reason_en=said.sentence("en"), reason_zh=said.sentence("zh")))


def _refused() -> SnippetError:
    return SnippetError(
        "This code is new or changed since you allowed the vault, and your settings say not to run such code.",
        "这段代码是允许此笔记库之后新增或改动的；按你的设置，这样的代码不运行。",
    )
