"""Links and statuses are found in the background, with a pause while somebody searches."""

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
def scanner(vault: Vault) -> Iterator[VaultScanner]:
    """A scanner of that vault, still idle; every snippet has passed."""

    def passed(snippets: Mapping[str, Snippet]) -> Mapping[str, str]:
        return dict.fromkeys(snippets, "passed")

    scanner = VaultScanner(passed, None)
    scanner.attach(vault)
    yield scanner
    scanner.close()


def test_entries_are_scanned_in_batches(qtbot: QtBot, vault: Vault, scanner: VaultScanner) -> None:
    """Links and statuses are known for all of them, also for those added later."""
    scanner.scan(vault.entries()[:2])
    qtbot.waitUntil(lambda: scanner.facts.keys() == {"a", "b"} and not scanner.busy)
    scanner.scan(vault.entries()[2:])
    qtbot.waitUntil(lambda: scanner.facts.keys() == {"a", "b", "c"} and not scanner.busy)
    assert scanner.linked_from("b") == ("a", "c")
    assert scanner.linked_from("a") == ()
    assert scanner.facts["a"].sign == ("passed", 1)
    assert scanner.facts["b"].sign == ("", 0)
    assert scanner.counts == {"passed": 1}


def test_searching_pauses_the_scan(qtbot: QtBot, vault: Vault, scanner: VaultScanner) -> None:
    """The scan goes on after the pause, unless another vault was opened."""
    scanner._pause.setInterval(60_000)
    scanner.pause()
    scanner.scan(vault.entries())
    qtbot.waitUntil(lambda: scanner._resume is not None)
    assert scanner.facts == {}
    scanner._pause.start(0)
    qtbot.waitUntil(lambda: len(scanner.facts) == 3 and not scanner.busy)
    scanner._pause.start(60_000)
    scanner.scan(vault.entries())
    qtbot.waitUntil(lambda: scanner._resume is not None)
    scanner.attach(vault)
    scanner._pause.start(0)
    qtbot.waitUntil(lambda: scanner._resume is None)
    assert scanner.facts == {}
    assert not scanner.busy
