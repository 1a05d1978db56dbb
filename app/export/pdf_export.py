"""Exports a note to PDF: the reader's document in the light theme on A4 pages. Works without a display."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QObject, QRectF, QSizeF
from PySide6.QtGui import (
    QGuiApplication,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextBlock,
    QTextCursor,
    QTextFormat,
    QTextTable,
)

from app.i18n import Translator
from app.reader import cell_text
from app.reader.backdrop import Backdrop, Scene
from app.reader.cell_state import state_of
from app.reader.document_html import NoteLabels
from app.reader.image_object import Setting
from app.reader.language_alignment import rows
from app.reader.page_set import PageSet, Side
from app.reader.reader_document import Built, build
from app.style.theme import LIGHT
from app.widgets.deferred_delete import delete_later
from kb.errors import RenderFailed
from kb.notes.note import Note
from kb.rendering.rendered_page import Page
from kb.vault.vault import Vault

_DPI = 96  # resolution of the document's pixels
_MARGIN_MM = 16.0
_MOST_PAGES = 60  # of a note whose page breaks are adjusted

_application: QGuiApplication | None = None


def as_pdf(vault: Vault, note: Note, page: Page) -> bytes:
    """Return a note as a PDF file. Raises RenderFailed."""
    _ensure_application()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(note.title)
    writer.setCreator("Torchleaf")
    writer.setResolution(_DPI)
    writer.setPageLayout(page_layout())
    paint_note(writer, vault, note, page)
    buffer.close()
    return bytes(buffer.data().data())


def page_layout() -> QPageLayout:
    """Return the layout of the pages: A4, upright."""
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    size, upright = QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait
    return QPageLayout(size, upright, margins, QPageLayout.Unit.Millimeter)


def paint_note(device: QPagedPaintDevice, vault: Vault, note: Note, page: Page) -> None:
    """Paint a note on the pages of a PDF or a printer with 96 dots per inch. Raises RenderFailed."""
    words, holder = Translator("zh" if note.lang == "zh" else "en"), QObject()
    size = QSizeF(device.width(), device.height())
    built = _document(vault, note, page, words=words, width=size.width(), holder=holder)
    built.document.setPageSize(size)
    built.document.setLayoutEnabled(True)
    _keep_heads(built, size.height())
    _paint(built, device, size)
    delete_later(built.document)


def _ensure_application() -> None:
    if QGuiApplication.instance() is None:
        global _application  # noqa: PLW0603 - it must live until the end of the program
        _application = QGuiApplication([sys.argv[0], "-platform", "offscreen"])


def _document(vault: Vault, note: Note, page: Page, *, words: Translator, width: float, holder: QObject) -> Built:
    def locate(_: Side, target: str) -> Path:
        return vault.attachment(note.path, target)

    pages = PageSet(note.path, {"": page}, "both", {"": note.path}, {"": note.title}, vault.root)
    setting = Setting(LIGHT, 1.0, words, {"": page.formulas}, locate, None)
    say = NoteLabels(lambda _: " · ".join(note.meta.tags))
    built = build(pages, rows(pages), setting, say=say, parent=holder)
    built.pictures.column = built.pictures.box = width - 8
    for columns in built.columns:
        columns.fit(width)
    for placed, box in built.boxes:
        state = state_of(placed.cell)
        if facts := cell_text.facts(state, words):
            box.write_bar((), facts, width=built.pictures.box)
        else:
            box.leave_bar_out()
        box.write_body(cell_text.body(state, words))
    frame = built.document.rootFrame().frameFormat()
    frame.setMargin(0)
    built.document.rootFrame().setFrameFormat(frame)
    return built


def _keep_heads(built: Built, height: float) -> None:
    """Insert a page break before a heading, or the bar of a cell, that would be alone at the end of a page."""
    if built.document.pageCount() > _MOST_PAGES:
        return  # each break lays out all that follows again
    for block, below, table in sorted(_heads(built), key=lambda head: head[0].position()):
        if _page_of(block, height) < _page_of(below, height):
            headed = block.previous().isValid() and block.previous().blockFormat().headingLevel() > 0
            first = block.previous() if table is not None and headed else block
            if first.previous().isValid() and _page_of(first.previous(), height) == _page_of(first, height):
                _break_before(first, table if first == block else None)


def _break_before(block: QTextBlock, table: QTextTable | None) -> None:
    always = QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore
    if table is not None:
        frame = table.format().toTableFormat()
        frame.setPageBreakPolicy(always)
        table.setFormat(frame)
    else:
        cursor = QTextCursor(block)
        shape = cursor.blockFormat()
        shape.setPageBreakPolicy(always)
        cursor.setBlockFormat(shape)


def _heads(built: Built) -> Iterator[tuple[QTextBlock, QTextBlock, QTextTable | None]]:
    """Yield headings, bars of cells and titles of callouts, each with the block below, and its table if in one."""
    for mark in built.landmarks:
        if mark.anchor and mark.block.next().isValid():
            yield mark.block, mark.block.next(), None
    root = built.document.rootFrame()
    for table, kind in built.frames:
        if kind not in {"table", "rule", "pair"} and table.parentFrame() == root:
            first = table.cellAt(0, 0).firstCursorPosition().block()
            below = table.cellAt(1, 0).firstCursorPosition().block() if table.rows() > 1 else first.next()
            if below.position() <= table.lastPosition():
                yield first, below, table


def _page_of(block: QTextBlock, height: float) -> int:
    """Return the page of a block's first line, from 0."""
    top = block.document().documentLayout().blockBoundingRect(block).top()
    return int((top + (block.layout().lineAt(0).y() if block.layout().lineCount() else 0) + 2) // height)


def _paint(built: Built, writer: QPagedPaintDevice, size: QSizeF) -> None:
    painter = QPainter()
    if not painter.begin(writer):
        raise RenderFailed("The PDF could not be started.", "无法开始写 PDF。")
    backdrop = Backdrop(built, LIGHT, 1.0)
    for number in range(built.document.pageCount()):
        if number:
            writer.newPage()
        visible = QRectF(0, number * size.height(), size.width(), size.height())
        painter.save()
        painter.translate(0, -visible.top())
        painter.setClipRect(visible)
        backdrop.paint(painter, Scene(visible, "", ()))
        built.document.drawContents(painter, visible)
        painter.restore()
    painter.end()
