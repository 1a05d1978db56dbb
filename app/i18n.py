"""The interface in two languages: each text is written as a pair where it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtGui import QKeySequence

Language: TypeAlias = Literal["zh", "en"]


class Translator(QObject):
    """Chooses texts by interface language; on `changed` widgets set their texts again."""

    changed = Signal()

    def __init__(self, language: Language | None = None, parent: QObject | None = None) -> None:
        """Use the system's language if none is given."""
        super().__init__(parent)
        self._language: Language = language or system_language()
        self._keys: Mapping[str, tuple[str, ...]] = {}
        self._qt = QTranslator(self)
        self._translate_qt()

    @property
    def language(self) -> Language:
        """The interface language."""
        return self._language

    def switch(self, language: Language) -> None:
        """Change the interface language."""
        if language != self._language:
            self._language = language
            self._translate_qt()
            self.changed.emit()

    @property
    def keys(self) -> Mapping[str, tuple[str, ...]]:
        """The changed shortcuts by name of the command."""
        return self._keys

    def rebind(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        """Set the changed shortcuts, which tooltips show."""
        if keys != self._keys:
            self._keys = keys
            self.changed.emit()

    def key(self, command: str, natural: str) -> str:
        """Return a command's first shortcut in the platform's notation, "" if it has none; `natural` is the default."""
        return first_of(self._keys.get(command, (natural,)))

    def with_key(self, sentence: str, command: str, natural: str) -> str:
        """Return a tooltip with the shortcut of the command."""
        key = self.key(command, natural)
        return f"{sentence}  ({key})" if key else sentence

    def __call__(self, zh: str, en: str) -> str:
        """Return the text in the interface language."""
        return zh if self._language == "zh" else en

    def _translate_qt(self) -> None:
        """Set the language of Qt's own texts, on buttons of dialogs and in menus of fields."""
        if QCoreApplication.instance() is None:  # no application: no texts of Qt
            return
        if self._language == "en":  # Qt's default
            QCoreApplication.removeTranslator(self._qt)
        elif self._qt.load("qtbase_zh_CN", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            QCoreApplication.installTranslator(self._qt)


def first_of(keys: Sequence[str]) -> str:
    """Return the first shortcut in the platform's notation, "" if there is none."""
    return QKeySequence(keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if keys else ""


def system_language() -> Language:
    """Return "zh" if the system's language is Chinese, else "en"."""
    return "zh" if QLocale.system().language() == QLocale.Language.Chinese else "en"
