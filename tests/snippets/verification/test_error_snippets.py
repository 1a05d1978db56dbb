"""The snippets of the error index: each provokes the error that its section quotes, as the pinned torch words it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.notes.note import Note, parse
from kb.vault.vault import SHIPPED_NOTES
from snippets.model.catalog import LIBRARY, catalog

SNIPPETS = {name: made for name, made in catalog(LIBRARY).snippets.items() if name.startswith("error_")}
NOTES = [
    parse(path.name, path.read_bytes())
    for path in sorted(SHIPPED_NOTES.glob("errors/*.en.md"))
    if path.name != "index.en.md"
]
# Which sentence comes depends on the build of torch; these check it themselves and raise nothing.
BY_BUILD = {"error_no_cuda", "error_no_nccl"}


def quoted(note: Note, line: int) -> list[str]:
    """Return the messages in the section of a line of a note."""
    (section,) = (one for one in note.sections if one.line <= line <= one.end_line)
    return [fence.code for fence in note.fences if section.line <= fence.line <= section.end_line]


def where(name: str) -> tuple[Note, int]:
    """Find the note and the line at which a snippet is attached."""
    (found,) = (
        (note, link.line) for note in NOTES for link in note.links if link.kind == "snippet" and link.target == name
    )
    return found


def pattern(recorded: str) -> re.Pattern[str]:
    """Return a pattern for a recorded line: ... matches anything, several spaces match one."""
    return re.compile(".*".join(re.escape(" ".join(piece.split())) for piece in recorded.split("...")))


def test_every_error_is_raised() -> None:
    """What a snippet shows is an exception that ends it, but where the build decides."""
    assert len(SNIPPETS) >= 40
    assert {name for name, snippet in SNIPPETS.items() if snippet.raises is None} == BY_BUILD


@pytest.mark.parametrize("name", sorted(set(SNIPPETS) - BY_BUILD))
def test_the_section_quotes_what_the_snippet_raises(name: str) -> None:
    """The section contains the last recorded line literally."""
    last = SNIPPETS[name].recorded[""].rstrip().splitlines()[-1]
    assert Path(SNIPPETS[name].path or "").stem == name
    texts = [" ".join(text.split()) for text in quoted(*where(name))]
    assert any(pattern(last).search(text) for text in texts), (last, texts)
