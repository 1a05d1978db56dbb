"""The state of the window: one vault with its rooms, and the verbs that touch more than one of them.

Widgets call verbs of the workspace and its rooms and listen to their signals; they never reach into each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.executor import GuiExecutor
from app.history import Location
from app.notebook import vault_snippets
from app.runs.active_runs import CellKey, CellRun, TrustRequest
from app.runs.device_model import DeviceModel
from app.runs.run_controller import RunController
from app.runs.run_services import RunServices
from app.runs.trust import Trust
from app.state import recent_notes
from app.state.idle_queue import IdleQueue
from app.state.note_model import NoteModel
from app.state.notification_texts import index_rebuilt, settings_broken, trust_asked
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


class Workspace(QObject):
    """Holds the open vault and its rooms: notes, lookup, runs, machine, survey."""

    vault_opened = Signal(object)  # Vault
    vault_missing = Signal(object)  # VaultMissing
    noticed = Signal(object)  # Notice
    unnoticed = Signal(str)  # topic that no longer matters
    mode_changed = Signal(str)

    def __init__(self, places: UserPaths, parent: QObject | None = None, *, renderer: Renderer | None = None) -> None:
        """Keep everything under `places`; no vault is open yet. A `renderer` may have been warmed up before."""
        super().__init__(parent)
        self.places = places
        self.executor = GuiExecutor(self)
        self._watching = FileWatcher(self.executor, self)
        self.settings_store = SettingsStore(places, lambda error: self.noticed.emit(of_error(error, topic="settings")))
        self.vault: Vault | None = None
        self.tabs = Tabs(self.settings_store, self)
        self.notes = NoteModel(self.executor, renderer or Renderer(), self)
        self.search_service = SearchService(self.executor, self)
        self.vault_edits = VaultEdits(self.notes, self)
        self.related_notes = RelatedNotes(self.search_service, self.notes, self)
        self.device_model = DeviceModel(self.executor, self)
        self._trust = Trust(places)
        self.runs = RunController(self.executor, self.device_model, self._trust, self)
        self.vault_scanner = VaultScanner(self.runs.statuses_of, self)
        self._opening = 0
        self._closed = False
        self._wants_first = False
        self._touched: set[str] = set()  # files that changed since the notes were listed
        self._then: tuple[str, Callable[[], object]] | None = None
        self._relist = QTimer(self, singleShot=True, interval=300)
        self._settling = IdleQueue(self)
        self._connect()

    def _connect(self) -> None:
        self._relist.timeout.connect(self.notes.list)
        self.notes.listed.connect(self._on_listed)
        self.notes.opened.connect(self._on_opened)
        self.notes.saved.connect(self._on_saved)
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
        """Open a folder of notes, or the user's own vault, which is made the first time."""
        self._opening += 1
        turn = self._opening

        def opened(found: tuple[Vault, RunServices]) -> None:
            if turn == self._opening:
                self._on_vault_opened(*found)
            else:
                found[1].close()

        self.executor.run(lambda: open_vault_folder(root, self.places), opened, self._on_vault_missing)

    def rescan(self) -> None:
        """Look for changes that nobody told of, as when the window gets the focus back; a start has it before it."""
        if self.vault is not None and self.search_service.progress is None and not self._settling.waiting:
            self.search_service.refresh()
            self.notes.reload()
            self.device_model.refresh()

    def _on_vault_opened(self, vault: Vault, bench: RunServices) -> None:
        self._let_go()
        self.vault = vault
        places = self.places.for_vault(vault.root)
        self.settings_store.switch_vault(vault.root)
        self.tabs.clear()
        self.runs.isolate = self.state.isolated
        self.runs.attach(vault, bench)
        self.device_model.choose_device(self.state.device)
        self.vault_scanner.attach(vault)
        self.notes.attach(vault, places.drafts)
        self.vault_edits.attach(vault)
        standing = RunStatusFilter(vault, lambda: bench.ledger, lambda: self.device_model.interpreter)
        self.search_service.attach(vault.root, places.index, standing)
        self.related_notes.recall(places.kin)
        self._settling.schedule(
            self._watch, self.notes.prepare, self.search_service.start_indexing, self._look_around, self._renew
        )
        self.vault_opened.emit(vault)
        self.mode_changed.emit(self.state.mode)
        self._tell_of_broken_settings()
        if not self.notes.busy:
            self._settling.start()

    def _watch(self) -> None:
        if (vault := self.vault) is not None:
            self._watching.begin(vault.root, self._on_files_changed, self.notes.reload)

    def _renew(self) -> None:
        if (vault := self.vault) is not None:
            update_shipped_notes(vault, self.places, self.notes, self.noticed.emit)

    def _look_around(self) -> None:
        """Ask the machine what there is to run on."""
        if (vault := self.vault) is not None:
            self.runs.probe_isolation()
            # A program in a vault that may not run its code is not even asked what it is.
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
        """Open a note at a section or line with words marked, in this tab or in a new one."""
        if new_tab:
            self.tabs.add(path)
        self.open_at(Location(path, anchor, line, marks))

    def open_at(self, place: Location | None) -> None:
        """Open a note at a place, if there is one."""
        if place is not None:
            if self.notes.current is not None:
                self.tabs.read(self.notes.current.place)
            self.notes.open(place)

    def choose_mode(self, mode: str) -> None:
        """Show one language, or both side by side."""
        if mode != self.state.mode:
            self.set_state(mode=mode)
            self.mode_changed.emit(mode)

    def _on_opened(self) -> None:
        note = self.notes.current
        if note is None:
            return
        self._settling.start()
        path, before = note.place.path, self.state
        self.set_state(note=path, anchor=note.place.anchor, recent=recent_notes.visited(before.recent, note))
        self.tabs.opened(path, before.note)
        self.unnoticed.emit("open")
        if self._then is not None and self._then[0] == path:
            then, self._then = self._then[1], None
            then()

    def _on_open_failed(self, path: str, error: Exception) -> None:
        self._settling.start()
        self.noticed.emit(of_error(error, topic="open"))
        if self.notes.current is None and path == self.state.note:  # it was there last time
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
            changed, still = self.tabs.changed.emit, lambda: self.vault is vault
            recent_notes.prune(self.settings_store, vault, entries, door=self.executor, still=still, told=changed)

    def _on_saved(self, note: Note) -> None:
        self._touched.add(note.path)
        self.search_service.refresh([note.path])
        self._relist.start()

    def _on_arranged(self, did: VaultChange) -> None:
        """Follow files that were moved with all that is remembered of them, and show the open note where it is now."""
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
        self.unnoticed.emit("index")  # that it could not be written
        if report.rebuilt:
            self.noticed.emit(index_rebuilt())
        if report.added or report.updated or report.removed:
            self._relist.start()

    def open_first(self) -> None:
        """Open the vault's own note, index, or else its first one, as soon as the notes are listed."""
        entries = self.notes.entries
        if not entries:
            self._wants_first = self.state.note == ""
            return
        self._wants_first = False
        self.open_note(self.path_of(start_note(entries)))

    def open_then(self, path: str, then: Callable[[], object]) -> None:
        """Open a note and do something when it is there."""
        self._then = (path, then)
        self.open_note(path)

    def path_of(self, entry: NoteEntry) -> str:
        """Return the file of an entry in the language that is read, or the first one."""
        return next((entry.paths[side] for side in (self.state.mode, "zh", "en", "") if side in entry.paths), "")

    def title_at(self, path: str, language: str) -> str:
        """Return the title of the note that a path belongs to."""
        known = self.notes.entries or self._named(split_name(path)[0])
        entry = next((entry for entry in known if path in entry.paths.values()), None)
        return title_of(entry, language) if entry is not None else path.rpartition("/")[2]

    def folder_name(self, entry: NoteEntry, side: str) -> str:
        """Return what the folder of an entry is called: the title of its index note, or its path."""
        return folder_title(entry, self.notes.entries or self._named(f"{entry.folder}/index"), side)

    def _named(self, key: str) -> tuple[NoteEntry, ...]:
        """Return the notes of a name before the vault is listed."""
        return self.vault.named(key) if self.vault is not None else ()

    # --- runs

    def run_at(self, note: Note, line: int, *, device: str | None = None) -> None:
        """Run the block at a line of a file of the open note as it is on disk: a python fence or a library snippet."""
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
        """Open the note that a run belongs to, if it is of this vault."""
        entry = next((entry for entry in self.notes.entries if entry.key == key.page.partition("\n")[2]), None)
        current = self.notes.current
        if entry is not None and not (current is not None and self.runs.page_key(current) == key.page):
            self.open_note(self.path_of(entry))

    def verify_note(self) -> None:
        """Run every cell of the open note on the chosen device."""
        if (note := self.notes.current) is not None:
            self.runs.start_in_turn(self.runs.page_key(note), self.notes.shown)

    def show_cells(self, snippets: Iterable[Snippet]) -> None:
        """Take in which snippets are on the page, and find out how they stand."""
        note = self.notes.current
        if note is not None:
            self.notes.shown = tuple({one.name: one for one in snippets}.values())
            self.runs.states(self.runs.page_key(note), self.notes.shown)

    def _on_trust_asked(self, ask: TrustRequest) -> None:
        self.noticed.emit(trust_asked(ask, lambda: self._allow(ask), isolated=self.runs.isolated))

    def _allow(self, ask: TrustRequest) -> None:
        try:
            self.runs.allow(ask)
        except KbError as error:
            self.noticed.emit(of_error(error))

    def choose_isolation(self, isolated: bool) -> None:  # noqa: FBT001 - the state of a switch
        """Run code in a space of its own from now on, or not."""
        self.runs.isolate = isolated
        self.runs.prepare()
        self.set_state(isolated=isolated)

    def _on_interpreter_chosen(self) -> None:
        self.search_service.runs_changed()
        if (chosen := self.device_model.interpreter) is not None:
            self.set_state(python=str(chosen.path))
        if self.notes.current is not None:
            self.runs.states(self.runs.page_key(self.notes.current), self.notes.shown)
        facts = self.vault_scanner.facts  # what ran under another Python is stale now
        self.vault_scanner.scan(e for e in self.notes.entries if e.key in facts and facts[e.key].statuses)

    # --- what is remembered

    @property
    def state(self) -> VaultState:
        """How the open vault was left, and is now."""
        return self.settings_store.state

    def set_state(self, **changes: Any) -> None:
        """Change what is remembered of this vault."""
        self.settings_store.set_state(**changes)

    def _save_state(self) -> None:
        if self.notes.current is not None:
            self.set_state(anchor=self.notes.current.place.anchor)
        self.settings_store.save()
        if self.vault is not None:
            save_session(self.places.for_vault(self.vault.root), self.notes, self.related_notes)

    def _tell_of_broken_settings(self) -> None:
        for aside in self.settings_store.take_set_aside():
            self.noticed.emit(settings_broken(aside))

    # --- the end

    def close(self) -> None:
        """Stop everything that runs and write what is remembered."""
        if self._closed:
            return
        self._closed = True
        self._relist.stop()
        self._settling.stop()
        self._save_state()
        bench = self.runs.detach()
        self.notes.close()
        self.vault_scanner.close()
        self.search_service.close()
        if bench is not None:
            bench.close()
        self._watching.close()
        self.executor.close()

    def _let_go(self) -> None:
        """Leave the vault for another one; what takes its time ends in the background."""
        self._watching.end()
        self._save_state()
        self.search_service.detach()
        if (bench := self.runs.detach()) is not None:
            self.executor.run(bench.close, lambda _: None, lambda _: None)
