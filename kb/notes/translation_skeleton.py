"""The skeleton of a translation: everything in a note that needs no translation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.lazy_regex import expression
from kb.markdown.lines import LineKind, scan
from kb.notes.language import split_name
from kb.notes.note import Note

_OTHER = {"zh": "en", "en": "zh"}
_LANG = expression(r"(lang(?:uage)?\s*:\s*).*")


def other_path(note: Note) -> str:
    """Return the path of a note in its other language: gather.en.md for gather.zh.md; gather.md goes by its text."""
    stem, lang = split_name(note.path)
    suffix = note.path.rpartition(".")[2]
    return f"{stem}.{_OTHER.get(lang or note.lang, 'zh')}.{suffix}"


def skeleton(note: Note) -> str:
    """Return front matter, headings, code and snippets of a note, ready for the prose of the other language.

    Both languages then have the same sections and proofs.
    """
    other = split_name(other_path(note))[1]
    scanned = scan(note.text, note.meta.lines + 1)
    heads = {section.line: section for section in note.sections if section.level}
    begins = {fence.first for fence in scanned.fences}
    ends = {fence.last for fence in scanned.fences}
    alone = {link.line for link in note.links if link.alone and link.kind in {"snippet", "image"}}

    def kept() -> Iterator[str]:
        for number, (line, kind) in enumerate(zip(scanned.lines, scanned.kinds, strict=True), 1):
            if kind is LineKind.META:
                yield _LANG.sub(rf"\g<1>{other}", line)
            elif (section := heads.get(number)) is not None:
                yield from ("", f"{'#' * section.level} {section.raw_heading}", "")
            elif number in alone:
                yield from ("", line, "")
            elif kind in {LineKind.FENCE, LineKind.CODE}:
                yield from ("",) * (number - 1 in begins)
                yield line
                yield from ("",) * (number - 1 in ends)

    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept())).strip("\n") + "\n"
