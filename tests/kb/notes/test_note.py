"""A note read from its bytes."""

from __future__ import annotations

import hashlib
import pickle

import pytest

from kb.errors import NotText
from kb.notes.note import HEAD, parse
from tests.pace import thinking_within

NOTE = "\ufeff---\ntitle: Gather\ntags: [index]\n---\n# 取值\n\n[a](b.md)\n\n```python\nprint(1)\n```\n"


def test_a_note_knows_all_of_itself() -> None:
    """Text, form, hash, front matter, sections, fences and links."""
    data = NOTE.encode()
    note = parse("a/gather.zh.md", data)
    assert note.text == NOTE[1:]
    assert (note.form.encoding, note.form.bom) == ("utf-8", True)
    assert note.hash == hashlib.sha256(data).hexdigest()
    assert (note.title, note.meta.tags, note.lang) == ("Gather", ("index",), "zh")
    assert [section.line for section in note.sections] == [5]
    assert [fence.line for fence in note.fences] == [9]
    assert [link.line for link in note.links] == [7]


@pytest.mark.parametrize(
    ("path", "text", "title", "lang"),
    [
        ("a/gather.en.md", "text", "gather", "en"),
        ("a/gather.md", "text\n\n## **First**\n# Second", "First", "en"),
        ("a.md", "---\nlang: zh\n---\n# English words\n", "English words", "zh"),
        ("a.txt", "显存不足怎么办", "a", "zh"),
        ("templates/meeting.md", "# {{ title }}\n\ntext", "meeting", "en"),
    ],
)
def test_title_and_language(path: str, text: str, title: str, lang: str) -> None:
    """Front matter goes first, then the first heading, if it says something, then the name of the file."""
    note = parse(path, text.encode())
    assert (note.title, note.lang) == (title, lang)


def test_the_title_of_a_long_note_is_the_first_heading_of_its_beginning() -> None:
    """What stands far below is no title, and all of the note is not read for it."""
    note = parse("a.md", ("words\n\n" * 100 + "## First\n\n" + "words\n\n" * HEAD).encode())
    assert note.title == "First"
    assert "scanned" not in vars(note)
    assert parse("a.md", ("words\n\n" * HEAD + "## First\n").encode()).title == "a"
    cut = f"{'x' * (HEAD - 12)}\n\n## A heading that is cut in two\n"
    assert parse("a.md", cut.encode()).title == "a"


def test_what_is_not_text_is_refused_by_name() -> None:
    """The error knows the path."""
    with pytest.raises(NotText, match=r"a\.md"):
        parse("a.md", b"\0" * 9)


def test_a_note_travels_between_processes() -> None:
    """It can be pickled, options and values included."""
    note = parse("a.md", NOTE.encode())
    assert pickle.loads(pickle.dumps(note)) == note


HOSTILE = {
    "spaces": " " * 100_000,
    "spaces in a heading": "# " + " " * 100_000 + "a",
    "brackets": "[" * 50_000,
    "double brackets": "[[a|" * 25_000,
    "closed brackets": "[" * 25_000 + "]" * 25_000,
    "links that never end": "[a](" * 25_000,
    "titles that never end": '[a](b "' * 14_000,
    "backticks of all lengths": "".join("`" * length + " " for length in range(1, 450)),
    "backticks": "`a" * 50_000,
    "stars": "*a **b " * 15_000,
    "tags": "<a " * 20_000,
    "comments": "<!--\n" * 20_000,
    "fences": "```\n" * 25_000,
    "quotes": ">" * 100_000,
    "lists": "".join(" " * (2 * depth) + "- x\n" for depth in range(500)),
    "options": '```python a="' * 10_000,
    "definitions": "[a]: b\n" * 15_000,
    "rules": "---\n" * 25_000,
    "dollars": "$a" * 50_000,
    "addresses": "a+" * 50_000 + "://",
    "dots": "a." * 50_000,
    "a word": "字" * 700_000,
    "carriage returns": "\r" * 100_000,
    "tabs": "\t" * 100_000 + "x",
    "tables": ("|" * 200 + "\n---\n") * 500,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_notes_take_no_time(text: str) -> None:
    """The time is linear in the length: under two seconds each, where a square would take minutes."""
    with thinking_within(2):
        note = parse("a.md", text.encode())
        known = note.sections, note.fences, note.links, note.title, note.lang
    assert all(known[-2:])
