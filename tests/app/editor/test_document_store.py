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
def store(tmp_path: Path, qapp: object) -> Iterator[DocumentStore]:
    """Give the store of a vault with one note and a draft of an earlier session."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("text", "utf-8")
    Drafts(tmp_path / "drafts").keep("b.md", "left", None)
    executor, writer = GuiExecutor(), GuiExecutor(threads=1)
    yield DocumentStore(
        Vault.open(root),
        Drafts(tmp_path / "drafts"),
        writer=writer,
        executor=executor,
        rendering=lambda: lambda _text, _path, _asked: ViewportPage(Page(()), Viewport()),
        saved=lambda _: None,
    )
    writer.close()
    executor.close()


def test_permission_is_checked(store: DocumentStore, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may be replaced has no reason against it; one that may not has a sentence in both languages."""
    told: list[Exception | None] = []
    store.check("a.md", done=told.append)
    qtbot.waitUntil(lambda: told == [None], timeout=30_000)
    monkeypatch.setattr("app.editor.document_store.os.access", lambda _place, _mode: False)
    store.check("a.md", done=told.append)
    qtbot.waitUntil(lambda: len(told) == 2, timeout=30_000)
    assert isinstance(told[1], KbError)
    assert "a.md" in told[1].zh


def test_drafts_are_known_by_path(store: DocumentStore, qtbot: QtBot) -> None:
    """What was left behind is found; what is kept and dropped meanwhile is known as well."""
    found: list[tuple[Draft, ...]] = []
    store.find_drafts(found.append)
    qtbot.waitUntil(lambda: len(found) == 1, timeout=30_000)
    assert [draft.text for draft in found[0]] == ["left"]
    done: list[str] = []
    store.keep_draft("a.md", "typed", base_hash="h", done=lambda: done.append("kept"), failed=print)
    assert {path: draft.text for path, draft in store.left.items()} == {"a.md": "typed", "b.md": "left"}
    store.drop_draft("b.md", done=lambda: done.append("dropped"), failed=print)
    qtbot.waitUntil(lambda: done == ["kept", "dropped"], timeout=30_000)
    assert list(store.left) == ["a.md"]
