"""A change of several files as one step: applied as a whole or not at all, and undone as one step."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass

from kb.errors import KbError
from kb.files.atomic import is_half_moved
from kb.notes.note import Note, parse
from kb.vault.journal import end_journal, journal_held, read_journal, write_journal
from kb.vault.vault import Vault

_SEVERAL = 2  # files


@dataclass(frozen=True)
class NewText:
    """A note's new text; `expected` is the hash of the file that it replaces.

    With `data` the file gets exactly these bytes (an undo), else the text is written in the file's own encoding.
    """

    path: str
    text: str
    expected: str
    data: bytes | None = None


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
    """Apply a step as a whole. If one file fails, the ones before it are restored and its error is raised.

    A step of several files is in the journal meanwhile, so that `finish` completes it if the program is killed.
    """
    if len(step.moves) + len(step.texts) < _SEVERAL:
        return _apply(vault, step)
    with journal_held(vault.journal, wait=True) as taken:
        if not taken:
            raise KbError(
                "Another window is changing files of this vault; try again when it is done.",
                "另一个窗口正在改动这个笔记库的文件；请稍后重试。",
            )
        _finish(vault)  # of a window that was killed since this one started
        write_journal(vault.journal, step, (vault.data(_former(step, one.path)) for one in step.texts))
        return _apply(vault, step, end=lambda: end_journal(vault.journal))


def _apply(vault: Vault, step: Transaction, *, end: Callable[[], object] = lambda: None) -> AppliedTransaction:
    """Apply a step; `end` is called when it is complete or taken back."""
    moved: list[tuple[str, str]] = []
    before: list[_Written] = []
    try:
        for old, new in step.moves:
            vault.rename(old, new)
            moved.append((old, new))
        before.extend(_written(vault, one) for one in step.texts)
    except KbError:
        _go_back(vault, moved, before)
        end()
        raise
    end()
    return AppliedTransaction(_reverse(moved, before))


def finish(vault: Vault) -> AppliedTransaction | None:
    """Finish a step that was interrupted by the end of its program; None if there is none.

    A file that another program changed since is left as it is. Raises SaveFailed.
    """
    with journal_held(vault.journal, wait=False) as taken:
        return _finish(vault) if taken else None


def _finish(vault: Vault) -> AppliedTransaction | None:
    document = read_journal(vault.journal)
    if document is None:
        return None
    moved: list[tuple[str, str]] = []
    texts: list[NewText] = []
    left: list[str] = []
    for old, new in document["moves"]:
        moved += [(old, new)] if _finish_move(vault, old, new) else []
    home = {new: old for old, new in moved}
    for one in document["texts"]:
        path = one["path"]
        try:
            note = vault.read(path)
            if note.text != one["text"]:
                note = _save(vault, NewText(path, one["text"], one["expected"], one["data"]))
            texts.append(_back(home.get(path, path), one["before"], note.hash))
        except KbError:
            left.append(path)
    left += [new for old, new in document["moves"] if (old, new) not in moved]
    end_journal(vault.journal)
    back = Transaction(tuple((new, old) for old, new in reversed(moved)), tuple(texts))
    return AppliedTransaction(back, tuple(left))


def _finish_move(vault: Vault, old: str, new: str) -> bool:
    """Return whether a file has its new path, now or before."""
    try:
        source, target = vault.inside(old), vault.inside(new)
        if os.path.lexists(source) and os.path.lexists(target) and is_half_moved(source, target):
            source.unlink()
        if os.path.lexists(source):
            vault.rename(old, new)
        return os.path.lexists(target)
    except (KbError, OSError):
        return False


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


@dataclass(frozen=True)
class _Written:
    """A note that a step has written, and the bytes that its file had before."""

    note: Note
    before: bytes


def _written(vault: Vault, one: NewText) -> _Written:
    before = vault.data(one.path)
    return _Written(_save(vault, one), before)


def _save(vault: Vault, one: NewText) -> Note:
    if one.data is not None:
        return vault.restore(one.path, one.data, expected_hash=one.expected)
    return vault.save(one.path, one.text, expected_hash=one.expected)


def _back(path: str, data: bytes, expected: str) -> NewText:
    return NewText(path, parse(path, data).text, expected, data)


def _reverse(moved: list[tuple[str, str]], written: list[_Written]) -> Transaction:
    home = {new: old for old, new in moved}
    texts = (_back(home.get(one.note.path, one.note.path), one.before, one.note.hash) for one in written)
    return Transaction(tuple((new, old) for old, new in reversed(moved)), tuple(texts))


def _go_back(vault: Vault, moved: list[tuple[str, str]], written: list[_Written]) -> None:
    for one in reversed(written):
        with contextlib.suppress(KbError):  # do not overwrite what another program wrote meanwhile
            vault.restore(one.note.path, one.before, expected_hash=one.note.hash)
    for old, there in reversed(moved):
        with contextlib.suppress(KbError):
            vault.rename(there, old)
