"""The errors of this package, each with a sentence in both languages that says what to do."""

from __future__ import annotations

from typing import NamedTuple


class Sentence(NamedTuple):
    """One sentence in English and in Chinese."""

    en: str
    zh: str

    def in_language(self, lang: str) -> str:
        """Return the Chinese sentence for "zh", else the English one."""
        return self.zh if lang == "zh" else self.en


class SnippetError(Exception):
    """Base class of the errors. `str(error)` is the English sentence."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.en = en
        self.zh = zh

    def sentence(self, lang: str) -> str:
        """Return the sentence in "zh" or "en"."""
        return self.zh if lang == "zh" else self.en

    def __reduce__(self) -> tuple[type[SnippetError], tuple[str, str]]:
        """Pickle both sentences."""
        return type(self), (self.en, self.zh)


class UnknownSnippet(SnippetError):
    """No snippet has this name."""


class UnknownDevice(SnippetError):
    """The id of a device has no known form."""


class UnknownInterpreter(SnippetError):
    """The path does not lead to a Python that answers."""


class BadSnippet(SnippetError):
    """The file or the options of a snippet are invalid."""


class BadOption(SnippetError):
    """An option of a run is invalid."""


class LedgerFailed(SnippetError):
    """The ledger cannot be read or written."""


class RunnerFailed(SnippetError):
    """The supervisor cannot be started or does not answer."""
