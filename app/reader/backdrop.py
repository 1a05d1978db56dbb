"""Paints what is behind a note's text: boxes, hairlines, backgrounds of inline code and buttons."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QTextBlock,
    QTextFragment,
    QTextTable,
)

from app.reader.cell_view import BODY, CODE, CellView
from app.reader.document_html import BACKGROUNDS, KEY, TICK, TICKED
from app.reader.document_html import CODE as INLINE_CODE
from app.reader.reader_document import Built
from app.reader.text_formats import ACTION, BULLET, BUTTON, LINE_MARK, RULED, STOP, STREAM, fragments, mixed
from app.style.theme import Theme

_TICKS = ("☑", "☐")  # replaced by painted check boxes
_FEW_LINES = 60  # a block with more lines is only painted where it is in view
TINT = 0.06  # share of the edge's colour in the background of a callout
_CODE_OPACITY = 24  # of 255, of the background of inline code
_LEAST_BAR = 8  # pixels; a bar of less height was left out
_CROSS = 3.5  # pixels at zoom 1: the arms of the cross on a failed line
_PLAIN, _DECORATED = 1, 2  # block states: whether a fragment of the block has a background
_KINDS = frozenset((INLINE_CODE, KEY, BUTTON, STOP, ACTION, TICK, TICKED, *BACKGROUNDS))
EDGES = {"note": "accent", "tip": "good", "important": "keyword", "warning": "warn", "caution": "bad"}


@dataclass(frozen=True)
class Scene:
    """What the painter needs besides the document: the visible part, the hovered link, and the failed lines."""

    visible: QRectF  # in document coordinates
    hovered: str  # address of a link, or empty
    failed: Sequence[tuple[CellView, int]]


class Backdrop:
    """Paints behind the text of one document."""

    def __init__(self, built: Built, theme: Theme, zoom: float) -> None:
        self._built = built
        self._theme = theme
        self._zoom = zoom
        self._known = -1  # the version of the document that the following are of
        self._boxes: dict[int, CellView] = {}
        self._two_columns = False
        self._code_background = _code_background(theme)

    def paint(self, painter: QPainter, scene: Scene) -> None:
        """Paint what is visible; the painter is in document coordinates."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        layout = self._built.document.documentLayout()
        self._update()
        for table, kind in self._visible_frames(layout, scene.visible):
            rect = frame_rect(layout, table)
            if rect.intersects(scene.visible):
                self._paint_frame(painter, layout, table, kind, rect)
        for box, line in scene.failed:
            self._paint_failed(painter, layout, box, line)
        for block in self._visible_blocks(layout, scene.visible):
            self._paint_block(painter, layout, block, scene)

    def _paint_frame(
        self, painter: QPainter, layout: QAbstractTextDocumentLayout, table: QTextTable, kind: str, inner: QRectF
    ) -> None:
        if kind == "cell":
            self._paint_cell(painter, layout, self._boxes[id(table)], inner)
        elif kind == "rule":
            y = round(inner.center().y()) + 0.5
            painter.setPen(QPen(QColor(self._theme.line), 1))
            painter.drawLine(QPointF(inner.left(), y), QPointF(inner.right(), y))
        elif kind == "code":
            painter.fillPath(_rounded(inner, 7), QColor(self._theme.code))
        else:
            edge = getattr(self._theme, EDGES.get(kind, "line"))
            if kind != "quote":
                painter.fillPath(_rounded(inner, 6), QColor(mixed(self._theme.page, edge, TINT)))
            painter.fillPath(_rounded(QRectF(inner.left(), inner.top(), 3, inner.height()), 1.5), QColor(edge))

    def _paint_cell(self, painter: QPainter, layout: QAbstractTextDocumentLayout, box: CellView, rect: QRectF) -> None:
        theme = self._theme
        outline = _rounded(rect.adjusted(0.5, 0.5, -0.5, -0.5), 9)
        painter.fillPath(outline, QColor(theme.code))
        code = _top_of_row(layout, box.table, CODE)
        lines = [code] if code - rect.top() > _LEAST_BAR else []
        if box.has_body:
            body = _top_of_row(layout, box.table, BODY)
            painter.save()
            painter.setClipPath(outline)
            painter.fillRect(QRectF(rect.left(), body, rect.width(), rect.bottom() - body), QColor(theme.output))
            painter.restore()
            lines.append(body)
        painter.setPen(QPen(QColor(theme.line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(outline)
        for y in lines:
            painter.drawLine(QPointF(rect.left() + 1, round(y) + 0.5), QPointF(rect.right() - 1, round(y) + 0.5))

    def _paint_failed(self, painter: QPainter, layout: QAbstractTextDocumentLayout, box: CellView, line: int) -> None:
        block = box.code_block(line)
        if block is None:
            return
        rect, frame = _line_rect(layout, block, self._zoom), frame_rect(layout, box.table)
        row = QRectF(frame.left() + 1, rect.top(), frame.width() - 2, rect.height())
        painter.fillRect(row, QColor(self._theme.bad_soft))
        painter.fillRect(QRectF(row.left(), row.top(), 3, row.height()), QColor(self._theme.bad))
        # The cross distinguishes it from a line marked by the author, also without colours.
        arm, at = _CROSS * self._zoom, QPointF(row.right() - 14 * self._zoom, row.center().y())
        painter.setPen(QPen(QColor(self._theme.bad), 1.8 * self._zoom, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(at - QPointF(arm, arm), at + QPointF(arm, arm))
        painter.drawLine(at - QPointF(arm, -arm), at + QPointF(arm, -arm))

    def _update(self) -> None:
        """Take in changes of the document."""
        if self._known != self._built.version:
            self._known = self._built.version
            self._boxes = {id(box.table): box for _, box in self._built.boxes}
            self._two_columns = any(kind == "pair" for _, kind in self._built.frames)

    def _visible_frames(self, layout: QAbstractTextDocumentLayout, visible: QRectF) -> Iterator[tuple[QTextTable, str]]:
        """Yield the frames that may be visible, by their position in the text: measuring a frame would lay it out."""
        first = self._block_at(layout, visible.topLeft()).position()
        last = self._block_at(layout, visible.bottomRight()).position()
        chunks = self._built.chunks
        at = bisect_left(chunks, first - 1, key=lambda chunk: chunk.last.position() + chunk.last.length())
        end = bisect_left(chunks, last + 1, key=lambda chunk: chunk.last.position() + chunk.last.length())
        for chunk in chunks[at : end + 1]:
            for table, kind in chunk.frames:
                if kind not in {"pair", "table"} and (
                    self._two_columns or (table.firstPosition() <= last + 1 and table.lastPosition() >= first - 1)
                ):
                    yield table, kind

    def _visible_blocks(self, layout: QAbstractTextDocumentLayout, visible: QRectF) -> Iterator[QTextBlock]:
        """Yield the visible blocks: forward from the top left and, with two columns, back from the bottom right."""
        seen: set[int] = set()
        block = self._block_at(layout, QPointF(visible.left() + 1, visible.top()))
        while block.isValid():
            rect = layout.blockBoundingRect(block)
            if rect.top() > visible.bottom():
                break
            seen.add(block.blockNumber())
            if rect.bottom() >= visible.top():
                yield block
            block = block.next()
        if not self._two_columns:
            return
        block = self._block_at(layout, QPointF(visible.right() - 1, visible.bottom()))
        while block.isValid() and block.blockNumber() not in seen:
            rect = layout.blockBoundingRect(block)
            if rect.bottom() >= visible.top():
                yield block
            elif rect.height() > 0:
                break
            block = block.previous()

    def _block_at(self, layout: QAbstractTextDocumentLayout, point: QPointF) -> QTextBlock:
        position = layout.hitTest(point, Qt.HitTestAccuracy.FuzzyHit)
        return self._built.document.findBlock(max(0, position))

    def _paint_block(
        self, painter: QPainter, layout: QAbstractTextDocumentLayout, block: QTextBlock, scene: Scene
    ) -> None:
        shape = block.blockFormat()
        if shape.hasProperty(LINE_MARK):
            self._paint_line_mark(painter, layout, block)
        if shape.hasProperty(RULED) or shape.hasProperty(STREAM):
            self._paint_edge(painter, layout, block)
        items = block.textList()
        if items is not None and items.format().property(BULLET) and block.text()[:1] not in _TICKS:
            self._paint_bullet(painter, layout, block)
        if block.userState() == _PLAIN:
            return
        first, last = _visible_positions(layout, block, scene.visible)
        whole = last - first >= block.length()
        decorated = not whole  # the invisible part may be
        for fragment in fragments(block):
            if fragment.position() > last or fragment.position() + fragment.length() < first:
                continue
            style = fragment.charFormat()
            kind = style.toolTip()
            if kind in _KINDS:
                decorated = True
                under = bool(scene.hovered) and style.anchorHref() == scene.hovered
                rects = _fragment_rects(layout, block, fragment)
                if kind in {TICK, TICKED}:
                    self._paint_task(painter, next(rects), done=kind == TICKED, under=under)
                else:
                    self._paint_fragment(painter, rects, kind, under=under, linked=bool(style.anchorHref()))
        block.setUserState(_DECORATED if decorated else _PLAIN)

    def _paint_task(self, painter: QPainter, rect: QRectF, *, done: bool, under: bool) -> None:
        """Paint the check box of a task over its character, ticked if it is done."""
        theme, side = self._theme, 14.5 * self._zoom
        middle = rect.center()
        box = QRectF(middle.x() - side / 2 - 2.5 * self._zoom, middle.y() - side / 2 + 0.5 * self._zoom, side, side)
        painter.setPen(QPen(QColor(theme.accent if done or under else theme.dim), 1.3 * self._zoom))
        painter.setBrush(QColor(theme.accent if done else theme.accent_soft if under else theme.page))
        painter.drawRoundedRect(box, 4 * self._zoom, 4 * self._zoom)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if done:
            pen = QPen(QColor(theme.on_accent), 1.9 * self._zoom)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(pen)
            tick = [box.topLeft() + QPointF(x * side, y * side) for x, y in ((0.24, 0.53), (0.43, 0.71), (0.77, 0.31))]
            painter.drawPolyline(tick)

    def _paint_line_mark(self, painter: QPainter, layout: QAbstractTextDocumentLayout, block: QTextBlock) -> None:
        """Paint behind a line of code that the author marked."""
        rect, padding = _line_rect(layout, block, self._zoom), 14 * self._zoom
        row = rect.adjusted(1 - padding, 0, padding - 1, 0)
        painter.fillRect(row, QColor(self._theme.accent_soft))
        painter.fillRect(QRectF(row.left(), row.top(), 3, row.height()), QColor(self._theme.accent))

    def _paint_bullet(self, painter: QPainter, layout: QAbstractTextDocumentLayout, block: QTextBlock) -> None:
        line = block.layout().lineAt(0)
        if line.isValid():
            origin = layout.blockBoundingRect(block).topLeft()
            size = 2.6 * self._zoom
            middle = QPointF(line.x() - 11 * self._zoom, line.y() + line.ascent() - 5.2 * self._zoom)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.dim))
            painter.drawEllipse(origin + middle, size, size)

    def _paint_edge(self, painter: QPainter, layout: QAbstractTextDocumentLayout, block: QTextBlock) -> None:
        """Paint the hairline above Torchleaf's own words in a cell, or the mark left of standard error."""
        rect = layout.blockBoundingRect(block)
        padding = 14 * self._zoom
        if block.blockFormat().hasProperty(RULED):
            y = round(rect.top() - block.blockFormat().topMargin() / 2) + 0.5
            painter.setPen(QPen(QColor(self._theme.line), 1))
            painter.drawLine(QPointF(rect.left() - padding + 1, y), QPointF(rect.right() + padding - 1, y))
        else:
            rect = _line_rect(layout, block, self._zoom)
            painter.fillRect(QRectF(rect.left() - 8, rect.top(), 2, rect.height()), QColor(self._theme.error_stream))

    def _paint_fragment(
        self, painter: QPainter, rects: Iterator[QRectF], kind: str, *, under: bool, linked: bool
    ) -> None:
        """Paint behind a text fragment; `under`: the pointer is on its link, if it is `linked`."""
        theme = self._theme
        if kind == ACTION and not under:
            return
        colour = {
            INLINE_CODE: self._code_background,
            KEY: self._code_background,
            BUTTON: theme.accent,
            STOP: theme.bad,
            ACTION: theme.accent_soft,
            **{known: getattr(theme, name) for known, name in BACKGROUNDS.items()},
        }[kind]
        ground = QColor(colour)
        if under and kind in {BUTTON, STOP}:
            ground = ground.darker(112) if not theme.dark else ground.lighter(108)
        low = dict.fromkeys(BACKGROUNDS, 1.0)
        tall = {BUTTON: 4.5, STOP: 4.5, ACTION: 3.5, **low}.get(kind, 2.0) * self._zoom
        wide = {BUTTON: 0.0, STOP: 0.0, ACTION: 6.0, **low}.get(kind, 3.0) * self._zoom
        corner = 6 if kind in {BUTTON, STOP} else 4
        for rect in rects:
            path = _rounded(rect.adjusted(-wide, -tall, wide, tall), corner)
            painter.fillPath(path, ground)
            if linked and kind == INLINE_CODE:  # below the letters, where it does not hide an underscore
                line = QRectF(rect.left(), round(rect.bottom() + tall) - 1, rect.width(), 1)
                painter.fillRect(line, QColor(theme.underline))
            if kind == KEY:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(theme.line), 1))
                painter.drawPath(path)


def _code_background(theme: Theme) -> QColor:
    """Return a transparent colour: over the page it gives the theme's `pill`, over any other colour a shade of it."""
    share, page, pill = _CODE_OPACITY / 255, QColor(theme.page), QColor(theme.pill)
    red, green, blue = (
        min(255, max(0, round(one + (two - one) / share)))
        for one, two in ((page.red(), pill.red()), (page.green(), pill.green()), (page.blue(), pill.blue()))
    )
    return QColor(red, green, blue, _CODE_OPACITY)


def frame_rect(layout: QAbstractTextDocumentLayout, table: QTextTable) -> QRectF:
    """Return a table's rectangle without its margins; Qt's own begins at the text of the first cell."""
    shape, cell = table.format().toTableFormat(), table.cellAt(0, 0).format().toTableCellFormat()
    rect = layout.frameBoundingRect(table).translated(-cell.leftPadding(), -cell.topPadding())
    width = rect.width() - shape.leftMargin() - shape.rightMargin()
    return QRectF(rect.left(), rect.top(), width, rect.height() - shape.topMargin() - shape.bottomMargin())


def _fragment_rects(
    layout: QAbstractTextDocumentLayout, block: QTextBlock, fragment: QTextFragment
) -> Iterator[QRectF]:
    span = fragment.position(), fragment.position() + fragment.length()
    return text_rects(layout, block, span, fragment.charFormat().font())


def text_rects(
    layout: QAbstractTextDocumentLayout, block: QTextBlock, span: tuple[int, int], font: QFont
) -> Iterator[QRectF]:
    """Yield a rectangle for each line of the text between two positions, without the space between lines."""
    metrics = QFontMetricsF(font)
    origin = layout.blockBoundingRect(block).topLeft()
    start, end = (position - block.position() for position in span)
    lines, text = block.layout(), block.text()
    while start < end:
        line = lines.lineForTextPosition(start)
        if not line.isValid():
            return
        stop = min(end, line.textStart() + line.textLength())
        shown = (
            stop - 1 if start < stop - 1 < end - 1 and text[stop - 1] == " " else stop
        )  # without the blank at a line break
        left, right = _x(line.cursorToX(start)), _x(line.cursorToX(shown))
        baseline = line.y() + line.ascent()
        box = QRectF(left, baseline - metrics.ascent(), right - left, metrics.ascent() + metrics.descent())
        yield box.translated(origin)
        start = max(stop, start + 1)


def _visible_positions(layout: QAbstractTextDocumentLayout, block: QTextBlock, visible: QRectF) -> tuple[int, int]:
    """Return the first and the last visible position of a block: an endless one has thousands of fragments."""
    lines, top = block.layout(), layout.blockBoundingRect(block).top()
    count = lines.lineCount()
    start, end = block.position(), block.position() + block.length()
    if count <= _FEW_LINES:
        return start, end
    first = bisect_left(range(count), visible.top() - top, key=lambda at: lines.lineAt(at).rect().bottom())
    last = bisect_left(range(count), visible.bottom() - top, key=lambda at: lines.lineAt(at).rect().top())
    return (
        start + lines.lineAt(min(first, count - 1)).textStart() - 1,
        end if last >= count else start + lines.lineAt(last).textStart() + 1,
    )


def _line_rect(layout: QAbstractTextDocumentLayout, block: QTextBlock, zoom: float) -> QRectF:
    """Return the rectangle of a block of code or output, a whole line's height around each baseline."""
    lines, whole = block.layout(), layout.blockBoundingRect(block)
    if lines.lineCount() == 0:
        return whole
    first, last = lines.lineAt(0), lines.lineAt(lines.lineCount() - 1)
    # Whole pixels, so that there is no gap between two marked lines.
    top = round(whole.top() + first.y() + first.ascent() - 14.5 * zoom)
    bottom = round(whole.top() + last.y() + last.ascent() + 5.5 * zoom)
    return QRectF(whole.left(), top, whole.width(), bottom - top)


def _x(found: float | tuple[float, int] | object) -> float:
    return float(found[0]) if isinstance(found, tuple) else float(found)  # type: ignore[arg-type]  # PySide's stub says object


def _top_of_row(layout: QAbstractTextDocumentLayout, table: QTextTable, row: int) -> float:
    cell = table.cellAt(row, 0)
    block = cell.firstCursorPosition().block()
    padding = cell.format().toTableCellFormat().topPadding()
    return layout.blockBoundingRect(block).top() - padding  # Qt leaves out the margin of a cell's first block


def _rounded(rect: QRectF, radius: float) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    return path
