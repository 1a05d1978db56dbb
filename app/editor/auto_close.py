"""Brackets, quotes and backticks in pairs: the closing one is added, typed over, and taken away with the first."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from app.editor.edit_target import EditTarget
from app.editor.highlighter import Highlighter
from app.editor.text_diff import units, up_to

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
# Chinese signs are typed through an input method, which gives the closing one by itself where it has to be typed.
_CHINESE = {"（": "）", "「": "」", "『": "』", "【": "】", "《": "》", "〈": "〉", "“": "”", "‘": "’"}
_QUOTES = {'"': '"', "'": "'"}
_MARKERS = {mark: mark for mark in "*_`~$"}
_CLOSES = frozenset((*_BRACKETS.values(), *_CHINESE.values()))
_BEFORE = _CLOSES | frozenset(".,;:!?。，、；：！？\"'`")  # what may follow a pair that is opened


def closing(char: str, before: str, after: str, *, code: bool) -> str:
    """Return what belongs behind a sign that was typed between two texts; nothing where one sign is meant alone."""
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
    """Return what goes before and behind a selection over which a sign is typed; None where it takes its place."""
    if char in _MARKERS:
        return None if code or "\n" in selected or not selected.strip() else (char, char)
    closes = _BRACKETS.get(char) or _CHINESE.get(char) or _QUOTES.get(char)
    return (char, closes) if closes else None


def _opens(quote: str, before: str, *, code: bool) -> bool:
    """Tell whether a straight quote begins something: one that follows a letter is an apostrophe, or an end."""
    if before.endswith(quote) or (quote == "'" and not code):
        return False
    last = before[-1:]
    return not last or last.isspace() or last in "([{=,:+（「『【《" or (code and last in "frbuFRBU" and _lone(before))


def _lone(before: str) -> bool:
    """Tell whether the last letter is a word of its own, as before a string of Python."""
    return not before[-2:-1].isalnum()


_MOST = 400  # closing signs that are remembered


class AutoClose:
    """Remembers which closing signs of a field it has added: only these are typed over."""

    def __init__(self, field: EditTarget, highlighter: Highlighter) -> None:
        """Pair in `field`; `highlighter` knows what is code."""
        self._field, self._highlighter = field, highlighter
        self._added: list[QTextCursor] = []  # each before its sign
        self.everywhere = False  # the signs of other lines are remembered, too, as there are several carets

    def press(self, char: str) -> bool:
        """Do what a sign means beyond itself."""
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

    def rub_out(self) -> bool:
        """Take an empty pair away, both signs at once."""
        cursor = self._field.textCursor()
        before, after = self._around(cursor)
        if cursor.hasSelection() or not before or self._known(cursor) is None:
            return False
        closes = closing(before[-1], before[:-1], after[1:], code=self._code(cursor))
        if not closes or after[:1] != closes:  # the second sign was taken away by itself
            return False
        cursor.beginEditBlock()
        cursor.deletePreviousChar()
        cursor.deleteChar()
        cursor.endEditBlock()
        return True

    def forget(self) -> None:
        """Remember none: the text is another one."""
        self._added.clear()

    def committed(self, text: str) -> None:
        """Close what an input method has just opened, and take the second of two signs that close."""
        cursor = self._field.textCursor()
        if len(text) != 1 or cursor.hasSelection():
            return
        before, after = self._around(cursor)
        if after.startswith(text) and self._known(cursor) is not None:
            cursor.deleteChar()
        elif closes := closing(text, before[:-1], after, code=self._code(cursor)):
            self._close(cursor, closes)

    def _wrap(self, cursor: QTextCursor, char: str) -> bool:
        selected = cursor.selectedText().replace("\u2029", "\n")
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
        self._added = [one for one in self._added[1 - _MOST :] if self.everywhere or one.blockNumber() == here]
        self._added.append(QTextCursor(cursor))

    def _known(self, cursor: QTextCursor) -> QTextCursor | None:
        return next((one for one in self._added if one.position() == cursor.position()), None)

    def _around(self, cursor: QTextCursor) -> tuple[str, str]:
        line = cursor.block().text()
        before = up_to(line, cursor.positionInBlock())
        return before, line[len(before) :]

    def _code(self, cursor: QTextCursor) -> bool:
        return self._highlighter.in_fence(cursor.block())
