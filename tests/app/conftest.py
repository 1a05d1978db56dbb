"""Document stores for the editor, in memory and on a real vault; a note in the reader and a person before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.executor import GuiExecutor
from app.i18n import Translator
from app.reader.notebook_view import NotebookView
from app.reader.page_set import Mode, PageSet, Side
from app.style.appearance import Appearance
from app.style.theme import LIGHT
from kb.errors import NoteChanged, NoteMissing
from kb.files.encoding import UTF8, TextForm, encode
from kb.notes.note import Note, hash_of, parse
from kb.rendering.render import render
from kb.rendering.rendered_page import Page, PageSection, Prose
from kb.rendering.viewport import Viewport, ViewportPage
from kb.vault.drafts import Draft, Drafts
from kb.vault.vault import Vault
from snippets.results.outcome import Outcome

READER_DATA = Path(__file__).parent.parent / "data" / "reader"


def plain_page(text: str) -> Page:
    """Return a page that shows the text as it is."""
    return Page((PageSection("", "", 0, "", 1, (Prose(f"<pre>{text}</pre>", 1),)),))


class FakeStore:
    """Files, drafts and pages in memory. While `held`, calls wait for `go`; while `broken`, saves fail with it."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.drafts: dict[str, tuple[str, str | None]] = {}
        self.calls: list[tuple[str, str]] = []
        self.versions: list[str] = []
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

    def keep_version(self, path: str, text: str, *, form: TextForm) -> None:
        self.calls.append(("keep_version", path))
        self.versions.append(encode(text, form, path).decode())

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

    def render(self, text: str, *, path: str, asked: Any, done: Any, failed: Any) -> None:
        self._do("render", path, lambda: done(ViewportPage(plain_page(text), Viewport())))

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

    def adopt_draft(self, draft: Draft) -> None:
        """Nothing: a draft in memory has no file."""


class VaultStore:
    """The store on a real vault and real drafts, through the real executor."""

    def __init__(self, root: Path, drafts: Path) -> None:
        self.executor = GuiExecutor()
        self.root = root
        self.vault = Vault.open(root)
        self.kept = Drafts(drafts)

    def save(
        self, path: str, text: str, *, form: TextForm | None, expected_hash: str | None, done: Any, failed: Any
    ) -> None:
        self.executor.run(lambda: self.vault.save(path, text, form=form, expected_hash=expected_hash), done, failed)

    def keep_version(self, path: str, text: str, *, form: TextForm) -> None:
        self.executor.run(lambda: self.vault.keep_version(path, text, form), lambda _: None, lambda _: None)

    def read(self, path: str, *, done: Any, failed: Any) -> None:
        self.executor.run(lambda: self.vault.read(path), done, failed)

    def check(self, path: str, *, done: Any) -> None:
        self.executor.run(lambda: None, done, done)

    def render(self, text: str, *, path: str, asked: Any, done: Any, failed: Any) -> None:
        self.executor.run(lambda: ViewportPage(plain_page(text), Viewport()), done, failed)

    def keep_draft(self, path: str, text: str, *, base_hash: str | None, done: Any, failed: Any) -> None:
        self.executor.run(lambda: self.kept.keep(path, text, base_hash), lambda _: done(), failed)

    def drop_draft(self, path: str, *, done: Any, failed: Any) -> None:
        self.executor.run(lambda: self.kept.drop(path), lambda _: done(), failed)

    def adopt_draft(self, draft: Draft) -> None:
        self.kept.adopt(draft)

    def draft(self, path: str) -> Draft | None:
        """Return the draft that is on disk."""
        return next((draft for draft in self.kept.pending() if draft.note_path == path), None)


@pytest.fixture
def store() -> FakeStore:
    """Give a store in memory."""
    return FakeStore()


@pytest.fixture
def vault_store(tmp_path: Path) -> Iterator[VaultStore]:
    """Give a store on a real folder; its threads end with the test."""
    root = tmp_path / "vault"
    root.mkdir()
    made = VaultStore(root, tmp_path / "drafts")
    yield made
    made.executor.close()


class Person:
    """One who looks at the reader, and clicks on what can be read there."""

    def __init__(self, qtbot: QtBot, view: NotebookView) -> None:
        self._qtbot = qtbot
        self.view = view

    def sees(self) -> str:
        """Return the whole text of the page."""
        return self.view.document().toPlainText()

    def finds(self, words: str, *, nth: int = 0) -> QPoint:
        """Return the middle of some words on the viewport, scrolled into view."""
        view = self.view
        cursor = QTextCursor(view.document())
        for _ in range(nth + 1):
            cursor = view.document().find(words, cursor)
        assert not cursor.isNull(), words
        view.setTextCursor(cursor)
        view.ensureCursorVisible()
        cursor.setPosition((cursor.selectionStart() + cursor.selectionEnd()) // 2)
        return view.cursorRect(cursor).center()

    def clicks(self, words: str, *, nth: int = 0) -> None:
        """Click on some words, with nothing selected."""
        at = self.finds(words, nth=nth)
        cursor = self.view.textCursor()
        cursor.clearSelection()
        self.view.setTextCursor(cursor)
        QTest.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=at)

    def awaits(self, words: str) -> None:
        """Wait until some words are there."""
        self._qtbot.waitUntil(lambda: words in self.sees().replace("\u00a0", " "), timeout=30_000)


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Appearance]:
    """Dress the application; a look that lived on would dress all that the tests to come show, once more."""
    made = Appearance(qapp, "light")
    yield made
    delete(made)


@pytest.fixture(scope="session")
def rendered() -> dict[Side, Page]:
    """Give the sample note's pages."""
    names: dict[Side, str] = {"zh": "everything.zh.md", "en": "everything.en.md"}
    return {side: render((READER_DATA / name).read_text(encoding="utf-8"), path=name) for side, name in names.items()}


@pytest.fixture
def pages(rendered: dict[Side, Page]) -> PageSet:
    """Give the sample note, both languages side by side."""
    names: dict[Side, str] = {side: f"everything.{side}.md" for side in rendered}
    titles: dict[Side, str] = {"zh": "取值", "en": "Picking"}
    return PageSet("everything", rendered, "both", names, titles, READER_DATA, {"zh": "张量"}, ("T11",))


@pytest.fixture
def view(qtbot: QtBot, qtlog: Any) -> Iterator[NotebookView]:
    """Give a reader that is shown; Qt may not complain of anything."""
    made = NotebookView(Translator("en"), LIGHT)
    qtbot.addWidget(made)
    made.resize(910, 800)
    made.show()
    yield made
    assert [str(record) for record in qtlog.records] == []


@pytest.fixture
def person(qtbot: QtBot, view: NotebookView) -> Person:
    """Give one who sits before the reader."""
    return Person(qtbot, view)


@pytest.fixture
def note() -> Callable[..., PageSet]:
    """Give a way to make a note of a text."""

    def make(text: str, *, key: str = "note", mode: Mode = "en") -> PageSet:
        return PageSet(key, {"": render(text, path="note.md")}, mode)

    return make


@pytest.fixture
def outcome() -> Callable[..., Outcome]:
    """Give a way to make an outcome, passed where nothing else is said."""
    passed = Outcome(
        status="passed",
        exit_code=0,
        reason_en=None,
        reason_zh=None,
        seconds=0.038,
        first_output_seconds=0.014,
        device="cpu",
        torch="2.13.0",
        output="",
        artifacts=(),
        run_id="1",
        peak_rss_mb=211.0,
        cut_bytes=0,
    )
    return lambda status="passed", **more: replace(passed, status=status, **more)
