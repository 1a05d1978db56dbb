"""Connects the search field, its results and the search service: the newest query wins, the field keeps the focus."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.i18n import Translator
from app.search.search_field import SearchField
from app.state import recent_notes
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.widgets.list_delegates import QuerySuggestion, Row
from kb.results import SearchResult

if TYPE_CHECKING:  # imported at the first search, see below
    from app.search.query_help import QueryHelp
    from app.search.results_popup import ResultsPopup

AGAIN_MS = 1000  # interval of repeated searches while the index grows
WIDTH = 640  # minimum pixels of the results


class SearchController(QObject):
    """Controls the search from a key in the field to an opened note."""

    finished = Signal()  # the search has ended: the page may have the focus

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance, window: QWidget) -> None:
        """Show the results inside `window`, over the page."""
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._words = words
        self.field = SearchField(words, look)
        self._look = look
        self._query = ""
        self._offers: tuple[QuerySuggestion, ...] = ()  # completions of what is being typed
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self._search_again)
        self._opens_first: bool | None = None  # Enter came before the answer: open its first hit (True: in a new tab)
        self._connect()

    def _connect(self) -> None:
        field, lookup = self.field, self._workspace.search_service
        field.asked.connect(self._on_asked)
        field.moved.connect(self._on_moved)
        field.entered.connect(self._on_entered)
        field.left.connect(self.leave)
        field.lost.connect(self._on_lost)
        field.pressed.connect(self._on_pressed)
        field.help_asked.connect(self.toggle_help)
        field.completed.connect(lambda: self._take(self._offers[0]) if self._offers else None)
        lookup.answered.connect(self._on_answered)
        lookup.search_failed.connect(self._on_search_failed)
        lookup.progressed.connect(lambda _: self._on_progressed())
        lookup.indexed.connect(lambda _: self._on_indexed())
        self._workspace.vault_opened.connect(lambda _: self._on_vault_opened())
        self._words.changed.connect(self._on_words_changed)

    # --- created at the first search

    @cached_property
    def popup(self) -> ResultsPopup:
        """The popup of results under the field."""
        from app.search.results_popup import ResultsPopup  # noqa: PLC0415 - not needed at the start

        made = ResultsPopup(self._words, self._look, self._window)
        made.row_chosen.connect(self._choose)
        made.query_suggested.connect(self.field.put)
        made.chips.removed.connect(self.field.put)
        return made

    @cached_property
    def help(self) -> QueryHelp:
        """The help on the query language."""
        from app.search.query_help import QueryHelp  # noqa: PLC0415 - see above

        made = QueryHelp(self._words, self._look, self._window)
        made.example_chosen.connect(self.field.put)
        return made

    def _shows(self, part: str) -> bool:
        made: QWidget | None = vars(self).get(part)
        return made is not None and made.isVisible()

    # --- focus

    def enter(self) -> None:
        """Focus the field and select its text."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.field.text().strip():
            self._on_asked(self.field.text())
        else:
            self._show_recent()

    def leave(self) -> None:
        """Return to the page; if the help is open, close only that."""
        if self._shows("help"):
            self.help.hide()
            return
        self._workspace.search_service.forget()
        self._opens_first = None
        self.field.clear()
        self._hide()
        self.finished.emit()

    def toggle_help(self) -> None:
        """Show or hide the help on the query language."""
        if self._shows("help"):
            self.help.hide()
            return
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._hide_part("popup")
        self.help.place(self._corner())

    def show_hits(self, rows: Sequence[Row], message: str) -> None:
        """Show sections that were not searched for, under a sentence that describes them."""
        self._hide_part("help")
        self.field.clear()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._workspace.search_service.forget()
        self._query, self._offers = "", ()
        self.popup.chips.show_chips(())
        self.popup.show_rows(rows, query="", message=message, state=" ")
        self._place()

    def _on_lost(self) -> None:
        self.field.completing = False
        self._hide()

    def _hide(self) -> None:
        self._hide_part("popup")
        self._hide_part("help")

    def _hide_part(self, part: str) -> None:
        if (made := vars(self).get(part)) is not None:
            made.hide()

    # --- typing

    def _on_asked(self, text: str) -> None:
        self._hide_part("help")
        self._query = text.lstrip() if text.strip() else ""
        self._complete(text)
        if self._query:
            self._workspace.search_service.search(self._query)
        else:
            self._workspace.search_service.forget()
            self._opens_first = None
            if self._shows("popup"):
                self._show_recent()

    def _complete(self, text: str) -> None:
        """Offer completions of the filter at the cursor at once; they need no search."""
        entries = self._workspace.notes.entries
        from app.search.filter_completion import offers  # noqa: PLC0415 - see above

        self._offers = offers(text, self.field.cursorPosition(), entries, self._words)
        self.field.completing = bool(self._offers)
        if self._offers and self.field.hasFocus():
            hits = [row for row in self.popup.rows if isinstance(row, Row)] if self._shows("popup") else []
            self._show((*self._offers, *hits), start=self._start())

    def _start(self) -> int:
        """Return the current row to begin with: a completion, unless the filter is complete."""
        from app.search.filter_completion import is_whole  # noqa: PLC0415 - see above

        cursor, entries = self.field.cursorPosition(), self._workspace.notes.entries
        return len(self._offers) if is_whole(self.field.text(), cursor, entries, self._words) else 0

    def _on_pressed(self) -> None:
        if not self._shows("popup"):
            if self.field.text().strip():
                self._on_asked(self.field.text())
            else:
                self._show_recent()

    def _on_moved(self, rows: int) -> None:
        if self._shows("help"):
            self.help.move_by(rows)
        elif not self._shows("popup"):
            self._on_pressed()
        else:
            self.popup.move_by(rows)

    def _on_entered(self, new_tab: bool) -> None:  # noqa: FBT001 - the value of a signal
        if (self._shows("help") and self.help.try_current()) or (not self._query and not self._shows("popup")):
            return
        current = self.popup.current()
        if self._query != self.popup.query or not self._shows("popup"):
            self._opens_first = new_tab
            if self._query:
                self._workspace.search_service.search(self._query)
        elif current is not None:
            self._choose(current, new_tab)

    # --- answers

    def _on_answered(self, result: SearchResult) -> None:
        if result.query != self._query:
            return
        from app.search.results_popup import rows_of  # noqa: PLC0415 - see above

        rows = rows_of(result.hits, result.query, self._words)
        if self._opens_first is not None and rows:
            new_tab, self._opens_first = self._opens_first, None
            self._show(rows, seconds=result.seconds)
            self._open(rows[0], new_tab)
            return
        self._opens_first = None
        if self._window.focusWidget() is self.field and not self._shows("help"):
            self._show_answer(result, rows)

    def _show_answer(self, result: SearchResult, rows: Sequence[Row]) -> None:
        from app.search.suggestions import advice, instead, unknown_error  # noqa: PLC0415 - see above

        progress = self._workspace.search_service.progress
        if self._offers:
            self._show((*self._offers, *rows), start=self._start(), seconds=result.seconds)
        elif rows:
            other = instead(result, self._words)
            sentence = unknown_error(result, self._words)
            self._show((*other, *rows), start=len(other), seconds=result.seconds, message=sentence)
        else:
            sentence, ways = advice(result.query, self._words, unfinished=progress is not None)
            self._show(ways, seconds=result.seconds, message=sentence)

    def _on_search_failed(self, query: str, error: Exception) -> None:
        if query == self._query:
            sentence = getattr(error, "sentence", lambda _: str(error))(self._words.language)
            self._show((), message=sentence)

    def _show(
        self, rows: Sequence[Row | QuerySuggestion], *, start: int = 0, seconds: float = 0.0, message: str = ""
    ) -> None:
        from app.search.filter_chips import chips_of  # noqa: PLC0415 - see above

        self.popup.chips.show_chips(chips_of(self._query, self._words))
        self.popup.show_rows(
            rows,
            query=self._query,
            start=start,
            seconds=seconds,
            message=message,
            progress=self._workspace.search_service.progress,
        )
        self._place()

    def _on_progressed(self) -> None:
        """Show newly indexed results, at most once a second."""
        self._reword()
        if self._shows("popup") and self._query and not self._again.isActive():
            self._again.start()

    def _search_again(self) -> None:
        if self._shows("popup") and self._query:
            self._workspace.search_service.search(self._query)

    def _on_indexed(self) -> None:
        """Search again with the updated index, if the results are visible."""
        self._reword()
        self._search_again()

    def _on_vault_opened(self) -> None:
        self._hide()
        self._query = ""

    def _on_words_changed(self) -> None:
        self._hide()

    def _reword(self) -> None:
        if self._shows("popup") and self._query:
            self.popup.reword(self._workspace.search_service.progress)

    def _show_recent(self) -> None:
        self._query, self._offers = "", ()
        self.field.completing = False
        words = self._words
        rows = recent_notes.rows(self._workspace.state.recent, self._workspace.notes.entries, words.language)
        state = words("最近打开过", "Opened lately") if rows else ""
        hints = words("F1 查看全部搜索语法", "F1 shows all that can be typed")
        self.popup.chips.show_chips(())
        self.popup.show_rows((*rows, *_beginnings(words)), query="", state=f"{state}    {hints}".strip())
        self._place()

    # --- choosing

    def _choose(self, row: Row | QuerySuggestion, new_tab: bool) -> None:  # noqa: FBT001 - the value of a signal
        if isinstance(row, QuerySuggestion):
            self._take(row)
        else:
            self._open(row, new_tab)

    def _take(self, offer: QuerySuggestion) -> None:
        self.field.put(offer.text)
        self._on_asked(self.field.text())

    def _open(self, row: Row, new_tab: bool) -> None:  # noqa: FBT001 - the value of a signal
        self._hide()
        self._workspace.open_note(row.path, anchor=row.anchor, line=row.line, marks=row.marks, new_tab=new_tab)
        self.finished.emit()

    # --- places

    def place(self) -> None:
        """Keep the results under the field."""
        if self._shows("popup"):
            self._place()
        if self._shows("help"):
            self.help.place(self._corner())

    def _place(self) -> None:
        self.popup.place(self._corner(), max(self.field.width(), WIDTH))

    def _corner(self) -> QPoint:
        return self.field.mapTo(self._window, QPoint(0, self.field.height() + 6))


def _beginnings(words: Translator) -> tuple[QuerySuggestion, ...]:
    """Return a few filters to begin with, for an empty field."""
    return (
        QuerySuggestion("tag:", words("有某个标签的笔记", "notes with a tag"), "tag:"),
        QuerySuggestion("has:snippet", words("有可以运行的代码", "with code that can be run"), "has:snippet "),
        QuerySuggestion("status:failed", words("代码运行失败的笔记", "notes whose code failed"), "status:failed "),
        QuerySuggestion("modified:week", words("一周之内改过的笔记", "changed within a week"), "modified:week "),
    )
