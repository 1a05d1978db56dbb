"""A change of several files as one step: applied as a whole or not at all, and undone as one step."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from kb.errors import KbError
from kb.notes.note import Note
from kb.vault.vault import Vault


@dataclass(frozen=True)
class NewText:
    """A note's new text; `expected` is the hash of the file that it replaces."""

    path: str
    text: str
    expected: str


@dataclass(frozen=True)
class Transaction:
    """Files that get another path, then notes that get another text, named by their new paths."""

    moves: tuple[tuple[str, str], ...] = ()
    texts: tuple[NewText, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        """Every path whose file changes."""
        return frozenset(path for move in self.moves for path in move) | {one.path for one in self.texts}


@dataclass(frozen=True)
class AppliedTransaction:
    """An applied step: `back` undoes it, `left` are notes that were edited since and stayed as they are."""

    back: Transaction
    left: tuple[str, ...] = ()


def apply(vault: Vault, step: Transaction) -> AppliedTransaction:
    """Apply a step as a whole. If one file fails, the ones before it are restored and its error is raised."""
    moved: list[tuple[str, str]] = []
    before: list[tuple[Note, Note]] = []
    try:
        for old, new in step.moves:
            vault.rename(old, new)
            moved.append((old, new))
        before.extend((vault.read(one.path), _written(vault, one)) for one in step.texts)
    except KbError:
        _go_back(vault, moved, before)
        raise
    return AppliedTransaction(_reverse(moved, before))


def revert(vault: Vault, step: Transaction) -> AppliedTransaction:
    """Undo a step as far as possible: a note that was edited since keeps its text and is reported."""
    sound = tuple(one for one in step.texts if _is(vault, _former(step, one.path), one.expected))
    left = tuple(one.path for one in step.texts if one not in sound)
    return AppliedTransaction(apply(vault, Transaction(step.moves, sound)).back, left)


def _former(step: Transaction, path: str) -> str:
    """Return the path of a file before the moves of a step."""
    return next((old for old, new in step.moves if new == path), path)


def _is(vault: Vault, path: str, expected: str) -> bool:
    try:
        return vault.read(path).hash == expected
    except KbError:
        return False


def _written(vault: Vault, one: NewText) -> Note:
    return vault.save(one.path, one.text, expected_hash=one.expected)


def _reverse(moved: list[tuple[str, str]], before: list[tuple[Note, Note]]) -> Transaction:
    home = {new: old for old, new in moved}
    texts = (NewText(home.get(old.path, old.path), old.text, new.hash) for old, new in before)
    return Transaction(tuple((new, old) for old, new in reversed(moved)), tuple(texts))


def _go_back(vault: Vault, moved: list[tuple[str, str]], before: list[tuple[Note, Note]]) -> None:
    for note, new in reversed(before):
        with contextlib.suppress(KbError):  # do not overwrite what another program wrote meanwhile
            vault.save(note.path, note.text, form=note.form, expected_hash=new.hash)
    for old, there in reversed(moved):
        with contextlib.suppress(KbError):
            vault.rename(there, old)
