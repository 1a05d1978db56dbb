"""Templates and what they become."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from kb.notes.templates import file_for, filled, templates
from kb.vault.vault import Vault

NOW = dt.datetime(2026, 3, 4, 5, 6)  # noqa: DTZ001 - a moment on the user's own clock


@pytest.mark.parametrize(
    ("text", "path", "made"),
    [
        ("# {{title}}\n\n{{ date }} {{TIME}}\n", "a/冻结参数.zh.md", "# 冻结参数\n\n2026-03-04 05:06\n"),
        ("{{title}}", "top.md", "top"),
        ("{{other}} {title} {{title", "x.md", "{{other}} {title} {{title"),
        ("{{title}}", "{{date}}.md", "{{date}}"),
        ("plain", "x.md", "plain"),
    ],
)
def test_the_places_are_filled_in(text: str, path: str, made: str) -> None:
    """Once each, whatever is put in; all else stays."""
    assert filled(text, path, NOW) == made


def test_templates_are_the_notes_of_their_folder(tmp_path: Path) -> None:
    """Also of folders in it; the file is that of the new note's language, where there is one."""
    for path in ("templates/run.zh.md", "templates/run.en.md", "templates/more/day.md", "templates2/x.md", "a.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("# x\n", "utf-8")
    found = {entry.key: entry for entry in templates(Vault.open(tmp_path).entries())}
    assert set(found) == {"templates/run", "templates/more/day"}
    assert file_for(found["templates/run"], "b.zh.md") == "templates/run.zh.md"
    assert file_for(found["templates/run"], "b.md") == "templates/run.en.md"
    assert file_for(found["templates/more/day"], "b.zh.md") == "templates/more/day.md"
