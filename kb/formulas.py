"""Formulas drawn as SVG. One that cannot be drawn, or comes after the bounds are spent, stays visible as its source."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from functools import lru_cache

import ziamath

from kb.page import Formula

EM = 16  # pixels at 1x: the size of the text that a formula stands in
LONGEST = 2_000  # characters of one formula
MOST = 400  # formulas of one note
SECONDS = 0.7  # for all formulas of one note together

ziamath.config.svg2 = False  # plain paths: Qt does not draw <symbol> and <use>
_PARTS = ("\ufdd0", "\ufdd1", "\ufdd2")


class FormulaSheet:
    """The formulas of one note, each drawn once, within the bounds."""

    def __init__(self) -> None:
        self._drawn: dict[str, Formula] = {}
        self._left = MOST
        self._seconds = SECONDS

    @property
    def drawn(self) -> Mapping[str, Formula]:
        """The formulas by their keys, as `<img src="formula:KEY">` names them."""
        return self._drawn

    def image(self, latex: str, *, display: bool) -> str | None:
        """Draw a formula and give its key, or None if it has to stay source."""
        latex = latex.strip()
        if len(latex) > LONGEST or self._left <= 0 or self._seconds <= 0:
            return None
        self._left -= 1
        began = time.monotonic()
        formula = _draw(latex, display=display)
        self._seconds -= time.monotonic() - began
        if formula is None:
            return None
        key = hashlib.blake2b(f"{display}{latex}".encode(), digest_size=8).hexdigest()
        self._drawn[key] = formula
        return key


@lru_cache(maxsize=2_000)
def _draw(latex: str, *, display: bool) -> Formula | None:
    if not latex or not latex.isascii():
        latex = _spelled(latex)
    if not latex:
        return None
    try:
        drawing = ziamath.Latex(latex, size=EM, inline=not display, color="currentColor", margin=0)
        width, height = drawing.getsize()
        svg = drawing.svg()
    except Exception:  # noqa: BLE001 - the parsers below raise anything, an assertion too, on what they do not know
        return None
    return Formula(svg.encode(), round(width, 2), round(height, 2), round(max(0.0, -drawing.getyofst()), 2))


def _spelled(latex: str) -> str:
    """Give the formula if the font has its letters; Chinese in a formula would come out as empty boxes."""
    return "" if any(char >= "\u2e80" and char < "\ufb00" for char in latex) else latex
