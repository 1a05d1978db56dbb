"""Extracts from a note what the index holds of it: one document for each section."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from kb.analysis.pinyin import spelled
from kb.errors import NoteMissing, NotText, OutsideVault
from kb.files.tree import read_regular
from kb.index.facets import facets, looks
from kb.markdown.plain_text import SectionText, section_text
from kb.markdown.sections import Section
from kb.notes.note import Note, hash_of, parse
from kb.vault.vault import Vault

LONGEST = 200_000  # characters of a section that are stored for the excerpt
_MOST_BYTES = 1 << 24  # of a note; more would take gigabytes of memory
_CUT = "it is larger than 16 MiB; what comes after that is not searched"
_PAGE = 4000  # characters; most sections are shorter


@dataclass(frozen=True)
class ExtractedNote:
    """The result of extracting a file.

    `hash` is the hash of the bytes whose sections were added, if any were; they replace the earlier ones. `gone`: the
    file must no longer be found. `skipped` says why it was not read.
    """

    path: str
    hash: str = ""
    gone: bool = False
    skipped: str = ""


class DocumentExtractor:
    """Passes the documents of notes to `add`. `size` counts sections, plus one per 4000 characters."""

    def __init__(self, vault: Vault, add: Callable[..., None]) -> None:
        self._vault = vault
        self._add = add
        self.size = 0

    def extract(self, path: str, known: str | None) -> ExtractedNote:
        """Add the sections of a file, unless their hash is `known`."""
        try:
            place = self._vault.inside(path)
            data = read_regular(place, path, most=_MOST_BYTES + 1)
            cut = len(data) > _MOST_BYTES
            if cut:
                data = data[: data.rfind(b"\n", 0, _MOST_BYTES) + 1 or _MOST_BYTES]
            if known is not None and known == hash_of(data):
                return ExtractedNote(path, skipped=_CUT if cut else "")
            note, modified = parse(path, data), _time_of(place)
        except (NoteMissing, OutsideVault):
            return ExtractedNote(path, gone=True)
        except NotText as error:
            return ExtractedNote(path, gone=True, skipped=str(error))
        except OSError as error:  # it may be readable again later: keep what is indexed
            return ExtractedNote(path, skipped=f"it cannot be read: {error.strerror or error}")
        for document in documents(note, modified):
            self._add(**document)
            self.size += 1 + len(str(document["body"])) // _PAGE
        return ExtractedNote(path, note.hash, skipped=_CUT if cut else "")


def _time_of(place: Path) -> str:
    """Return when a file was modified, in ISO 8601, local time, to the second; "" if unknown."""
    try:
        return datetime.fromtimestamp(place.stat().st_mtime).isoformat(timespec="seconds")  # noqa: DTZ006
    except (OSError, OverflowError, ValueError):  # the file is gone, or its date is out of range
        return ""


def documents(note: Note, modified: str = "") -> Iterator[dict[str, object]]:
    """Yield the document of each section of a note; `modified` is the time of `_time_of`."""
    for section, holds in zip(note.sections, facets(note), strict=True):
        pieces = section_text(note.scanned, section)
        if pieces.text or section.level or len(note.sections) == 1:
            yield {
                **_document(note, section, pieces),
                "facet": [*holds, *looks(pieces.written)],
                "modified": [modified] if modified else [],
            }


def _document(note: Note, section: Section, pieces: SectionText) -> dict[str, object]:
    above = section.trail if note.title in section.trail[:1] else (note.title, *section.trail)
    # Only the first two sections have the pinyin of the note's names.
    named = (note.title, *note.meta.tags, *note.meta.aliases) if section in note.sections[:2] else ()
    stem = re.sub(r"\.[^./]+$", "", note.path)
    return {
        "file": [f"{note.hash}/{note.path}"],
        "lang": [note.lang],
        "tag": [tag.lower() for tag in note.meta.tags],
        "alias": [f"{alias}\t{note.title}" for alias in note.meta.aliases],
        "heading": section.heading,
        "sound": list(dict.fromkeys(spelled("\n".join((section.heading, *named))))),
        "trail": " / ".join((*above, *note.meta.tags, *note.meta.aliases, stem)),
        "body": f"{pieces.prose}\n{pieces.blocks}",
        "code": " ".join({*pieces.blocks.split(), *pieces.inline.split()}),  # how often does not matter
        "path": note.path,
        "title": section.heading,
        "line": section.line,
        "anchor": section.anchor,
        "language": note.lang,
        "note": note.title,
        "above": section.trail,
        "text": pieces.text[:LONGEST],
    }
