"""A desk for the editor: a fake of a page, and one on a real vault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.threads import Door
from kb.drafts import Draft, Drafts
from kb.encoding import UTF8, TextForm, encode
from kb.errors import NoteChanged, NoteMissing
from kb.note import Note, hash_of, parse
from kb.page import Page, PageSection, Prose
from kb.vault import Vault


def plain_page(text: str) -> Page:
    """Return a page that shows the text as it is."""
    return Page((PageSection("", "", 0, "", 1, (Prose(f"<pre>{text}</pre>", 1),)),))


class FakeDesk:
    """Files, drafts and pages in memory. While `held`, calls wait for `go`; while `broken`, saves fail with it."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.drafts: dict[str, tuple[str, str | None]] = {}
        self.calls: list[tuple[str, str]] = []
        self.broken: Exception | None = None
        self.broken_drafts: Exception | None = None
        self.refused: Exception | None = None
        self.held = False
        self._waiting: list[Callable[[], object]] = []

    def put(self, path: str, text: str) -> Note:
        """Write as another program would; return the note."""
        self.files[path] = encode(text, UTF8)
        return parse(path, self.files[path])

    def go(self) -> None:
        """Let what waits happen, one after another, and hold nothing any more."""
        self.held = False
        while self._waiting:
            self._waiting.pop(0)()

    def step(self) -> None:
        """Let the oldest waiting call happen."""
        self._waiting.pop(0)()

    def count(self, name: str) -> int:
        """Return how often something was asked for."""
        return sum(call[0] == name for call in self.calls)

    def _do(self, name: str, path: str, job: Callable[[], object]) -> None:
        self.calls.append((name, path))
        if self.held:
            self._waiting.append(job)
        else:
            job()

    def save(
        self, path: str, text: str, *, form: TextForm | None, expected_hash: str | None, done: Any, failed: Any
    ) -> None:
        def job() -> None:
            if self.broken is not None:
                failed(self.broken)
                return
            old = self.files.get(path)
            if expected_hash is not None and old is None:
                failed(NoteMissing(path))
            elif (hash_of(old) if old is not None else None) != expected_hash:
                failed(NoteChanged(path))
            else:
                done(self.put(path, text))

        self._do("save", path, job)

    def read(self, path: str, *, done: Any, failed: Any) -> None:
        def job() -> None:
            data = self.files.get(path)
            if data is None:
                failed(NoteMissing(path))
            else:
                done(parse(path, data))

        self._do("read", path, job)

    def check(self, path: str, *, done: Any) -> None:
        self._do("check", path, lambda: done(self.refused))

    def render(self, text: str, *, path: str, done: Any, failed: Any) -> None:
        self._do("render", path, lambda: done(plain_page(text)))

    def keep_draft(self, path: str, text: str, *, base_hash: str | None, done: Any, failed: Any) -> None:
        def job() -> None:
            if self.broken_drafts is not None:
                failed(self.broken_drafts)
                return
            self.drafts[path] = (text, base_hash)
            done()

        self._do("keep_draft", path, job)

    def drop_draft(self, path: str, *, done: Any, failed: Any) -> None:
        def job() -> None:
            self.drafts.pop(path, None)
            done()

        self._do("drop_draft", path, job)


class VaultDesk:
    """The desk on a real vault and real drafts, through the real door."""

    def __init__(self, root: Path, drafts: Path) -> None:
        self.door = Door()
        self.root = root
        self.vault = Vault.open(root)
        self.kept = Drafts(drafts)

    def save(
        self, path: str, text: str, *, form: TextForm | None, expected_hash: str | None, done: Any, failed: Any
    ) -> None:
        self.door.run(lambda: self.vault.save(path, text, form=form, expected_hash=expected_hash), done, failed)

    def read(self, path: str, *, done: Any, failed: Any) -> None:
        self.door.run(lambda: self.vault.read(path), done, failed)

    def check(self, path: str, *, done: Any) -> None:
        self.door.run(lambda: None, done, done)

    def render(self, text: str, *, path: str, done: Any, failed: Any) -> None:
        self.door.run(lambda: plain_page(text), done, failed)

    def keep_draft(self, path: str, text: str, *, base_hash: str | None, done: Any, failed: Any) -> None:
        self.door.run(lambda: self.kept.keep(path, text, base_hash), lambda _: done(), failed)

    def drop_draft(self, path: str, *, done: Any, failed: Any) -> None:
        self.door.run(lambda: self.kept.drop(path), lambda _: done(), failed)

    def draft(self, path: str) -> Draft | None:
        """Return the draft that is on disk."""
        return next((draft for draft in self.kept.pending() if draft.note_path == path), None)


@pytest.fixture
def desk() -> FakeDesk:
    """Give a desk in memory."""
    return FakeDesk()


@pytest.fixture
def vault_desk(tmp_path: Path) -> Iterator[VaultDesk]:
    """Give a desk on a real folder; its threads end with the test."""
    root = tmp_path / "vault"
    root.mkdir()
    made = VaultDesk(root, tmp_path / "drafts")
    yield made
    made.door.close()
