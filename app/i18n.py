"""The interface in two languages: each visible sentence is written as a pair at the place where it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtGui import QKeySequence

Language: TypeAlias = Literal["zh", "en"]


class Translator(QObject):
    """Gives the sentence in the language of the interface; `changed` tells widgets to word themselves again."""

    changed = Signal()

    def __init__(self, language: Language | None = None, parent: QObject | None = None) -> None:
        """Take the system's language where none is given."""
        super().__init__(parent)
        self._language: Language = language or system_language()
        self._keys: Mapping[str, tuple[str, ...]] = {}
        self._qt = QTranslator(self)
        self._have_qt_speak()

    @property
    def language(self) -> Language:
        """The interface language, zh or en."""
        return self._language

    def switch(self, language: Language) -> None:
        """Speak the other language from now on."""
        if language != self._language:
            self._language = language
            self._have_qt_speak()
            self.changed.emit()

    @property
    def keys(self) -> Mapping[str, tuple[str, ...]]:
        """The commands that have other keys than they came with, by name."""
        return self._keys

    def rebind(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        """Name these keys from now on."""
        if keys != self._keys:
            self._keys = keys
            self.changed.emit()

    def key(self, command: str, natural: str) -> str:
        """Return a command's first key as the platform writes it; "" where it has none. Its own is the natural one."""
        return first_of(self._keys.get(command, (natural,)))

    def with_key(self, sentence: str, command: str, natural: str) -> str:
        """Return a tooltip with the key that does the same."""
        key = self.key(command, natural)
        return f"{sentence}  ({key})" if key else sentence

    def __call__(self, zh: str, en: str) -> str:
        """Return the one of the pair that is in the interface language."""
        return zh if self._language == "zh" else en

    def _have_qt_speak(self) -> None:
        """Have Qt's own words, as on the buttons of its dialogs and in the menus of its fields, in the language too."""
        if QCoreApplication.instance() is None:  # nothing that could speak
            return
        if self._language == "en":  # as it speaks by itself
            QCoreApplication.removeTranslator(self._qt)
        elif self._qt.load("qtbase_zh_CN", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            QCoreApplication.installTranslator(self._qt)


def first_of(keys: Sequence[str]) -> str:
    """Return the first of some keys as the platform writes it; "" where there is none."""
    return QKeySequence(keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if keys else ""


def system_language() -> Language:
    """Return zh where the system speaks Chinese, else en."""
    return "zh" if QLocale.system().language() == QLocale.Language.Chinese else "en"
