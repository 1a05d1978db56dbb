"""Find and replace in a text, with limits on the time that a pattern may take.

Qt's regular expressions are used because a pattern can limit their work, and because their positions are those of Qt's
document.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from PySide6.QtCore import QRegularExpression, QRegularExpressionMatch
from PySide6.QtGui import QTextCursor, QTextDocument

from kb.lazy_regex import expression

MOST = 20_000  # matches to list
_STEPS = 200_000  # match limit of PCRE for one match: some tens of milliseconds
SECONDS = 0.25  # for all matches together, while the pattern is being typed
_GROUP = expression(r"\\([0-9nt\\])|\$(\d)|\$\{(\w+)\}")


@dataclass(frozen=True)
class SearchPattern:
    """A search pattern and its options."""

    pattern: str
    case: bool = False
    whole_word: bool = False
    regular: bool = False

    def expression(self) -> QRegularExpression:
        """Return the compiled pattern, which may be invalid."""
        pattern = self.pattern if self.regular else QRegularExpression.escape(self.pattern)
        if self.whole_word:
            pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
        options = (
            QRegularExpression.PatternOption.MultilineOption
            | QRegularExpression.PatternOption.UseUnicodePropertiesOption
        )
        if not self.case:
            options |= QRegularExpression.PatternOption.CaseInsensitiveOption
        return QRegularExpression(f"(*LIMIT_MATCH={_STEPS}){pattern}", options)


@dataclass(frozen=True)
class TextMatch:
    """A match: its start and length in UTF-16 units, and its replacement."""

    start: int
    length: int
    replacement: str = ""

    @property
    def end(self) -> int:
        """The end of the match."""
        return self.start + self.length

    def cursor(self, document: QTextDocument) -> QTextCursor:
        """Return a cursor that selects the match."""
        cursor = QTextCursor(document)
        cursor.setPosition(self.start)
        cursor.setPosition(self.end, QTextCursor.MoveMode.KeepAnchor)
        return cursor


@dataclass(frozen=True)
class TextMatches:
    """All matches in order; `wrong` is the error in the pattern, `slow` means that the search was stopped."""

    matches: tuple[TextMatch, ...] = ()
    wrong: str = ""
    slow: bool = False
    more: bool = False  # there are more than listed


def find_all(
    text: str, needle: SearchPattern, *, replacement: str | None = None, most: int = MOST, seconds: float = SECONDS
) -> TextMatches:
    """Return all matches that are not empty, with their replacements if `replacement` is given."""
    if not needle.pattern:
        return TextMatches()
    expression = needle.expression()
    if not expression.isValid():
        return TextMatches(wrong=expression.errorString())
    matches: list[TextMatch] = []
    end = time.perf_counter() + seconds
    found = expression.globalMatch(text)
    while found.hasNext():
        match = found.next()
        if not match.isValid() or time.perf_counter() > end:
            return TextMatches(tuple(matches), slow=True)
        if len(matches) == most:
            return TextMatches(tuple(matches), more=True)
        if match.capturedLength():
            matches.append(_match(match, needle, replacement))
    return TextMatches(tuple(matches), slow=not found.isValid())


@dataclass(frozen=True)
class ReplacementPreview:
    """The text of a match, the text that would replace it, and the groups of the pattern."""

    before: str
    after: str
    groups: tuple[str, ...] = ()


def preview(text: str, needle: SearchPattern, place: TextMatch, replacement: str) -> ReplacementPreview | None:
    """Return what replacing a match would do; None if the pattern no longer matches there."""
    match = needle.expression().match(text, place.start)
    if (match.capturedStart(), match.capturedLength()) != (place.start, place.length):
        return None
    groups = tuple(match.captured(number) for number in range(1, match.lastCapturedIndex() + 1))
    return ReplacementPreview(match.captured(0), _match(match, needle, replacement).replacement, groups)


def _match(match: QRegularExpressionMatch, needle: SearchPattern, replacement: str | None) -> TextMatch:
    text = replacement or ""
    if replacement and needle.regular:
        text = _GROUP.sub(lambda group: _filled(match, group), replacement)
    return TextMatch(match.capturedStart(), match.capturedLength(), text)


def _filled(match: QRegularExpressionMatch, group: re.Match[str]) -> str:
    if (escape := group[1]) in ("n", "t", "\\"):
        return {"n": "\n", "t": "\t", "\\": "\\"}[escape]
    if name := group[3]:
        return match.captured(int(name) if name.isdecimal() else name)
    return match.captured(int(group[1] or group[2]))
