"""Commands on lines and words: headings, tasks, list numbers, emphasis, and moving, copying or deleting lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QTextCursor

from app.editor.edit_target import EditTarget
from app.editor.text_diff import rewrite_blocks, selected_lines, selected_text, units, up_to
from kb.lazy_regex import expression
from kb.markdown.lines import split_lines

_HEADING = expression(r"[ \t]{0,3}#{1,6}(?:[ \t]+|$)")
_ITEM = expression(r"(?P<lead>[ \t>]*)(?P<item>(?:[-+*]|\d{1,9}[.)])[ \t]+)?")
_TASK = expression(r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+\[(?P<sign>[ xX])\](?=[ \t])")
_NUMBERED = expression(r"(?P<lead>[ \t]*(?:>[ \t]?)*[ \t]*)(?P<number>\d{1,9})(?P<dot>[.)])(?=[ \t])")
_MOST = 1_000  # lines of a list to renumber
_BEGUN, _REST = re.compile(r"\w*$"), re.compile(r"\w*")
_KEEP = QTextCursor.MoveMode.KeepAnchor


def headed(line: str, level: int) -> str:
    """Return a line as a heading of a level from 1, or as plain text if it is one already."""
    found = _HEADING.match(line)
    bare = line[found.end() :] if found else line.lstrip()
    if found and found[0].count("#") == level:
        return bare
    return f"{'#' * level} {bare}"


def tasked(line: str) -> str:
    """Return a task with its box toggled, or any other line as a task with an empty box."""
    if (sign := sign_of(line)) is not None:
        return f"{line[:sign]}{'x' if line[sign] == ' ' else ' '}{line[sign + 1 :]}"
    found = _ITEM.match(line)
    lead, item = (found["lead"], found["item"] or "- ") if found else ("", "- ")
    return f"{lead}{item}[ ] {line[found.end() if found else 0 :]}"


def next_numbers(line: str, below: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines below a new list item that need another number, as pairs of offset (from 0) and new text.

    `line` is the new item. Lists that are not numbered consecutively stay unchanged.
    """
    own = _NUMBERED.match(line)
    if own is None:
        return []
    number, changed = int(own["number"]), []
    for at, text in enumerate(below):
        if at >= _MOST or not _in_list(text, own["lead"]):
            break
        found = _NUMBERED.match(text)
        if found is None or found["lead"] != own["lead"]:
            continue
        if int(found["number"]) != number or found["dot"] != own["dot"]:
            break
        number += 1
        changed.append((at, _numbered(text, found, number)))
    return changed


def in_order(lines: Sequence[str]) -> list[str]:
    """Return moved lines with the numbers of each list level in ascending order again."""
    levels: dict[tuple[str, str], list[int]] = {}
    for text in lines:
        if found := _NUMBERED.match(text):
            levels.setdefault((found["lead"], found["dot"]), []).append(int(found["number"]))
    left = {level: sorted(numbers) for level, numbers in levels.items()}
    made = []
    for text in lines:
        found = _NUMBERED.match(text)
        made.append(_numbered(text, found, left[found["lead"], found["dot"]].pop(0)) if found else text)
    return made


def _in_list(text: str, lead: str) -> bool:
    """Return whether a line can belong to the list whose markers follow `lead`."""
    return not text.strip() or text.startswith((lead + " ", lead + "\t")) or _leads(text, lead)


def _leads(text: str, lead: str) -> bool:
    found = _NUMBERED.match(text)
    return found is not None and found["lead"] == lead


def _numbered(text: str, found: re.Match[str], number: int) -> str:
    return f"{found['lead']}{number}{text[found.end('number') :]}"


@dataclass(frozen=True)
class EmphasisEdit:
    """The text that replaces `line[start:end]`, and the part of it to select, counted from its start."""

    start: int
    end: int
    text: str
    selected: tuple[int, int]


def toggled(line: str, start: int, end: int, mark: str) -> EmphasisEdit:
    """Return the edit that adds or removes bold ("**"), italic ("*") or code ("`") at `line[start:end]`."""
    while start < end and line[start].isspace():
        start += 1
    while end > start and line[end - 1].isspace():
        end -= 1
    inner, size = line[start:end], len(mark)
    if len(inner) > 2 * size and _is_marked(_run(inner, mark[0]), _run(inner[::-1], mark[0]), mark):
        return EmphasisEdit(start, end, inner[size:-size], (0, len(inner) - 2 * size))
    if _is_marked(_run(line[:start][::-1], mark[0]), _run(line[end:], mark[0]), mark):
        return EmphasisEdit(start - size, end + size, inner, (0, len(inner)))
    return EmphasisEdit(start, end, f"{mark}{inner}{mark}", (size, size + len(inner)))


def _run(text: str, char: str) -> int:
    """Return how often a text repeats `char` at its start."""
    return len(text) - len(text.lstrip(char))


def _is_marked(before: int, behind: int, mark: str) -> bool:
    """Return whether that many signs at both ends contain this mark: one star is italic, two bold, three both."""
    both = min(before, behind)
    return both in (1, 3) if mark == "*" else both >= len(mark)


def ticked(text: str, line: int, *, done: bool) -> str | None:
    """Return the text with the task at a line (from 1) ticked or open, or None if there is no task.

    Only that one character changes; line ends are kept.
    """
    lines = split_lines(text)
    sign = sign_of(lines[line - 1]) if 0 < line <= len(lines) else None
    if sign is None:
        return None
    at = _offset(text, line) + sign
    return f"{text[:at]}{'x' if done else ' '}{text[at + 1 :]}"


def sign_of(line: str) -> int | None:
    """Return the index of the character in a task's box, or None if the line is no task."""
    task = _TASK.match(line)
    return task.start("sign") if task else None


def _offset(text: str, line: int) -> int:
    """Return the index where a line (from 1) begins."""
    ends = re.finditer(r"\r\n|\n|\r", text)
    at = 0
    for _ in range(line - 1):
        at = next(ends).end()
    return at


class LineCommands:
    """Commands on one field; each is one undo step."""

    def __init__(self, field: EditTarget) -> None:
        """Edit `field`."""
        self._field = field

    def carry(self, by: int) -> None:
        """Move the selected lines one line down (1) or up (-1); list numbers stay in order."""
        cursor, document = self._field.textCursor(), self._field.document()
        lines = selected_lines(cursor)
        other = document.findBlockByNumber(lines.stop if by > 0 else lines.start - 1)
        if not other.isValid():
            return
        anchor, position = cursor.anchor(), cursor.position()
        # Moving up is the same as moving the line above below the others.
        top, passed = lines.start - (by < 0), other.text()
        moved = by * (units(passed) + 1)
        texts = [document.findBlockByNumber(number).text() for number in lines]
        turned = [passed, *texts] if by > 0 else [*texts, passed]
        cursor.beginEditBlock()
        cursor.setPosition(document.findBlockByNumber(top).position())
        end = document.findBlockByNumber(top + len(texts))
        cursor.setPosition(end.position() + end.length() - 1, _KEEP)
        cursor.insertText("\n".join(turned))
        rewrite_blocks(document, dict(enumerate(in_order(turned), top)))
        cursor.endEditBlock()
        self._select(anchor + moved, position + moved)

    def double(self) -> None:
        """Duplicate the selected lines below; the caret moves to the copy."""
        cursor, document = self._field.textCursor(), self._field.document()
        lines = selected_lines(cursor)
        start = document.findBlockByNumber(lines[0]).position()
        end = document.findBlockByNumber(lines[-1])
        anchor, position = cursor.anchor(), cursor.position()
        cursor.setPosition(start)
        cursor.setPosition(end.position() + end.length() - 1, _KEEP)
        text = selected_text(cursor)
        cursor.clearSelection()
        cursor.insertText("\n" + text)
        self._select(anchor + units(text) + 1, position + units(text) + 1)

    def drop(self) -> None:
        """Delete the line of the caret; the caret keeps its column in the line that replaces it."""
        cursor = self._field.textCursor()
        block, at = cursor.block(), cursor.positionInBlock()
        start, end = block.position(), block.position() + block.length()
        last = not block.next().isValid()
        cursor.setPosition(max(0, start - 1) if last else start)
        cursor.setPosition(end - 1 if last else end, _KEEP)
        cursor.removeSelectedText()
        here = cursor.block()
        cursor.setPosition(here.position() + min(at, here.length() - 1))
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()

    def lead(self, change: Callable[[str], str]) -> None:
        """Apply `change` to the text of every selected line."""
        cursor, document = self._field.textCursor(), self._field.document()
        cursor.beginEditBlock()
        rewrite_blocks(
            document, {number: change(document.findBlockByNumber(number).text()) for number in selected_lines(cursor)}
        )
        cursor.endEditBlock()

    def tick(self, line: int, done: bool) -> None:  # noqa: FBT001 - called by a signal's arguments
        """Tick or untick the task at a line (from 1), if there is one in the other state."""
        block = self._field.document().findBlockByNumber(line - 1)
        sign = sign_of(block.text()) if block.isValid() and not self._field.isReadOnly() else None
        if sign is not None and (block.text()[sign] != " ") != done:
            rewrite_blocks(self._field.document(), {line - 1: tasked(block.text())})

    def toggle(self, mark: str) -> None:
        """Add a mark around the selection or the word under the caret, or remove it."""
        cursor = self._field.textCursor()
        if "\u2029" in cursor.selectedText():
            return
        bare = not cursor.hasSelection()
        if bare:
            cursor = self._word(cursor, mark)
        block, line = cursor.block(), cursor.block().text()
        start, end = (
            len(up_to(line, at - block.position())) for at in (cursor.selectionStart(), cursor.selectionEnd())
        )
        marked = toggled(line, start, end, mark)
        at = block.position() + units(line[: marked.start])
        cursor.setPosition(at)
        cursor.setPosition(block.position() + units(line[: marked.end]), _KEEP)
        cursor.insertText(marked.text)
        begin, stop = (at + units(marked.text[:edge]) for edge in marked.selected)
        self._select(stop if bare else begin, stop)

    def _word(self, cursor: QTextCursor, mark: str) -> QTextCursor:
        """Return the word around the caret; Chinese, which has no spaces, only if it is marked already."""
        line = cursor.block().text()
        at = len(up_to(line, cursor.positionInBlock()))
        start = at - len(_BEGUN.search(line[:at])[0])  # type: ignore[index]  # it matches at least ""
        end = at + len(_REST.match(line[at:])[0])  # type: ignore[index]
        marked = line[:start].endswith(mark) and line[end:].startswith(mark)
        word = QTextCursor(cursor)
        if marked or line[start:end].isascii():
            word.setPosition(cursor.block().position() + units(line[:start]))
            word.setPosition(cursor.block().position() + units(line[:end]), _KEEP)
        return word

    def _select(self, anchor: int, position: int) -> None:
        cursor, last = self._field.textCursor(), self._field.document().characterCount() - 1
        cursor.setPosition(min(anchor, last))  # a selection that ends where a line begins may now reach beyond the last
        cursor.setPosition(min(position, last), _KEEP)
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()
