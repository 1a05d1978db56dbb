"""Clicks on the page's own links and buttons, and the tooltips of all links."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser

from app.i18n import Translator
from app.reader.document_html import anchor_name
from app.reader.image_viewer import ImageViewer
from app.reader.link_targets import (
    BeginTranslation,
    ButtonTarget,
    CopyTarget,
    EnlargeImage,
    JumpTarget,
    LoadImage,
    TagTarget,
    Target,
    TaskTarget,
    readable_target,
)
from app.reader.note_page import NotePage
from app.reader.reader_document import anchored_block, code_blocks
from app.reader.selection_text import plain_text
from app.reader.text_formats import document_of

COPIED_MS = 1600  # how long a block says that its code was copied
LONGEST = 700  # characters of a footnote in a tooltip; the rest is a click away
_BACK = "↩"


class ClickHandler(QObject):
    """Copies code, enlarges pictures, and reports clicks that other parts of the program act on."""

    ticked = Signal(str, int, bool)  # side, line, whether the task is done from now on
    picture_requested = Signal(str)  # address of a remote picture
    translation_requested = Signal(str)  # the missing language
    tag_chosen = Signal(str)

    def __init__(self, view: QTextBrowser, page: NotePage, words: Translator) -> None:
        super().__init__(view)
        self._view, self._page, self._words = view, page, words

    def follow(self, target: Target) -> bool:
        """Do what a click on a target means; return False for links of the note and buttons of cells."""
        match target:
            case TaskTarget():
                built = self._page.built
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
        """Return the tooltip of a link: what a click on it does, or where it leads."""
        words, hint = self._words, ""
        match target:
            case ButtonTarget():
                hint = self._button_hint(target.action.partition(":")[0])
            case JumpTarget() if target.anchor.startswith("fnref"):
                hint = words("回到正文", "Back to the text")
            case JumpTarget():
                hint = footnote_text(self._view.document(), target)
            case TaskTarget():
                hint = words("取消勾选", "Untick") if target.done else words("勾选", "Tick")
            case CopyTarget():
                hint = words("复制代码", "Copy the code")
            case EnlargeImage():
                hint = words("放大", "Enlarge")
            case TagTarget():
                hint = words(f"标签为 {target.tag} 的全部笔记", f"All notes tagged {target.tag}")
            case LoadImage():
                hint = words(f"从这里加载图片：{target.address}", f"Load the picture from {target.address}")
        return hint or readable_target(target)

    def _button_hint(self, action: str) -> str:
        words = self._words
        hints = {
            "run": words.with_key(words("运行", "Run"), "run", "Ctrl+Enter"),
            "stop": words.with_key(words("停止", "Stop"), "run", "Ctrl+Enter"),
            "device": words("选择设备", "Choose the device"),
            "copy": words("复制代码", "Copy the code"),
            "edit": words("在编辑器中打开", "Open in the editor"),
            "enlarge": words("放大", "Enlarge"),
            "differs": words("看哪里不同", "See what differs"),
        }
        return hints.get(action, "")

    def _load(self, address: str) -> None:
        """Request a remote picture; once it is loaded, the same click enlarges it."""
        built = self._page.built
        if built is not None and (shown := built.pictures.remote_picture(address)) is not None:
            self._enlarge(EnlargeImage(shown))
        else:
            self.picture_requested.emit(address)

    def _copy(self, number: int) -> None:
        built = self._page.built
        table = built.codes.get(number) if built is not None else None
        if table is None:
            return
        first, last = code_blocks(table)
        document = document_of(table)
        cursor = QTextCursor(document.findBlockByNumber(first))
        end = document.findBlockByNumber(last)
        cursor.setPosition(end.position() + end.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        QGuiApplication.clipboard().setText(plain_text(cursor))
        self._confirm_copy(table.cellAt(0, 1).firstCursorPosition())

    def _confirm_copy(self, cursor: QTextCursor) -> None:
        """Write "copied" over the button for a moment."""
        document, style = cursor.document(), cursor.block().begin().fragment().charFormat()

        def write(text: str) -> None:
            built = self._page.built
            if built is not None and built.document is document:
                cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.insertText(text, style)

        write(self._words("已复制", "copied"))
        QTimer.singleShot(COPIED_MS, self, lambda: write(self._words("复制", "copy")))

    def _enlarge(self, target: EnlargeImage) -> None:
        built = self._page.built
        drawn = built.pictures.closely(target.picture) if built is not None else None
        if drawn is None:
            return
        size, draw = drawn
        name = self._words("放大的图片", "Enlarged picture")
        viewer = ImageViewer(self._view.window(), size, draw, name=name, paper=self._page.theme.page)
        viewer.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


def footnote_text(document: QTextDocument, jump: JumpTarget) -> str:
    """Return the text of the footnote that a link leads to; empty if it leads elsewhere."""
    if not jump.anchor.startswith("fn:"):
        return ""
    block = anchored_block(document, [anchor_name(jump.side, jump.anchor)])
    if block is None:
        return ""
    cursor = QTextCursor(block)
    items = block.textList()
    after = block.next()
    # Further blocks of a list item follow it, until the next item or the end of the list.
    while after.isValid() and items is not None and after.textList() is None and after.blockFormat().indent():
        after = after.next()
    end = after.position() - 1 if after.isValid() else block.position() + block.length() - 1
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    text = plain_text(cursor).replace(_BACK, "").strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
