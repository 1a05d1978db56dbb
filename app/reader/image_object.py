"""Draws the pictures of a document in their lines: formulas on the baseline, nothing wider than the column."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QByteArray, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPen,
    QPyTextObject,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer
from shiboken6 import isValid

from app.executor import GuiExecutor
from app.i18n import Translator
from app.reader.image_loader import ImageRefused, ImageSource, decode, read_picture
from app.reader.link_targets import ImageTarget, LinkTargets
from app.reader.page_set import PageSet, Side
from app.reader.selection_text import plain_text
from app.style.stylesheets import BOX_ROOM, TEXT_PX, families
from app.style.theme import Theme
from kb.errors import KbError
from kb.rendering.rendered_page import EM, Formula, Prose

_OBJECT = "\ufffc"
FORMULA = "formula:"
_INLINE_DEPTH = 14  # pixels below the baseline that fit between two lines
_CORNER = 6.0  # radius in pixels of a plot's corners
_FINELY = 4  # pixels of a picture in a PDF per pixel of the page, which has 96 per inch
_UNLINED = b'<svg stroke="#000" stroke-opacity="0" '
_LEAST = 0.1  # pixels: the width of a formula without width
_EDGE = 12  # pixels left and right of the words in place of a picture
_AT_ONCE = 1_500_000  # pixels that decode in a few milliseconds
_FOREGROUND = QTextFormat.Property.ForegroundBrush


@dataclass(frozen=True)
class ImageRefusal:
    """Why a picture is not shown."""

    name: str
    en: str
    zh: str


@dataclass(frozen=True)
class Setting:
    """What pictures are drawn with: the theme, the zoom, the note's formulas and the way to its files."""

    theme: Theme
    zoom: float
    words: Translator
    formulas: Mapping[Side, Mapping[str, Formula]]
    locate: Callable[[Side, str], Path]
    executor: GuiExecutor | None
    remote: Mapping[str, ImageSource | ImageRefusal] = field(
        default_factory=dict
    )  # requested remote pictures by address


class ImageHandler(QPyTextObject):
    """The handler of one document's images. Widths are those of the column and of a snippet's box, in pixels."""

    def __init__(self, document: QTextDocument, targets: LinkTargets, setting: Setting) -> None:
        super().__init__()  # no child of the document: see Built
        self._document = document
        self._targets = targets
        self._setting = setting
        self.column = self.box = 600.0
        self._shown: dict[str, Formula | ImageSource | ImageRefusal] = {}
        self._images: dict[str, QImage] = {}
        self._renderers: dict[tuple[str, str, bool], QSvgRenderer] = {}
        self._awaited: set[str] = set()

    def set_theme(self, setting: Setting) -> None:
        """Draw new pictures with another setting; those already drawn stay."""
        self._setting = setting

    def intrinsicSize(self, document: QTextDocument, position: int, image: QTextFormat) -> QSizeF:
        """Return the size of an image in its line."""
        name = image.toImageFormat().name()
        shown = self._look(name)
        limit = self._limit(name, document.findBlock(position))
        if isinstance(shown, Formula):
            return self._room_of_formula(shown, name, limit)
        if isinstance(shown, ImageSource):
            return self._room(shown, name, limit)
        said = QFontMetricsF(self._small_font).horizontalAdvance(self._said(shown)) + 2 * _EDGE + 1
        return QSizeF(min(limit, max(said, 480 * self._setting.zoom)), 46 * self._setting.zoom)

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, _document: QTextDocument, _position: int, image: QTextFormat
    ) -> None:
        """Draw an image into its rectangle; a formula extends below it by its depth."""
        name = image.toImageFormat().name()
        shown = self._look(name)
        rect = QRectF(rect)
        if isinstance(shown, Formula):
            size = QSizeF(rect.width(), shown.height * rect.width() / max(shown.width, _LEAST))
            colour = image.foreground().color().name() if image.hasProperty(_FOREGROUND) else self._setting.theme.ink
            painter.save()
            _let_hang(painter, rect, size.height() - rect.height())
            self._renderer(name, colour, lined=not _into_pdf(painter)).render(painter, QRectF(rect.topLeft(), size))
            painter.restore()
        elif isinstance(shown, ImageRefusal):
            self._draw_words(painter, rect, shown)
        elif shown.vector:
            _draw_lines(painter, rect, self._renderer(name, ""))
        else:
            self._draw_image(painter, rect, name, shown)

    def _room_of_formula(self, formula: Formula, name: str, limit: float) -> QSizeF:
        """Return a formula's size, at most `limit` wide; in a sentence, without its depth unless that is large."""
        picture = self._targets.picture_of(name)
        scale = min(self._scale, limit / max(formula.width, _LEAST))
        depth = 0.0 if picture is not None and picture.apart else formula.depth * scale
        hangs = depth if depth <= _INLINE_DEPTH else 0
        return QSizeF(formula.width * scale, formula.height * scale - hangs)

    @functools.cached_property
    def _scale(self) -> float:
        return TEXT_PX * self._setting.zoom / EM

    def _limit(self, name: str, block: QTextBlock) -> float:
        """Return the greatest width of a picture in its block: less in a list, a quote or a callout."""
        picture = self._targets.picture_of(name)
        if picture is not None and picture.figure:
            return max(40.0, self.box)
        items, indent = block.textList(), block.blockFormat().indent()
        indent += items.format().indent() if items is not None else 0
        boxes = (picture.within if picture is not None else 0) * BOX_ROOM * self._setting.zoom
        return max(40.0, self.column - indent * self._document.indentWidth() - boxes)

    def _room(self, shown: ImageSource, name: str, limit: float) -> QSizeF:
        """Return the size of a picture: its own or the one the note sets, never wider than the column."""
        asked, zoom = self._targets.picture_of(name), self._setting.zoom
        width, height = shown.width * zoom, 0.0
        if asked is not None and asked.width:
            width = limit * min(asked.width, 100) / 100 if asked.percent else asked.width * zoom
            height = asked.height * zoom
        elif asked is not None and asked.height:
            width *= asked.height / shown.height
        fitted = max(1.0, min(limit, width))
        return QSizeF(fitted, max(1.0, height * fitted / width if height else shown.height * fitted / shown.width))

    def _look(self, name: str) -> Formula | ImageSource | ImageRefusal:
        shown = self._shown.get(name)
        if shown is None:
            shown = self._shown[name] = self._find(self._targets.picture_of(name))
        return shown

    def closely(self, picture: ImageTarget) -> tuple[QSizeF, Callable[[QPainter, QRectF], object]] | None:
        """Return a picture's own size and a function that draws it at any size; None if it is not shown."""
        shown = self._find(picture)
        if not isinstance(shown, ImageSource):
            return None
        size = QSizeF(shown.width, shown.height)
        if shown.vector:
            renderer = QSvgRenderer(QByteArray(shown.data))  # the viewer may outlive this document
            return size, renderer.render
        image = decode(shown, round(shown.width))
        return None if image.isNull() else (size, lambda painter, rect: painter.drawImage(rect, image))

    def remote_picture(self, address: str) -> ImageTarget | None:
        """Return a remote picture if it is loaded."""
        there = isinstance(self._setting.remote.get(address), ImageSource)
        return ImageTarget(address, remote=True) if there else None

    def _find(self, picture: ImageTarget | None) -> Formula | ImageSource | ImageRefusal:
        if picture is None:
            return ImageRefusal("", "unknown", "未知")
        name = picture.source
        if picture.remote:
            return self._setting.remote.get(name) or _not_loaded(name, on_paper=self._setting.executor is None)
        if name.startswith(FORMULA) and not picture.figure:
            formula = self._setting.formulas.get(picture.side, {}).get(name.removeprefix(FORMULA))
            return formula or ImageRefusal("", "formula missing", "缺少公式")
        return self._read(picture)

    def _read(self, picture: ImageTarget) -> ImageSource | ImageRefusal:
        name = picture.source
        try:
            if picture.figure:
                self._forget(picture)
                return read_picture(Path(name))
            return read_picture(self._setting.locate(picture.side, name))
        except KbError as error:
            return ImageRefusal(Path(name).name, str(error), error.sentence("zh"))
        except ImageRefused as error:
            return ImageRefusal(Path(name).name, str(error), error.zh)

    def _forget(self, new: ImageTarget) -> None:
        """Drop the older versions of a figure that was overwritten."""
        for name in tuple(self._shown):
            old = self._targets.picture_of(name)
            if old is not None and old.figure and old.source == new.source and old.version < new.version:
                del self._shown[name]
                self._images.pop(name, None)

    def _renderer(self, name: str, colour: str, *, lined: bool = True) -> QSvgRenderer:
        """Return the renderer of an SVG, cached here: a cache of the class would keep every document alive.

        Without `lined`, the lines around its areas are transparent.
        """
        known = self._renderers.get((name, colour, lined))
        if known is None:
            shown = self._look(name)
            data = shown.svg if isinstance(shown, Formula) else shown.data if isinstance(shown, ImageSource) else b""
            data = data.replace(b"currentColor", colour.encode())
            known = QSvgRenderer(QByteArray(data if lined else data.replace(b"<svg ", _UNLINED, 1)), self)
            self._renderers[name, colour, lined] = known
        return known

    def _draw_image(self, painter: QPainter, rect: QRectF, name: str, source: ImageSource) -> None:
        sharp = round(rect.width() * painter.device().devicePixelRatio())
        image = self._images.get(name)
        if image is None:
            small = source.width * source.height <= _AT_ONCE
            if small or self._setting.executor is None:
                image = self._images[name] = decode(source, sharp)
            else:
                self._await(name, source, sharp, self._setting.executor)
                painter.fillRect(rect, QColor(self._setting.theme.code))
                return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        picture = self._targets.picture_of(name)
        if picture is not None and picture.figure:  # a plot has a background of its own, white also in the dark theme
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipPath(_rounded(rect), Qt.ClipOperation.IntersectClip)
        painter.drawImage(rect, image)
        painter.restore()

    def _await(self, name: str, source: ImageSource, width: int, executor: GuiExecutor) -> None:
        if name not in self._awaited:
            self._awaited.add(name)
            executor.run(
                lambda: decode(source, width),
                lambda image: self._take(name, image),
                lambda _: self._take(name, QImage()),
            )

    def _take(self, name: str, image: QImage) -> None:
        self._images[name] = image
        if isValid(self._document):  # it may have been replaced meanwhile
            self._document.documentLayout().update.emit()

    @functools.cached_property
    def _small_font(self) -> QFont:
        font = QFont(families(self._setting.theme.prose_font))
        font.setPixelSize(max(1, round(12.5 * self._setting.zoom)))
        return font

    def _said(self, refusal: ImageRefusal) -> str:
        why = self._setting.words(refusal.zh, refusal.en)
        return f"{refusal.name} · {why}" if refusal.name and refusal.name not in why else why

    def _draw_words(self, painter: QPainter, rect: QRectF, refusal: ImageRefusal) -> None:
        theme = self._setting.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line), 1, Qt.PenStyle.DashLine))
        painter.setBrush(QColor(theme.code))
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
        painter.setFont(self._small_font)
        painter.setPen(QColor(theme.dim))
        room = rect.adjusted(_EDGE, 2, -_EDGE, -2)
        painter.drawText(
            room,
            int(Qt.AlignmentFlag.AlignVCenter),
            painter.fontMetrics().elidedText(self._said(refusal), Qt.TextElideMode.ElideRight, int(room.width())),
        )
        painter.restore()


def _into_pdf(painter: QPainter) -> bool:
    """Return whether a PDF is painted: there Qt draws a line around each area of an SVG that should have none."""
    engine = painter.paintEngine()
    return engine is not None and engine.type() == QPaintEngine.Type.Pdf


def _draw_lines(painter: QPainter, rect: QRectF, renderer: QSvgRenderer) -> None:
    """Draw an SVG that may have lines of its own, in a PDF as a bitmap."""
    if not _into_pdf(painter):
        renderer.render(painter, rect)
        return
    image = QImage((rect.size() * _FINELY).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as within:
        renderer.render(within)
    painter.drawImage(rect, image)


def _let_hang(painter: QPainter, rect: QRectF, depth: float) -> None:
    """Extend the clipping below a rectangle by `depth`.

    If a part of a paragraph is selected, Qt clips the selected and the other parts to their lines.
    """
    if depth > 0 and painter.hasClipping() and (clip := painter.clipPath()).contains(rect.center()):
        hanging = QPainterPath()
        hanging.addRect(QRectF(rect.left(), rect.bottom(), rect.width(), depth + 1))
        painter.setClipPath(clip.united(hanging))


def _rounded(rect: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(rect, _CORNER, _CORNER)
    return path


def _not_loaded(address: str, *, on_paper: bool) -> ImageRefusal:
    if on_paper:
        return ImageRefusal("", f"↗ {address}", f"↗ {address}")
    host = urlsplit(address).hostname or address
    return ImageRefusal(f"↗ {host}", "not loaded; click to ask for it", "尚未加载，点击才会请求")


def drawn_summary(pages: PageSet, words: Translator) -> str:
    """Return how many formulas and pictures a page has, and how they are copied; empty if it has none."""
    parts = (part for side in pages.sides() for section in pages.pages[side].sections for part in section.parts)
    proses = [part.html for part in parts if isinstance(part, Prose) and "<img" in part.html]
    formulas = sum(prose.count('src="formula:') for prose in proses)
    pictures = sum(prose.count("<img") for prose in proses) - formulas
    told = (
        words(f"{formulas} 个公式，复制得到 LaTeX", f"{formulas} formula{'s' * (formulas > 1)}, copied as LaTeX"),
        words(f"{pictures} 张图片，复制得到说明文字", f"{pictures} picture{'s' * (pictures > 1)}, copied as words"),
    )
    return words("；", "; ").join(one for one, count in zip(told, (formulas, pictures), strict=True) if count)


def alt_text_at(cursor: QTextCursor, words: Translator) -> str:
    """Return the alternative text of a selected picture; empty if none is selected."""
    if _OBJECT not in cursor.selectedText():
        return ""
    return plain_text(cursor).strip() or words("图片", "picture")
