"""What happens when something in the page is clicked that is no link of the note and no button of a snippet's box."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QTextBrowser

from app.i18n import Translator
from app.reader.image_viewer import ImageViewer
from app.reader.link_targets import BeginTranslation, CopyTarget, EnlargeImage, LoadImage, TagTarget, Target, TaskTarget
from app.reader.reader_document import Built, code_blocks
from app.reader.selection_text import plain_text
from app.reader.text_formats import document_of
from app.style.theme import Theme

SAID_MS = 1600  # for which a block says that its code was copied


class ClickHandler(QObject):
    """Copies code, enlarges pictures, and passes on what others have to do."""

    ticked = Signal(str, int, bool)  # side, line, whether it is done from now on
    picture_requested = Signal(str)  # address of a picture on another machine
    translation_requested = Signal(str)  # the language that is to be begun
    tag_chosen = Signal(str)

    def __init__(self, view: QTextBrowser, words: Translator, built: Callable[[], Built | None]) -> None:
        """Act on the document that `built` gives at the time."""
        super().__init__(view)
        self._view, self._words, self._built = view, words, built
        self.theme: Theme | None = None

    def follow(self, target: Target) -> bool:
        """Do what a target means; False where it is none of these."""
        match target:
            case TaskTarget():
                built = self._built()
                line = built.targets.prose_lines[target.prose] + target.below if built is not None else 0
                self.ticked.emit(target.side, line, not target.done)
            case CopyTarget():
                self._copy(target.number)
            case EnlargeImage():
                self._enlarge(target)
            case LoadImage():
                self._load(target.address)
            case TagTarget():
                self.tag_chosen.emit(target.tag)
            case BeginTranslation():
                self.translation_requested.emit(target.side)
            case _:
                return False
        return True

    def hint(self, target: Target | None) -> str:
        """Word what such a target does."""
        words = self._words
        match target:
            case TaskTarget():
                return words("取消勾选", "Untick") if target.done else words("勾选", "Tick")
            case CopyTarget():
                return words("复制代码", "Copy the code")
            case EnlargeImage():
                return words("放大", "Enlarge")
            case TagTarget():
                return words(f"标签为 {target.tag} 的全部笔记", f"All notes tagged {target.tag}")
            case LoadImage():
                return words(f"从这里加载图片：{target.address}", f"Load the picture from {target.address}")
        return ""

    def _load(self, address: str) -> None:
        """Ask for a picture once; when it is there, the same click enlarges it."""
        built = self._built()
        if built is not None and (shown := built.pictures.remote_picture(address)) is not None:
            self._enlarge(EnlargeImage(shown))
        else:
            self.picture_requested.emit(address)

    def _copy(self, number: int) -> None:
        built = self._built()
        table = built.codes.get(number) if built is not None else None
        if table is None:
            return
        first, last = code_blocks(table)
        document = document_of(table)
        cursor = QTextCursor(document.findBlockByNumber(first))
        end = document.findBlockByNumber(last)
        cursor.setPosition(end.position() + end.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        QGuiApplication.clipboard().setText(plain_text(cursor))
        self._say_copied(table.cellAt(0, 1).firstCursorPosition())

    def _say_copied(self, cursor: QTextCursor) -> None:
        """Say for a moment that it was done, in the place of the word that was pressed."""
        document, style = cursor.document(), cursor.block().begin().fragment().charFormat()

        def write(text: str) -> None:
            built = self._built()
            if built is not None and built.document is document:
                cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.insertText(text, style)

        write(self._words("已复制", "copied"))
        QTimer.singleShot(SAID_MS, self, lambda: write(self._words("复制", "copy")))

    def _enlarge(self, target: EnlargeImage) -> None:
        built = self._built()
        drawn = built.pictures.closely(target.picture) if built is not None else None
        if drawn is None:
            return
        size, draw = drawn
        paper = self.theme.page if self.theme is not None else "#ffffff"
        name = self._words("放大的图片", "Enlarged picture")
        made = ImageViewer(self._view.window(), size, draw, name=name, paper=paper)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
