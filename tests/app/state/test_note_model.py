"""Late answers for a vault that was left are dropped."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.executor import GuiExecutor
from app.state.note_model import NoteModel
from kb.rendering.renderer import Renderer
from kb.vault.vault import Vault


def test_a_list_that_comes_late_is_not_the_next_vault_s(qtbot: QtBot, tmp_path: Path) -> None:
    """A window opens the first note of a list: that of another vault would not be there."""
    vaults = []
    for name in ("left", "entered"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"# {name}\n", "utf-8")
        vaults.append(Vault.open(tmp_path / name))
    left, entered = vaults
    executor = GuiExecutor(threads=1)  # what is asked for comes back in order
    with contextlib.closing(executor), contextlib.closing(NoteModel(executor, Renderer())) as notes:
        lists: list[list[str]] = []
        notes.listed.connect(lambda entries: lists.append([entry.name for entry in entries]))
        notes.attach(left, tmp_path / "drafts")
        notes.list()
        notes.attach(entered, tmp_path / "drafts")
        come: list[object] = []
        executor.run(lambda: None, come.append, come.append)
        qtbot.waitUntil(lambda: bool(come), timeout=30_000)
        assert (lists, notes.entries) == ([], ())
        notes.list()
        qtbot.waitUntil(lambda: bool(lists), timeout=30_000)
        assert lists == [["entered"]]
