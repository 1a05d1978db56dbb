"""Whose code may run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.runs.trust import Trust
from kb.files.paths import UserPaths


@pytest.fixture
def places(tmp_path: Path) -> UserPaths:
    """Give the places of an empty home with its own vault."""
    made = UserPaths.under(tmp_path / "home")
    made.user_vault.mkdir(parents=True)
    return made


def test_the_own_vault_is_trusted_and_no_other(places: UserPaths, tmp_path: Path) -> None:
    """Without a question."""
    assert Trust(places).trusts(places.user_vault)
    assert not Trust(places).trusts(tmp_path)


def test_an_answer_is_remembered(places: UserPaths, tmp_path: Path) -> None:
    """By another program of the same user as well."""
    Trust(places).allow(tmp_path)
    assert Trust(places).trusts(tmp_path)


def test_a_moved_vault_is_a_new_one_and_a_link_to_a_trusted_one_is_not(places: UserPaths, tmp_path: Path) -> None:
    """What counts is the folder itself, not the way to it."""
    vault = tmp_path / "vault"
    vault.mkdir()
    Trust(places).allow(vault)
    (tmp_path / "link").symlink_to(vault)
    assert Trust(places).trusts(tmp_path / "link")
    vault.rename(tmp_path / "moved")
    assert not Trust(places).trusts(tmp_path / "moved")


def test_a_vault_cannot_grant_trust_to_itself(places: UserPaths, tmp_path: Path) -> None:
    """Its files are not read for it."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "trusted.json").write_text(json.dumps([str(vault)]), "utf-8")
    assert not Trust(places).trusts(vault)


@pytest.mark.parametrize("text", ["", "{", "{}", "[1, null]", "[" * 100_000])
def test_a_broken_answer_is_none(places: UserPaths, tmp_path: Path, text: str) -> None:
    """In doubt it is asked again, and the answer can be written."""
    places.data.mkdir(parents=True)
    (places.data / "trusted.json").write_text(text, "utf-8")
    assert not Trust(places).trusts(tmp_path)
    Trust(places).allow(tmp_path)
    assert Trust(places).trusts(tmp_path)
