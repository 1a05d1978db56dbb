"""Drafts are written one at a time, in order, and deleted only by their owner."""

from __future__ import annotations

from typing import Any

from pytestqt.qtbot import QtBot

from app.editor.draft_writer import DraftWriter
from kb.errors import SaveFailed


def test_newest_waiting_draft_wins(store: Any, qtbot: QtBot) -> None:
    """While one draft is being written, only the newest of the waiting ones is written next."""
    drafting, me = DraftWriter(store), object()
    store.held = True
    for text in ("a", "ab", "abc"):
        drafting.keep("n.md", text, base_hash="h", owner=me)
    assert drafting.busy
    store.step()
    assert store.drafts["n.md"] == ("a", "h")
    with qtbot.waitSignal(drafting.rested):
        store.go()
    assert store.drafts["n.md"] == ("abc", "h")
    assert store.count("keep_draft") == 2
    assert not drafting.busy


def test_drop_comes_after_keep(store: Any, qtbot: QtBot) -> None:
    """Deleting after keeping is done last, so that no draft remains."""
    drafting, me = DraftWriter(store), object()
    store.held = True
    drafting.keep("n.md", "a", base_hash=None, owner=me)
    drafting.drop("n.md", owner=me)
    store.go()
    assert store.drafts == {}


def test_only_its_owner_drops_a_draft(store: Any, qtbot: QtBot) -> None:
    """An autosave that ends late does not delete the draft that a newer one kept of the same note."""
    drafting, old, new = DraftWriter(store), object(), object()
    drafting.keep("n.md", "old", base_hash=None, owner=old)
    drafting.keep("n.md", "new", base_hash=None, owner=new)
    drafting.drop("n.md", owner=old)
    assert store.drafts["n.md"] == ("new", None)
    drafting.drop("n.md", owner=new)
    assert store.drafts == {}


def test_failure_is_told(store: Any, qtbot: QtBot) -> None:
    """A draft that cannot be kept is reported, and the next one is tried."""
    drafting, me, told = DraftWriter(store), object(), []
    drafting.failed.connect(lambda path, error: told.append((path, error)))
    store.broken_drafts = SaveFailed("n.md", "no space left")
    drafting.keep("n.md", "a", base_hash=None, owner=me)
    assert told == [("n.md", store.broken_drafts)]
    store.broken_drafts = None
    drafting.keep("n.md", "b", base_hash=None, owner=me)
    assert store.drafts["n.md"] == ("b", None)
