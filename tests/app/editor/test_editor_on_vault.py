"""The editor on a real folder: bytes before, bytes after."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.editor.editor_pane import EditorPane
from app.i18n import Translator
from app.style.theme import LIGHT
from kb.errors import SaveFailed

ODD = "nul \0, separators \u2028 and \u2029, no break \u00a0, mark \ufeff, noncharacters \ufdd0\ufdd1, 😀"


@pytest.fixture
def pane(vault_store: Any, qtbot: QtBot) -> Iterator[EditorPane]:
    """Give an editor on a real vault."""
    made = EditorPane(Translator("en"), LIGHT)
    qtbot.addWidget(made)
    made.resize(900, 600)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.shut_down()


def edited(pane: EditorPane, store: Any, qtbot: QtBot, data: bytes, *, type_at_end: str) -> bytes:
    """Write a note, open it, type at its end, wait for the save; return the bytes of the file."""
    place = store.root / "note.md"
    place.write_bytes(data)
    pane.open(store.vault.read("note.md"), store=store)
    pane.source.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(pane.source, type_at_end)
    if type_at_end:
        assert pane.state.kind == "unsaved"
    qtbot.waitUntil(lambda: pane.state.kind == "saved", timeout=30_000)
    return bytes(place.read_bytes())


@pytest.mark.parametrize(
    "data",
    [
        b"lines\nand lines\n",
        b"crlf\r\nlines\r\n",
        b"mixed\r\nline\nends\rhere\r\nno final end",
        b"\xef\xbb\xbfwith a mark\r\n",
        f"{ODD}\n".encode(),
        f"{ODD}\r\n{ODD}".encode(),
        "国标编码的笔记，一二三四五六七八九十。\r\n".encode("gb18030"),
        "\ufeffwide\n笔记\n".encode("utf-16-le"),
    ],
)
def test_bytes_survive(pane: EditorPane, vault_store: Any, qtbot: QtBot, data: bytes) -> None:
    """Typing at the end adds these bytes and changes no others; undoing restores the same file."""
    encoding = vault_store.vault
    after = edited(pane, vault_store, qtbot, data, type_at_end="X")
    form = encoding.read("note.md").form.encoding
    assert after == data + "X".encode(form)
    QTest.keyClicks(pane.source, "Y")
    for _ in range(2):
        pane.source.textCursor().deletePreviousChar()
    pane.save_now()
    qtbot.waitUntil(lambda: pane.state.kind == "saved", timeout=30_000)
    assert (vault_store.root / "note.md").read_bytes() == data


def test_opening_writes_nothing(pane: EditorPane, vault_store: Any, qtbot: QtBot) -> None:
    """A note that is only opened keeps its bytes and its modification time."""
    place = vault_store.root / "note.md"
    place.write_bytes(b"mixed\r\nends\n")
    os.utime(place, ns=(1, 1))
    pane.open(vault_store.vault.read("note.md"), store=vault_store)
    assert pane.flush()
    assert place.stat().st_mtime_ns == 1


def test_conflict_on_disk(pane: EditorPane, vault_store: Any, qtbot: QtBot) -> None:
    """If another program rewrites the edited note unnoticed, the save is refused, and both versions are on disk."""
    place = vault_store.root / "note.md"
    place.write_text("old\n", "utf-8")
    pane.open(vault_store.vault.read("note.md"), store=vault_store)
    QTest.keyClicks(pane.source, "mine ")
    place.write_text("theirs\n", "utf-8")
    qtbot.waitUntil(lambda: pane.state.kind == "conflict", timeout=30_000)
    assert place.read_text("utf-8") == "theirs\n"
    qtbot.waitUntil(lambda: vault_store.draft("note.md") is not None, timeout=30_000)
    assert vault_store.draft("note.md").text == "mine old\n"
    pane.keep_both()
    qtbot.waitUntil(lambda: pane.state.kind == "saved" and pane.flush(), timeout=30_000)
    files = sorted(vault_store.vault.files())
    assert len(files) == 2
    assert (vault_store.root / files[0]).read_text("utf-8") == "mine old\n"
    assert pane.text() == place.read_text("utf-8") == "theirs\n"
    assert vault_store.draft("note.md") is None


def test_draft_outlives_the_editor(pane: EditorPane, vault_store: Any, qtbot: QtBot) -> None:
    """Text just typed is on disk as a draft before the note is saved; the next editor offers it."""
    place = vault_store.root / "note.md"
    place.write_text("old\n", "utf-8")
    pane.open(vault_store.vault.read("note.md"), store=vault_store)
    QTest.keyClicks(pane.source, "typed ")
    qtbot.waitUntil(lambda: vault_store.draft("note.md") is not None, timeout=900)
    assert place.read_text("utf-8") == "old\n"
    pane.shut_down()  # as if the program ended here
    again = EditorPane(Translator("en"), LIGHT)
    qtbot.addWidget(again)
    again.open(vault_store.vault.read("note.md"), store=vault_store, draft=vault_store.draft("note.md"))
    assert again.ask_bar.notice is not None
    again.ask_bar.notice.choices[0].act()
    assert again.text() == "typed old\n"
    again.save_now()
    qtbot.waitUntil(again.flush, timeout=30_000)
    assert place.read_text("utf-8") == "typed old\n"
    assert vault_store.draft("note.md") is None
    again.shut_down()


def test_write_that_fails(pane: EditorPane, vault_store: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing fails, the file is unchanged, the window says so, and the draft has the text."""
    place = vault_store.root / "note.md"
    place.write_text("old\n", "utf-8")
    pane.open(vault_store.vault.read("note.md"), store=vault_store)
    with monkeypatch.context() as broken:
        broken.setattr("kb.vault.vault.replace_file", _full)
        QTest.keyClicks(pane.source, "new ")
        pane.save_now()
        qtbot.waitUntil(lambda: pane.state.kind == "failed", timeout=30_000)
        qtbot.waitUntil(lambda: vault_store.draft("note.md") is not None, timeout=30_000)
    assert place.read_text("utf-8") == "old\n"
    pane.save_now()
    qtbot.waitUntil(lambda: pane.state.kind == "saved", timeout=30_000)
    assert place.read_text("utf-8") == "new old\n"


def _full(*_args: object, **_options: object) -> None:
    raise SaveFailed("note.md", "no space left on device", "磁盘空间不足")


TYPED_AND_KILLED = """
import importlib.util, os, signal, sys, time
from pathlib import Path
spec = importlib.util.spec_from_file_location("stores", sys.argv[1])
stores = importlib.util.module_from_spec(spec)
sys.modules["stores"] = stores
spec.loader.exec_module(stores)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from app.editor.editor_pane import EditorPane
from app.style.theme import LIGHT
from app.i18n import Translator
application = QApplication([])
store = stores.VaultStore(Path(sys.argv[2]), Path(sys.argv[3]))
pane = EditorPane(Translator("en"), LIGHT)
pane.show()
pane.open(store.vault.read("note.md"), store=store)
QTest.keyClicks(pane.source, "typed ")
end = time.monotonic() + 0.6
while time.monotonic() < end:
    application.processEvents()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_before_the_save(vault_store: Any, tmp_path: Path) -> None:
    """If the program is killed before it could save, the file is unchanged, and the typed text is a draft."""
    place = vault_store.root / "note.md"
    place.write_text("old\n", "utf-8")
    stores = str(Path(__file__).parents[1] / "conftest.py")
    ended = subprocess.run(
        [sys.executable, "-c", TYPED_AND_KILLED, stores, str(vault_store.root), str(tmp_path / "drafts")],
        cwd=Path(__file__).parents[3],
        check=False,
        timeout=60,
    )
    assert ended.returncode == -signal.SIGKILL
    assert place.read_text("utf-8") == "old\n"
    assert vault_store.draft("note.md").text == "typed old\n"
    assert vault_store.draft("note.md").base_hash == vault_store.vault.read("note.md").hash
