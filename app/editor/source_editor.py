"""The Markdown source: a text field with key commands, input methods, paste, and backgrounds behind code."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QKeyCombination, QMimeData, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QDropEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.editor.document_text import ChunkedInsert, LineBuffer, TextCodec
from app.editor.editor_keys import EditorKeys
from app.editor.highlighter import Highlighter
from app.editor.insertion import LINE, is_pasted, pasted, whole_line
from app.editor.key_handler import KeyHandler
from app.editor.line_backgrounds import FindHighlights, paint_backgrounds
from app.editor.line_commands import LineCommands
from app.editor.multi_cursor import MultiCursor
from app.editor.text_diff import replace_in
from app.style.stylesheets import families
from app.style.theme import Theme

_COLUMN = 45  # width of the text in Chinese characters; some 80 Latin ones
_MARGIN = 18  # pixels at least, left and right
LONGEST = 16_000_000  # characters that can be edited; reading a longer text from Qt would freeze the window
_INSET = 12  # pixels between a code fence's box and its text
_SIZE = 15  # pixels, the font size of prose at zoom 1
_ZOOM_STEP = 1.1


class SourceEditor(QPlainTextEdit):
    """A plain-text field for one note, without access to files."""

    edited = Signal()  # the text changed; not while loading, and not for text being composed
    loaded = Signal()  # the whole text is there; at once unless the note is large
    caret_moved = Signal(int)  # to another line, from 1
    pictures_pasted = Signal(object)  # tuple of QImage or Path, to be stored and linked at the caret
    zoom_wanted = Signal(float)  # the zoom factor
    commanded = Signal(str)  # a key of the editor was pressed: save, close, find, replace, run, escape, ...

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        """Start empty, in the colours of a theme."""
        super().__init__(parent)
        self._theme = theme
        self.keys = EditorKeys(self)
        self._codec = TextCodec("")
        self._locked = False
        self._only_composes = False  # Qt reports text being composed as a change of the line
        self._goal = 1  # the line to go to after loading
        self._line = 0
        self._zoom = 1.0
        self.highlighter = Highlighter(self.document(), theme, size=_SIZE)
        self.typist = KeyHandler(self, self.highlighter)
        self.linework = LineCommands(self)
        self.carets = MultiCursor(self, self.highlighter)
        self.overlays: list[Callable[[QPainter], object]] = [self._paint_carets]  # painters over the text
        self._set_up_frame()
        self.set_zoom(1.0)
        self.marks = FindHighlights(self, theme)
        self._live = LineBuffer(self.document())
        self._loader = ChunkedInsert(self)
        self._loader.finished.connect(self._on_loaded)
        self.document().contentsChange.connect(self._on_contents_change)
        self.cursorPositionChanged.connect(self._on_cursor_moved)
        self.carets.changed.connect(self._on_carets_changed)

    def _set_up_frame(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setCenterOnScroll(True)  # the last line can be scrolled up from the bottom edge
        self.setCursorWidth(2)
        self.document().setDocumentMargin(_INSET)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    # used by the pane

    def load(self, text: str, *, line: int = 1, locked: bool = False) -> None:
        """Replace the text and its undo steps, and go to a line; `locked` makes it read-only."""
        self.stop()
        self.carets.leave()
        self.typist.forget()
        self._locked = locked
        # Scanning a text that is too long to be edited would take a tenth of a second.
        self._codec = TextCodec(text if len(text) <= LONGEST else "")
        shown = self._codec.shown() if len(text) <= LONGEST else text
        self.setReadOnly(True)
        self._goal = line
        self._loader.begin(shown)

    @property
    def loading(self) -> bool:
        """Whether part of a large note is still being inserted."""
        return self._loader.under_way

    def text(self) -> str:
        """Return the text to save, with its original line ends."""
        return self._codec.written(self.document().toRawText())

    def rebase(self, text: str) -> None:
        """Use `text` as the text on disk, whose line ends are kept."""
        self._codec = self._codec.after(text)

    def become(self, text: str) -> None:
        """Change to the new text on disk as one undo step; caret and scroll position stay at the same words."""
        self._codec = self._codec.after(text)
        self.become_edited(text)

    def become_edited(self, text: str) -> None:
        """Change the text as `become` does, but as if it had been typed: the text on disk stays the same."""
        old = self.raw()
        top = QTextCursor(self.firstVisibleBlock())
        above = self.verticalScrollBar().value() - self.firstVisibleBlock().firstLineNumber()
        replace_in(self.document(), 0, old, self._codec.after(text).shown())
        self.verticalScrollBar().setValue(top.block().firstLineNumber() + above)

    def raw(self) -> str:
        """Return the text as shown, with line feeds; positions equal Qt's, except after emoji."""
        return self.document().toRawText().replace("\u2029", "\n")

    def live(self) -> str:
        """Return the same as `raw` without reading the whole document; outdated within an undo step."""
        return self._live.text()

    def lock(self, *, locked: bool) -> None:
        """Make the text read-only or editable."""
        self._locked = locked
        self.setReadOnly(locked or self.loading)

    def line(self) -> int:
        """Return the line of the caret, from 1."""
        return self.textCursor().blockNumber() + 1

    def go_to_line(self, line: int) -> None:
        """Put the caret at the start of a line (from 1) and scroll to it."""
        block = self.document().findBlockByNumber(max(0, min(line, self.blockCount()) - 1))
        cursor = QTextCursor(block)
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(max(0, block.firstLineNumber() - 3))

    def composing(self) -> bool:
        """Return whether an input method is composing text."""
        return bool(self.textCursor().block().layout().preeditAreaText())

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.highlighter.set_theme(theme, size=self._size())
        self.marks.set_theme(theme)
        self.viewport().update()

    def set_zoom(self, factor: float) -> None:
        """Scale the font; 1 is the default size."""
        top, self._zoom = self.firstVisibleBlock(), factor
        self.setStyleSheet(f"QPlainTextEdit {{ font-family: {self._theme.prose_font}; font-size: {self._size()}px; }}")
        self.ensurePolished()
        fixed = QFont(families(self._theme.code_font))
        fixed.setPixelSize(self._size())
        self.setTabStopDistance(4 * QFontMetricsF(fixed).horizontalAdvance(" "))
        self.highlighter.set_theme(self._theme, size=self._size())
        self._central()
        self.verticalScrollBar().setValue(top.firstLineNumber())

    def _size(self) -> int:
        return round(_SIZE * self._zoom)

    def stop(self) -> None:
        """Stop loading and highlighting."""
        self._loader.stop()
        self.highlighter.stop()

    def _on_loaded(self) -> None:
        self.setReadOnly(self._locked)
        self.highlighter.start()
        self.go_to_line(self._goal)
        self._line = self.line()
        self.loaded.emit()

    # keys

    def event(self, event: QEvent) -> bool:
        """Give the editor's keys, and all keys while text is composed, precedence over the window's shortcuts."""
        key = event if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) else None
        if key is not None and (self.composing() or self.keys.command_of(key) or self._action_of(key)):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Offer a key to the input method, the carets, the editor, the key handler and the field, in this order."""
        if self.composing() or (self.carets.several and self.carets.press(event)):
            event.accept()
        elif command := self.keys.command_of(event):
            event.accept()
            self.commanded.emit(command)
        elif action := self._action_of(event):
            event.accept()
            action.trigger()
        elif self.carets.several:
            self.carets.type(event)
        elif not self.textCursor().hasSelection() and self._copy_line(event):
            event.accept()
        elif self.isReadOnly() or not self.typist.press(event):
            super().keyPressEvent(event)

    def _copy_line(self, event: QKeyEvent) -> bool:
        """Copy or cut the whole line of the caret, for the keys of Copy and Cut."""
        cut = event.matches(QKeySequence.StandardKey.Cut)
        if not cut and not event.matches(QKeySequence.StandardKey.Copy):
            return False
        QGuiApplication.clipboard().setMimeData(whole_line(self.textCursor().block().text()))
        if cut and not self.isReadOnly():
            self.linework.drop()
        return True

    def _action_of(self, event: QKeyEvent) -> QAction | None:
        """Return the field's action with this key, which takes precedence over an action of the window."""
        pressed = QKeyCombination(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.Key(event.key()))
        return next((one for one in self.actions() if QKeySequence(pressed) in one.shortcuts()), None)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Let the input method compose at the field's own caret; committed text is inserted at every caret."""
        if self.carets.several and event.preeditString() and self.carets.selected():
            self.carets.remove()
        if self.carets.several and event.commitString():
            super().inputMethodEvent(QInputMethodEvent())  # else the line would keep the composed text
            self.carets.commit(event)
            event = QInputMethodEvent(event.preeditString(), event.attributes())
        self._compose(event)

    def _compose(self, event: QInputMethodEvent) -> None:
        """Handle an event at the field's own caret; highlight the line again afterwards."""
        replaces = event.replacementLength() or self.textCursor().hasSelection()
        self._only_composes = not event.commitString() and not replaces
        super().inputMethodEvent(event)
        self._only_composes = False
        if commit := event.commitString():
            self.typist.committed(commit)
        if not event.preeditString():
            self.highlighter.refresh(self.textCursor().block())

    # mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Add or remove a caret with Alt; any other click leaves one caret."""
        left = event.button() == Qt.MouseButton.LeftButton
        if left and event.modifiers() == Qt.KeyboardModifier.AltModifier and not self.composing():
            self.carets.turn(self.cursorForPosition(event.position().toPoint()))
            event.accept()
            return
        if event.button() != Qt.MouseButton.RightButton:
            self.carets.leave()
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Request another zoom with Control."""
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.zoom_wanted.emit(self._zoom * _ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Insert dropped text at the drop position only, with one caret left."""
        self.carets.leave()
        super().dropEvent(event)

    # clipboard

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the selection unchanged, including no-break spaces."""
        data = QMimeData()
        data.setText(self.carets.selected())
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept text and pictures."""
        return is_pasted(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text, HTML as Markdown, and an address over selected words as a link; emit a signal for pictures."""
        self._paste(source, plain=False)

    def paste_plain(self) -> None:
        """Paste as plain text."""
        if source := QGuiApplication.clipboard().mimeData():  # None on systems without a clipboard
            self._paste(source, plain=True)

    def copy(self) -> None:
        """Copy the selections of all carets."""
        if self.carets.several:
            QGuiApplication.clipboard().setText(self.carets.selected())
        else:
            super().copy()

    def cut(self) -> None:
        """Cut the selections of all carets."""
        if self.carets.several:
            self.carets.cut()
        else:
            super().cut()

    def _paste(self, source: QMimeData, *, plain: bool) -> None:
        if found := self._pasted(source, plain=plain):
            if self.carets.several:
                self.carets.paste(found)
            else:
                self._insert(found, above=source.hasFormat(LINE))

    def _pasted(self, source: QMimeData, *, plain: bool) -> str:
        """Return the text to paste; emit a signal for pictures."""
        cursor = self.textCursor()
        code = self.highlighter.in_fence(cursor.block())
        selected = "" if self.carets.several else cursor.selectedText()
        found = pasted(source, selected, code=code, plain=plain)
        if found.pictures:
            self.pictures_pasted.emit(found.pictures)
        return found.text

    def _insert(self, text: str, *, above: bool) -> None:
        cursor = self.textCursor()
        if above and not cursor.hasSelection():
            QTextCursor(cursor.block()).insertText(text)
            self.ensureCursorVisible()
            return
        cursor.insertText(text)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    # reactions to changes

    def _on_contents_change(self, _position: int, removed: int, added: int) -> None:
        if not self.loading and not self._only_composes and (removed or added):
            self.edited.emit()

    def _on_cursor_moved(self) -> None:
        self.viewport().update()
        if (line := self.line()) != self._line and not self.loading:
            self._line = line
            self.caret_moved.emit(line)

    def _on_carets_changed(self) -> None:
        self.viewport().update()

    # appearance

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Centre the text at a readable width, and keep the first visible line."""
        top = self.firstVisibleBlock()
        self._central()
        super().resizeEvent(event)
        # Qt keeps the number of the first line, but another width changes the numbers of the lines.
        self.verticalScrollBar().setValue(top.firstLineNumber())

    def _central(self) -> None:
        side = max(_MARGIN, (self.width() - round(_COLUMN * self._size()) - 2 * _INSET) // 2)
        self.setViewportMargins(side, 10, side, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the backgrounds of code fences and of the caret's line, then the text."""
        here = -1 if self.textCursor().hasSelection() or not self.hasFocus() else self.textCursor().blockNumber()
        with QPainter(self.viewport()) as painter:
            paint_backgrounds(painter, self.areas(), highlighter=self.highlighter, theme=self._theme, caret_block=here)
            self.carets.paint_backgrounds(painter, self._theme.accent)
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            for paint in self.overlays:
                paint(painter)

    def _paint_carets(self, painter: QPainter) -> None:
        self.carets.paint(painter, self._theme.accent)

    def areas(self) -> Iterator[tuple[QTextBlock, QRectF]]:
        """Yield the blocks in view, each with its area in the viewport."""
        block = self.firstVisibleBlock()
        while block.isValid():
            area = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if area.top() > self.viewport().height():
                return
            area.setWidth(self.viewport().width())
            yield block, area
            block = block.next()
