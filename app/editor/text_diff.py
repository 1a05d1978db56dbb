"""Minimal edits between two texts, selected text and lines, and lengths in UTF-16 units, which Qt counts in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

_LINES = 4_000  # lines to compare one by one; more are replaced as one piece
BASIC = 0xFFFF  # the last character that takes one UTF-16 unit


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def up_to(line: str, at: int) -> str:
    """Return the line up to a position in UTF-16 units."""
    return line[:at] if units(line) == len(line) else line.encode("utf-16-le")[: 2 * at].decode("utf-16-le", "ignore")


@dataclass(frozen=True)
class TextReplacement:
    """The text that replaces `old[start:end]`, counted in characters."""

    start: int
    end: int
    text: str


def pieces(old: str, new: str) -> tuple[TextReplacement, ...]:
    """Return the replacements that turn the old text into the new one, in order; equal lines are not touched."""
    head, tail = _common_ends(old, new)
    head = old.rfind("\n", 0, head) + 1
    tail = len(old) - _next_line(old, len(old) - tail) if tail else 0
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    if not before and not after:
        return ()
    if max(before.count("\n"), after.count("\n")) > _LINES:
        return (TextReplacement(head, len(old) - tail, after),)
    return tuple(_by_lines(before, after, head))


def _by_lines(before: str, after: str, start: int) -> Iterator[TextReplacement]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    places = [start]
    for line in old:
        places.append(places[-1] + len(line))
    for kind, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            made = "".join(new[c:d])
            head, tail = _common_ends("".join(old[a:b]), made)
            yield TextReplacement(places[a] + head, places[b] - tail, made[head : len(made) - tail])


def _next_line(text: str, at: int) -> int:
    """Return where the next line after a position begins, or the end of the text."""
    return text.find("\n", at) + 1 or len(text)


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """Return the lengths of the common prefix and suffix, which do not overlap."""
    shorter = min(len(old), len(new))
    head = _longest(shorter, lambda size: old[:size] == new[:size])
    tail = _longest(shorter - head, lambda size: old[len(old) - size :] == new[len(new) - size :])
    return head, tail


def _longest(most: int, same: Callable[[int], bool]) -> int:
    """Return the largest size up to `most` for which `same` is true; it must be true for every smaller one."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(middle) else (low, middle - 1)
    return low


def replace_in(document: QTextDocument, start: int, old: str, new: str) -> None:
    """Replace the text `old`, which begins at position `start`, by another, as one undo step."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for piece in reversed(pieces(old, new)):
        cursor.setPosition(start + units(old[: piece.start]))
        cursor.setPosition(start + units(old[: piece.end]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(piece.text)
    cursor.endEditBlock()


def rewrite_blocks(document: QTextDocument, lines: Mapping[int, str]) -> None:
    """Replace the texts of blocks; `lines` maps block numbers to their new text."""
    for number, text in lines.items():
        block = document.findBlockByNumber(number)
        if block.text() != text:
            replace_in(document, block.position(), block.text(), text)


def text_below(block: QTextBlock) -> str:
    """Return the text of all blocks below this one."""
    cursor = QTextCursor(block)
    if not cursor.movePosition(QTextCursor.MoveOperation.NextBlock):
        return ""
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    return selected_text(cursor)


def selected_text(cursor: QTextCursor) -> str:
    """Return the selection of a cursor, with line feeds as line ends."""
    return cursor.selectedText().replace("\u2029", "\n")


def selected_lines(cursor: QTextCursor) -> range:
    """Return the numbers of the selected blocks; the last one does not count if the selection ends at its start."""
    document, start, end = cursor.document(), cursor.selectionStart(), cursor.selectionEnd()
    return range(document.findBlock(start).blockNumber(), document.findBlock(max(start, end - 1)).blockNumber() + 1)
