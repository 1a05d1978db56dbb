"""The formats in which the reader writes a snippet's bar and output into the document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTextTable,
)

from app.reader.ansi import PLAIN, Colour, Style
from app.reader.cell_state import RECORDED
from app.style.stylesheets import families
from app.style.theme import Theme, contrast

BUTTON, STOP, ACTION = "~button", "~stop", "~action"  # kinds of links that are drawn, told by their tooltip
LEADING = "~leading"  # a link within an output, which is not drawn
STREAM = QTextFormat.Property.UserProperty + 1  # block: the stream that wrote it
RULED = QTextFormat.Property.UserProperty + 2  # block: a hairline above it
BULLET = QTextFormat.Property.UserProperty + 4  # list: its bullets are painted
CHROME = QTextFormat.Property.UserProperty + 3  # block: the box's own words, no part of a copied text
LINE_MARK = QTextFormat.Property.UserProperty + 5  # block: a line of code that its author wants to be seen
TYPING_PX = 34  # pixels that the field takes in which a line is typed
_READABLE = 4.5  # contrast below which a program's own colour is not obeyed as it is
_STEPS = 8  # in which such a colour goes over to black or to white


class Formats:
    """Character and block formats of one theme and size; each is made once."""

    def __init__(self, theme: Theme, zoom: float) -> None:
        """Make formats as they are asked for."""
        self.theme = theme
        self.zoom = zoom
        self.styled = lru_cache(512)(self._styled)
        self.toned = lru_cache(64)(self._toned)
        self.line = lru_cache(16)(self._line)
        self.metrics = lru_cache(16)(self._metrics)
        self.advance = lru_cache(512)(self._advance)

    @cached_property
    def letter(self) -> float:
        """How wide a letter of code is, in pixels."""
        return QFontMetricsF(self.styled(PLAIN, "stdout").font()).horizontalAdvance("0")

    def px(self, size: float) -> int:
        """Scale a size in pixels, never to nothing."""
        return max(1, round(size * self.zoom))

    def _styled(self, style: Style, stream: str) -> QTextCharFormat:
        """Return how output of a stream looks in a terminal's style."""
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
        """Return how the box's own words look; with an address they are a link."""
        theme = self.theme
        made = self._font(self.theme.prose_font, 13)
        colours = {"button": theme.on_accent, "stop": theme.on_bad, "link": theme.accent}
        made.setForeground(QColor(colours.get(tone) or getattr(theme, tone)))
        if tone in {"button", "stop"}:
            made.setFontWeight(QFont.Weight.DemiBold)
        made.setFontUnderline(tone == "link")  # what is a link is told by more than its colour
        made.setUnderlineColor(QColor(theme.underline))
        if address:
            made.setAnchor(True)
            made.setAnchorHref(address)
            made.setToolTip(kind)
        return made

    def leading(self, address: str) -> QTextCharFormat:
        """Return how the part of an output looks that leads to a line of the code."""
        made = QTextCharFormat(self.styled(PLAIN, "stdout"))
        made.setForeground(QColor(self.theme.accent))
        made.setFontUnderline(True)
        made.setUnderlineColor(QColor(self.theme.underline))
        made.setAnchor(True)
        made.setAnchorHref(address)
        made.setToolTip(LEADING)
        return made

    def _metrics(self, tone: str) -> QFontMetricsF:
        """Return the measures of the box's own words in a tone."""
        return QFontMetricsF(self.toned(tone).font())

    def _advance(self, text: str, tone: str) -> float:
        """Return how many pixels a text of the box's own takes."""
        return self.metrics(tone).horizontalAdvance(text)

    def _font(self, fonts: str, size: float) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFontFamilies(families(fonts))
        made.setProperty(QTextFormat.Property.FontPixelSize, self.px(size))
        return made

    def _line(self, kind: str) -> QTextBlockFormat:
        """Return the block of a line of output ("stdout", "stderr", "recorded"), of words, or of a picture."""
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
    """Return a colour that can be read on a ground: the text's own, or as little darker or lighter as is needed."""
    pole = max("#000000", "#ffffff", key=lambda colour: contrast(colour, ground))
    for step in range(_STEPS):
        nearer = mixed(text, pole, step / _STEPS)
        if contrast(nearer, ground) >= _READABLE:
            return nearer
    return pole


def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour with a share of another in it, from 0 to 1."""
    pairs = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in pairs)


# A table's ground tells its kind once the document is built; it is taken off again.
FRAME_KINDS = ("pair", "cell", "code", "quote", "table", "note", "tip", "important", "warning", "caution", "rule")
_GROUND = {kind: f"#0102{index:02x}" for index, kind in enumerate(FRAME_KINDS, 1)}
KIND_OF_GROUND = {ground: kind for kind, ground in _GROUND.items()}
LABEL = "~label"  # the tooltip of what stands over code or beside it; no part of a copied text
BOX_END = "</td></tr></table>"


def document_of(table: QTextTable) -> QTextDocument:
    """Return the document that a table stands in: by what is in it, as PySide never lets one go that a table named."""
    return table.firstCursorPosition().document()


def table(kind: str) -> str:
    """Return the attributes of a table of a kind."""
    return f'bgcolor="{_GROUND[kind]}" cellspacing="0" cellpadding="0" border="0"'


def box(kind: str) -> str:
    """Return the beginning of a box of one cell, which `BOX_END` ends."""
    return f'<table {table(kind)} width="100%"><tr><td class="box-{kind}">'


def code_box(label: str, copy: str, address: str, *, marked: bool) -> tuple[str, str]:
    """Return the beginning and the end of a box of code, with the words that copy it, and their link's `address`.

    Over the code stands its label. Without one, the words stand beside its first lines, unless lines of it are `marked`
    all across the box.
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
    """Return the row of what two languages say side by side, with the room above it that the class `top` gives."""
    places = zip(sides, ("left", "right"), strict=True)
    cells = (f'<td width="50%" class="{place} {top}">{side}</td>' for side, place in places)
    return f"<tr>{''.join(cells)}</tr>"


def span_rows(sides: Iterable[str], top: str) -> str:
    """Return the rows of what two languages say one under the other, each across the whole page."""
    return "".join(f'<tr><td colspan="2" class="{top}">{side}</td></tr>' for side in sides)
