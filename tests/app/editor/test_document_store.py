"""The document store of one vault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.editor.document_store import DocumentStore
from app.executor import GuiExecutor
from kb.errors import KbError
from kb.rendering.rendered_page import Page
from kb.rendering.viewport import Viewport, ViewportPage
from kb.vault.drafts import Draft, Drafts
from kb.vault.vault import Vault


@pytest.fixture
def desk(tmp_path: Path, qapp: object) -> Iterator[DocumentStore]:
    """Give the store of a vault with one note and a draft of an earlier session."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("text", "utf-8")
    Drafts(tmp_path / "drafts").keep("b.md", "left", None)
    door, pen = GuiExecutor(), GuiExecutor(threads=1)
    yield DocumentStore(
        Vault.open(root),
        Drafts(tmp_path / "drafts"),
        pen=pen,
        door=door,
        rendering=lambda: lambda _text, _path, _asked: ViewportPage(Page(()), Viewport()),
        saved=lambda _: None,
    )
    pen.close()
    door.close()


def test_permission_is_checked(desk: DocumentStore, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writable file gives None, another one an error with a sentence in both languages."""
    told: list[Exception | None] = []
    desk.check("a.md", done=told.append)
    qtbot.waitUntil(lambda: told == [None], timeout=30_000)
    monkeypatch.setattr("app.editor.document_store.os.access", lambda _place, _mode: False)
    desk.check("a.md", done=told.append)
    qtbot.waitUntil(lambda: len(told) == 2, timeout=30_000)
    assert isinstance(told[1], KbError)
    assert "a.md" in told[1].zh


def test_drafts_are_known_by_path(desk: DocumentStore, qtbot: QtBot) -> None:
    """Drafts of an earlier session are found; drafts kept or deleted since are known as well."""
    found: list[tuple[Draft, ...]] = []
    desk.find_drafts(found.append)
    qtbot.waitUntil(lambda: len(found) == 1, timeout=30_000)
    assert [draft.text for draft in found[0]] == ["left"]
    done: list[str] = []
    desk.keep_draft("a.md", "typed", base_hash="h", done=lambda: done.append("kept"), failed=print)
    assert {path: draft.text for path, draft in desk.left.items()} == {"a.md": "typed", "b.md": "left"}
    desk.drop_draft("b.md", done=lambda: done.append("dropped"), failed=print)
    qtbot.waitUntil(lambda: done == ["kept", "dropped"], timeout=30_000)
    assert list(desk.left) == ["a.md"]
