"""How wide a note's column is, and where in the view it stands."""

from __future__ import annotations

from app.reader.reader_document import Built
from app.style.stylesheets import GUTTER

_COLUMN, _TWO_COLUMNS = 720, 1080  # pixels at zoom 1: 45 Chinese characters, or two times about 34
_LEAST_FOR_TWO = 600  # pixels at zoom 1
_MARGIN, _LEAST_MARGIN, _TOP, _BOTTOM = 40, 20, 22, 120
_NARROW = 15  # the part of a narrow view that each margin takes
_BOX_PADDING = 28  # of a snippet's box, left and right together


def fits_two_languages(width: int, zoom: float) -> bool:
    """Tell whether two languages fit beside each other into `width` pixels; else they stand one under the other."""
    return width >= _LEAST_FOR_TWO * zoom


def fit(built: Built, width: int, *, two_columns: bool, zoom: float) -> None:
    """Centre the column within `width` pixels, no wider than is good to read."""
    most = (_TWO_COLUMNS if two_columns else _COLUMN) * zoom
    least = min(_MARGIN, max(_LEAST_MARGIN, width / _NARROW))
    margin = max(least, (width - most) / 2)
    built.column = column = max(80.0, width - 2 * margin)
    built.pictures.column = (column - GUTTER * zoom) / 2 if two_columns else column
    built.pictures.box = column - _BOX_PADDING * zoom
    frame = built.document.rootFrame()
    shape = frame.frameFormat()
    if shape.leftMargin() != margin:
        shape.setMargin(0)
        shape.setLeftMargin(margin)
        shape.setRightMargin(margin)
        shape.setTopMargin(_TOP)
        shape.setBottomMargin(_BOTTOM)
        frame.setFrameFormat(shape)
    for each in built.columns:
        each.fit(built.pictures.column)
