"""What can go wrong with snippets, each with a sentence a user can act on, in both languages."""

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
    """The root of the tree. `str(error)` is the English sentence."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.en = en
        self.zh = zh

    def sentence(self, lang: str) -> str:
        """Return the sentence in "zh" or "en"."""
        return self.zh if lang == "zh" else self.en

    def __reduce__(self) -> tuple[type[SnippetError], tuple[str, str]]:
        """Let an error travel between processes with both of its sentences."""
        return type(self), (self.en, self.zh)


class UnknownSnippet(SnippetError):
    """No snippet has this name."""


class UnknownDevice(SnippetError):
    """The device's id is of no known form."""


class UnknownInterpreter(SnippetError):
    """The path does not lead to a Python that answers."""


class BadSnippet(SnippetError):
    """The snippet's file or options cannot be read as what they should be."""


class BadOption(SnippetError):
    """An option of a run cannot be read as what it should be."""


class LedgerFailed(SnippetError):
    """The record of runs cannot be read or written."""


class RunnerFailed(SnippetError):
    """The supervisor cannot be started or does not answer."""
