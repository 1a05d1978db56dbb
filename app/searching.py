"""The search field and, under it, the results: by section, newest query wins, the field keeps the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.glyphs import icon
from app.look import Look
from app.results import ResultsPopup, Row, recent_rows, rows_of
from app.words import Words
from app.workspace import Workspace
from kb.found import SearchResult

PAUSE_MS = 20  # typing faster than this makes one search
HINT_FROM = 280  # pixels of width that have room for the key beside the placeholder
AGAIN_MS = 1000  # while the index grows, results are looked for again so often
_MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -5,
    Qt.Key.Key_PageDown: 5,
}
_ENTER = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class SearchField(QLineEdit):
    """A line that reports what is typed, never what is still being composed."""

    asked = Signal(str)  # the text as it stands
    moved = Signal(int)  # rows to move by
    entered = Signal(bool)  # with Ctrl: in a new tab
    left = Signal()  # Escape
    lost = Signal()  # the keyboard went elsewhere
    pressed = Signal()  # clicked into

    def __init__(self, words: Words, look: Look) -> None:
        """Be empty."""
        super().__init__()
        self._words = words
        self._look = look
        self._composing = False
        self.setObjectName("searchField")
        self.setMinimumWidth(150)
        self.setMaximumWidth(560)
        self._glass = self.addAction(icon("search", look.theme.dim), QLineEdit.ActionPosition.LeadingPosition)
        self._hint = QLabel("Ctrl K", self)
        self._hint.setObjectName("searchHint")
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(lambda: self.asked.emit(self.text()))
        self.textChanged.connect(self._on_text_changed)
        words.changed.connect(self.retranslate)
        look.changed.connect(lambda theme: self._glass.setIcon(icon("search", theme.dim)))
        self.retranslate()

    def retranslate(self) -> None:
        """Word the field again."""
        self.setPlaceholderText(self._words("搜索笔记、代码、报错…", "Search notes, code, errors…"))
        self.setAccessibleName(self._words("搜索", "Search"))
        self.setToolTip(self._words("搜索全部笔记  (Ctrl+K)", "Search all notes  (Ctrl+K)"))

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Know whether something is being composed; Enter then belongs to the input method."""
        preedit, committed = bool(event.preeditString()), bool(event.commitString())
        super().inputMethodEvent(event)
        if preedit:
            self._composing = True
            self._pause.stop()
        elif committed:
            # The key that confirmed the candidate may still arrive in this turn of the event loop.
            QTimer.singleShot(0, self, self._on_composed)
        else:
            self._composing = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move in the results, open one, or leave; everything else is typing."""
        key = Qt.Key(event.key())
        if self._composing:
            super().keyPressEvent(event)
        elif key in _MOVES:
            self.moved.emit(_MOVES[key])
        elif key in _ENTER:
            self._search_now()
            self.entered.emit(bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep Ctrl+Enter for the field: elsewhere it runs code."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _ENTER:
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard went to another part of the window."""
        super().focusOutEvent(event)
        if event.reason() not in {Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason}:
            self.lost.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Tell of a click: an empty field then shows what was read last."""
        super().mousePressEvent(event)
        self.pressed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the hint at the right edge."""
        super().resizeEvent(event)
        self._hint.adjustSize()
        self._show_hint()
        self._hint.move(QPoint(self.width() - self._hint.width() - 11, (self.height() - self._hint.height()) // 2))

    def _on_text_changed(self) -> None:
        self._show_hint()
        self._pause.start()

    def _show_hint(self) -> None:
        self._hint.setVisible(not self.text() and self.width() >= HINT_FROM)

    def _on_composed(self) -> None:
        self._composing = False
        self._pause.start()

    def _search_now(self) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self.asked.emit(self.text())


class Searching(QObject):
    """Joins the field, the results and the room of finding."""

    finished = Signal()  # the field is done with: the page may have the keyboard

    def __init__(self, workspace: Workspace, words: Words, look: Look, window: QWidget) -> None:
        """Show the results as a part of `window`, over the page."""
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._words = words
        self.field = SearchField(words, look)
        self.popup = ResultsPopup(words, look, window)
        self._query = ""
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self._search_again)
        self._opens_first: bool | None = None  # Enter came before the answer: open its first hit (True: in a new tab)
        self._connect()

    def _connect(self) -> None:
        field, popup, lookup = self.field, self.popup, self._workspace.lookup
        field.asked.connect(self._on_asked)
        field.moved.connect(self._on_moved)
        field.entered.connect(self._on_entered)
        field.left.connect(self.leave)
        field.lost.connect(self.popup.hide)
        field.pressed.connect(self._on_pressed)
        popup.row_chosen.connect(self._open)
        popup.query_suggested.connect(field.setText)
        lookup.answered.connect(self._on_answered)
        lookup.search_failed.connect(self._on_search_failed)
        lookup.progressed.connect(lambda _: self._on_progressed())
        lookup.indexed.connect(self._on_indexed)
        self._workspace.vault_opened.connect(lambda _: self._on_vault_opened())

    def enter(self) -> None:
        """Take the keyboard into the field, with what it holds selected."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.field.text():
            self._on_asked(self.field.text())
        else:
            self._show_recent()

    def leave(self) -> None:
        """Give the page back as it was."""
        self._workspace.lookup.forget()
        self._opens_first = None
        self.popup.hide()
        self.field.clear()
        self.popup.hide()
        self.finished.emit()

    def search_for(self, query: str) -> None:
        """Search as if `query` had been typed."""
        self.field.setText(query)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_asked(self, text: str) -> None:
        self._query = text.strip()
        if self._query:
            self._workspace.lookup.search(self._query)
        else:
            self._workspace.lookup.forget()
            self._opens_first = None
            if self.popup.isVisible():
                self._show_recent()

    def _on_pressed(self) -> None:
        if not self.field.text() and not self.popup.isVisible():
            self._show_recent()
        elif self.field.text() and not self.popup.isVisible():
            self._on_asked(self.field.text())

    def _on_moved(self, rows: int) -> None:
        if not self.popup.isVisible():
            self._on_pressed()
        else:
            self.popup.move_by(rows)

    def _on_entered(self, new_tab: bool) -> None:  # noqa: FBT001 - the value of a signal
        if not self._query and not self.popup.isVisible():
            return
        if self._query != self.popup.query or not self.popup.isVisible():
            self._opens_first = new_tab
            if self._query:
                self._workspace.lookup.search(self._query)
        elif row := self.popup.current():
            self._open(row, new_tab)

    def _on_answered(self, result: SearchResult) -> None:
        if result.query.strip() != self._query:
            return
        rows = rows_of(result.hits, result.query, self._words)
        if self._opens_first is not None and rows:
            new_tab, self._opens_first = self._opens_first, None
            self.popup.show_rows(rows, query=self._query)
            self._open(rows[0], new_tab)
            return
        self._opens_first = None
        if self._window.focusWidget() is self.field:
            self._show(rows, result)

    def _on_search_failed(self, _: str, error: Exception) -> None:
        self.popup.show_rows((), query=self._query, message=str(error))
        self._place()

    def _on_progressed(self) -> None:
        """Show what more has been indexed, now and then."""
        self._reword()
        if self.popup.isVisible() and self._query and not self._again.isActive():
            self._again.start()

    def _search_again(self) -> None:
        if self.popup.isVisible() and self._query:
            self._workspace.lookup.search(self._query)

    def _on_indexed(self) -> None:
        """Search again with what the index has learnt, if the results are in view."""
        self._reword()
        self._search_again()

    def _on_vault_opened(self) -> None:
        self.popup.hide()
        self._query = ""

    def _show(self, rows: Sequence[Row], result: SearchResult) -> None:
        self.popup.show_rows(
            rows, query=self._query, seconds=result.seconds, did_you_mean=result.did_you_mean or "",
            progress=self._workspace.lookup.progress,
        )  # fmt: skip
        self._place()

    def _show_recent(self) -> None:
        self._query = ""
        rows = recent_rows(self._workspace.state.recent, self._workspace.notes.entries, self._words.language)
        if rows:
            self.popup.show_rows(rows, query="")
            self._place()
        else:
            self.popup.hide()

    def _reword(self) -> None:
        if self.popup.isVisible() and self._query:
            self.popup.reword(self._workspace.lookup.progress)

    def _open(self, row: Row, new_tab: bool) -> None:  # noqa: FBT001 - the value of a signal
        self.popup.hide()
        self._workspace.open_note(row.path, anchor=row.anchor, line=row.line, marks=row.marks, new_tab=new_tab)
        self.finished.emit()

    def place(self) -> None:
        """Keep the results under the field."""
        if self.popup.isVisible():
            self._place()

    def _place(self) -> None:
        corner = self.field.mapTo(self._window, QPoint(0, self.field.height() + 6))
        self.popup.place(corner, max(self.field.width(), 640))
