"""Draws formulas as SVG. A formula that cannot be drawn, or comes after the limits, is shown as its source."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from functools import lru_cache

import ziamath

from kb.rendering.rendered_page import EM, Formula

LONGEST = 2_000  # characters of one formula
MOST = 400  # formulas of one piece of a note
SECONDS = 1.0  # CPU time of all of them together, so that a busy machine draws no fewer

_PUNCTUATION = str.maketrans("，。；：！？（）｜", ",.;:!?()|")
_EAST_ASIAN = re.compile("[\u2e80-\ufaff\uff00-\uffef]")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_REFERENCE = re.compile(r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)\b")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(?:align|gather|eqnarray|multline|flalign|split)(?:ed)?\*?\}")
_EQUATION = re.compile(r"\\(?:begin|end)\{(?:equation|math|displaymath)\*?\}")
_RAISED = re.compile(r"(\\end\{[a-zA-Z]+\})\s*(?=[\^_])")
_SIZE = re.compile(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)" viewBox="[-\d.]+ ([-\d.]+) ')

ziamath.config.svg2 = False  # plain paths: Qt does not draw <symbol> and <use>


class FormulaSheet:
    """The formulas of a piece of a note, each drawn once, within the limits."""

    def __init__(self, *, seconds: float | None = None) -> None:
        """Limit the CPU time to `seconds`, otherwise to SECONDS."""
        self.seconds = 0.0  # spent so far
        self._drawn: dict[str, Formula] = {}
        self._left = MOST
        self._seconds = SECONDS if seconds is None else seconds

    @property
    def drawn(self) -> Mapping[str, Formula]:
        """The formulas by their keys, as `<img src="formula:KEY">` names them."""
        return self._drawn

    def image(self, latex: str, *, display: bool) -> str | None:
        """Draw a formula and return its key, None if its source has to be shown."""
        latex = latex.strip()
        key = hashlib.blake2b(f"{display}{latex}".encode(), digest_size=8).hexdigest()
        if key in self._drawn:
            return key
        if len(latex) > LONGEST or self._left <= 0 or self.seconds >= self._seconds:
            return None
        self._left -= 1
        began = time.thread_time()
        formula = draw(latex, display=display)
        self.seconds += time.thread_time() - began
        if formula is None:
            return None
        self._drawn[key] = formula
        return key


@lru_cache(maxsize=2_000)
def draw(latex: str, *, display: bool) -> Formula | None:
    """Draw one formula; return None if its LaTeX is not supported or the font lacks its letters (Chinese)."""
    latex = _plain(latex)
    if not latex or _EAST_ASIAN.search(latex):
        return None
    try:
        svg = ziamath.Latex(latex, size=EM, inline=not display, color="currentColor", margin=0).svg()
    except Exception:  # noqa: BLE001 - the library raises anything, assertions too, for LaTeX that it does not know
        return None
    size = _SIZE.match(svg)
    if not size:
        return None
    width, height, top = (float(number) for number in size.groups())
    return Formula(svg.encode(), width, height, round(max(0.0, top + height), 3))


def _plain(latex: str) -> str:
    """Reduce LaTeX for numbered, cross-referenced papers to plain LaTeX."""
    latex = _TAG.sub(r"\\qquad (\1)", latex.translate(_PUNCTUATION))
    latex = _ENVIRONMENT.sub(r"\\\1{aligned}", _EQUATION.sub("", _REFERENCE.sub("", latex)))
    return _RAISED.sub(r"\1{}", latex).strip()
