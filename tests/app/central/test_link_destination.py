"""Where links lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.central.page_actions import LinkDestination, target_of
from kb.vault.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Return a vault with two notes and a file."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.md").write_text("# one\n", "utf-8")
    (tmp_path / "two words.md").write_text("# two\n", "utf-8")
    (tmp_path / "a" / "data.csv").write_text("1\n", "utf-8")
    return Vault.open(tmp_path)


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("#part%20two", LinkDestination("note", "a/one.md", "part two")),
        ("../two%20words.md#x", LinkDestination("note", "two words.md", "x")),
        ("two words", LinkDestination("note", "two words.md")),
        ("https://pytorch.org/a#b", LinkDestination("web", "https://pytorch.org/a#b")),
        ("javascript:alert(1)", LinkDestination("other", "javascript:alert(1)")),
        ("file:///etc/passwd", LinkDestination("other", "file:///etc/passwd")),
        ("nowhere.md", LinkDestination("missing", "nowhere.md")),
        ("../../etc/passwd", LinkDestination("missing", "../../etc/passwd")),
        ("snippet:no_such", LinkDestination("missing", "no_such")),
        ("snippet:../form", LinkDestination("missing", "../form")),
    ],
)
def test_a_link_means(vault: Vault, link: str, target: LinkDestination) -> None:
    """Only http and https are web pages; nothing outside the vault is a file."""
    assert target_of(vault, "a/one.md", link) == target


def test_a_file_of_the_vault_is_named_in_full(vault: Vault) -> None:
    """The window shows it and asks before it opens it."""
    assert target_of(vault, "a/one.md", "data.csv") == LinkDestination("file", str(vault.root / "a" / "data.csv"))


def test_a_library_snippet_is_a_file(vault: Vault) -> None:
    """It leads to the shipped file of that name."""
    target = target_of(vault, "a/one.md", "snippet:gather_by_row")
    assert target.kind == "file"
    assert target.where.endswith("gather_by_row.py")
