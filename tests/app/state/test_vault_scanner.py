"""What the notes say of each other is found at leisure, and not while somebody types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.state.vault_scanner import VaultScanner
from kb.vault.vault import Vault
from snippets.model.snippet import Snippet

NOTES = {"a.md": "# A\n\n[[b]]\n\n```python\nprint(1)\n```\n", "b.md": "# B\n", "c.md": "# C\n\n[b](b.md)\n"}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with three notes, two of which link to the third."""
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Vault.open(tmp_path)


@pytest.fixture
def survey(vault: Vault) -> Iterator[VaultScanner]:
    """A survey of that vault that has not begun; every snippet has passed."""

    def passed(snippets: Mapping[str, Snippet]) -> Mapping[str, str]:
        return dict.fromkeys(snippets, "passed")

    survey = VaultScanner(passed, None)
    survey.attach(vault)
    yield survey
    survey.close()


def test_entries_are_looked_at_a_few_at_a_time(qtbot: QtBot, vault: Vault, survey: VaultScanner) -> None:
    """Those that come later, too; then it is known who links to whom, and how the snippets stand."""
    survey.scan(vault.entries()[:2])
    qtbot.waitUntil(lambda: survey.facts.keys() == {"a", "b"} and not survey.busy)
    survey.scan(vault.entries()[2:])
    qtbot.waitUntil(lambda: survey.facts.keys() == {"a", "b", "c"} and not survey.busy)
    assert survey.linked_from("b") == ("a", "c")
    assert survey.linked_from("a") == ()
    assert survey.facts["a"].sign == ("passed", 1)
    assert survey.facts["b"].sign == ("", 0)
    assert survey.counts == {"passed": 1}


def test_whoever_types_comes_first(qtbot: QtBot, vault: Vault, survey: VaultScanner) -> None:
    """Nothing is looked at for a while after an answer; what was about to be goes on then, unless the vault is gone."""
    survey._pause.setInterval(60_000)
    survey.pause()
    survey.scan(vault.entries())
    qtbot.waitUntil(lambda: survey._resume is not None)
    assert survey.facts == {}
    survey._pause.start(0)
    qtbot.waitUntil(lambda: len(survey.facts) == 3 and not survey.busy)
    survey._pause.start(60_000)
    survey.scan(vault.entries())
    qtbot.waitUntil(lambda: survey._resume is not None)
    survey.attach(vault)
    survey._pause.start(0)
    qtbot.waitUntil(lambda: survey._resume is None)
    assert survey.facts == {}
    assert not survey.busy
