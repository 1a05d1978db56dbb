"""What the notes say of each other is found at leisure, and not before the index is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.survey import Survey
from kb.vault import Vault
from snippets.form import Snippet

NOTES = {"a.md": "# A\n\n[[b]]\n\n```python\nprint(1)\n```\n", "b.md": "# B\n", "c.md": "# C\n\n[b](b.md)\n"}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with three notes, two of which link to the third."""
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Vault.open(tmp_path)


@pytest.fixture
def survey(vault: Vault) -> Iterator[Survey]:
    """A survey of that vault that has not begun; every snippet has passed."""

    def passed(snippets: Mapping[str, Snippet]) -> Mapping[str, str]:
        return dict.fromkeys(snippets, "passed")

    survey = Survey(passed, None)
    survey.attach(vault)
    yield survey
    survey.close()


def test_nothing_is_looked_at_before_the_index_is_there(qtbot: QtBot, vault: Vault, survey: Survey) -> None:
    """Entries wait until it may go on, and then all are looked at; later ones are looked at without being told."""
    survey.go_through(vault.entries()[:2])
    assert not survey._busy
    qtbot.wait(50)
    assert survey.facts == {}
    survey.go_on()
    qtbot.waitUntil(lambda: survey.facts.keys() == {"a", "b"} and not survey._busy)
    survey.go_through(vault.entries()[2:])
    qtbot.waitUntil(lambda: survey.facts.keys() == {"a", "b", "c"} and not survey._busy)
    assert survey.linked_from("b") == ("a", "c")
    assert survey.linked_from("a") == ()
    assert survey.facts["a"].sign == ("passed", 1)
    assert survey.facts["b"].sign == ("", 0)
    assert survey.counts == {"passed": 1}


def test_another_vault_waits_for_its_own_index(vault: Vault, survey: Survey) -> None:
    """What was found is forgotten, and what waited is not looked at."""
    survey.go_on()
    survey.attach(vault)
    survey.go_through(vault.entries())
    assert not survey._busy
    survey.go_on()
    assert survey._busy


def test_whoever_types_comes_first(qtbot: QtBot, vault: Vault, survey: Survey) -> None:
    """Nothing is looked at for a while after an answer; what was about to be goes on then, unless the vault is gone."""
    survey._hush.setInterval(60_000)
    survey.hush()
    survey.go_on()
    survey.go_through(vault.entries())
    qtbot.waitUntil(lambda: survey._then is not None)
    assert survey.facts == {}
    survey._hush.start(0)
    qtbot.waitUntil(lambda: len(survey.facts) == 3 and not survey._busy)
    survey._hush.start(60_000)
    survey.go_through(vault.entries())
    qtbot.waitUntil(lambda: survey._then is not None)
    survey.attach(vault)
    survey._hush.start(0)
    qtbot.waitUntil(lambda: survey._then is None)
    assert survey.facts == {}
    assert not survey._busy
