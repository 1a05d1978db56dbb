"""Links to a note and mentions of it, as the panel on the right lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.panels.related_panel import BEFORE, citations, one_of_each
from kb.notes.note_listing import NoteEntry
from kb.results import Mention
from kb.vault.vault import Vault

TEXTS = {
    "gather.md": "# gather\n\nIt picks by index.\n",
    "plain.md": "# plain\n\n- [ ] see [[gather]] and [[gather]] again\n\n> [other](gather.md) words\n",
    "pair.en.md": "# pair\n\nNo link here.\n",
    "pair.zh.md": "# 一对\n\n见 [[gather]]。\n",
    "both.en.md": "# both\n\nAn English [[gather]].\n",
    "both.zh.md": "# 两种\n\n中文 [[gather]]。\n",
    "elsewhere.md": "# elsewhere\n\n[[plain]] and https://pytorch.org\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Return a vault with notes that link to `gather`, and one that does not."""
    for path, text in TEXTS.items():
        (tmp_path / path).write_text(text, "utf-8")
    return Vault.open(tmp_path)


def entry(vault: Vault, key: str) -> NoteEntry:
    """Return the entry of a note."""
    return next(one for one in vault.entries() if one.key == key)


def test_links_are_listed_by_note_and_line(vault: Vault) -> None:
    """Two links in one line are one; list marks, check boxes and quotation marks are not shown."""
    found = citations(vault, entry(vault, "gather"), vault.entries(), language="en")
    assert set(found) == {"plain", "pair", "both"}
    assert [(one.path, one.line) for one in found["plain"]] == [("plain.md", 3), ("plain.md", 5)]
    assert found["plain"][0].text == "see gather and gather again"
    assert found["plain"][1].text == "other words"


@pytest.mark.parametrize(("language", "path"), [("en", "both.en.md"), ("zh", "both.zh.md")])
def test_the_file_in_the_preferred_language_is_taken(vault: Vault, language: str, path: str) -> None:
    """If only the other file has a link, that one is listed."""
    found = citations(vault, entry(vault, "gather"), vault.entries(), language=language)
    assert [one.path for one in found["both"]] == [path]
    assert [one.path for one in found["pair"]] == ["pair.zh.md"]


def test_a_note_that_cannot_be_read_is_left_out(vault: Vault) -> None:
    """It may have been deleted since the notes were listed."""
    entries = vault.entries()
    (vault.root / "plain.md").unlink()
    assert "plain" not in citations(vault, entry(vault, "gather"), entries, language="en")


def test_a_long_line_is_shown_from_a_little_before_the_link(vault: Vault) -> None:
    """The excerpt begins with an ellipsis at the end of a word, and the whole line is kept as text."""
    (vault.root / "plain.md").write_text(f"# plain\n\n{'word ' * 20}[[gather]] end\n", "utf-8")
    (one,) = citations(vault, entry(vault, "gather"), vault.entries(), language="en")["plain"]
    assert one.text == f"{'word ' * 20}gather end"
    assert one.excerpt.startswith("…word ")
    assert one.excerpt.endswith("gather end")
    assert one.excerpt.index("gather") <= BEFORE + 1


def test_mentions_are_limited_to_six_files() -> None:
    """The seventh file is listed only when one of the others is gone."""
    mentions = tuple(Mention(f"{number}.md", "", 1, "", "", "") for number in range(9))
    assert [one.path for one in one_of_each(mentions, "en")] == [f"{number}.md" for number in range(6)]
    assert one_of_each(mentions[3:], "en")[-1].path == "8.md"
