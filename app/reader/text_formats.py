"""The formats of cells in the document, and the HTML of the tables that become boxes and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextTable,
)

from app.reader.ansi import PLAIN, Colour, Style
from app.reader.cell_state import RECORDED
from app.style.stylesheets import families
from app.style.theme import Theme, contrast

BUTTON, STOP, ACTION = (
    "~button",
    "~stop",
    "~action",
)  # kinds of links with a painted background, marked by their tooltip
LEADING = "~leading"  # a link within an output, without background
STREAM = QTextFormat.Property.UserProperty + 1  # block: the stream of an output line
RULED = QTextFormat.Property.UserProperty + 2  # block: a hairline above it
BULLET = QTextFormat.Property.UserProperty + 4  # list: its bullets are painted by the backdrop
CHROME = QTextFormat.Property.UserProperty + 3  # block: Torchleaf's own words in a cell, not copied
LINE_MARK = QTextFormat.Property.UserProperty + 5  # block: a line of code that the author marked
TYPING_PX = 34  # pixels at zoom 1: height of the input field
_READABLE = 4.5  # least contrast; a program's colours of less contrast are adjusted
_STEPS = 8  # steps of the adjustment towards black or white
# A table's background colour marks its kind until the document is built; then it is removed.
FRAME_KINDS = ("pair", "cell", "code", "quote", "table", "note", "tip", "important", "warning", "caution", "rule")
_GROUND = {kind: f"#0102{index:02x}" for index, kind in enumerate(FRAME_KINDS, 1)}
KIND_OF_GROUND = {ground: kind for kind, ground in _GROUND.items()}
LABEL = "~label"  # the tooltip of labels and buttons of code, which are not copied
BOX_END = "</td></tr></table>"


class Formats:
    """Character and block formats of one theme and zoom, cached."""

    def __init__(self, theme: Theme, zoom: float) -> None:
        self.theme = theme
        self.zoom = zoom
        self.styled = lru_cache(512)(self._styled)
        self.toned = lru_cache(64)(self._toned)
        self.line = lru_cache(16)(self._line)
        self.metrics = lru_cache(16)(self._metrics)
        self.advance = lru_cache(512)(self._advance)

    @cached_property
    def letter(self) -> float:
        """The width of a letter of code in pixels."""
        return QFontMetricsF(self.styled(PLAIN, "stdout").font()).horizontalAdvance("0")

    def px(self, size: float) -> int:
        """Return a size of zoom 1 in pixels, at least 1."""
        return max(1, round(size * self.zoom))

    def _styled(self, style: Style, stream: str) -> QTextCharFormat:
        """Return the format of a stream's output in a terminal style."""
        theme = self.theme
        usual = {"stderr": theme.error_stream, RECORDED: theme.dim}.get(stream, theme.ink)
        made = self._font(self.theme.code_font, 13)
        ground = self._colour(style.background)
        text = self._colour(style.foreground) or usual
        if style.inverse:
            ground, text = text, ground or theme.output
        if style.faint and style.foreground is None:
            text = theme.dim
        made.setForeground(QColor(readable(text, ground or theme.output)))
        if ground:
            made.setBackground(QColor(ground))
        if style != PLAIN:
            made.setFontWeight(QFont.Weight.Bold if style.bold else QFont.Weight.Normal)
            made.setFontItalic(style.italic)
            made.setFontUnderline(style.underline)
        return made

    def _colour(self, colour: Colour) -> str | None:
        return self.theme.ansi[colour] if isinstance(colour, int) else colour

    def _toned(self, tone: str, address: str = "", kind: str = "") -> QTextCharFormat:
        """Return the format of Torchleaf's own words in a cell; with an address they are a link."""
        theme = self.theme
        made = self._font(self.theme.prose_font, 13)
        colours = {"button": theme.on_accent, "stop": theme.on_bad, "link": theme.accent}
        made.setForeground(QColor(colours.get(tone) or getattr(theme, tone)))
        if tone in {"button", "stop"}:
            made.setFontWeight(QFont.Weight.DemiBold)
        made.setFontUnderline(tone == "link")  # links differ by more than their colour
        made.setUnderlineColor(QColor(theme.underline))
        if address:
            made.setAnchor(True)
            made.setAnchorHref(address)
            made.setToolTip(kind)
        return made

    def leading(self, address: str) -> QTextCharFormat:
        """Return the format of a link in the output to a line of the code."""
        made = QTextCharFormat(self.styled(PLAIN, "stdout"))
        made.setForeground(QColor(self.theme.accent))
        made.setFontUnderline(True)
        made.setUnderlineColor(QColor(self.theme.underline))
        made.setAnchor(True)
        made.setAnchorHref(address)
        made.setToolTip(LEADING)
        return made

    def _metrics(self, tone: str) -> QFontMetricsF:
        """Return the font metrics of Torchleaf's own words in a tone."""
        return QFontMetricsF(self.toned(tone).font())

    def _advance(self, text: str, tone: str) -> float:
        """Return the width of Torchleaf's own words in pixels."""
        return self.metrics(tone).horizontalAdvance(text)

    def _font(self, fonts: str, size: float) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFontFamilies(families(fonts))
        made.setProperty(QTextFormat.Property.FontPixelSize, self.px(size))
        return made

    def _line(self, kind: str) -> QTextBlockFormat:
        """Return the block format of a line of output ("stdout", "stderr", "recorded"), of words, or of a picture."""
        made = QTextBlockFormat()
        made.setLineHeight(self.px(20), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        if kind in {"words", "ruled"}:
            made.setProperty(CHROME, True)
            made.setLineHeight(self.px(22), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        if kind == "picture":
            made.setLineHeight(0, QTextBlockFormat.LineHeightTypes.SingleHeight.value)
            made.setTopMargin(self.px(6))
        if kind == "ruled-picture":
            made.setLineHeight(0, QTextBlockFormat.LineHeightTypes.SingleHeight.value)
        if kind.startswith("ruled"):
            made.setTopMargin(self.px(24))
            made.setProperty(RULED, True)
        if kind in {"bar", "bar-end"}:
            made.setLineHeight(self.px(23), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        if kind == "bar-end":
            made.setAlignment(Qt.AlignmentFlag.AlignRight)
        if kind in {"bar", "bar-end"}:
            made.setProperty(CHROME, True)
        if kind == "typing":
            made.setProperty(CHROME, True)
            made.setLineHeight(self.px(TYPING_PX + 6), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        if kind == "stderr":
            made.setProperty(STREAM, kind)
        return made


def readable(text: str, ground: str) -> str:
    """Return the text's colour if it is readable on a background, else the nearest darker or lighter one that is."""
    pole = max("#000000", "#ffffff", key=lambda colour: contrast(colour, ground))
    for step in range(_STEPS):
        nearer = mixed(text, pole, step / _STEPS)
        if contrast(nearer, ground) >= _READABLE:
            return nearer
    return pole


def mixed(colour: str, other: str, share: float) -> str:
    """Return a mix of two colours; `share`, from 0 to 1, is that of the second."""
    pairs = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in pairs)


def fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    """Yield the fragments of a block; each has one format."""
    place = block.begin()
    while not place.atEnd():
        yield place.fragment()
        place += 1


def document_of(table: QTextTable) -> QTextDocument:
    """Return a table's document, by way of its text: PySide never frees a document returned by `table.document()`."""
    return table.firstCursorPosition().document()


def table(kind: str) -> str:
    """Return the HTML attributes of a table of a kind."""
    return f'bgcolor="{_GROUND[kind]}" cellspacing="0" cellpadding="0" border="0"'


def box(kind: str) -> str:
    """Return the start tags of a box of one cell; `BOX_END` closes it."""
    return f'<table {table(kind)} width="100%"><tr><td class="box-{kind}">'


def code_box(label: str, copy: str, address: str, *, marked: bool) -> tuple[str, str]:
    """Return the start and end tags of a box of code, with a link to `address` that copies it.

    The label is above the code. Without a label, the link is to the right of the first lines, unless lines are `marked`
    across the whole box.
    """
    link = f'<p class="small" align="right"><a title="{LABEL}" href="{address}">{copy or "&nbsp;"}</a></p>'
    begin = f'<table {table("code")} width="100%"><tr>'
    if not label and not marked:
        button = f'<td class="code-copy beside" align="right">{link}</td>'
        return f'{begin}<td class="box-code" width="100%"><pre>', f"</pre></td>{button}</tr></table>"
    button = f'<td class="code-copy" align="right">{link}</td>'
    words = f'<td class="code-label"><p class="small"><span title="{LABEL}">{label or "&nbsp;"}</span></p></td>'
    return f'{begin}{words}{button}</tr><tr><td colspan="2" class="box-labelled"><pre>', f"</pre>{BOX_END}"


def pair_row(sides: Sequence[str], top: str) -> str:
    """Return a row with two languages side by side; the CSS class `top` sets the space above it."""
    places = zip(sides, ("left", "right"), strict=True)
    cells = (f'<td width="50%" class="{place} {top}">{side}</td>' for side, place in places)
    return f"<tr>{''.join(cells)}</tr>"


def span_rows(sides: Iterable[str], top: str) -> str:
    """Return rows with two languages one below the other, each across the whole page."""
    return "".join(f'<tr><td colspan="2" class="{top}">{side}</td></tr>' for side in sides)
