"""Texts of notifications: counts, singular and plural, and at most three names."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.runs.active_runs import TrustRequest
from app.state.notification_texts import notes_renewed, settings_broken, trust_asked
from kb.vault.shipped_notes import UpdatedNotes


@pytest.mark.parametrize("isolated", [True, False])
def test_trust_names_the_vault_and_warns_without_isolation(isolated: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """The only action allows the run; the reach of the code is mentioned only if it is not isolated."""
    allowed: list[bool] = []
    asked = trust_asked(
        TrustRequest(Path("/notes/other"), "page", (), "cpu"), lambda: allowed.append(True), isolated=isolated
    )
    assert '"other"' in asked.en
    assert "“other”" in asked.zh
    assert ("not isolated" in asked.en, "未隔离" in asked.zh) == (not isolated, not isolated)
    (action,) = asked.choices
    action.act()
    assert allowed == [True]


def test_languages_of_a_note_count_once() -> None:
    """Two files of a note are one updated note; nothing is said of kinds without notes."""
    told = notes_renewed(UpdatedNotes(updated=("a.zh.md", "a.en.md", "b.md")))
    assert told.en == "The notes shipped with the program were updated: 2 updated."
    assert told.zh == "随程序附带的笔记有了新版本：更新 2 篇。"


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (("a.md",), "1 that you edited was kept as it is: a."),
        (("a.md", "b.md"), "2 that you edited were kept as they are: a, b."),
        (("a.md", "b.md", "c.md", "d.md"), "4 that you edited were kept as they are: a, b, c, …."),
    ],
)
def test_edited_notes_are_named(left: tuple[str, ...], said: str) -> None:
    """The first three of them."""
    assert notes_renewed(UpdatedNotes(added=("new.md",), left=left)).en.endswith(f": 1 new. {said}")


def test_the_copy_of_a_broken_file_is_named() -> None:
    """In both languages."""
    told = settings_broken(Path("/data/settings.json.broken"))
    assert all("/data/settings.json.broken" in text for text in (told.zh, told.en))
