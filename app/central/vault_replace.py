"""Find and replace in all notes of a vault: the matches, line by line, and the transaction that replaces them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from app.editor.text_search import SearchPattern, TextMatch, find_all
from kb.errors import KbError
from kb.files.encoding import restore_line_ends
from kb.markdown.lines import split_lines
from kb.notes.note import Note
from kb.vault.transaction import NewText, Transaction
from kb.vault.vault import Vault

MOST = 2000  # listed matches
SECONDS = 1.0  # for one note
_CONTEXT = 60  # characters of a line that are shown before a match


@dataclass(frozen=True)
class ReplaceMatch:
    """One match: its note, line (1-based), and text: before it, the match, its replacement, after it."""

    path: str
    line: int
    before: str
    found: str
    instead: str
    after: str


@dataclass(frozen=True)
class NoteMatches:
    """The matches in one note; `slow`: the search was given up after `SECONDS`."""

    note: Note
    matches: tuple[TextMatch, ...]
    spots: tuple[ReplaceMatch, ...]
    slow: bool = False


def find(vault: Vault, needle: SearchPattern, replacement: str, stopped: Callable[[], bool]) -> Iterator[NoteMatches]:
    """Yield the notes with matches in the vault's order, until `stopped` returns True or `MOST` matches are listed.

    Notes that cannot be read, or not written back without loss, are left out.
    """
    listed = 0
    for path in vault.files():
        if stopped() or listed >= MOST:
            return
        try:
            note = vault.read(path)
        except KbError:
            continue
        if note.form.lossless and (found := _in(note, needle, replacement, MOST - listed)) is not None:
            listed += len(found.matches)
            yield found


def wrong(needle: SearchPattern) -> str:
    """Return what is wrong with a pattern, in the words of the regex engine; empty if nothing is."""
    return find_all("", needle).wrong


def step(found: Sequence[NoteMatches], chosen: Collection[tuple[str, int]]) -> Transaction:
    """Return the transaction that replaces the chosen matches, each given by path and number (0-based)."""
    texts = []
    for one in found:
        taken = [match for at, match in enumerate(one.matches) if (one.note.path, at) in chosen]
        if taken:
            text = restore_line_ends(one.note.text, _replaced(_plain(one.note), taken))
            texts.append(NewText(one.note.path, text, one.note.hash))
    return Transaction(texts=tuple(texts))


def _in(note: Note, needle: SearchPattern, replacement: str, most: int) -> NoteMatches | None:
    text = _plain(note)
    found = find_all(text, needle, replacement=replacement, most=most, seconds=SECONDS)
    if not found.matches and not found.slow:
        return None
    return NoteMatches(note, found.matches, tuple(_spots(note.path, text, found.matches)), found.slow)


def _plain(note: Note) -> str:
    return "\n".join(split_lines(note.text))


def _spots(path: str, text: str, matches: Sequence[TextMatch]) -> Iterator[ReplaceMatch]:
    """Yield what is shown of each match; positions are UTF-16 units, as Qt counts them."""
    halves = text.encode("utf-16-le", "surrogatepass")
    line, counted = 1, 0
    for match in matches:
        line += _text(halves, counted, match.start).count("\n")
        counted = match.start
        start = halves.rfind(b"\n\0", 0, match.start * 2)
        while start > 0 and start % 2:  # bytes of two different characters
            start = halves.rfind(b"\n\0", 0, start)
        before = _text(halves, (start + 2) // 2 if start >= 0 else 0, match.start)
        after = _text(halves, match.end, min(len(halves) // 2, match.end + 4 * _CONTEXT)).split("\n")[0]
        shown = f"…{before[-_CONTEXT:]}" if len(before) > _CONTEXT else before.lstrip()
        yield ReplaceMatch(path, line, shown, _text(halves, match.start, match.end), match.replacement, after)


def _text(halves: bytes, start: int, end: int) -> str:
    return halves[start * 2 : end * 2].decode("utf-16-le", "surrogatepass")


def _replaced(text: str, matches: Sequence[TextMatch]) -> str:
    halves, parts, place = text.encode("utf-16-le", "surrogatepass"), [], 0
    for match in matches:
        parts += [_text(halves, place, match.start), match.replacement]
        place = match.end
    return "".join([*parts, _text(halves, place, len(halves) // 2)])
