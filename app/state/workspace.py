"""The model behind the window: one open vault and its models, and actions that involve several of them.

Widgets call the workspace and its models and connect to their signals; widgets do not call each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.executor import GuiExecutor
from app.history import Location
from app.notebook import vault_snippets
from app.notebook.note_loader import OpenNote
from app.runs.active_runs import CellKey, CellRun, TrustRequest
from app.runs.device_model import DeviceModel
from app.runs.run_controller import RunController
from app.runs.run_services import RunServices
from app.runs.trust import Trust
from app.runs.trusted_code import POLICIES, Policy
from app.state import recent_notes
from app.state.idle_queue import IdleQueue
from app.state.note_model import NoteModel
from app.state.notification_texts import code_asked, index_rebuilt, settings_broken, trust_asked
from app.state.related_notes import RelatedNotes
from app.state.run_status_filter import RunStatusFilter
from app.state.search_service import SearchService
from app.state.settings import SettingsStore, VaultState, save_session
from app.state.tabs import Tabs
from app.state.tree_model import folder_title, title_of
from app.state.vault_edits import VaultChange, VaultEdits
from app.state.vault_scanner import FileWatcher, VaultScanner
from app.state.vault_setup import open_vault_folder, start_note, update_shipped_notes
from app.widgets.notification import of_error
from kb.errors import KbError
from kb.files.paths import UserPaths
from kb.notes.language import split_name
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.rendering.renderer import Renderer
from kb.results import IndexReport
from kb.vault.vault import Vault
from snippets.model.snippet import Snippet

if TYPE_CHECKING:
    from kb.index.indexer import IndexProcess


class Workspace(QObject):
    """Holds the open vault and the models of its notes, search, runs, devices and settings."""

    vault_opened = Signal(object)  # Vault
    vault_missing = Signal(object)  # VaultMissing
    noticed = Signal(object)  # Notification
    unnoticed = Signal(str)  # topic whose notification is obsolete
    mode_changed = Signal(str)

    def __init__(
        self,
        places: UserPaths,
        parent: QObject | None = None,
        *,
        renderer: Renderer | None = None,
        indexers: list[IndexProcess] | None = None,
    ) -> None:
        """Keep all data under `places`; no vault is open yet. A `renderer` or `indexers` may have been started before.

        The `indexers` that are idle are not ended by `close`.
        """
        super().__init__(parent)
        self.places = places
        self.executor = GuiExecutor(self)
        self._file_watcher = FileWatcher(self.executor, self)
        self.settings_store = SettingsStore(places, lambda error: self.noticed.emit(of_error(error, topic="settings")))
        self.vault: Vault | None = None
        self.tabs = Tabs(self.settings_store, self)
        self.notes = NoteModel(self.executor, renderer or Renderer(), self)
        self.search_service = SearchService(self.executor, self, idle=indexers)
        self.vault_edits = VaultEdits(self.notes, self)
        self.related_notes = RelatedNotes(self.search_service, self.notes, self)
        self.device_model = DeviceModel(self.executor, self)
        self._trust = Trust(places)
        self.runs = RunController(self.executor, self.device_model, self._trust, self)
        self.vault_scanner = VaultScanner(self.runs.statuses_of, self)
        self._opening = 0
        self._closed = False
        self._wants_first = False
        self._touched: set[str] = set()  # paths changed since the notes were listed
        self._then: tuple[str, Callable[[], object]] | None = None  # path, call once it is open
        self._relist = QTimer(self, singleShot=True, interval=300)
        self._start_up = IdleQueue(self)
        self._connect()

    def _connect(self) -> None:
        self._relist.timeout.connect(self.notes.list)
        self.notes.listed.connect(self._on_listed)
        self.notes.opened.connect(self._on_opened)
        for read in (self.notes.opened, self.notes.reloaded, self.notes.grown):
            read.connect(self._on_read)
        self.notes.saved.connect(self._on_saved)
        self.vault_edits.imported.connect(self._on_imported)
        self.runs.judged.connect(lambda run, *_: self._on_judged(run))
        self.notes.open_failed.connect(self._on_open_failed)
        self.vault_edits.arranged.connect(self._on_arranged)
        self.vault_edits.noticed.connect(self.noticed)
        self.search_service.indexed.connect(self._on_indexed)
        self.search_service.index_failed.connect(lambda error: self.noticed.emit(of_error(error, topic="index")))
        self.search_service.answered.connect(lambda _: self.vault_scanner.pause())
        self.runs.trust_asked.connect(self._on_trust_asked)
        self.runs.failed.connect(lambda _, error: self.noticed.emit(of_error(error, topic="run")))
        self.runs.unsaved.connect(lambda error: self.noticed.emit(of_error(error, topic="settings")))
        self.device_model.device_chosen.connect(lambda device: self.set_state(device=device))
        self.device_model.interpreter_chosen.connect(self._on_interpreter_chosen)
        self.device_model.probe_failed.connect(lambda error: self.noticed.emit(of_error(error, topic="interpreter")))

    # --- the vault

    def open_vault(self, root: Path | None) -> None:
        """Open a folder of notes, or for None the user's own vault, which is created if missing."""
        self._opening += 1
        turn = self._opening

        def opened(found: tuple[Vault, RunServices]) -> None:
            if turn == self._opening:
                self._on_vault_opened(*found)
            else:
                found[1].close()

        self.executor.run(lambda: open_vault_folder(root, self.places), opened, self._on_vault_missing)

    def rescan(self) -> None:
        """Look for unnoticed changes, because the window became active; does nothing during the start-up."""
        if self.vault is not None and self.search_service.progress is None and not self._start_up.waiting:
            self.search_service.refresh()
            self.notes.reload()
            self.device_model.refresh()

    def _on_vault_opened(self, vault: Vault, services: RunServices) -> None:
        self._leave_vault()
        self.vault = vault
        places = self.places.for_vault(vault.root)
        self.settings_store.switch_vault(vault.root)
        self.tabs.clear()
        self.runs.isolate = self.state.isolated
        self.runs.attach(vault, services)
        self.runs.policy = self._policy()
        self.device_model.choose_device(self.state.device)
        self.vault_scanner.attach(vault)
        self.notes.attach(vault, places.drafts)
        self.vault_edits.attach(vault)
        run_filter = RunStatusFilter(vault, lambda: services.ledger, lambda: self.device_model.interpreter)
        self.search_service.attach(vault.root, places.index, run_filter)
        self.related_notes.recall(places.kin)
        self._start_up.schedule(
            self._watch_files,
            self.notes.prepare,
            self.search_service.start_indexing,
            self._find_devices,
            self._update_shipped,
            self.runs.learn_code,
        )
        self.vault_opened.emit(vault)
        self.mode_changed.emit(self.state.mode)
        self._report_broken_settings()
        if not self.notes.busy:
            self._start_up.start()

    def _watch_files(self) -> None:
        if (vault := self.vault) is not None:
            self._file_watcher.begin(vault.root, self._on_files_changed, self.notes.reload)

    def _update_shipped(self) -> None:
        if (vault := self.vault) is not None:
            update_shipped_notes(vault, self.places, self.notes, self.noticed.emit)

    def _find_devices(self) -> None:
        """Look for devices, interpreters and isolation."""
        if (vault := self.vault) is not None:
            self.runs.probe_isolation()
            # In a vault that is not trusted, an interpreter is not even probed.
            searched = vault.root if self._trust.trusts(vault.root) else None
            self.device_model.attach(searched, device=self.device_model.device, python=self.state.python)

    def _on_vault_missing(self, error: Exception) -> None:
        if not isinstance(error, KbError):
            raise error
        self.vault_missing.emit(error)

    def _on_files_changed(self, paths: frozenset[str]) -> None:
        self._touched |= paths
        self.search_service.refresh(paths)
        self.notes.changed(paths)
        self._relist.start()

    # --- notes

    def open_note(
        self, path: str, *, anchor: str = "", line: int = 0, marks: tuple[str, ...] = (), new_tab: bool = False
    ) -> None:
        """Open a note at a section or line (from 1) with words marked, in this tab or a new one."""
        if new_tab:
            self.tabs.add(path)
        self.open_at(Location(path, anchor, line, marks))

    def open_at(self, place: Location | None) -> None:
        """Open a note at a location; None does nothing."""
        if place is not None:
            if self.notes.current is not None:
                self.tabs.read(self.notes.current.place)
            self.notes.open(place)

    def choose_mode(self, mode: str) -> None:
        """Show one language ("zh" or "en"), or "both" side by side."""
        if mode != self.state.mode:
            self.set_state(mode=mode)
            self.mode_changed.emit(mode)

    def _on_opened(self) -> None:
        note = self.notes.current
        if note is None:
            return
        self._start_up.start()
        path, before = note.place.path, self.state
        self.set_state(note=path, anchor=note.place.anchor, recent=recent_notes.visited(before.recent, note))
        self.tabs.opened(path, before.note)
        self.unnoticed.emit("open")
        if self._then is not None and self._then[0] == path:
            then, self._then = self._then[1], None
            then()

    def _on_open_failed(self, path: str, error: Exception) -> None:
        self._start_up.start()
        self.noticed.emit(of_error(error, topic="open"))
        if self.notes.current is None and path == self.state.note:  # deleted since the last session
            self.set_state(note="")
            self.open_first()

    def _on_judged(self, run: CellRun) -> None:
        self.search_service.runs_changed()
        note = self.notes.current
        if note is not None and self.runs.page_key(note) == run.key.page:
            self.runs.states(run.key.page, self.notes.shown)
        key = run.key.page.partition("\n")[2]
        self.vault_scanner.scan(entry for entry in self.notes.entries if entry.key == key)

    def _on_listed(self, entries: tuple[NoteEntry, ...]) -> None:
        touched, self._touched = self._touched, set()
        known = self.vault_scanner.facts
        self.vault_scanner.scan(e for e in entries if e.key not in known or touched.intersection(e.paths.values()))
        if self._wants_first and entries:
            self.open_first()
        if (vault := self.vault) is not None:
            recent_notes.prune(
                self.settings_store,
                vault,
                entries,
                executor=self.executor,
                still=lambda: self.vault is vault,
                tabs_changed=self.tabs.changed.emit,
            )

    def _on_read(self, opened: OpenNote) -> None:
        for note in opened.notes.values():
            self.runs.code.see(note)

    def _on_imported(self, codes: tuple[str, ...]) -> None:
        self.runs.code.mark_imported(codes)

    def _on_saved(self, note: Note) -> None:
        self._touched.add(note.path)
        self.runs.code.take_typed(note)
        self.search_service.refresh([note.path])
        self._relist.start()

    def _on_arranged(self, did: VaultChange) -> None:
        """Apply moved paths to the open note, tabs, recent notes and runs, and reopen the note if it was moved."""
        place = self.notes.follow(did.moves)
        recent_notes.follow(self.settings_store, did.moves)
        self._on_files_changed(did.paths)
        self.runs.follow(did.moves, lambda: self._on_runs_followed(frozenset(did.moves.values())))
        if place is not None:
            self.notes.open(place, remember=False)
        self.unnoticed.emit("gone")

    def _on_runs_followed(self, paths: frozenset[str]) -> None:
        self.search_service.runs_changed()
        self.show_cells(self.notes.shown)
        self.vault_scanner.scan(entry for entry in self.notes.entries if paths.intersection(entry.paths.values()))

    def _on_indexed(self, report: IndexReport) -> None:
        self.unnoticed.emit("index")  # the error of an earlier update
        if report.rebuilt:
            self.noticed.emit(index_rebuilt())
        if report.added or report.updated or report.removed:
            self._relist.start()

    def open_first(self) -> None:
        """Open the vault's start note as soon as the notes are listed."""
        entries = self.notes.entries
        if not entries:
            self._wants_first = self.state.note == ""
            return
        self._wants_first = False
        self.open_note(self.path_of(start_note(entries)))

    def open_then(self, path: str, then: Callable[[], object]) -> None:
        """Open a note and call `then` once it is open."""
        self._then = (path, then)
        self.open_note(path)

    def path_of(self, entry: NoteEntry) -> str:
        """Return the path of an entry in the chosen language, or in the first that it has."""
        return next((entry.paths[side] for side in (self.state.mode, "zh", "en", "") if side in entry.paths), "")

    def title_at(self, path: str, language: str) -> str:
        """Return the title of the note with this path, or its file name if there is none."""
        known = self.notes.entries or self._named(split_name(path)[0])
        entry = next((entry for entry in known if path in entry.paths.values()), None)
        return title_of(entry, language) if entry is not None else path.rpartition("/")[2]

    def folder_name(self, entry: NoteEntry, side: str) -> str:
        """Return the name of an entry's folder: the title of its index note, or its path."""
        return folder_title(entry, self.notes.entries or self._named(f"{entry.folder}/index"), side)

    def _named(self, key: str) -> tuple[NoteEntry, ...]:
        """Return the notes with this key, looked up on disk before the vault is listed."""
        return self.vault.named(key) if self.vault is not None else ()

    # --- runs

    def run_at(self, note: Note, line: int, *, device: str | None = None) -> None:
        """Run the python fence or linked snippet at a line (from 1) of the open note, as saved."""
        current, vault = self.notes.current, self.vault
        if current is None or vault is None or note.path not in current.entry.paths.values():
            return
        page = self.runs.page_key(current)
        self.executor.run(
            lambda: vault_snippets.snippet_at(vault, note, line),
            lambda snippet: self.runs.start(page, [snippet], device) if snippet is not None else None,
            lambda error: self.noticed.emit(of_error(error, topic="run")),
        )

    def go_to_run(self, key: CellKey) -> None:
        """Open the note of a run, if it is in this vault."""
        entry = next((entry for entry in self.notes.entries if entry.key == key.page.partition("\n")[2]), None)
        current = self.notes.current
        if entry is not None and not (current is not None and self.runs.page_key(current) == key.page):
            self.open_note(self.path_of(entry))

    def verify_note(self) -> None:
        """Run every cell of the open note on the chosen device."""
        if (note := self.notes.current) is not None:
            self.runs.start_in_turn(self.runs.page_key(note), self.notes.shown)

    def show_cells(self, snippets: Iterable[Snippet]) -> None:
        """Set the snippets shown on the page, and look up their statuses."""
        note = self.notes.current
        if note is not None:
            self.notes.shown = tuple({one.name: one for one in snippets}.values())
            self.runs.states(self.runs.page_key(note), self.notes.shown)

    def _on_trust_asked(self, ask: TrustRequest) -> None:
        def allow() -> None:
            self._allow(ask)

        def allow_all() -> None:
            self.choose_policy("always")
            self.runs.code.allow_imported()
            self._allow(ask)

        isolated = self.runs.isolated
        self.noticed.emit(
            code_asked(allow, allow_all, isolated=isolated) if ask.code else trust_asked(ask, allow, isolated=isolated)
        )

    def _allow(self, ask: TrustRequest) -> None:
        try:
            self.runs.allow(ask)
        except KbError as error:
            self.noticed.emit(of_error(error))

    def choose_policy(self, policy: Policy) -> None:
        """Choose what happens with code of this vault that is new or changed: always, ask, never."""
        self.set_state(changed_code=policy)
        self.runs.policy = policy
        self.runs.learn_code()

    def _policy(self) -> Policy:
        """Return the chosen policy; by default code runs in the user's own vault, and is asked about in another one."""
        own = self.vault is not None and self.vault.root == self.places.user_vault
        return next((one for one in POLICIES if one == self.state.changed_code), "always" if own else "ask")

    def choose_isolation(self, isolated: bool) -> None:  # noqa: FBT001 - the state of a switch
        """Turn the isolation of runs on or off."""
        self.runs.isolate = isolated
        self.runs.prepare()
        self.set_state(isolated=isolated)

    def _on_interpreter_chosen(self) -> None:
        self.search_service.runs_changed()
        if (chosen := self.device_model.interpreter) is not None:
            self.set_state(python=str(chosen.path))
        if self.notes.current is not None:
            self.runs.states(self.runs.page_key(self.notes.current), self.notes.shown)
        facts = self.vault_scanner.facts  # runs under another Python are stale now
        self.vault_scanner.scan(e for e in self.notes.entries if e.key in facts and facts[e.key].statuses)

    # --- state

    @property
    def state(self) -> VaultState:
        """The state of the open vault."""
        return self.settings_store.state

    def set_state(self, **changes: Any) -> None:
        """Change the state of the open vault."""
        self.settings_store.set_state(**changes)

    def _save_state(self) -> None:
        if self.notes.current is not None:
            self.set_state(anchor=self.notes.current.place.anchor)
        self.settings_store.save()
        if self.vault is not None:
            save_session(self.places.for_vault(self.vault.root), self.notes, self.related_notes)

    def _report_broken_settings(self) -> None:
        for aside in self.settings_store.take_set_aside():
            self.noticed.emit(settings_broken(aside))

    # --- closing

    def close(self) -> None:
        """Write the state, stop all runs, processes and threads, and wait for them."""
        if self._closed:
            return
        self._closed = True
        self._relist.stop()
        self._start_up.stop()
        self._save_state()
        services = self.runs.detach()
        self.notes.close()
        self.vault_scanner.close()
        self.search_service.close()
        if services is not None:
            services.close()
        self._file_watcher.close()
        self.executor.close()

    def _leave_vault(self) -> None:
        """Leave the vault for another one; runs end in the background."""
        self._file_watcher.end()
        self._save_state()
        self.search_service.detach()
        if (services := self.runs.detach()) is not None:
            self.executor.run(services.close, lambda _: None, lambda _: None)
