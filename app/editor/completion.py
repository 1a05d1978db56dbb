"""Completion in the source: of links to notes, headings and snippets, of tags and of terms, in a popup list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from app.editor.source_editor import SourceEditor
from app.editor.text_diff import units, up_to
from app.i18n import Translator
from app.style.theme import Theme
from app.widgets.list_delegates import ChoiceDelegate
from kb.lazy_regex import expression

Kind: TypeAlias = Literal["note", "heading", "anchor", "tag", "snippet", "term"]
MOST = 12  # choices at a time
_ROW, _WIDTH, _SHOWN = 28, 420, 8  # pixels, pixels, rows without scrolling
_CHOICE = Qt.ItemDataRole.UserRole
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -_SHOWN, Qt.Key.Key_PageDown: _SHOWN}
_TAKES = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab}
_FRONT = 200  # lines of front matter to search for a key
_WIKI = expression(r"\[\[(?P<target>[^\[\]|#\n]*)(?:#(?P<heading>[^\[\]|\n]*))?$")
_LINK = expression(r"\]\((?P<target>[^()\s#<>:]*)#(?P<anchor>[^()\s#<>]*)$")
_SNIPPET = expression(r"\]\(<?snippet:(?P<name>[^()\s<>#]*)$")
_TAG = expression(r"(?:^[ \t]*-[ \t]+|^tags[ \t]*:[ \t]*\[?|[,，][ \t]*)[\"']?(?P<tag>[^\[\]\"',，:]*)$")
_KEY = expression(r"(?P<key>[A-Za-z_]+)[ \t]*:")
_TERM = expression(r"[A-Za-z][\w+-]*(?: [A-Za-z][\w+-]*){0,2}$|[\u3400-\u9fff]{1,8}$")
_CLOSES: dict[Kind, str] = {"note": "]]", "heading": "]]", "anchor": ")", "snippet": ")"}


@dataclass(frozen=True)
class CompletionContext:
    """What is being completed: its kind, the typed part, and the note that a heading belongs to ("" for this one)."""

    kind: Kind
    typed: str
    target: str = ""
    whole: str = ""  # the text to replace, if longer than `typed`: a snippet link without a label

    @property
    def replaced(self) -> str:
        """The text before the caret that the choice replaces."""
        return self.whole or self.typed

    @property
    def closes(self) -> str:
        """The closing brackets that follow the choice."""
        return _CLOSES.get(self.kind, "")


@dataclass(frozen=True)
class CompletionItem:
    """One completion: its label, a detail shown next to it, and the text to insert."""

    text: str
    told: str
    insert: str


def wanted(before: str, place: str, above: Callable[[], str], *, asked: bool = False) -> CompletionContext | None:
    """Return what can be completed after `before`, the line up to the caret, or None.

    `place` is the kind of the line ("text", "front", ...), and `above` returns the key that a line of front matter
    belongs to. Terms are completed only if `asked`.
    """
    if place == "front":
        return _tag(before, above)
    if place != "text" or before.count("`") % 2:
        return None
    return _linked(before) or (_term(before) if asked else None)


def key_of(line: str) -> str:
    """Return the key at the start of a line of front matter, or ""."""
    found = _KEY.match(line)
    return found["key"].lower() if found else ""


def _linked(before: str) -> CompletionContext | None:
    if found := _WIKI.search(before):
        if found["heading"] is None:
            return CompletionContext("note", found["target"])
        return CompletionContext("heading", found["heading"], found["target"])
    if found := _SNIPPET.search(before):
        return CompletionContext(
            "snippet", found["name"], whole=f"[{found[0]}" if before.endswith(f"[{found[0]}") else ""
        )
    if found := _LINK.search(before):
        return CompletionContext("anchor", found["anchor"], found["target"])
    return None


def _tag(before: str, above: Callable[[], str]) -> CompletionContext | None:
    if (key_of(before) or above()) != "tags":
        return None
    found = _TAG.search(before)
    return CompletionContext("tag", found["tag"]) if found else None


def _term(before: str) -> CompletionContext | None:
    found = _TERM.search(before)
    return CompletionContext("term", found[0]) if found else None


class CompletionSource(Protocol):
    """Finds completions in a vault. `app.commands` implements it, which this package cannot import."""

    def choices(
        self, wanted: CompletionContext, path: str, text: str, *, done: Callable[[Sequence[CompletionItem]], object]
    ) -> None:
        """Call `done` on the GUI thread with the completions, the likeliest first."""


class CompletionPopup(QListWidget):
    """The list of completions under the caret of one field."""

    def __init__(
        self,
        source: SourceEditor,
        completions: CompletionSource,
        *,
        path: Callable[[], str],
        words: Translator,
        theme: Theme,
    ) -> None:
        """Complete in `source`; `path` returns the path of its note."""
        super().__init__(source)
        self.source, self._completions, self._path = source, completions, path
        self._words, self._theme = words, theme
        self._wanted: CompletionContext | None = None
        self._asked = 0  # number of the newest question
        self._typed = False  # whether the last change of the text was typed
        self._demanded = False
        self.setObjectName("chooser")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        painter = ChoiceDelegate(self, height=_ROW, theme=lambda: self._theme, told=lambda at: at.data(_CHOICE).told)
        self.setItemDelegate(painter)
        self.setMouseTracking(True)
        self.hide()
        self.set_theme(theme)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._look)
        source.edited.connect(self._on_edited)
        source.cursorPositionChanged.connect(self._on_moved)
        source.loaded.connect(self.dismiss)
        source.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        source.installEventFilter(self)
        self.itemClicked.connect(lambda _: self.take())

    def demand(self) -> None:
        """Complete the text before the caret, including terms."""
        if not self.source.composing() and not self.source.isReadOnly():
            self._typed = self._demanded = True
            self._look()

    def dismiss(self) -> None:
        """Hide the list; drop a search in progress."""
        self._asked += 1
        self._wanted, self._demanded = None, False
        self._soon.stop()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.setStyleSheet(
            f"#chooser {{ background: {theme.field}; border: 1px solid {theme.line}; border-radius: 8px;"
            f" padding: 4px; outline: none; }}"
            "#chooser::item, #chooser::item:selected, #chooser::item:hover { background: transparent; border: none; }"
        )

    def take(self) -> None:
        """Insert the current choice in place of the typed part, and add the closing brackets."""
        wanted, item = self._wanted, self.currentItem()
        self.dismiss()
        if wanted is None or item is None:
            return
        choice: CompletionItem = item.data(_CHOICE)
        cursor = self.source.textCursor()
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, units(wanted.replaced))
        in_table = cursor.block().text().lstrip().startswith("|")  # where a bar would end the cell
        cursor.insertText(choice.insert.replace("|", "\\|") if in_table else choice.insert)
        if wanted.closes:
            line = cursor.block().text()
            behind = line[len(up_to(line, cursor.positionInBlock())) :]
            there = next(
                (size for size in range(len(wanted.closes), 0, -1) if behind.startswith(wanted.closes[:size])), 0
            )
            cursor.movePosition(QTextCursor.MoveOperation.Right, n=there)
            cursor.insertText(wanted.closes[there:])
        cursor.endEditBlock()
        self.source.setTextCursor(cursor)
        self.source.ensureCursorVisible()

    # events of the field

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of the list while it is visible; hide it while an input method composes."""
        kind = event.type()
        if watched is not self.source:  # a list also filters events of its own parts
            return super().eventFilter(watched, event)
        if isinstance(event, QInputMethodEvent):
            if event.preeditString():
                self.dismiss()
            self._typed = bool(event.commitString())
        elif kind in (QEvent.Type.FocusOut, QEvent.Type.Resize, QEvent.Type.Hide):
            self.dismiss()
        elif isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress and not self.source.composing():
            self._typed = bool(event.text()) or self.isVisible()
            return self.isVisible() and self._key(event)
        elif isinstance(event, QKeyEvent) and self.isVisible() and self._is_own(event):  # before it is a shortcut
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _is_own(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        bare = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return bare and (key in _STEPS or key in _TAKES or key == Qt.Key.Key_Escape)

    def _key(self, event: QKeyEvent) -> bool:
        if not self._is_own(event):
            return False
        key = Qt.Key(event.key())
        if key in _STEPS:
            row = self.currentRow() + _STEPS[key]
            self.setCurrentRow(row % self.count() if abs(_STEPS[key]) == 1 else min(max(row, 0), self.count() - 1))
            self._say()
        elif key in _TAKES:
            self.take()
        else:
            self.dismiss()
        return True

    def _on_edited(self) -> None:
        if self._typed:
            self._soon.start()

    def _on_moved(self) -> None:
        if self.isVisible():
            self._soon.start()

    def _on_scrolled(self) -> None:
        """Keep the list under the caret, or hide it if the caret is out of view."""
        if self.isVisible():
            if self.source.viewport().rect().intersects(self.source.cursorRect()):
                self._place()
            else:
                self.dismiss()

    # searching

    def _look(self) -> None:
        """Find out what is being typed, and request its completions."""
        found = None if self.source.composing() or self.source.isReadOnly() else self._find()
        self._typed = False
        if found is None:
            self.dismiss()
            return
        self._asked += 1
        number, self._wanted = self._asked, found
        self._completions.choices(
            found, self._path(), self._text_for(found), done=lambda made: self._on_choices(number, found, made)
        )

    def _text_for(self, found: CompletionContext) -> str:
        own = found.kind in ("heading", "anchor") and not found.target
        return self.source.raw() if own else ""

    def _find(self) -> CompletionContext | None:
        cursor = self.source.textCursor()
        if cursor.hasSelection() or self.source.carets.several:
            return None
        block, line = cursor.block(), cursor.block().text()
        state = self.source.highlighter.state_of(block)
        before = up_to(line, cursor.positionInBlock())
        place = "code" if self.source.highlighter.in_fence(block) else state.kind
        return wanted(before, place, lambda: self._key_above(cursor), asked=self._demanded)

    def _key_above(self, cursor: QTextCursor) -> str:
        block = cursor.block().previous()
        for _ in range(_FRONT):
            if not block.isValid() or (key := key_of(block.text())):
                return key if block.isValid() else ""
            block = block.previous()
        return ""

    def _on_choices(self, number: int, found: CompletionContext, made: Sequence[CompletionItem]) -> None:
        if number != self._asked or self.source.composing():
            return
        whole = len(made) == 1 and made[0].insert == found.replaced
        if not made or whole or not self.source.hasFocus():
            self.dismiss()
            return
        self._show(made[:MOST])

    def _show(self, made: Sequence[CompletionItem]) -> None:
        self.clear()
        for choice in made:
            item = QListWidgetItem(choice.text)
            item.setData(_CHOICE, choice)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{choice.text}, {choice.told}")
            self.addItem(item)
        self.setCurrentRow(0)
        self.setAccessibleName(self._words("补全", "Completions"))
        self._place()
        self.show()
        self.raise_()
        self._say()

    def _place(self) -> None:
        window, field = self.source.window(), self.source
        if self.parentWidget() is not window:
            self.setParent(window)
        caret = field.cursorRect()
        height = _ROW * min(self.count(), _SHOWN) + 10  # its border and padding
        width = min(_WIDTH, window.width() - 16)
        place = field.viewport().mapTo(window, QPoint(caret.left() - 12, caret.bottom() + 4))
        if place.y() + height > window.height():
            place.setY(field.viewport().mapTo(window, caret.topLeft()).y() - height - 4)
        place.setX(max(8, min(place.x(), window.width() - width - 8)))
        self.setGeometry(QRect(place, QSize(width, height)))

    def _say(self) -> None:
        """Announce the current choice to screen readers, since the list never has the focus."""
        if (item := self.currentItem()) is not None:
            said = item.data(Qt.ItemDataRole.AccessibleTextRole)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))
