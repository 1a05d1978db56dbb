"""The journal of a change of several files: if the program is killed during it, the next start finishes it."""

from __future__ import annotations

import contextlib
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import SaveFailed
from kb.files.atomic import replace_file
from kb.files.locks import held
from kb.files.paths import make_private
from kb.files.tree import read_own

if TYPE_CHECKING:
    from kb.vault.transaction import Transaction

_PATIENCE = 10.0  # seconds to wait for another window that is changing files
_MOST_BYTES = 1 << 30


@contextlib.contextmanager
def journal_held(file: Path | None, *, wait: bool) -> Iterator[bool]:
    """Hold the lock of a journal; yields False if another window kept it. None is a vault without a journal."""
    if file is None:
        yield True
        return
    try:
        make_private(file.parent)
        with held(file.with_suffix(".lock"), patience=_PATIENCE if wait else 0.0) as taken:
            yield taken
    except OSError as error:
        raise SaveFailed(file, error.strerror or str(error)) from error


def write_journal(file: Path | None, step: Transaction, before: Iterable[bytes]) -> None:
    """Write what a step is about to do, and the bytes of each note `before` it. Raises SaveFailed."""
    if file is not None:
        texts = [
            {**asdict(one), "data": _as_text(one.data), "before": _as_text(old)}
            for one, old in zip(step.texts, before, strict=True)
        ]
        replace_file(file, json.dumps({"moves": step.moves, "texts": texts}).encode())


def read_journal(file: Path | None) -> dict[str, Any] | None:
    """Return the document of a change that was interrupted, None if there is none; a damaged file is renamed."""
    if file is None:
        return None
    try:
        document: dict[str, Any] = json.loads(read_own(file, most=_MOST_BYTES))
        for old, new in document["moves"]:
            _check_text(old, new)
        for one in document["texts"]:
            _check_text(*(one[name] for name in ("path", "text", "expected")))
            one["before"] = b64decode(one["before"], validate=True)
            one["data"] = None if one["data"] is None else b64decode(one["data"], validate=True)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        with contextlib.suppress(OSError):
            file.replace(file.with_suffix(".damaged"))
        return None
    return document


def end_journal(file: Path | None) -> None:
    """Delete the journal of a change that is complete. Raises SaveFailed."""
    if file is not None:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise SaveFailed(file, error.strerror or os.strerror(error.errno or 0)) from error


def _as_text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _check_text(*values: object) -> None:
    if not all(isinstance(value, str) for value in values):
        raise TypeError
