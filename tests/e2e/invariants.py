"""What must hold of a window whatever is done to it, looked at from outside: its files, its drafts, what it said."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from pytestqt.exceptions import TimeoutError  # noqa: A004 - its own

from app.error_reporting import LOG
from kb.files.atomic import is_temporary
from kb.files.tree import is_note_name
from kb.notes.note import Note
from kb.vault.drafts import Drafts
from kb.vault.vault import Vault

MOST_NOTICES = 4
MOST_THREADS = 40  # far above what four doors, a watcher and a few runs need
MOST_PROCESSES = 40
_QUIET = "This plugin does not support"  # the screen that is not there says of itself what it cannot do

Place = tuple[Path, str]  # vault, path


class Witness(logging.Handler):
    """Remembers what was typed and what was written, and says what of it is lost; hears every warning and error."""

    def __init__(self, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """Look at a window from now on."""
        super().__init__(logging.ERROR)
        self._run = run
        self._editor = run.window.central.editor
        self.heard: list[str] = []  # warnings of Qt, errors in the log
        self._typed: dict[Place, str] = {}  # the newest text of each note that was typed
        self._written: set[tuple[Path, str, str]] = set()  # what was saved since it was typed
        self._known: dict[Path, set[str]] = {}  # the notes of each vault when it was last looked at
        self._explained: set[Place] = set()  # gone for a reason
        self._asked = ""
        self._turns = 0
        self._editor.source.edited.connect(self._on_edited)
        run.workspace.vault_edits.arranged.connect(self._on_arranged)
        run.workspace.vault_opened.connect(self._on_turned)
        self._watch_saving(monkeypatch)
        LOG.addHandler(self)
        self._qt = qInstallMessageHandler(self._on_qt)

    def leave(self) -> None:
        """Listen no more."""
        qInstallMessageHandler(self._qt)
        LOG.removeHandler(self)

    # --- what it hears

    def emit(self, record: logging.LogRecord) -> None:
        """Hear an error that the program logs."""
        self.heard.append(record.getMessage())

    def _on_qt(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if kind != QtMsgType.QtDebugMsg and not message.startswith(_QUIET):
            self.heard.append(f"Qt: {message}\n{''.join(traceback.format_stack()[-14:-1])}")

    def _watch_saving(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = Vault.save

        def save(vault: Vault, path: str, text: str, **more: Any) -> Note:
            note = real(vault, path, text, **more)
            self._written.add((vault.root, path, text))
            return note

        monkeypatch.setattr(Vault, "save", save)

    def _on_edited(self) -> None:
        vault, saver = self._run.workspace.vault, self._editor._saver
        if vault is None or saver is None:
            return
        if (text := self._editor.source.text()) == saver.base.text:  # taken back: there is nothing to be saved
            self._typed.pop((vault.root, saver.path), None)
        else:
            self._typed[vault.root, saver.path] = text
            self._written.discard((vault.root, saver.path, text))

    def _on_arranged(self, did: Any) -> None:
        root = self._run.workspace.vault.root
        self._explained |= {(root, path) for path in (*did.paths, *did.moves)}

    def _on_turned(self, _: object) -> None:
        self._turns += 1  # what was rearranged just before is not told any more

    def deleted(self, root: Path, path: str) -> None:
        """Take in that another program deleted a file."""
        self._explained.add((root, path))

    # --- what it says

    def after_an_action(self) -> list[str]:
        """Return what does not hold and has to at any moment, each as a sentence."""
        # What was typed is let go of where the user says so, in answer to a question in the editor.
        asked = self._editor.path if self._editor.ask_bar.notice is not None else ""
        if self._asked and not asked and self._run.workspace.vault is not None:
            self._typed.pop((self._run.workspace.vault.root, self._asked), None)
        self._asked = asked
        return [*self.heard, *_broken(self._run)]

    def at_rest(self) -> list[str]:
        """Wait until all is written and return what does not hold then."""
        said: list[str] = []

        def agrees() -> bool:
            said[:] = [*_at_odds(self._run), *self._lost(), *_left_behind(self._run.workspace.vault.root)]
            return not said

        self._drain()
        with contextlib.suppress(TimeoutError):
            self._run.until(agrees, seconds=10)
        return said + list(self._vanished())

    def _drain(self) -> None:
        """Wait until everything that was asked to be written by now is."""
        done: list[object] = []
        self._run.workspace.notes.in_turn(lambda: None, done.append, done.append)
        self._run.until(lambda: done)

    def _lost(self) -> Iterator[str]:
        """Yield what was typed and is neither in its file nor in a draft."""
        vault = self._run.workspace.vault
        kept = {
            one.note_path: one.text for one in Drafts(self._run.workspace.places.for_vault(vault.root).drafts).pending()
        }
        for (root, path), text in self._typed.items():
            saved = (root, path, text) in self._written or kept.get(path) == text
            if root == vault.root and not saved and _text(root / path) != text.encode():
                on_disk = _text(root / path)
                yield f"what was typed in {path} is lost: {text!r}; it is {on_disk!r}, the draft {kept.get(path)!r}"

    def _vanished(self) -> Iterator[str]:
        """Yield the notes that are gone though nobody deleted, moved or put them away."""
        root = self._run.workspace.vault.root
        files = [path for path in root.rglob("*") if path.is_file()]
        here = {str(path.relative_to(root)) for path in files if is_note_name(path.name)}
        if self._turns == 0:
            gone = self._known.get(root, set()) - here - {path for at, path in self._explained if at == root}
            yield from (f"{path} has vanished" for path in sorted(gone))
        self._known[root], self._turns = here, 0
        self._explained.clear()


def measured() -> str:
    """Return in a line what the program takes: memory, threads, descriptors, objects are not counted here."""
    process = psutil.Process()
    return (
        f"{process.memory_info().rss >> 20} MiB, {threading.active_count()} threads, {process.num_fds()} descriptors, "
        f"{len(process.children(recursive=True))} processes"
    )


def tell(what: str) -> None:
    """Say something on standard error: with -s it outlives a program that is ended by a fault of its own."""
    sys.stderr.write(f"{what}\n")


def _text(place: Path) -> bytes | None:
    try:
        return place.read_bytes()
    except OSError:
        return None


def _left_behind(root: Path) -> Iterator[str]:
    yield from (f"left behind: {path}" for path in root.rglob("*") if is_temporary(path.name))


def _broken(run: Any) -> Iterator[str]:
    tabs, window = run.workspace.tabs.paths, run.window
    if len(set(tabs)) != len(tabs):
        yield f"a note has two tabs: {tabs}"
    if len(tabs) == 1:
        yield f"a single tab is shown: {tabs}"
    if len(window.central.notification_bar.cards) > MOST_NOTICES:
        yield "the notices pile up"
    if not window.isVisible():
        yield "the window is gone"
    if threading.active_count() > MOST_THREADS:
        yield f"there are too many threads: {[one.name for one in threading.enumerate()]}"
    if len(os.listdir("/proc/self/task")) > 4 * MOST_THREADS:  # noqa: PTH208 - much quicker
        yield "there are too many threads that Python does not know"


def _at_odds(run: Any) -> Iterator[str]:
    workspace, central = run.workspace, run.window.central
    editor, note, remembered = central.editor, workspace.notes.current, workspace.state.note
    if note is not None and remembered != note.place.path:
        yield f"{note.place.path} is shown and {remembered} is remembered"
    if central.editing and not editor.path:
        yield "the editor is in view without a note"
    elif not editor.flush():
        yield f"{editor.path} is not saved ({editor.state.kind})"
    elif central.editing and editor.state.safe and editor.state.kind != "locked":
        place = workspace.vault.root / editor.path
        if not place.exists() or workspace.vault.read(editor.path).text != editor.source.raw():
            held = place.read_text("utf-8") if place.exists() else None
            yield f"{editor.path} is not what the editor shows: {editor.source.raw()!r}, but {held!r}"
    if len(psutil.Process().children(recursive=True)) > MOST_PROCESSES:
        yield "there are too many processes"
