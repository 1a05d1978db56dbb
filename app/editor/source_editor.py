"""The Markdown source as one types it: habits of the keys, input methods, paste, grounds behind code."""

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

_COLUMN = 45  # widths of a Chinese character; some 80 Latin ones
_MARGIN = 18  # pixels at least, left and right
LONGEST = 16_000_000  # characters that can be edited; asking Qt for a longer text would stop the window
_INSET = 12  # pixels between a code fence's box and its text
_SIZE = 15  # pixels of prose at zoom 1
_ZOOM_STEP = 1.1


class SourceEditor(QPlainTextEdit):
    """A plain-text field for one note. It knows nothing of files."""

    edited = Signal()  # the text is another one; not while it is being loaded, and not for text in composition
    loaded = Signal()  # the whole text is there; comes at once unless the note is large
    caret_moved = Signal(int)  # to another line, from 1
    pictures_pasted = Signal(object)  # tuple of QImage or Path, to be kept somewhere and shown at the caret
    zoom_wanted = Signal(float)  # another size, 1 being the natural one
    commanded = Signal(str)  # a key of the editor was pressed: save, close, find, replace, run, escape, ...

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        """Make an empty field in these colours."""
        super().__init__(parent)
        self._theme = theme
        self.keys = EditorKeys(self)
        self._letters = TextCodec("")
        self._locked = False
        self._only_composes = False  # Qt tells of text in composition as if the line had changed
        self._goal = 1  # the line to go to when the text is there
        self._line = 0
        self._zoom = 1.0
        self.highlighter = Highlighter(self.document(), theme, size=_SIZE)
        self.typist = KeyHandler(self, self.highlighter)
        self.linework = LineCommands(self)
        self.carets = MultiCursor(self, self.highlighter)
        self.overlays: list[Callable[[QPainter], object]] = [self._paint_carets]  # what is painted over the text
        self._dress()
        self.set_zoom(1.0)
        self.marks = FindHighlights(self, theme)
        self._live = LineBuffer(self.document())
        self._arrival = ChunkedInsert(self)
        self._arrival.finished.connect(self._on_arrived)
        self.document().contentsChange.connect(self._on_contents_change)
        self.cursorPositionChanged.connect(self._on_cursor_moved)
        self.carets.changed.connect(self._on_carets_changed)

    def _dress(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setCenterOnScroll(True)  # lets the last line stand higher than the window's edge
        self.setCursorWidth(2)
        self.document().setDocumentMargin(_INSET)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    # what the pane does with it

    def load(self, text: str, *, line: int = 1, locked: bool = False) -> None:
        """Show another text from its beginning, without undo steps of the one before."""
        self.stop()
        self.carets.leave()
        self.typist.forget()
        self._locked = locked
        # Looking through a text that is too long to be edited would take a tenth of a second.
        self._letters = TextCodec(text if len(text) <= LONGEST else "")
        shown = self._letters.shown() if len(text) <= LONGEST else text
        self.setReadOnly(True)
        self._goal = line
        self._arrival.begin(shown)

    @property
    def loading(self) -> bool:
        """Whether a part of a large note is not there yet."""
        return self._arrival.under_way

    def text(self) -> str:
        """Return the text as it is to be written, with the line ends it came with."""
        return self._letters.written(self.document().toRawText())

    def rebase(self, text: str) -> None:
        """Take `text` as what is on disk now: its line ends are those to be given back."""
        self._letters = self._letters.after(text)

    def become(self, text: str) -> None:
        """Change into another text as one step that can be undone; caret and scroll stay at what they were at."""
        self._letters = self._letters.after(text)
        self.become_edited(text)

    def become_edited(self, text: str) -> None:
        """Change into another text as `become` does, but as if it had been typed: the disk still has the one before."""
        old = self.raw()
        top = QTextCursor(self.firstVisibleBlock())
        above = self.verticalScrollBar().value() - self.firstVisibleBlock().firstLineNumber()
        replace_in(self.document(), 0, old, self._letters.after(text).shown())
        self.verticalScrollBar().setValue(top.block().firstLineNumber() + above)

    def raw(self) -> str:
        """Return the text as it is shown, with line feeds; a place in it is a place in Qt's document, but for emoji."""
        return self.document().toRawText().replace("\u2029", "\n")

    def live(self) -> str:
        """Return what `raw` does, at once, but not within a step of undo."""
        return self._live.text()

    def lock(self, *, locked: bool) -> None:
        """Forbid or allow editing."""
        self._locked = locked
        self.setReadOnly(locked or self.loading)

    def line(self) -> int:
        """Return the line of the caret, from 1."""
        return self.textCursor().blockNumber() + 1

    def go_to_line(self, line: int) -> None:
        """Put the caret at the beginning of a line, and the line into view."""
        block = self.document().findBlockByNumber(max(0, min(line, self.blockCount()) - 1))
        cursor = QTextCursor(block)
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(max(0, block.firstLineNumber() - 3))

    def composing(self) -> bool:
        """Return whether an input method holds text that is not committed."""
        return bool(self.textCursor().block().layout().preeditAreaText())

    def set_theme(self, theme: Theme) -> None:
        """Take on the colours of a theme."""
        self._theme = theme
        self.highlighter.set_theme(theme, size=self._size())
        self.marks.set_theme(theme)
        self.viewport().update()

    def set_zoom(self, factor: float) -> None:
        """Show everything larger or smaller; 1 is as it was made."""
        top, self._zoom = self.firstVisibleBlock(), factor
        self.setStyleSheet(f"QPlainTextEdit {{ font-family: {self._theme.prose_font}; font-size: {self._size()}px; }}")
        self.ensurePolished()
        fixed = QFont(families(self._theme.code_font))
        fixed.setPixelSize(self._size())
        self.setTabStopDistance(4 * QFontMetricsF(fixed).horizontalAdvance(" "))
        self.highlighter.set_theme(self._theme, size=self._size())
        self._centre()
        self.verticalScrollBar().setValue(top.firstLineNumber())

    def _size(self) -> int:
        return round(_SIZE * self._zoom)

    def stop(self) -> None:
        """End what goes on in the background."""
        self._arrival.stop()
        self.highlighter.stop()

    def _on_arrived(self) -> None:
        self.setReadOnly(self._locked)
        self.highlighter.start()
        self.go_to_line(self._goal)
        self._line = self.line()
        self.loaded.emit()

    # keys

    def event(self, event: QEvent) -> bool:
        """Keep the editor's keys from becoming shortcuts of the window, and all keys while text is composed."""
        key = event if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) else None
        if key is not None and (self.composing() or self.keys.command_of(key) or self._action_of(key)):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give a key to the input method, to the editor, to a habit, or to the text, in this order."""
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
        elif not self.textCursor().hasSelection() and self._of_the_line(event):
            event.accept()
        elif self.isReadOnly() or not self.typist.press(event):
            super().keyPressEvent(event)

    def _of_the_line(self, event: QKeyEvent) -> bool:
        """Copy or cut the line of the caret, where nothing is selected."""
        cut = event.matches(QKeySequence.StandardKey.Cut)
        if not cut and not event.matches(QKeySequence.StandardKey.Copy):
            return False
        QGuiApplication.clipboard().setMimeData(whole_line(self.textCursor().block().text()))
        if cut and not self.isReadOnly():
            self.linework.drop()
        return True

    def _action_of(self, event: QKeyEvent) -> QAction | None:
        """Return which of the field's actions a key does; it goes before an action of the window with that key."""
        pressed = QKeyCombination(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.Key(event.key()))
        return next((one for one in self.actions() if QKeySequence(pressed) in one.shortcuts()), None)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Let the input method compose at the field's own caret; what it commits comes at every caret."""
        if self.carets.several and event.preeditString() and self.carets.selected():
            self.carets.remove()
        if self.carets.several and event.commitString():
            super().inputMethodEvent(QInputMethodEvent())  # else the line would keep what was being composed
            self.carets.commit(event)
            event = QInputMethodEvent(event.preeditString(), event.attributes())
        self._compose(event)

    def _compose(self, event: QInputMethodEvent) -> None:
        """Take in an event at the field's own caret; give the line its colours back when it is done."""
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
        """Add a caret with Alt, or take it away; any other click leaves one caret."""
        left = event.button() == Qt.MouseButton.LeftButton
        if left and event.modifiers() == Qt.KeyboardModifier.AltModifier and not self.composing():
            self.carets.turn(self.cursorForPosition(event.position().toPoint()))
            event.accept()
            return
        if event.button() != Qt.MouseButton.RightButton:
            self.carets.leave()
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ask for another size with Control."""
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.zoom_wanted.emit(self._zoom * _ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Put what is dropped where it is dropped, and nowhere else."""
        self.carets.leave()
        super().dropEvent(event)

    # clipboard

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy what is selected as it is, no-break spaces included."""
        data = QMimeData()
        data.setText(self.carets.selected())
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take text and pictures."""
        return is_pasted(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text, HTML as Markdown; an address over selected words makes a link of them; pictures are told of."""
        self._paste(source, plain=False)

    def paste_plain(self) -> None:
        """Paste the text alone."""
        if source := QGuiApplication.clipboard().mimeData():  # there is none where nobody keeps a clipboard
            self._paste(source, plain=True)

    def copy(self) -> None:
        """Copy what is selected at every caret."""
        if self.carets.several:
            QGuiApplication.clipboard().setText(self.carets.selected())
        else:
            super().copy()

    def cut(self) -> None:
        """Cut what is selected at every caret."""
        if self.carets.several:
            self.carets.cut()
        else:
            super().cut()

    def _paste(self, source: QMimeData, *, plain: bool) -> None:
        if found := self._pasted(source, plain=plain):
            if self.carets.several:
                self.carets.paste(found)
            else:
                self._put(found, above=source.hasFormat(LINE))

    def _pasted(self, source: QMimeData, *, plain: bool) -> str:
        """Return the text that pasting puts in; pictures are told of."""
        cursor = self.textCursor()
        code = self.highlighter.in_fence(cursor.block())
        one = "" if self.carets.several else cursor.selectedText()
        found = pasted(source, one, code=code, plain=plain)
        if found.pictures:
            self.pictures_pasted.emit(found.pictures)
        return found.text

    def _put(self, text: str, *, above: bool) -> None:
        cursor = self.textCursor()
        if above and not cursor.hasSelection():
            QTextCursor(cursor.block()).insertText(text)
            self.ensureCursorVisible()
            return
        cursor.insertText(text)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    # what follows the text

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

    # looks

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the lines at a readable length, in the middle of a wide field, and the first one in view where it is."""
        top = self.firstVisibleBlock()
        self._centre()
        super().resizeEvent(event)
        # Qt keeps the number of the line, and another width numbers the lines anew.
        self.verticalScrollBar().setValue(top.firstLineNumber())

    def _centre(self) -> None:
        side = max(_MARGIN, (self.width() - round(_COLUMN * self._size()) - 2 * _INSET) // 2)
        self.setViewportMargins(side, 10, side, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground of code fences and of the caret's line, then the text."""
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
        """Yield the blocks in view, each with its place."""
        block = self.firstVisibleBlock()
        while block.isValid():
            area = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if area.top() > self.viewport().height():
                return
            area.setWidth(self.viewport().width())
            yield block, area
            block = block.next()
