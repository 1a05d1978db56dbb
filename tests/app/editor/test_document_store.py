"""The document store of one vault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.editor.document_store import DocumentStore
from app.executor import GuiExecutor
from kb.errors import KbError
from kb.rendering.rendered_page import Page
from kb.rendering.viewport import Viewport, ViewportPage
from kb.vault.drafts import Draft, Drafts, draft_file
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


def test_every_draft_of_a_note_is_offered_in_turn(store: DocumentStore, tmp_path: Path, qtbot: QtBot) -> None:
    """The newest first, an older one once that is dropped, also where the user typed before they were found."""
    found: list[tuple[Draft, ...]] = []
    folder = tmp_path / "drafts"
    (own,) = folder.glob("*.json")
    old = json.loads(own.read_text("utf-8"))
    for second in (1, 2):
        fields = json.dumps({**old, "text": f"at {second}", "kept_at": float(second)})
        (folder / draft_file("b.md", f"x-dead{second}.json")).write_text(fields, "utf-8")
    store.find_drafts(found.append)
    qtbot.waitUntil(lambda: len(found) == 1, timeout=30_000)
    assert [draft.text for draft in found[0]] == ["left"]
    done: list[str] = []
    for text in ("left", "at 2", "at 1"):
        draft = store.left["b.md"]
        assert draft.text == text
        store.keep_draft("b.md", "typed over it", base_hash=None, done=lambda: done.append("kept"), failed=print)
        store.drop_draft("b.md", done=lambda: done.append("dropped"), failed=print)
        assert store.left["b.md"].text == text  # not decided on yet
        store.adopt_draft(store.left["b.md"])
        store.drop_draft("b.md", done=lambda: done.append("dropped"), failed=print)
    qtbot.waitUntil(lambda: len(done) == 9, timeout=30_000)
    assert "b.md" not in store.left
    assert Drafts(folder).pending() == ()


def test_drafts_follow_a_rename(store: DocumentStore, tmp_path: Path, qtbot: QtBot) -> None:
    """In memory and on disk."""
    found: list[tuple[Draft, ...]] = []
    store.find_drafts(found.append)
    qtbot.waitUntil(lambda: len(found) == 1, timeout=30_000)
    store.follow({"b.md": "c/b.md"})
    assert store.left["c/b.md"].note_path == "c/b.md"
    qtbot.waitUntil(
        lambda: [one.note_path for one in Drafts(tmp_path / "drafts").pending()] == ["c/b.md"], timeout=9000
    )
    store.adopt_draft(store.left["c/b.md"])
    store.drop_draft("c/b.md", done=lambda: None, failed=print)
    qtbot.waitUntil(lambda: Drafts(tmp_path / "drafts").pending() == (), timeout=9000)


def test_an_orphaned_draft_becomes_a_note(store: DocumentStore, tmp_path: Path, qtbot: QtBot) -> None:
    """Its text is in a file, and the draft is gone; where a file is in the way nothing is written."""
    found: list[tuple[Draft, ...]] = []
    store.find_drafts(found.append)
    qtbot.waitUntil(lambda: len(found) == 1, timeout=30_000)
    assert found[0][0].orphaned
    done: list[object] = []
    (tmp_path / "vault" / "b.md").write_text("in the way", "utf-8")
    store.keep_as_note(found[0][0], done=lambda: done.append("kept"), failed=done.append)
    qtbot.waitUntil(lambda: len(done) == 1, timeout=30_000)
    assert isinstance(done[0], KbError)
    assert len(Drafts(tmp_path / "drafts").pending()) == 1
    (tmp_path / "vault" / "b.md").unlink()
    store.keep_as_note(found[0][0], done=lambda: done.append("kept"), failed=done.append)
    qtbot.waitUntil(lambda: done[1:] == ["kept"], timeout=30_000)
    assert (tmp_path / "vault" / "b.md").read_text("utf-8") == "left"
    assert Drafts(tmp_path / "drafts").pending() == ()
