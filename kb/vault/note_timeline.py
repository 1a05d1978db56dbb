"""The timeline of a note or of one of its sections: versions in which it differs, and putting one of them back."""

from __future__ import annotations

from collections.abc import Iterator

from kb.errors import KbError
from kb.files.encoding import restore_line_ends
from kb.markdown.lines import split_lines
from kb.markdown.sections import Section
from kb.notes.note import Note, parse
from kb.vault.transaction import NewText, Transaction
from kb.vault.vault import Vault
from kb.vault.version_store import Version


def timeline(vault: Vault, path: str, anchor: str = "") -> tuple[Version, ...]:
    """Return the versions of a note, newest first; with an anchor, those in which this section is another text.

    Raises VersionsFailed.
    """
    found = vault.versions.versions(path)
    return tuple(_different(vault, found, anchor)) if anchor else found


def _different(vault: Vault, found: tuple[Version, ...], anchor: str) -> Iterator[Version]:
    """Yield the oldest version with each text of a section, except those in which the section does not exist."""
    texts: list[str | None] = []
    for version in found:
        try:
            texts.append(section_text(_note(vault, version), anchor))
        except KbError:  # damaged
            texts.append(None)
    for version, text, before in zip(found, texts, [*texts[1:], None], strict=True):
        if text is not None and text != before:
            yield version


def text_of(vault: Vault, version: Version, anchor: str = "") -> str:
    """Return the text of a note, or of a section, in a version; "" without the section. Raises VersionsFailed."""
    return part_of(_note(vault, version), anchor)


def part_of(note: Note, anchor: str = "") -> str:
    """Return the text of a note, or of one of its sections, "" without it."""
    return (section_text(note, anchor) or "") if anchor else note.text


def restored(vault: Vault, version: Version, anchor: str = "") -> Transaction:
    """Return the step that puts a version back: the note to the byte, or only a section of it.

    A section that the note no longer has is added at its end. Raises VersionsFailed, NoteMissing, NotText.
    """
    now = vault.read(version.path)
    if not anchor:
        data = vault.versions.data(version)
        return Transaction(texts=(NewText(now.path, parse(now.path, data).text, now.hash, data),))
    old = section_text(_note(vault, version), anchor)
    text = now.text if old is None else with_section(now, anchor, old)
    return Transaction(texts=(NewText(now.path, text, now.hash),))


def section_text(note: Note, anchor: str) -> str | None:
    r"""Return a section with the sections below it, its lines ending in "\n"; None if the note does not have it."""
    lines = split_lines(note.text)
    span = _span(note, anchor)
    return None if span is None else "\n".join(lines[span[0] : span[1]]).rstrip("\n") + "\n"


def with_section(note: Note, anchor: str, text: str) -> str:
    """Return the text of a note with another text for a section, which is added at the end if it is missing."""
    lines = split_lines(note.text)
    first, last = _span(note, anchor) or (len(lines), len(lines))
    above = "\n".join(lines[:first]).rstrip("\n")
    below = "\n".join(lines[last:]).lstrip("\n")
    made = "\n\n".join(part for part in (above, text.rstrip("\n"), below) if part)
    return restore_line_ends(note.text, made if below else f"{made}\n")


def _span(note: Note, anchor: str) -> tuple[int, int] | None:
    """Return the first line (from 0) of a section and the line after its last one, with the sections below it."""
    own = next((number for number, one in enumerate(note.sections) if one.anchor == anchor), None)
    if own is None:
        return None
    head: Section = note.sections[own]
    end = head.end_line
    for one in note.sections[own + 1 :]:
        if one.level <= head.level or not head.level:
            break
        end = one.end_line
    return head.line - 1, end


def _note(vault: Vault, version: Version) -> Note:
    return parse(version.path, vault.versions.data(version))
