"""What a screen reader finds and hears: each control by name, role, value and state, the page as text, and the news."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QAccessibleInterface, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QTextEdit, QWidget

from app.widgets import accessibility
from tests.e2e.surfaces import SURFACES, said

Role, Name = QAccessible.Role, QAccessible.Text.Name
PRESSED = {Role.Button, Role.PushButton, Role.CheckBox, Role.RadioButton, Role.ButtonMenu, Role.ButtonDropDown}
PAGES = ("reading", "editing", "finding", "told", "doctor", "settings", "replace", "log")


class Ear:
    """Hears what is said, instead of a screen reader."""

    Event = QAccessible.Event
    AnnouncementPoliteness = QAccessible.AnnouncementPoliteness

    def __init__(self) -> None:
        self.heard: list[tuple[str, bool]] = []  # sentence, whether at once
        self.alerts = 0

    def updateAccessibility(self, event: QAccessibleEvent) -> None:  # noqa: N802 - Qt's own name
        """Hear one."""
        if isinstance(event, QAccessibleAnnouncementEvent):
            self.heard.append((event.message(), event.politeness() == self.AnnouncementPoliteness.Assertive))
        else:
            self.alerts += event.type() == QAccessible.Event.Alert


@pytest.fixture
def ear(monkeypatch: pytest.MonkeyPatch) -> Ear:
    """Give one who listens."""
    made = Ear()
    events = {"QAccessibleEvent": QAccessibleEvent, "QAccessibleAnnouncementEvent": QAccessibleAnnouncementEvent}
    monkeypatch.setattr(accessibility, "QtGui", SimpleNamespace(QAccessible=made, **events))
    return made


def of(widget: QWidget) -> QAccessibleInterface:
    """Return what a screen reader finds of a widget."""
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None
    return found


def test_controls_tell_what_they_are_and_how_they_stand(run: Any) -> None:
    """On every surface: a field has its text, a switch whether it is on, a button can be pressed; all have words."""
    wrong = []
    for where in PAGES:
        SURFACES[where](run)
        QApplication.processEvents()
        for part, way in said(run.window):
            state, role = part.state(), part.role()
            if state.invisible or not state.focusable or state.disabled:
                continue
            name = part.text(Name).strip()
            if not any(letter.isalnum() for letter in name):
                wrong.append(f"{where}: {way} is called {name!r}")
            if role in PRESSED and not {"Press", "Toggle", "ShowMenu"} & set(part.actionInterface().actionNames()):
                wrong.append(f"{where}: {way} cannot be pressed")
            if role == Role.CheckBox and not state.checkable:
                wrong.append(f"{where}: {way} does not tell whether it is on")
            if role == Role.SpinBox and part.valueInterface() is None:
                wrong.append(f"{where}: {way} has no value")
            if role == Role.EditableText and part.textInterface() is None:
                wrong.append(f"{where}: {way} has no text")
    assert wrong == []


def test_signs_have_words(run: Any) -> None:
    """A label that is but a sign is called by what it means."""
    for where in ("told", "doctor"):
        SURFACES[where](run)
        signs = [one for one in run.window.findChildren(QLabel) if one.isVisible() and len(one.text()) == 1]
        assert signs, where
        assert [one.text() for one in signs if not one.accessibleName()] == [], where


def test_the_page_is_read_as_text(run: Any) -> None:
    """All of it, with how each cell stands in words."""
    run.open("tensors/gather.en.md")
    view = run.window.central.reader.view
    run.until(lambda: "as recorded" in run.page() or "hello from the note" in run.page())
    face = of(view).textInterface()
    text = face.text(0, face.characterCount())
    for words in ("gather: pick by index", "下标越界会抛出 RuntimeError", 'raise ValueError("meant to fail")', "Run"):
        assert words in text
    keys = [placed.key for placed, _ in view.page.cells.boxes]
    for status, words in (
        ("passed", "as recorded"),
        ("failed", "failed"),
        ("stale", "stale"),
        ("stopped", "stopped"),
        ("timeout", "timed out"),
        ("killed", "killed"),
        ("unavailable", "not available"),
        ("interrupted", "interrupted"),
    ):
        view.cell_status(keys[0], status)
        view.page.cells.flush()
        bar = view.page.cells.boxes[0][1].table.cellAt(0, 1).firstCursorPosition().block().text().replace("\u00a0", " ")
        assert words in bar, status
        assert not bar.split(words)[0].strip()[-1:].isalnum(), f"{status} has no sign: {bar}"
    view.cell_started(keys[0], "cpu")
    view.page.cells.flush()
    assert "running" in face.text(0, face.characterCount())
    assert "Stop" in face.text(0, face.characterCount())


def test_what_is_not_to_be_written_is_read_only(run: Any) -> None:
    """The page and the log cannot be edited, the source can, and each says so."""
    SURFACES["editing"](run)
    central = run.window.central
    for widget, writable in (
        (central.reader.view, False),
        (central.preview.view, False),
        (central.editor.source, True),
    ):
        assert isinstance(widget, QTextEdit | QPlainTextEdit)
        assert bool(of(widget).state().readOnly) is not writable
        assert bool(of(widget).state().multiLine)


def test_results_are_named_and_heard(run: Any, ear: Ear) -> None:
    """Each by heading, place and language; the number and the first as they come, then each that is moved to."""
    run.open("tensors/gather.en.md")
    field, popup = run.window.search_controller.field, run.window.search_controller.popup
    run.window.search_controller.enter()
    ear.heard.clear()
    QTest.keyClicks(field, "index")
    run.until(lambda: popup.isVisible() and popup.current() is not None and popup.query == "index")
    rows = [row.spoken for row in popup.rows]
    listed = of(popup.list)
    assert listed.role() == Role.List
    assert [listed.child(at).text(Name) for at in range(len(rows))] == rows
    for part in ("gather: pick by index", "tensors", "EN", "result has the shape"):
        assert part in rows[0] + rows[1]
    assert any(sentence.endswith(rows[0]) and str(len(rows)) in sentence for sentence, _ in ear.heard)
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert ear.heard[-1] == (rows[1], False)
    ear.heard.clear()
    field.selectAll()
    QTest.keyClicks(field, "zzqqxxyy")
    run.until(lambda: any("Nothing found" in sentence for sentence, _ in ear.heard))


def test_news_are_heard(run: Any, ear: Ear) -> None:
    """Notices as alerts, questions and failures at once; how a run ended; the command that the palette is at."""
    SURFACES["told"](run)
    assert ear.alerts == 3
    assert ear.heard[-3:] == [("A sentence.", False), ("A question?", True), ("A failure.", True)]
    view = run.window.central.reader.view
    view.run_requested.emit(view.page.cells.boxes[0][0].key, "cpu")
    run.until(lambda: any(sentence.startswith("hello: ") for sentence, _ in ear.heard))
    palette = run.window.deferred.command_palette
    palette.ask()
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert ear.heard[-1][0] == palette.list.currentIndex().data()
    palette.hide()


def test_what_passes_stays_while_somebody_is_at_it(run: Any) -> None:
    """A notice that goes by itself waits for who has the keyboard on it."""
    SURFACES["told"](run)
    strip = run.window.central.notification_bar
    run.window.activateWindow()
    card = strip.cards[0]
    assert not card.attended
    card.done.setFocus(Qt.FocusReason.TabFocusReason)
    assert card.attended


def test_what_is_drawn_is_told(run: Any, ear: Ear) -> None:
    """A page says how many formulas and pictures it has, and the keyboard's way to a picture has that one's words."""
    (run.vault / "drawn.en.md").write_text("# Drawn\n\n$x^2$ and $y$\n\n![a red square](red.png)\n", "utf-8")
    QImage(8, 8, QImage.Format.Format_RGB32).save(str(run.vault / "red.png"))
    run.open("drawn.en.md")
    run.until(lambda: "Drawn" in run.page())
    view = run.window.central.reader.view
    told = of(view).text(QAccessible.Text.Description)
    assert "2 formulas, copied as LaTeX" in told
    assert "1 picture, copied as words" in told
    run.words.switch("zh")
    assert "2 个公式" in of(view).text(QAccessible.Text.Description)
    view.setFocus()
    for _ in range(2):  # to the link by which the other language is begun, and to the picture
        QTest.keyClick(view, Qt.Key.Key_Tab)
    assert ear.heard == [("a red square", False)]
    run.open("tensors/gather.en.md")
    run.until(lambda: "公式" not in of(view).text(QAccessible.Text.Description))
