"""The error index: a message that somebody pastes leads to the section about it, and from there to the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from kb.index.index_update import update_index
from kb.markdown.sections import Section
from kb.notes.link_resolver import joined
from kb.notes.note import Note, parse
from kb.search.related import explain
from kb.search.searcher import Searcher
from kb.vault.vault import SHIPPED_NOTES, Vault

RAISED = re.compile(r"^[\w.]+Error: ", re.MULTILINE)  # a run does not fail by a warning, nor by an assertion alone
TOP = 3  # hits that are seen at once
FAMILIES = sorted(
    path.name.removesuffix(".en.md")
    for path in SHIPPED_NOTES.glob("errors/*.en.md")
    if not path.name.startswith("index.")
)
TRACEBACK = """Traceback (most recent call last):
  File "/home/li/project/train.py", line 118, in <module>
    main()
  File "/home/li/project/train.py", line 96, in main
    step(model, batch)
  File "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1773, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
{message}
"""


@dataclass(frozen=True)
class Entry:
    """A section: the messages in it, and the places (path, anchor) where it and its other language are or lead to."""

    heading: str
    messages: tuple[str, ...]
    places: frozenset[tuple[str, str]]


def shipped(path: str) -> Note:
    """Read a shipped note."""
    return parse(path, (SHIPPED_NOTES / path).read_bytes())


def linked(note: Note, section: Section) -> Iterator[tuple[str, str]]:
    """Yield the places that the links to notes in a section mean."""
    for link in note.links:
        if link.kind == "wiki" and section.line <= link.line <= section.end_line:
            key = joined("", link.target)[0]
            yield f"{key}.{note.lang}.md", link.anchor


def entries(family: str) -> Iterator[Entry]:
    """Yield the sections of a note of the index, each with what its other language leads to."""
    en, zh = (shipped(f"errors/{family}.{lang}.md") for lang in ("en", "zh"))
    for section, other in zip(en.sections, zh.sections, strict=True):
        if section.level == 2:
            messages = tuple(f.code.strip() for f in en.fences if section.line <= f.line <= section.end_line)
            own = {(en.path, section.anchor), (zh.path, other.anchor)}
            yield Entry(section.heading, messages, frozenset({*own, *linked(en, section), *linked(zh, other)}))


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    """Search all the shipped notes."""
    vault, folder = Vault.open(SHIPPED_NOTES), tmp_path_factory.mktemp("errors") / "index"
    update_index(vault, folder)
    made = Searcher(folder, vault.root)
    yield made
    made.close()


def test_the_index_is_there() -> None:
    """It has some dozens of messages in several families, and no section without one."""
    messages = [message for family in FAMILIES for entry in entries(family) for message in entry.messages]
    assert len(FAMILIES) >= 6
    assert len(messages) >= 80
    assert all(entry.messages for family in FAMILIES for entry in entries(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_section_leads_to_its_reason(family: str) -> None:
    """Each section links to a section of another note, which is there in both languages."""
    for entry in entries(family):
        others = {place for place in entry.places if not place[0].startswith("errors/")}
        assert {path.split(".")[-2] for path, _ in others} == {"en", "zh"}, entry.heading
        for path, anchor in others:
            assert anchor in {section.anchor for section in shipped(path).sections if section.level > 1}, (path, anchor)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_pasted_traceback_finds_its_section(searcher: Searcher, family: str) -> None:
    """Each message as torch says it now or said it once, below a traceback or alone, is answered by the first hits."""
    for entry in entries(family):
        for message in entry.messages:
            for pasted in (message, TRACEBACK.format(message=message)):
                hits = searcher.search(pasted, limit=TOP).hits
                assert entry.places & {(hit.path, hit.anchor) for hit in hits}, (pasted, [hit.heading for hit in hits])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_failed_run_finds_its_section(searcher: Searcher, family: str) -> None:
    """What a program printed before it ended with an error is explained too, in the language that is read."""
    for entry in entries(family):
        for message in filter(RAISED.search, entry.messages):
            output = "epoch 1: loss 0.31\n" + TRACEBACK.format(message=message)
            for lang in ("en", "zh"):
                hits = explain(searcher, output, lang=lang, limit=TOP)
                assert entry.places & {(hit.path, hit.anchor) for hit in hits}, (message, lang, hits)
