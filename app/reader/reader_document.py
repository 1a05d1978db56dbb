"""Builds a note's document, and knows its cells, the frames to paint, and the places of lines and anchors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextListFormat,
    QTextTable,
)

from app.reader.cell_text import OutputFigure
from app.reader.cell_view import CellView
from app.reader.document_html import NoteLabels, document_html
from app.reader.image_object import ImageHandler, Setting
from app.reader.language_alignment import CellRow, HeadingRow, Row
from app.reader.link_targets import ButtonTarget, ImageTarget, LinkTargets
from app.reader.page_set import PageSet, PlacedCell, Side
from app.reader.table_layout import TableColumns, measure_columns
from app.reader.text_formats import BULLET, KIND_OF_GROUND, LINE_MARK, Formats, document_of, fragments
from app.reader.text_spacing import ListSpacing, set_hanging_indent
from app.style.stylesheets import BOX_ROOM, GUTTER, TEXT_PX, document_sheet, families
from app.style.theme import Theme

_BULLETS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)
# Space above and below a frame in pixels; the empty line that Qt puts after each takes none.
_SPACE = {"pair": (0, 0), "table": (8, 14), "cell": (14, 14), "rule": (14, 14)}


class ReaderDocument(QTextDocument):
    """A document that loads nothing: its pictures are drawn by their own handler.

    It keeps a reference to that handler, which Qt calls during the document's whole life, also after a failed build.
    """

    pictures: ImageHandler

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        """Load nothing; Qt would open any file, also one that never ends."""
        return None


@dataclass(frozen=True)
class Landmark:
    """The beginning of a heading, a part of prose or a cell in one language."""

    side: Side
    line: int
    anchor: str  # of a heading, else empty
    block: QTextBlock
    heading: str = ""


@dataclass
class DocumentChunk:
    """Rows that were inserted into the document together, and what belongs to them.

    `last` is their last block. `codes` are the tables of code that cannot be run, by the numbers of their buttons.
    """

    rows: Sequence[Row]
    last: QTextBlock
    boxes: list[tuple[PlacedCell, CellView]]
    frames: list[tuple[QTextTable, str]]
    landmarks: list[Landmark]
    columns: list[TableColumns]  # of the note's own tables
    codes: Mapping[int, QTextTable]
    first: int = 0  # the number of its first block when it was inserted
    numbers: Sequence[int] = ()  # likewise, of the blocks of the landmarks
    proses: range = range(0)  # the numbers of its parts of prose


@dataclass
class Built:
    """A note's document and everything that belongs to it, chunk by chunk and in all."""

    document: ReaderDocument
    targets: LinkTargets
    pictures: ImageHandler
    formats: Formats
    pages: PageSet
    say: NoteLabels
    beside: bool
    chunks: list[DocumentChunk] = field(default_factory=list)
    column: float = 600.0  # the width of the text and of a cell in pixels
    version: int = 0  # counts insertions and removals
    numbered: int = 0  # counts the cells that were created
    boxes: list[tuple[PlacedCell, CellView]] = field(default_factory=list)
    frames: list[tuple[QTextTable, str]] = field(default_factory=list)
    landmarks: list[Landmark] = field(default_factory=list)
    columns: list[TableColumns] = field(default_factory=list)
    codes: dict[int, QTextTable] = field(default_factory=dict)

    def take(self, at: int, end: int, chunks: Sequence[DocumentChunk]) -> None:
        """Replace the chunks from `at` up to `end`."""
        self.version += 1
        if at == end == len(self.chunks):
            for chunk in chunks:
                self._add(chunk)
            self.chunks += chunks
            return
        self.chunks[at:end] = chunks
        for known in (self.boxes, self.frames, self.landmarks, self.columns, self.codes):
            known.clear()
        for chunk in self.chunks:
            self._add(chunk)

    def _add(self, chunk: DocumentChunk) -> None:
        self.boxes += chunk.boxes
        self.frames += chunk.frames
        self.landmarks += chunk.landmarks
        self.columns += chunk.columns
        self.codes |= chunk.codes


def build(
    pages: PageSet, laid: Sequence[Row], setting: Setting, *, say: NoteLabels, parent: QObject, beside: bool = True
) -> Built:
    """Build the document of a note's rows. The cells have neither bar nor output, and nothing is laid out yet."""
    targets, document = LinkTargets(), empty_document(setting.theme, setting.zoom, parent)
    document.pictures = pictures = ImageHandler(document, targets, setting)
    document.documentLayout().registerHandler(QTextFormat.ObjectTypes.ImageObject.value, pictures)
    document.setHtml(document_html(laid, pages, targets, say, beside=beside))
    built = Built(document, targets, pictures, Formats(setting.theme, setting.zoom), pages, say, beside)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    chunk = format_blocks(built, laid, list(tables_within(document.rootFrame())), document.begin(), marked=0)
    cursor.endEditBlock()
    chunk.proses = range(len(targets.prose_lines))
    built.take(0, 0, [chunk])
    return built


def empty_document(theme: Theme, zoom: float, parent: QObject | None) -> ReaderDocument:
    """Return an empty document in the style of a note, with its layout disabled."""
    document = ReaderDocument(parent)
    document.setUndoRedoEnabled(False)
    document.setLayoutEnabled(False)
    font = QFont(families(theme.prose_font))
    font.setPixelSize(max(1, round(TEXT_PX * zoom)))
    document.setDefaultFont(font)
    document.setIndentWidth(26 * zoom)
    document.setDefaultStyleSheet(document_sheet(theme, zoom))
    return document


def format_blocks(
    built: Built, rows: Sequence[Row], tables: Sequence[QTextTable], first: QTextBlock, *, marked: int
) -> DocumentChunk:
    """Format newly inserted blocks, from `first` on; the document is the note's own or a second one.

    `marked` is the number of blocks of code before them.
    """
    frames = list(_set_margins(tables, built.formats))
    headings = _scan_blocks(first, frames)
    boxes = _boxes(built, rows, frames)
    _mark_lines(frames, built.targets.marked[marked:], boxes)
    for table, kind in frames:
        if kind in {"cell", "code"}:
            set_hanging_indent(table, built.formats.letter)
    landmarks = list(_landmarks(rows, frames, headings, first))
    codes = dict(enumerate((table for table, kind in frames if kind == "code"), marked))
    columns = list(_columns(frames, built.pictures, built.formats.zoom))
    for each in columns:
        each.fit(built.pictures.column)
    numbers = [mark.block.blockNumber() for mark in landmarks]
    last = first.document().lastBlock()
    return DocumentChunk(rows, last, boxes, frames, landmarks, columns, codes, first.blockNumber(), numbers)


def tables_within(frame: QTextFrame) -> Iterator[QTextTable]:
    """Yield the tables of a frame in order, each before those inside it."""
    tables = [child for child in frame.childFrames() if isinstance(child, QTextTable)]
    for table in sorted(tables, key=lambda each: each.firstPosition()):
        yield table
        yield from tables_within(table)


def _set_margins(tables: Sequence[QTextTable], formats: Formats) -> Iterator[tuple[QTextTable, str]]:
    """Remove the marker backgrounds from the tables, set their margins, and yield them with their kinds."""
    for table in tables:
        shape = table.format().toTableFormat()
        kind = KIND_OF_GROUND.get(shape.background().color().name(), "table")
        shape.clearBackground()
        above, below = _SPACE.get(kind, (6, 10))
        shape.setTopMargin(formats.px(above) if above else 0)
        shape.setBottomMargin(formats.px(below) if below else 0)
        table.setFormat(shape)
        if kind == "rule":
            _flatten(table.cellAt(0, 0).firstCursorPosition())
        yield table, kind


def _columns(frames: Sequence[tuple[QTextTable, str]], pictures: ImageHandler, zoom: float) -> Iterator[TableColumns]:
    """Measure the note's own tables, inside the quotes and callouts around them."""
    boxes = {table.objectIndex() for table, kind in frames if kind not in {"pair", "table"}}
    pairs = {table.objectIndex(): table for table, kind in frames if kind == "pair"}
    for table, kind in frames:
        if kind == "table" and table.columns() > 1:
            around, frame = 0, table.parentFrame()
            pair = pairs.get(frame.objectIndex())
            while frame is not None:
                around += frame.objectIndex() in boxes
                frame = frame.parentFrame()
            each = measure_columns(table, pictures, around * BOX_ROOM * zoom)
            each.spans = pair is not None and pair.cellAt(table.firstPosition()).columnSpan() > 1
            each.gutter = GUTTER * zoom
            yield each


def _mark_lines(
    frames: Sequence[tuple[QTextTable, str]],
    marked: Sequence[Sequence[int]],
    boxes: Sequence[tuple[PlacedCell, CellView]],
) -> None:
    """Mark the lines of code that the author chose."""
    mark = QTextBlockFormat()
    mark.setProperty(LINE_MARK, True)
    for table, lines in zip((table for table, kind in frames if kind == "code"), marked, strict=True):
        first, last = code_blocks(table) if lines else (0, 0)
        for line in lines:
            if (number := first + line - 1) <= last:
                QTextCursor(document_of(table).findBlockByNumber(number)).mergeBlockFormat(mark)
    for placed, box in boxes:
        for line in placed.cell.marked:
            if (block := box.code_block(line)) is not None:
                QTextCursor(block).mergeBlockFormat(mark)


def code_blocks(table: QTextTable) -> tuple[int, int]:
    """Return the numbers of the first and the last block of code in a table."""
    cell = table.cellAt(table.rows() - 1, 0)
    return cell.firstCursorPosition().blockNumber(), cell.lastCursorPosition().blockNumber()


def _flatten(cursor: QTextCursor) -> None:
    flat = QTextBlockFormat()
    flat.setLineHeight(1.0, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.setBlockFormat(flat)


def _boxes(
    built: Built, laid: Sequence[Row], frames: Sequence[tuple[QTextTable, str]]
) -> list[tuple[PlacedCell, CellView]]:
    tables = [table for table, kind in frames if kind == "cell"]
    placed = [row.placed for row in laid if isinstance(row, CellRow)]
    targets, made = built.targets, []
    for cell, table in zip(placed, tables, strict=True):

        def address(action: str, box: int = built.numbered) -> str:
            return targets.link(ButtonTarget(box, action))

        def picture(figure: OutputFigure) -> str:
            return targets.picture(ImageTarget(str(figure.path), figure=True, version=figure.version))

        made.append((cell, CellView(table, built.formats, address=address, picture=picture, number=built.numbered)))
        built.numbered += 1
    return made


def _landmarks(
    laid: Sequence[Row], frames: Sequence[tuple[QTextTable, str]], headings: Iterator[QTextBlock], block: QTextBlock
) -> Iterator[Landmark]:
    """Yield the beginnings of rows in the order of the document; the first row begins at `block`."""
    cells = iter([table for table, kind in frames if kind == "cell"])
    for row in laid:
        if isinstance(row, CellRow):
            table = next(cells)
            block = table.cellAt(1, 0).firstCursorPosition().block()
            for side, line in row.lines.items():
                yield Landmark(side, line, "", block)
            block = document_of(table).findBlock(table.lastPosition() + 1)
        elif isinstance(row, HeadingRow):
            for side, section in row.sides.items():
                block = next(headings, block)
                yield Landmark(side, section.line, section.anchor, block, section.heading)
            block = block.next()
        else:
            for side, proses in row.sides.items():
                yield Landmark(side, proses[0].line, "", block)


def _scan_blocks(block: QTextBlock, frames: Sequence[tuple[QTextTable, str]]) -> Iterator[QTextBlock]:
    """Return the headings among the blocks outside code; on the way, remove bullets and set the space below lists.

    Bullets are painted by the backdrop, as Qt's are too high; in a task list its check boxes replace them.
    """
    headings: list[QTextBlock] = []
    below = ListSpacing()
    code = iter([table for table, kind in frames if kind in {"cell", "code"}])
    table = next(code, None)
    while block.isValid():
        if table is not None and block.position() >= table.firstPosition():
            block = document_of(table).findBlock(table.lastPosition() + 1)
            table = next(code, None)
            below.end()
            continue
        items = block.textList()
        if block.blockFormat().headingLevel():
            headings.append(block)
        elif items is not None:
            shape = items.format()
            if shape.style() in _BULLETS:
                shape.setStyle(QTextListFormat.Style.ListStyleUndefined)
                shape.setProperty(BULLET, True)
                items.setFormat(shape)
            below.take(block, shape.indent())
        if items is None:
            below.end()
        block = block.next()
    below.end()
    return iter(headings)


def anchored_block(document: QTextDocument, names: Collection[str]) -> QTextBlock | None:
    """Return the first block with an anchor of one of these names, such as a footnote's; None if there is none."""
    block = document.begin()
    while names and block.isValid():
        if any(not set(names).isdisjoint(each.charFormat().anchorNames()) for each in fragments(block)):
            return block
        block = block.next()
    return None
