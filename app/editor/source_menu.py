"""The context menu of the source (spelling suggestions, clipboard, table), and links that are followed from there."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QMenu

from app.editor.markdown_tokens import link_stretch
from app.editor.source_editor import SourceEditor
from app.editor.spell_checker import SpellChecker
from app.editor.text_diff import up_to
from app.i18n import Translator
from app.widgets.deferred_delete import clear_menu
from kb.markdown.links import links

_STANDARD = QKeySequence.StandardKey


class LinkAtCursor(QObject):
    """Reports the links that the user follows in one field."""

    followed = Signal(str)  # as in a page: an address, a path, "wiki:" and a name, "#" and an anchor

    def __init__(self, source: SourceEditor) -> None:
        """Watch the mouse in `source`."""
        super().__init__(source)
        self._source = source
        source.viewport().installEventFilter(self)

    def follow(self) -> None:
        """Follow the link at the caret, if any."""
        self._follow(self._source.textCursor())

    def _follow(self, place: QTextCursor) -> None:
        block, highlighter = place.block(), self._source.highlighter
        prose = not highlighter.in_fence(block) and highlighter.state_of(block).kind in ("text", "start")
        line = block.text()
        if prose and (link := link_at(line, len(up_to(line, place.positionInBlock())))):
            self.followed.emit(link)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the link under a Control click; dragging with Control selects text."""
        if (
            event.type() == QEvent.Type.MouseButtonRelease
            and isinstance(event, QMouseEvent)
            and event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
            and not self._source.textCursor().hasSelection()
        ):
            self._follow(self._source.cursorForPosition(event.position().toPoint()))
        return super().eventFilter(watched, event)


def link_at(line: str, at: int) -> str:
    """Return the link at position `at` in a line of prose, as in a page, or ""."""
    stretch = link_stretch(line, at)
    if stretch.startswith(("http://", "https://")):
        return stretch
    found = links(stretch)
    if not found:
        return ""
    link = found[0]
    place = {"wiki": f"wiki:{quote(link.target)}", "snippet": f"snippet:{link.target}"}.get(link.kind, link.target)
    return f"{place}#{link.anchor}" if link.anchor else place


class SourceMenu(QObject):
    """The context menu of one field, opened by the mouse or the menu key and rebuilt each time."""

    def __init__(
        self, source: SourceEditor, spelling: SpellChecker, words: Translator, *, table: Callable[[QMenu], object]
    ) -> None:
        """Build the menu for `source`; `table` adds the actions on a table."""
        super().__init__(source)
        self._source, self._spelling, self._words, self._table = source, spelling, words, table
        self._opened = 0
        self.menu = QMenu(source)
        source.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        source.customContextMenuRequested.connect(self._on_requested)

    def open_at(self, place: QTextCursor, at: QPoint, *, word: QTextCursor | None = None) -> None:
        """Open for a position in the text, at a point of the screen; `word` is the marked word there, if known."""
        self._opened += 1
        clear_menu(self.menu)
        word = word or self._spelling.word_at(place)
        if word is not None and not self._source.isReadOnly():
            self._add_spelling(word)
        self._add_clipboard()
        if not self._source.isReadOnly() and self._source.typist.tabling.here():
            self.menu.addSeparator()
            self._table(self.menu)
        self.menu.popup(at)

    def _on_requested(self, at: QPoint) -> None:
        viewport = self._source.viewport()
        self.open_at(self._source.cursorForPosition(at), viewport.mapToGlobal(at))

    def _add_spelling(self, word: QTextCursor) -> None:
        words, number, text = self._words, self._opened, word.selectedText()
        looking = self.menu.addAction(words("正在查找相近的词…", "Looking for similar words…"))
        looking.setEnabled(False)
        self.menu.addAction(
            words(f"把“{text}”加入自己的词典", f'Add "{text}" to my dictionary'), lambda: self._spelling.add(text)
        )
        self.menu.addSeparator()

        def on_found(found: tuple[str, ...]) -> None:
            if number != self._opened:
                return
            for one in found:
                action = self.menu.addAction(one, lambda one=one: self._replace_word(word, text, one))  # type: ignore[misc]
                font = action.font()
                font.setBold(True)
                action.setFont(font)
                self.menu.insertAction(looking, action)
            looking.setText(words("没有相近的词", "No similar words"))
            looking.setVisible(not found)

        self._spelling.suggest(text, on_found)

    def _replace_word(self, word: QTextCursor, was: str, becomes: str) -> None:
        """Replace a word, if it is still there."""
        if word.selectedText() == was and not self._source.isReadOnly():
            word.insertText(becomes)

    def _add_clipboard(self) -> None:
        source, document, words = self._source, self._source.document(), self._words
        free, selected = not source.isReadOnly(), bool(source.carets.selected())
        self._add(words("撤销", "Undo"), source.undo, _STANDARD.Undo, on=free and document.isUndoAvailable())
        self._add(words("重做", "Redo"), source.redo, _STANDARD.Redo, on=free and document.isRedoAvailable())
        self.menu.addSeparator()
        self._add(words("剪切", "Cut"), source.cut, _STANDARD.Cut, on=free and selected)
        self._add(words("复制", "Copy"), source.copy, _STANDARD.Copy, on=selected)
        self._add(words("粘贴", "Paste"), source.paste, _STANDARD.Paste, on=free and source.canPaste())
        plain = next((one.shortcut() for one in source.actions() if one.objectName() == "paste_plain"), None)
        can = free and source.canPaste()
        self._add(words("粘贴为纯文本", "Paste as plain text"), source.paste_plain, plain, on=can)
        self.menu.addSeparator()
        self._add(words("全选", "Select all"), source.selectAll, _STANDARD.SelectAll)

    def _add(
        self,
        text: str,
        act: Callable[[], object],
        keys: QKeySequence | QKeySequence.StandardKey | None = None,
        *,
        on: bool = True,
    ) -> None:
        shortcut = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText) if keys is not None else ""
        action = self.menu.addAction(f"{text}\t{shortcut}" if shortcut else text, act)
        action.setEnabled(on)
