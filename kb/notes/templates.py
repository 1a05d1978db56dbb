"""Templates for new notes: the notes in `templates/` of a vault, with placeholders."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

from kb.lazy_regex import expression
from kb.notes.language import split_name
from kb.notes.note_listing import NoteEntry

FOLDER = "templates"
_PLACE = expression(r"\{\{[ \t]*(title|date|time)[ \t]*\}\}", re.IGNORECASE)


def is_template(entry: NoteEntry) -> bool:
    """Return whether a note is a template."""
    return f"{entry.folder}/".startswith(f"{FOLDER}/")


def templates(entries: Iterable[NoteEntry]) -> tuple[NoteEntry, ...]:
    """Return the notes that are templates."""
    return tuple(entry for entry in entries if is_template(entry))


def file_for(template: NoteEntry, path: str) -> str:
    """Return the file of a template in the language of a new note's path, otherwise its first file."""
    wanted = split_name(path)[1] or ""
    return template.paths.get(wanted) or next(iter(template.paths.values()))


def filled(text: str, path: str, now: dt.datetime) -> str:
    """Return a template's text with {{title}} replaced by the name in a path, and {{date}} and {{time}} by `now`."""
    values = {
        "title": split_name(path)[0].rpartition("/")[2],
        "date": now.date().isoformat(),
        "time": now.strftime("%H:%M"),
    }
    return _PLACE.sub(lambda match: values[match[1].lower()], text)
