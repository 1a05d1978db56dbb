"""Export of a note: where it may be written, and the code and outputs that it contains."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.export.note_export import ExportFormat, _as_notebook, _as_script, export_note, refusal
from kb.vault.vault import Vault

SNIPPET = '# /// snippet\n# title.zh = "和"\n# title.en = "Sum"\n# ///\n\nprint(1 + 1)\n'


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Give a vault with a note that links to a snippet with a recorded output."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "note.md").write_text("# Note\n\nSome text.\n\n[the sum](snippet:my_sum)\n", "utf-8")
    (root / "my_sum.py").write_text(SNIPPET, "utf-8")
    (root / "my_sum.out").write_text("2\n", "utf-8")
    return Vault.open(root)


def test_a_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    """A folder, a missing folder, an existing file without `force`, a name that is too long."""
    there = tmp_path / "there.html"
    there.write_text("x", "utf-8")
    assert refusal(tmp_path / "new.html", force=False) is None
    assert "--force" in (refusal(there, force=False) or "")
    assert refusal(there, force=True) is None
    assert "is a folder" in (refusal(tmp_path, force=True) or "")
    assert "is not there" in (refusal(tmp_path / "no" / "new.html", force=True) or "")
    assert "cannot be written" in (refusal(tmp_path / ("n" * 300), force=True) or "")


def test_a_notebook_has_the_code_and_the_recorded_output(vault: Vault) -> None:
    """In one code cell."""
    cells = json.loads(_as_notebook(vault, vault.read("note.md")))["cells"]
    (code,) = [cell for cell in cells if cell["cell_type"] == "code"]
    assert "print(1 + 1)" in "".join(code["source"])
    assert "2" in "".join(code["outputs"][0]["text"])


def test_a_script_runs(vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
    """The text of the note is in comments."""
    script = _as_script(vault, vault.read("note.md")).decode()
    exec(compile(script, "note.py", "exec"), {})
    assert capsys.readouterr().out == "2\n"
    assert "# Some text." in script


def test_an_export_replaces_the_file(vault: Vault, tmp_path: Path) -> None:
    """Whole."""
    out = tmp_path / "note.py"
    out.write_text("old", "utf-8")
    note = vault.read("note.md")
    export_note(vault, note, to="py", out=out)
    assert out.read_bytes() == _as_script(vault, note)


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


def test_a_page_carries_pictures_only(vault: Vault, tmp_path: Path) -> None:
    """No hidden file that a note names as one, no pipe, which would block, and no file that is endless."""
    (vault.root / ".env").write_text("TOKEN=secret", "utf-8")
    (vault.root / "real.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    os.mkfifo(vault.root / "pipe.png")
    with (vault.root / "giant.png").open("wb") as giant:
        giant.truncate(1 << 36)
    names = (".env", "real.png", "pipe.png", "giant.png")
    (vault.root / "n.md").write_text("".join(f"![]({name})\n\n" for name in names), "utf-8")
    export_note(vault, vault.read("n.md"), to="html", out=tmp_path / "n.html")
    made = (tmp_path / "n.html").read_text("utf-8")
    assert made.count("base64,") == 1
    assert "data:image/png;base64," in made
