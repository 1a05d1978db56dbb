"""What went wrong, as the command line says it, and the exit code that says it to other programs."""

from __future__ import annotations

import os

import typer

from kb.errors import KbError, NoteMissing, SaveFailed, VaultMissing
from snippets.errors import BadOption, SnippetError, UnknownDevice, UnknownInterpreter, UnknownSnippet

FAILED, USAGE = 1, 2
BAD_NAMES = (VaultMissing, NoteMissing, UnknownSnippet, UnknownDevice, UnknownInterpreter, BadOption)


class BadUsage(typer.TyperException):
    """A command line that asks for what cannot be."""

    exit_code = USAGE


def wrong_usage(error: Exception) -> bool:
    """Tell whether the command line itself was not understood."""
    return isinstance(error, typer.TyperException)


def sentence(error: Exception) -> tuple[str, int]:
    """Return what is said of an error, and the exit code."""
    if isinstance(error, typer.TyperException):
        return error.format_message(), error.exit_code
    if isinstance(error, SaveFailed):  # its own words are for somebody who has the text before them
        return f"{error.path} could not be written: {error.reason}. Mend that, or write elsewhere.", FAILED
    if isinstance(error, (KbError, SnippetError)):
        return str(error), USAGE if isinstance(error, BAD_NAMES) else FAILED
    if isinstance(error, OSError) and error.strerror:
        what = os.fsdecode(error.filename) if error.filename else "What is read or written"
        return f"{what} cannot be used: {error.strerror}.", FAILED
    return f"Something unforeseen: {type(error).__name__}: {error} (--debug shows where).", FAILED
