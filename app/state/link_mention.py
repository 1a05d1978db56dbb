"""Making a link of a place where a note is named in plain text."""

from __future__ import annotations

import re

from kb.markdown.lines import split_lines
from kb.markdown.links import Link, links
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.results import Mention
from kb.vault.vault import Vault


def target_for(vault: Vault, entry: NoteEntry, mention: Mention) -> str:
    """Return what a wikilink in the place of the name has to say to mean this note: the name itself, or its key."""
    own = entry.paths.values()
    return mention.name if vault.resolve_link(mention.path, mention.name) in own else entry.key


def linked_text(note: Note, mention: Mention, target: str) -> str | None:
    r"""Return a note's text with the name of a mention made a wikilink, its lines ended by "\n".

    None where that cannot be done without changing anything else: the name is no longer there, or what would be
    written is not read as exactly one link more.
    """
    lines = split_lines(note.text)
    if not 0 < mention.line <= len(lines) or re.search(r"[\[\]|#\n]", mention.name + target):
        return None
    line = lines[mention.line - 1]
    before = links(note.text, note.meta.lines + 1)
    for place in re.finditer(re.escape(mention.name), line, re.IGNORECASE):
        label = place[0]
        written = f"[[{target}]]" if label == target else f"[[{target}|{label}]]"
        lines[mention.line - 1] = line[: place.start()] + written + line[place.end() :]
        text = "\n".join(lines)
        if _is_one_more(before, links(text, note.meta.lines + 1), mention.line, target):
            return text
    return None


def _is_one_more(before: tuple[Link, ...], after: tuple[Link, ...], line: int, target: str) -> bool:
    """Tell whether the links are those of before, and one to the target in this line."""
    known = [(link.kind, link.target, link.anchor, link.label, link.line) for link in before]
    new: list[Link] = []
    for link in after:
        if known and (link.kind, link.target, link.anchor, link.label, link.line) == known[0]:
            known.pop(0)
        else:
            new.append(link)
    return not known and [(link.kind, link.target, link.line) for link in new] == [("wiki", target, line)]
