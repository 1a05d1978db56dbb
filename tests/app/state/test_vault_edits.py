"""Changes of a vault: a mention made a link, and the sentences for renamed and moved notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.state.vault_edits import linked_text
from kb.markdown.links import links
from kb.notes.note import parse
from kb.results import Mention


def linked(text: str, line: int = 1, name: str = "gather", target: str = "gather") -> str | None:
    """Return a text with the name in a line made a link."""
    note = parse("note.md", text.encode())
    return linked_text(note, Mention("note.md", "", line, "", name, ""), target)


def test_the_name_becomes_a_link_as_it_is_written() -> None:
    """With a label where the target is another, or the letters are."""
    assert linked("use gather here") == "use [[gather]] here"
    assert linked("use Gather here") == "use [[gather|Gather]] here"
    assert linked("用取值很方便", name="取值", target="tensors/gather") == "用[[tensors/gather|取值]]很方便"


@pytest.mark.parametrize(
    "text",
    ["`gather`", "[gather](x.md)", "[[gather]]", "<https://gather.example>", "```\ngather\n```", "no", "![gather](x)"],
)
def test_where_it_would_be_no_link_nothing_is_done(text: str) -> None:
    """In code, in a link, in an address, or where the name is not."""
    assert linked(text, line=2 if "\n" in text else 1) is None


def test_the_first_place_that_can_be_one_is_taken() -> None:
    """Not the one in code before it."""
    assert linked("`gather` and gather") == "`gather` and [[gather]]"
    assert linked("---\ntags: [x]\n---\nuse gather", line=4) == "---\ntags: [x]\n---\nuse [[gather]]"


def test_names_that_a_link_cannot_hold_are_left() -> None:
    """And lines that are not there."""
    assert linked("a [b] c", name="[b]") is None
    assert linked("gather", target="a|b") is None
    assert linked("gather", line=9) is None


@given(st.text(st.sampled_from("gather `[]()!<>|#*\n  \\"), max_size=60), st.integers(1, 5))
def test_a_link_is_one_more_and_the_text_is_otherwise_the_same(text: str, line: int) -> None:
    """Whatever stands around the name."""
    text = text[:20] + "gather" + text[20:]
    made = linked(text, line=line)
    if made is not None:
        before = parse("note.md", text.encode())
        after = parse("note.md", made.encode())
        assert len(links(after.text)) == len(links(before.text)) + 1
        assert made.replace("[[gather]]", "gather", 1) == before.text or "[[gather]]" in before.text
