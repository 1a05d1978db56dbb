"""Where other notes link to a note, each with the words around the link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb.errors import KbError
from kb.lazy_regex import expression
from kb.markdown.lines import split_lines
from kb.markdown.sections import plain_heading
from kb.notes.note_listing import NoteEntry
from kb.vault.vault import Vault

MOST = 60  # notes that are looked into
BEFORE = 18  # characters shown before the words of a link
_LEADING = expression(r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?")
_LONGEST = 300  # characters of a line


@dataclass(frozen=True)
class Backlink:
    """A link to a note: the file and the line where it stands, that line as plain text, and the part to be shown."""

    path: str
    line: int
    text: str
    excerpt: str


def citations(
    vault: Vault, entry: NoteEntry, linking: Iterable[NoteEntry], *, language: str
) -> dict[str, tuple[Backlink, ...]]:
    """Return the links to an entry by the key of the note that they stand in, each line once; it reads these notes.

    Of a note in two languages the file in `language` is taken, if the link stands there.
    """
    found: dict[str, tuple[Backlink, ...]] = {}
    for one in list(linking)[:MOST]:
        paths = sorted(one.paths.items(), key=lambda item: item[0] != language)
        each = (tuple(_in_note(vault, entry, path)) for _, path in paths)
        if there := next((cited for cited in each if cited), ()):
            found[one.key] = there
    return found


def _in_note(vault: Vault, entry: NoteEntry, path: str) -> Iterator[Backlink]:
    try:
        note = vault.read(path)
    except KbError:
        return
    lines, wanted, seen = split_lines(note.text), set(entry.paths.values()), set[int]()
    for link in note.links:
        if link.kind not in {"wiki", "note"} or link.line in seen:
            continue
        if vault.resolve_link(path, link.target) not in wanted:
            continue
        seen.add(link.line)
        text = plain_heading(_LEADING.sub("", lines[link.line - 1])[:_LONGEST]).strip(" |")
        yield Backlink(path, link.line, text, _around(text, link.label))


def _around(text: str, label: str) -> str:
    """Return the part of a line that begins a little before the words of a link."""
    at = text.find(label)
    if at <= BEFORE:
        return text
    start = text.find(" ", at - BEFORE, at) + 1 or at - BEFORE
    return f"…{text[start:]}"
