"""Tests of a cell's body: only changes are written, and it always has exactly the given entries."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from app.reader.ansi import PLAIN, Style
from app.reader.cell_text import Entry, Remark, TonedText
from app.reader.cell_view import BODY, CellView
from app.reader.link_targets import LinkTargets
from app.reader.terminal import TerminalLine
from app.reader.text_formats import CHROME, RULED, STREAM, Formats
from app.style.theme import LIGHT


def line(number: int, raw: str, stream: str = "stdout") -> TerminalLine:
    return TerminalLine(number, 0, stream, raw, PLAIN)


LINES = [line(n, f"text {n}") for n in range(6)] + [line(n, f"\x1b[31mred {n}", "stderr") for n in range(6, 9)]
ENTRIES: list[Entry] = [
    *LINES,
    line(9, ""),
    Remark((TonedText("words"),)),
    Remark((TonedText("end", "bad"),), ruled=True),
]


def make_box() -> tuple[QTextDocument, CellView]:
    document = QTextDocument()
    document.documentLayout()  # without a layout, changes are not reported
    document.setUndoRedoEnabled(False)
    cursor = QTextCursor(document)
    cursor.insertText("before")
    table = cursor.insertTable(2, 2)
    table.mergeCells(1, 0, 1, 2)
    targets = LinkTargets()
    box = CellView(table, Formats(LIGHT, 1.0), address=targets.link, picture=lambda figure: str(figure.path))
    return document, box


def body(document: QTextDocument, box: CellView) -> list[tuple[str, bool, bool, bool]]:
    """Return each block of the body: its text, and whether it is words, ruled, standard error."""
    if not box.has_body:
        return []
    cell = box.table.cellAt(BODY, 0)
    block, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
    out = []
    while True:
        shape = block.blockFormat()
        out.append((block.text(), shape.hasProperty(CHROME), shape.hasProperty(RULED), shape.hasProperty(STREAM)))
        if block == last:
            return out
        block = block.next()


def wanted(entry: Entry) -> tuple[str, bool, bool, bool]:
    if isinstance(entry, TerminalLine):
        return "".join(run.text for run in entry.runs), False, False, entry.stream == "stderr"
    assert isinstance(entry, Remark)
    return "".join(piece.text for piece in entry.pieces), True, entry.ruled, False


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(ENTRIES), max_size=10), max_size=6))
def test_the_body_has_the_given_entries(qtbot: QtBot, steps: list[list[Entry]]) -> None:
    """After any sequence of updates, the body has exactly the last entries, each in its own format."""
    document, box = make_box()
    for entries in steps:
        box.write_body(entries)
        assert body(document, box) == [wanted(entry) for entry in entries]
    assert document.begin().text() == "before"


def test_sliding_output_is_not_written_again(qtbot: QtBot) -> None:
    """When output grows at its end and loses its beginning, the lines in between are not rewritten."""
    document, box = make_box()
    lines = [line(n, f"line {n}") for n in range(40)]
    gap = Remark((TonedText("5 hidden"),))
    box.write_body([lines[0], gap, *lines[5:30]])
    changed: list[int] = []
    document.contentsChange.connect(lambda _position, removed, added: changed.append(removed + added))
    box.write_body([lines[0], Remark((TonedText("9 hidden"),)), *lines[9:34]])
    assert [text for text, *_ in body(document, box)] == [
        "line 0",
        "9 hidden",
        *(f"line {n}" for n in range(9, 34)),
    ]
    assert max(changed) < 60


def test_bar_is_written_only_when_it_changes(qtbot: QtBot) -> None:
    """The same texts again change nothing."""
    document, box = make_box()
    left, right = (TonedText("▶ Run", "button", "run"),), (TonedText("name"),)
    box.write_bar(left, right, width=600)
    assert "Run" in document.toPlainText()
    changed: list[int] = []
    document.contentsChange.connect(lambda *_: changed.append(1))
    box.write_bar(left, right, width=600)
    assert changed == []
    box.write_bar((TonedText("■ Stop", "stop", "stop"),), right, width=600)
    assert "Run" not in document.toPlainText()


def test_code_lines(qtbot: QtBot) -> None:
    """A line of the code is found by its number, from 1; other numbers find nothing."""
    _, box = make_box()
    box.table.cellAt(1, 0).firstCursorPosition().insertText("one\ntwo")
    second = box.code_block(2)
    assert second is not None
    assert second.text() == "two"
    assert box.code_block(0) is None
    assert box.code_block(3) is None


@pytest.mark.parametrize(
    "style",
    [
        Style(foreground=0, background=0),
        Style(foreground="#fefefe"),
        Style(background="#333333"),
        Style(inverse=True),
        Style(faint=True, bold=True, italic=True, underline=True),
    ],
)
def test_colours_of_programs_are_always_readable(qtbot: QtBot, style: Style) -> None:
    """Text always has contrast to its background, whatever colours a program sets."""
    made = Formats(LIGHT, 1.0).styled(style, "stdout")
    ground = made.background().color().name() if made.background().style().value else LIGHT.output
    assert made.foreground().color().name() != ground
