"""Spell-marking in the window: which notes are marked, what is a word in this vault, and the commands about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QMenu

from app.central.central_widget import CentralWidget
from app.editor.dictionary import available
from app.editor.source_menu import SourceMenu
from app.editor.spell_checker import SpellChecker
from app.i18n import Translator
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.widgets.notification import Notification, of_error
from kb.analysis.glossary import SHIPPED, OwnGlossary, things

OWN = "words.txt"  # in the user's data folder, one word in each line


class SpellingCommands:
    """Marks words in the editor as the preferences say, and opens the menu in which they are mended."""

    def __init__(
        self,
        workspace: Workspace,
        centre: CentralWidget,
        words: Translator,
        look: Appearance,
        *,
        table: Callable[[QMenu], object],
    ) -> None:
        """Mark in the editor of `centre`; `table` adds to the menu what can be done with a table."""
        self._workspace, self._editor = workspace, centre.editor
        self._source = centre.editor.source
        self.spelling = SpellChecker(
            self._source, run=workspace.executor.run, lore=self, own=workspace.places.data / OWN, theme=look.theme
        )
        self.menu = SourceMenu(self._source, self.spelling, words, table=table)
        look.changed.connect(self.spelling.set_theme)
        centre.edited.connect(lambda on: self.follow() if on else None)
        self.spelling.failed.connect(lambda error: workspace.noticed.emit(of_error(error, topic="spelling")))

    # what the marks ask

    def wanted(self) -> bool:
        """Tell whether the note in the editor is to be marked: any, one in English, or none."""
        choice = self._workspace.settings_store.preferences.spelling
        return (
            bool(self._editor.path) and available() and (choice == "all" or (choice == "english" and self._english()))
        )

    def names(self) -> Callable[[], Iterable[str]]:
        """Return what gives the names of notes and terms; it reads files."""
        vault, entries = self._workspace.vault, self._workspace.notes.entries

        def found() -> Iterable[str]:
            for entry in entries:
                yield from (*entry.titles.values(), *entry.aliases, *entry.tags, entry.key)
            own = OwnGlossary(vault.root).things() if vault is not None else ()
            for forms in chain(own, things(SHIPPED.read_text(encoding="utf-8"))):
                yield from forms

        return found

    def _english(self) -> bool:
        note = self._workspace.notes.current
        edited = note.note_at(self._editor.path) if note is not None else None
        return edited is not None and edited.lang == "en"

    # what one does

    def follow(self) -> None:
        """Mark as the preferences say by now."""
        if self.wanted() != self.spelling.on:
            self.spelling.refresh()

    def toggle(self) -> None:
        """Mark no words, or those of notes like this one."""
        if not available():
            self._workspace.noticed.emit(Notification(
                "没有拼写词典；装上它：pip install spylls。", "There is no dictionary; pip install spylls brings one.",
                "failed", topic="spelling",
            ))  # fmt: skip
            return
        choice = "off" if self.spelling.on else "english" if self._english() else "all"
        self._workspace.settings_store.set_preference(spelling=choice)
        self.follow()
        told = ("不再标出拼写。", "Spelling is no longer marked.") if choice == "off" else (
            "标出不认识的英文词。", "Unknown English words are marked."
        )  # fmt: skip
        self._workspace.noticed.emit(Notification(*told, "told", topic="spelling", passing=True))

    def next_one(self) -> None:
        """Go to the next marked word and open its menu."""
        self.spelling.next_one(self._on_next)

    def _on_next(self, word: QTextCursor | None) -> None:
        if word is None:
            self._workspace.noticed.emit(Notification(
                "下面没有标出的词。", "No marked word below.", "told", topic="spelling", passing=True
            ))  # fmt: skip
            return
        source = self._source
        source.setTextCursor(word)
        source.ensureCursorVisible()
        place = source.cursorRect().bottomLeft()
        self.menu.open_at(word, source.viewport().mapToGlobal(place), word=word)
