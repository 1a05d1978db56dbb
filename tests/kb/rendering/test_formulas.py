"""Formulas: drawn, measured, bounded."""

from __future__ import annotations

from time import sleep

import pytest

from kb.rendering import formulas
from kb.rendering.formulas import FormulaSheet, draw
from tests.pace import thinking_within


def test_a_formula_is_an_svg_in_the_colour_of_its_text() -> None:
    """The view puts its own colour in, and needs nothing that Qt cannot draw."""
    formula = draw(r"\frac{1}{\sqrt{d_k}}", display=False)
    assert formula
    assert formula.svg.startswith(b"<svg")
    assert b"currentColor" in formula.svg
    assert b"<use" not in formula.svg


def test_measures_tell_what_is_below_the_line() -> None:
    """A letter stands on the line, a fraction reaches below it, and a displayed sum is the larger one."""
    letter, fraction = draw("x", display=False), draw(r"\frac{a}{b}", display=False)
    small, large = draw(r"\sum_i x_i", display=False), draw(r"\sum_i x_i", display=True)
    assert letter
    assert fraction
    assert small
    assert large
    assert letter.depth < 1 < fraction.depth < fraction.height
    assert 5 < letter.width < 12
    assert large.height > small.height


@pytest.mark.parametrize(
    "latex",
    [
        r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix} \tag{2}",
        r"\begin{align} a &= b \\ c &= d \label{x} \nonumber \end{align}",
        r"\begin{equation} a \end{equation}",
        r"\begin{pmatrix}\frac{a}{b}\end{pmatrix}^T",
        "(x_1，x_2)",
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    ],
)
def test_what_papers_write_is_drawn(latex: str) -> None:
    """Numbers, labels, environments and Chinese commas are no reason to fail, and the width is the true one."""
    formula = draw(latex, display=True)
    assert formula
    assert formula.width < 400


@pytest.mark.parametrize("latex", ["", r"\frac{1}", "{", "x_", r"\begin{matrix} a", "损失", "a < b & c", "{" * 900])
def test_what_is_not_understood_stays_source(latex: str) -> None:
    """No formula raises, and none is drawn with empty boxes for letters."""
    assert draw(latex, display=False) is None


def test_one_formula_is_drawn_once() -> None:
    """The same formula has the same key; displayed it is another one."""
    sheet = FormulaSheet()
    first = sheet.image(" x ", display=False)
    assert sheet.image("x", display=False) == first
    assert sheet.image("x", display=True) != first
    assert len(sheet.drawn) == 2


def test_a_storm_of_formulas_is_bounded() -> None:
    """After so many formulas, or so much time, the rest stays source."""
    sheet = FormulaSheet()
    with thinking_within(formulas.SECONDS + 1):
        keys = [sheet.image(f"x_{{{number}}}", display=False) for number in range(formulas.MOST + 5)]
        assert keys[-1] is None


def test_a_long_formula_is_not_tried() -> None:
    """The length is bounded before any work is done."""
    assert FormulaSheet().image("x" * (formulas.LONGEST + 1), display=True) is None


def test_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the seconds of a note are used up, nothing more is drawn."""
    monkeypatch.setattr(formulas, "SECONDS", 0.0)
    assert FormulaSheet().image("x", display=True) is None


def test_what_others_do_takes_nothing_from_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own work counts alone: on a busy machine a note shows the same formulas."""
    monkeypatch.setattr("kb.rendering.formulas.draw", lambda _latex, *, display: sleep(0.02 * display))
    sheet = FormulaSheet(seconds=0.01)
    sheet.image("x", display=True)
    assert sheet.seconds < 0.01


def test_a_drawing_without_measures_is_no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the drawer's SVG look different one day, formulas stay readable."""

    class Odd:
        def __init__(self, *_: object, **__: object) -> None: ...

        def svg(self) -> str:
            return "<svg/>"

    monkeypatch.setattr("kb.rendering.formulas.ziamath.Latex", Odd)
    assert draw("odd", display=True) is None
