"""Errors on the command line: the sentence that is printed, and the exit code."""

from __future__ import annotations

import os

import typer

from kb.errors import KbError, NoteMissing, SaveFailed, VaultMissing
from snippets.errors import BadOption, SnippetError, UnknownDevice, UnknownInterpreter, UnknownSnippet

FAILED, USAGE = 1, 2
BAD_NAMES = (VaultMissing, NoteMissing, UnknownSnippet, UnknownDevice, UnknownInterpreter, BadOption)


class BadUsage(typer.TyperException):
    """A combination of arguments that makes no sense; the exit code is 2."""

    exit_code = USAGE


def wrong_usage(error: Exception) -> bool:
    """Return whether an error means that the command line could not be parsed."""
    return isinstance(error, typer.TyperException)


def sentence(error: Exception) -> tuple[str, int]:
    """Return the sentence for an error, and the exit code."""
    if isinstance(error, typer.TyperException):
        return error.format_message(), error.exit_code
    if isinstance(error, SaveFailed):  # its own sentence is meant for the editor, which still holds the text
        return f"{error.path} could not be written: {error.reason}. Mend that, or write elsewhere.", FAILED
    if isinstance(error, (KbError, SnippetError)):
        return str(error), USAGE if isinstance(error, BAD_NAMES) else FAILED
    if isinstance(error, OSError) and error.strerror:
        what = os.fsdecode(error.filename) if error.filename else "What is read or written"
        return f"{what} cannot be used: {error.strerror}.", FAILED
    return f"Something unforeseen: {type(error).__name__}: {error} (--debug shows where).", FAILED
