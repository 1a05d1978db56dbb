"""The table of export formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.export.note_export import ExportFormat, export_note
from kb.vault.vault import Vault


@pytest.mark.parametrize("to", [one for one in ExportFormat if one != ExportFormat.PDF])
def test_every_format_writes_the_note(tmp_path: Path, to: ExportFormat) -> None:
    """By its suffix, with the prose and the code."""
    (tmp_path / "a.md").write_text("# Heading\n\nprose\n\n```python\nprint(1)\n```\n", encoding="utf-8")
    vault, out = Vault.open(tmp_path), tmp_path / f"out.{to}"
    export_note(vault, vault.read("a.md"), to=to, out=out)
    written = out.read_text(encoding="utf-8")
    assert "Heading" in written
    assert "prose" in written
    assert "print" in written


def test_every_format_has_its_own_label() -> None:
    """In both languages, for the dialog of the window."""
    assert len({one.zh for one in ExportFormat}) == len({one.en for one in ExportFormat}) == len(ExportFormat)
