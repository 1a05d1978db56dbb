"""All that is read can be read, in both themes: every colour of every sheet on its ground, and what programs print."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QPalette

from app.editor.highlighter import RoleFormats as Source
from app.reader.ansi import Style
from app.reader.text_formats import Formats, readable
from app.style.appearance import palette
from app.style.stylesheets import document_sheet, widget_sheet, window_sheet
from app.style.theme import DARK, LIGHT, Theme, contrast

ENOUGH = 4.5  # WCAG 2.2 AA, for text
SEEN = 3.0  # and for what shows where one is
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_TEXT = re.compile(r"(?<![-\w])color:\s*(#[0-9a-f]{6})")
_GROUND = re.compile(r"background:\s*#(?:[0-9a-f]{2})?([0-9a-f]{6})\b")  # with or without how opaque it is
PLAIN = ("page", "panel", "field")  # what text lies on where its rule says nothing of a ground
ON_CODE = ("keyword", "string", "number", "function", "decorator", "dim", "ink", "bad")
CODE = ("code", "output", "page", "bad_soft", "accent_soft", "mark")  # fences, failing and marked lines, found words
SIGNS = ("good", "warn", "bad", "dim", "accent", "ink")
ROWS = ("panel", "page", "field", "hover", "accent_soft", "code", "output")  # rows as they are, hovered and selected

ROLES = (
    "markup comment front info quote done strike target tag escape key list task link wiki auto foot callout code"
    " math keyword string number function builtin error heading1 strong emphasis mark"
)


@THEMES
def test_what_stands_on_what(theme: Theme) -> None:
    """Code on each ground that code gets, signs of states on each ground of a row, selected text."""
    pairs = {(text, ground) for text in ON_CODE for ground in CODE} | {
        (text, ground) for text in SIGNS for ground in ROWS
    }
    pairs |= {("ink", "selection"), ("on_accent", "accent"), ("on_bad", "bad"), ("error_stream", "output")}
    pairs |= {(text, "mark") for text in ("ink", "dim", "accent", "error_stream")} | {
        ("ink", "pill"),
        ("accent", "pill"),
    }
    low = {pair: contrast(*(getattr(theme, name) for name in pair)) for pair in pairs}
    assert {pair: round(found, 2) for pair, found in low.items() if found < ENOUGH} == {}


@THEMES
def test_every_rule_of_the_sheets(theme: Theme) -> None:
    """A rule that sets a text's colour keeps the contrast, on its own ground or on all that it may lie on."""
    low = []
    for rule, text, ground in rules(widget_sheet(theme) + window_sheet(theme) + document_sheet(theme)):
        grounds = [ground] if ground else [getattr(theme, name) for name in PLAIN]
        low += [(rule, text, one) for one in grounds if contrast(text, one) < ENOUGH]
    assert low == []


def rules(sheet: str) -> Iterator[tuple[str, str, str]]:
    """Yield selector, text colour, and ground or nothing, of every rule that colours text."""
    for match in _RULE.finditer(sheet):
        ground = _GROUND.search(match[2])
        for text in _TEXT.findall(match[2]):
            yield match[1].strip(), text, f"#{ground[1]}" if ground else ""


@THEMES
def test_the_palette(theme: Theme) -> None:
    """What no sheet reaches: text, placeholders, what is disabled, links, tooltips and what is selected."""
    colours, role, group = palette(theme), QPalette.ColorRole, QPalette.ColorGroup
    for which in (group.Active, group.Inactive, group.Disabled):
        for text, ground in (
            (role.Text, role.Base),
            (role.WindowText, role.Window),
            (role.ButtonText, role.Button),
            (role.PlaceholderText, role.Base),
            (role.Link, role.Base),
            (role.HighlightedText, role.Highlight),
            (role.ToolTipText, role.ToolTipBase),
            (role.Text, role.AlternateBase),
            (role.LinkVisited, role.Base),
        ):
            pair = colours.color(which, text).name(), colours.color(which, ground).name()
            assert contrast(*pair) >= ENOUGH, (which.name, text.name, ground.name, pair)


@THEMES
def test_where_one_is_is_seen(theme: Theme) -> None:
    """The ring of the focus stands out from every ground, from the borders that it replaces, and on a filled button."""
    for ground in (*ROWS, "line", "mark", "bad_soft", "selection"):
        assert contrast(theme.accent, getattr(theme, ground)) >= SEEN, ground
    assert contrast(theme.on_accent, theme.accent) >= SEEN
    assert contrast(theme.on_bad, theme.bad) >= SEEN


@THEMES
def test_the_source(theme: Theme) -> None:
    """Every role of the editor's colours can be read on its page, in a fence, on the caret's line and marked."""
    made = Source(theme, 14)
    for role in ROLES.split():
        looks = made[(role,)]
        text = looks.foreground().color().name() if looks.foreground().style().value else theme.ink
        for ground in ("page", "code", "accent_soft", "mark"):
            assert contrast(text, getattr(theme, ground)) >= ENOUGH, (role, ground)


COLOUR = st.one_of(
    st.none(),
    st.integers(0, 15),
    st.from_regex(r"#[0-9a-f]{6}", fullmatch=True),
)


@THEMES
@given(style=st.builds(Style, COLOUR, COLOUR, faint=st.booleans(), inverse=st.booleans()))
def test_whatever_a_program_prints(theme: Theme, style: Style) -> None:
    """Any colour on any ground, faint or inverse, from either stream."""
    for stream in ("stdout", "stderr", "recorded"):
        looks = Formats(theme, 1.0).styled(style, stream)
        ground = looks.background().color().name() if looks.background().style().value else theme.output
        assert contrast(looks.foreground().color().name(), ground) >= ENOUGH


def test_a_colour_that_can_be_read_stays_as_it_is() -> None:
    """And one that cannot keeps its hue as far as it can."""
    assert readable("#c92a2a", "#ffffff") == "#c92a2a"
    red, green, blue = (int(readable("#ff6666", "#ffffff")[at : at + 2], 16) for at in (1, 3, 5))
    assert red > green
    assert red > blue
    assert readable("#777777", "#777777") in {"#000000", "#ffffff"}
