"""Every surface of the window speaks the chosen language and no other, and says to a screen reader what it holds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication

from tests.e2e.surfaces import SURFACES, said, shown, texts

HAN = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"[A-Za-z]{2,}")
# Names, keys, devices, versions and paths are the same in both languages; so is the other language's own name.
NAMES = re.compile(
    r"炬页|Torchleaf|English|中文|\bEN\b|^(?:Aa|ab)$|PyTorch|Python|torch|\+cu\d+|\bpy\b|\bcpu\b|\b(?:cuda|mps|xpu)\S*"
    r"|(?:Ctrl|Alt|Shift)[+ ]\S+|\bF\d+\b|\bEsc\b|\bEnter\b|\bTab\b"
    r"|\b[KMG]iB\b|\S*/\S*|[\w.]+\.(?:md|py|log)|#\w+|\w+:\w*|[A-Z_]+=\d|--\w+ \d+|中( \+ EN)?$"
)
OF_NOTES = {"outlineLine", "tags"}  # headings and tags, in the languages that they are written in
TRANSIENT = {"tree_menu", "main_menu", "palette", "new"}  # gone before anyone can switch the language


def close_popups() -> None:
    """Put away menus, the palette and the prompt."""
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


def strangers(run: Any, language: str) -> list[str]:
    """Return what is read or said in the language that was not chosen; what the notes themselves say is no stranger."""
    written = "\n".join(path.read_text("utf-8") for path in run.vault.rglob("*.md"))
    found = []
    for widget in shown():
        for kind, text in texts(widget):
            left = NAMES.sub(" ", text)
            if not text.strip() or text.strip() in written or widget.objectName() in OF_NOTES:
                continue
            if HAN.search(left) if language == "en" else WORD.search(left) and not HAN.search(text):
                found.append(f"{type(widget).__name__} {widget.objectName()} {kind}: {text!r}")
    return found


@pytest.mark.parametrize("surface", SURFACES)
def test_a_surface_speaks_one_language_and_is_named(run: Any, surface: str) -> None:
    """Also after the language was switched while it is in view; and each part has a role, each control a name."""
    SURFACES[surface](run)
    QApplication.processEvents()
    assert list(shown())
    wrong = {}
    for language in ("en", "zh", "en"):
        run.words.switch(language)
        if surface in TRANSIENT:
            close_popups()
            SURFACES[surface](run)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()
        wrong[language] = strangers(run, language)
        nameless = []
        for window in QApplication.topLevelWidgets():
            for part, way in said(window) if window.isVisible() else ():
                state = part.state()
                if state.invisible or not state.focusable or state.disabled:
                    continue
                if part.role() == QAccessible.Role.NoRole or not part.text(QAccessible.Text.Name).strip():
                    nameless.append(f"{way} ({part.role().name})")
        wrong[f"names {language}"] = nameless
    close_popups()
    assert not any(wrong.values()), "\n".join(f"{key}: {one}" for key, found in wrong.items() for one in found)
