"""The state of the window: one vault with its rooms, and the verbs that touch more than one of them.

Widgets call verbs of the workspace and its rooms and listen to their signals; they never reach into each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app import shelf
from app.history import Place
from app.parts.notice import of_error
from app.rooms import recents
from app.rooms.arranging import Arranged, Arranging
from app.rooms.entrance import bring_up_to_date, enter, front_door
from app.rooms.kinship import Kinship
from app.rooms.lasting import keep
from app.rooms.lookup import Lookup
from app.rooms.memory import Memory
from app.rooms.notes import Notes
from app.rooms.notices import index_rebuilt, settings_broken, trust_asked
from app.rooms.settings import VaultState
from app.rooms.settling import Settling
from app.rooms.standing import Standing
from app.rooms.survey import Survey
from app.rooms.tabs import Tabs
from app.rooms.titles import folder_title, title_of
from app.rooms.watching import Watching
from app.running.bench import Bench
from app.running.cells import ActiveRun, Ask, CellKey
from app.running.machine import Machine
from app.running.runs import Runs
from app.running.trust import Trust
from app.threads import Door
from kb.entries import Entry
from kb.errors import KbError
from kb.found import IndexReport
from kb.language import split_name
from kb.note import Note
from kb.places import Places
from kb.renderer import Renderer
from kb.vault import Vault
from snippets.form import Snippet


class Workspace(QObject):
    """Holds the open vault and its rooms: notes, lookup, runs, machine, survey."""

    vault_opened = Signal(object)  # Vault
    vault_missing = Signal(object)  # VaultMissing
    noticed = Signal(object)  # Notice
    unnoticed = Signal(str)  # topic that no longer matters
    mode_changed = Signal(str)

    def __init__(self, places: Places, parent: QObject | None = None, *, renderer: Renderer | None = None) -> None:
        """Keep everything under `places`; no vault is open yet. A `renderer` may have been warmed up before."""
        super().__init__(parent)
        self.places = places
        self.door = Door(self)
        self._watching = Watching(self.door, self)
        self.memory = Memory(places, lambda error: self.noticed.emit(of_error(error, topic="settings")))
        self.vault: Vault | None = None
        self.tabs = Tabs(self.memory, self)
        self.notes = Notes(self.door, renderer or Renderer(), self)
        self.lookup = Lookup(self.door, self)
        self.arranging = Arranging(self.notes, self)
        self.kinship = Kinship(self.lookup, self.notes, self)
        self.machine = Machine(self.door, self)
        self._trust = Trust(places)
        self.runs = Runs(self.door, self.machine, self._trust, self)
        self.survey = Survey(self.runs.statuses_of, self)
        self._opening = 0
        self._closed = False
        self._wants_first = False
        self._touched: set[str] = set()  # files that changed since the notes were listed
        self._then: tuple[str, Callable[[], object]] | None = None
        self._relist = QTimer(self, singleShot=True, interval=300)
        self._settling = Settling(self)
        self._connect()

    def _connect(self) -> None:
        self._relist.timeout.connect(self.notes.list)
        self.notes.listed.connect(self._on_listed)
        self.notes.opened.connect(self._on_opened)
        self.notes.saved.connect(self._on_saved)
        self.runs.judged.connect(lambda run, *_: self._on_judged(run))
        self.notes.open_failed.connect(self._on_open_failed)
        self.arranging.arranged.connect(self._on_arranged)
        self.arranging.noticed.connect(self.noticed)
        self.lookup.indexed.connect(self._on_indexed)
        self.lookup.index_failed.connect(lambda error: self.noticed.emit(of_error(error, topic="index")))
        self.lookup.answered.connect(lambda _: self.survey.hush())
        self.runs.trust_asked.connect(self._on_trust_asked)
        self.runs.failed.connect(lambda _, error: self.noticed.emit(of_error(error, topic="run")))
        self.runs.unsaved.connect(lambda error: self.noticed.emit(of_error(error, topic="settings")))
        self.machine.device_chosen.connect(lambda device: self.remember(device=device))
        self.machine.interpreter_chosen.connect(self._on_interpreter_chosen)
        self.machine.probe_failed.connect(lambda error: self.noticed.emit(of_error(error, topic="interpreter")))

    # --- the vault

    def open_vault(self, root: Path | None) -> None:
        """Open a folder of notes, or the user's own vault, which is made the first time."""
        self._opening += 1
        turn = self._opening

        def opened(found: tuple[Vault, Bench]) -> None:
            if turn == self._opening:
                self._on_vault_opened(*found)
            else:
                found[1].close()

        self.door.run(lambda: enter(root, self.places), opened, self._on_vault_missing)

    def rescan(self) -> None:
        """Look for changes that nobody told of, as when the window gets the focus back; a start has it before it."""
        if self.vault is not None and self.lookup.progress is None and not self._settling.waiting:
            self.lookup.refresh()
            self.notes.reload()
            self.machine.look()

    def _on_vault_opened(self, vault: Vault, bench: Bench) -> None:
        self._let_go()
        self.vault = vault
        places = self.places.for_vault(vault.root)
        self.memory.turn_to(vault.root)
        self.tabs.clear()
        self.runs.isolate = self.state.isolated
        self.runs.attach(vault, bench)
        self.machine.choose_device(self.state.device)
        self.survey.attach(vault)
        self.notes.attach(vault, places.drafts)
        self.arranging.attach(vault)
        standing = Standing(vault, lambda: bench.ledger, lambda: self.machine.interpreter)
        self.lookup.attach(vault.root, places.index, standing)
        self.kinship.recall(places.kin)
        self._settling.hold(self._watch, self.notes.settle, self.lookup.settle, self._look_around, self._renew)
        self.vault_opened.emit(vault)
        self.mode_changed.emit(self.state.mode)
        self._tell_of_broken_settings()
        if not self.notes.under_way:
            self._settling.go()

    def _watch(self) -> None:
        if (vault := self.vault) is not None:
            self._watching.begin(vault.root, self._on_files_changed, self.notes.reload)

    def _renew(self) -> None:
        if (vault := self.vault) is not None:
            bring_up_to_date(vault, self.places, self.notes, self.noticed.emit)

    def _look_around(self) -> None:
        """Ask the machine what there is to run on."""
        if (vault := self.vault) is not None:
            self.runs.look()
            # A program in a vault that may not run its code is not even asked what it is.
            searched = vault.root if self._trust.trusts(vault.root) else None
            self.machine.attach(searched, device=self.machine.device, python=self.state.python)

    def _on_vault_missing(self, error: Exception) -> None:
        if not isinstance(error, KbError):
            raise error
        self.vault_missing.emit(error)

    def _on_files_changed(self, paths: frozenset[str]) -> None:
        self._touched |= paths
        self.lookup.refresh(paths)
        self.notes.changed(paths)
        self._relist.start()

    # --- notes

    def open_note(
        self, path: str, *, anchor: str = "", line: int = 0, marks: tuple[str, ...] = (), new_tab: bool = False
    ) -> None:
        """Open a note at a section or line with words marked, in this tab or in a new one."""
        if new_tab:
            self.tabs.add(path)
        self.turn_to(Place(path, anchor, line, marks))

    def turn_to(self, place: Place | None) -> None:
        """Open a note at a place, if there is one."""
        if place is not None:
            if self.notes.current is not None:
                self.tabs.read(self.notes.current.place)
            self.notes.open(place)

    def choose_mode(self, mode: str) -> None:
        """Show one language, or both side by side."""
        if mode != self.state.mode:
            self.remember(mode=mode)
            self.mode_changed.emit(mode)

    def _on_opened(self) -> None:
        note = self.notes.current
        if note is None:
            return
        self._settling.go()
        path, before = note.place.path, self.state
        self.remember(note=path, anchor=note.place.anchor, recent=recents.visited(before.recent, note))
        self.tabs.opened(path, before.note)
        self.unnoticed.emit("open")
        if self._then is not None and self._then[0] == path:
            then, self._then = self._then[1], None
            then()

    def _on_open_failed(self, path: str, error: Exception) -> None:
        self._settling.go()
        self.noticed.emit(of_error(error, topic="open"))
        if self.notes.current is None and path == self.state.note:  # it was there last time
            self.remember(note="")
            self.open_first()

    def _on_judged(self, run: ActiveRun) -> None:
        self.lookup.runs_changed()
        note = self.notes.current
        if note is not None and self.runs.page_key(note) == run.key.page:
            self.runs.states(run.key.page, self.notes.shown)
        key = run.key.page.partition("\n")[2]
        self.survey.go_through(entry for entry in self.notes.entries if entry.key == key)

    def _on_listed(self, entries: tuple[Entry, ...]) -> None:
        touched, self._touched = self._touched, set()
        known = self.survey.facts
        self.survey.go_through(e for e in entries if e.key not in known or touched.intersection(e.paths.values()))
        if self._wants_first and entries:
            self.open_first()
        if (vault := self.vault) is not None:
            changed, still = self.tabs.changed.emit, lambda: self.vault is vault
            recents.prune(self.memory, vault, entries, door=self.door, still=still, told=changed)

    def _on_saved(self, note: Note) -> None:
        self._touched.add(note.path)
        self.lookup.refresh([note.path])
        self._relist.start()

    def _on_arranged(self, did: Arranged) -> None:
        """Follow files that were moved with all that is remembered of them, and show the open note where it is now."""
        place = self.notes.follow(did.moves)
        recents.follow(self.memory, did.moves)
        self._on_files_changed(did.paths)
        self.runs.follow(did.moves, lambda: self._on_runs_followed(frozenset(did.moves.values())))
        if place is not None:
            self.notes.open(place, remember=False)
        self.unnoticed.emit("gone")

    def _on_runs_followed(self, paths: frozenset[str]) -> None:
        self.lookup.runs_changed()
        self.show_cells(self.notes.shown)
        self.survey.go_through(entry for entry in self.notes.entries if paths.intersection(entry.paths.values()))

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
        self.open_note(self.path_of(front_door(entries)))

    def open_then(self, path: str, then: Callable[[], object]) -> None:
        """Open a note and do something when it is there."""
        self._then = (path, then)
        self.open_note(path)

    def path_of(self, entry: Entry) -> str:
        """Return the file of an entry in the language that is read, or the first one."""
        return next((entry.paths[side] for side in (self.state.mode, "zh", "en", "") if side in entry.paths), "")

    def title_at(self, path: str, language: str) -> str:
        """Return the title of the note that a path belongs to."""
        known = self.notes.entries or self._named(split_name(path)[0])
        entry = next((entry for entry in known if path in entry.paths.values()), None)
        return title_of(entry, language) if entry is not None else path.rpartition("/")[2]

    def folder_name(self, entry: Entry, side: str) -> str:
        """Return what the folder of an entry is called: the title of its index note, or its path."""
        return folder_title(entry, self.notes.entries or self._named(f"{entry.folder}/index"), side)

    def _named(self, key: str) -> tuple[Entry, ...]:
        """Return the notes of a name before the vault is listed."""
        return self.vault.named(key) if self.vault is not None else ()

    # --- runs

    def run_at(self, note: Note, line: int, *, device: str | None = None) -> None:
        """Run the block at a line of a file of the open note as it is on disk: a python fence or a library snippet."""
        current, vault = self.notes.current, self.vault
        if current is None or vault is None or note.path not in current.entry.paths.values():
            return
        page = self.runs.page_key(current)
        self.door.run(
            lambda: shelf.snippet_at(vault, note, line),
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

    def _on_trust_asked(self, ask: Ask) -> None:
        self.noticed.emit(trust_asked(ask, lambda: self._allow(ask), isolated=self.runs.isolated))

    def _allow(self, ask: Ask) -> None:
        try:
            self.runs.allow(ask)
        except KbError as error:
            self.noticed.emit(of_error(error))

    def choose_isolation(self, isolated: bool) -> None:  # noqa: FBT001 - the state of a switch
        """Run code in a space of its own from now on, or not."""
        self.runs.isolate = isolated
        self.runs.prepare()
        self.remember(isolated=isolated)

    def _on_interpreter_chosen(self) -> None:
        self.lookup.runs_changed()
        if (chosen := self.machine.interpreter) is not None:
            self.remember(python=str(chosen.path))
        if self.notes.current is not None:
            self.runs.states(self.runs.page_key(self.notes.current), self.notes.shown)
        facts = self.survey.facts  # what ran under another Python is stale now
        self.survey.go_through(e for e in self.notes.entries if e.key in facts and facts[e.key].statuses)

    # --- what is remembered

    @property
    def state(self) -> VaultState:
        """How the open vault was left, and is now."""
        return self.memory.state

    def remember(self, **changes: Any) -> None:
        """Change what is remembered of this vault."""
        self.memory.remember(**changes)

    def _save_state(self) -> None:
        if self.notes.current is not None:
            self.remember(anchor=self.notes.current.place.anchor)
        self.memory.save()
        if self.vault is not None:
            keep(self.places.for_vault(self.vault.root), self.notes, self.kinship)

    def _tell_of_broken_settings(self) -> None:
        for aside in self.memory.take_set_aside():
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
        self.survey.close()
        self.lookup.close()
        if bench is not None:
            bench.close()
        self._watching.close()
        self.door.close()

    def _let_go(self) -> None:
        """Leave the vault for another one; what takes its time ends in the background."""
        self._watching.end()
        self._save_state()
        self.lookup.detach()
        if (bench := self.runs.detach()) is not None:
            self.door.run(bench.close, lambda _: None, lambda _: None)
