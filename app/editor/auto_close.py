"""Pairs of brackets, quotes and backticks: the closing sign is added, typed over, and deleted with the opening one."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from app.editor.edit_target import EditTarget
from app.editor.highlighter import Highlighter
from app.editor.text_diff import selected_text, units, up_to

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
# Chinese signs come from an input method, which provides the closing sign where it must be typed.
_CHINESE = {"（": "）", "「": "」", "『": "』", "【": "】", "《": "》", "〈": "〉", "“": "”", "‘": "’"}
_QUOTES = {'"': '"', "'": "'"}
_MARKERS = {mark: mark for mark in "*_`~$"}
_CLOSES = frozenset((*_BRACKETS.values(), *_CHINESE.values()))
_BEFORE = _CLOSES | frozenset(".,;:!?。，、；：！？\"'`")  # characters before which a pair is completed
_MOST = 400  # closing signs to remember


def closing(char: str, before: str, after: str, *, code: bool) -> str:
    """Return the closing sign for a sign typed between two texts, or "" if it should stay single."""
    if after and not after[0].isspace() and after[0] not in _BEFORE:
        return ""
    if before.endswith("\\"):
        return ""
    if char == "`":
        return "" if code or before.endswith("`") or after.startswith("`") else "`"
    if char in _QUOTES:
        return char if _opens(char, before, code=code) and not after.startswith(char) else ""
    return _BRACKETS.get(char) or ("" if code else _CHINESE.get(char, ""))


def around(char: str, selected: str, *, code: bool) -> tuple[str, str] | None:
    """Return the signs to put around a selection when one is typed over it; None if it replaces the selection."""
    if char in _MARKERS:
        return None if code or "\n" in selected or not selected.strip() else (char, char)
    closes = _BRACKETS.get(char) or _CHINESE.get(char) or _QUOTES.get(char)
    return (char, closes) if closes else None


def _opens(quote: str, before: str, *, code: bool) -> bool:
    """Return whether a straight quote opens a pair; after a letter it is an apostrophe or a closing quote."""
    if before.endswith(quote) or (quote == "'" and not code):
        return False
    last = before[-1:]
    is_prefix = code and last in "frbuFRBU" and not before[-2:-1].isalnum()  # of a Python string
    return not last or last.isspace() or last in "([{=,:+（「『【《" or is_prefix


class AutoClose:
    """Completes pairs in one field, and remembers the closing signs it has added: only these are typed over."""

    def __init__(self, field: EditTarget, highlighter: Highlighter) -> None:
        """Edit `field`; `highlighter` tells which lines are code."""
        self._field, self._highlighter = field, highlighter
        self._added: list[QTextCursor] = []  # one before each added sign
        self.all_lines = False  # also remember signs in other lines, for several carets

    def press(self, char: str) -> bool:
        """Handle a typed sign; return False if it should just be inserted."""
        cursor = self._field.textCursor()
        if len(char) != 1 or char.isalnum():
            return False
        if cursor.hasSelection():
            return self._wrap(cursor, char)
        if self._typed_over(cursor, char):
            return True
        before, after = self._around(cursor)
        closes = closing(char, before, after, code=self._code(cursor))
        if closes:
            self._insert(cursor, char, closes)
        return bool(closes)

    def delete_pair(self) -> bool:
        """Delete both signs of the empty pair around the caret; return whether there is one."""
        cursor = self._field.textCursor()
        before, after = self._around(cursor)
        if cursor.hasSelection() or not before or self._known(cursor) is None:
            return False
        closes = closing(before[-1], before[:-1], after[1:], code=self._code(cursor))
        if not closes or after[:1] != closes:  # the closing sign was deleted
            return False
        cursor.beginEditBlock()
        cursor.deletePreviousChar()
        cursor.deleteChar()
        cursor.endEditBlock()
        return True

    def forget(self) -> None:
        """Forget all added signs, because the text was replaced."""
        self._added.clear()

    def committed(self, text: str) -> None:
        """Complete a pair that an input method has opened, and drop a duplicate closing sign."""
        cursor = self._field.textCursor()
        if len(text) != 1 or cursor.hasSelection():
            return
        before, after = self._around(cursor)
        if after.startswith(text) and self._known(cursor) is not None:
            cursor.deleteChar()
        elif closes := closing(text, before[:-1], after, code=self._code(cursor)):
            self._close(cursor, closes)

    def _wrap(self, cursor: QTextCursor, char: str) -> bool:
        selected = selected_text(cursor)
        signs = around(char, selected, code=self._code(cursor))
        if signs is None:
            return False
        start = cursor.selectionStart() + units(signs[0])
        cursor.insertText(f"{signs[0]}{selected}{signs[1]}")
        cursor.setPosition(start)
        cursor.setPosition(start + units(selected), QTextCursor.MoveMode.KeepAnchor)
        self._field.setTextCursor(cursor)
        return True

    def _typed_over(self, cursor: QTextCursor, char: str) -> bool:
        known = self._known(cursor)
        if known is None or not self._around(cursor)[1].startswith(char):
            return False
        self._added.remove(known)
        cursor.movePosition(QTextCursor.MoveOperation.Right)
        self._field.setTextCursor(cursor)
        return True

    def _insert(self, cursor: QTextCursor, opens: str, closes: str) -> None:
        cursor.beginEditBlock()
        cursor.insertText(opens)
        self._close(cursor, closes)
        cursor.endEditBlock()

    def _close(self, cursor: QTextCursor, closes: str) -> None:
        at = cursor.position()
        cursor.insertText(closes)
        cursor.setPosition(at)
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()
        here = cursor.blockNumber()
        self._added = [one for one in self._added[1 - _MOST :] if self.all_lines or one.blockNumber() == here]
        self._added.append(QTextCursor(cursor))

    def _known(self, cursor: QTextCursor) -> QTextCursor | None:
        return next((one for one in self._added if one.position() == cursor.position()), None)

    def _around(self, cursor: QTextCursor) -> tuple[str, str]:
        line = cursor.block().text()
        before = up_to(line, cursor.positionInBlock())
        return before, line[len(before) :]

    def _code(self, cursor: QTextCursor) -> bool:
        return self._highlighter.in_fence(cursor.block())
