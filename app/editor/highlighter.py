"""Syntax highlighting of the source: changed lines at once, the rest of a long text in slices between events."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QFont, QTextBlock, QTextCharFormat, QTextDocument, QTextFormat, QTextLayout

from app.editor.markdown_tokens import START, TEXT, Roles, Span, State, spans
from app.editor.text_diff import BASIC, units
from app.style.stylesheets import families
from app.style.theme import MONO, Theme
from kb.markdown.constructs import CONSTRUCTS

LARGEST = 2_000_000  # characters; a longer note is not highlighted
_AT_ONCE = 0.005  # seconds of highlighting that a key press may cost
_SLICE = 0.008  # seconds of highlighting between two events
_FOR_A_COMMAND = 0.1  # seconds of highlighting at most before a command that asks what a line is
_NEVER = -1  # Qt's state of a block that was never highlighted
_LARGER = {"heading1": 1.5, "heading2": 1.25, "heading3": 1.1}
_BACKGROUNDS = {construct.name: construct.background for construct in CONSTRUCTS if construct.background}
_FIXED = {"block", "code", "front", "list", "math", "table", "task"}
# Fonts in which a Chinese character is exactly two columns wide, so that tables and comments are aligned.
_WIDE = ("Sarasa Mono SC", "Noto Sans Mono CJK SC")


class RoleFormats:
    """The character format of each chain of roles, created when first needed."""

    def __init__(self, theme: Theme, size: int) -> None:
        """Use the colours of a theme; `size` is the font size of prose in pixels."""
        self._theme, self._size = theme, size
        self._made: dict[Roles, QTextCharFormat] = {}

    def __getitem__(self, roles: Roles) -> QTextCharFormat:
        """Return the format of these roles, which are ordered from the outermost to the innermost."""
        if roles not in self._made:
            made = QTextCharFormat()
            for role in roles:
                self._apply(made, role)
            self._made[roles] = made
        return self._made[roles]

    def _apply(self, made: QTextCharFormat, role: str) -> None:
        if colour := self._colour(role):
            made.setForeground(QColor(colour))
        if role.startswith("heading") or role in ("strong", "callout"):
            made.setFontWeight(QFont.Weight.Bold)
        if role in _LARGER:
            made.setProperty(QTextFormat.Property.FontPixelSize, round(self._size * _LARGER[role]))
        if role in ("emphasis", "comment"):
            made.setFontItalic(True)
        if role in ("strike", "done"):
            made.setFontStrikeOut(role == "strike")
        if role in _BACKGROUNDS:
            made.setBackground(QColor(getattr(self._theme, _BACKGROUNDS[role])))
        if role in _FIXED:
            made.setFontFamilies(self._fixed(role))

    def _fixed(self, role: str) -> list[str]:
        """Return the monospaced font families of a role; a font chosen by the user comes first, except in tables."""
        own = families(self._theme.code_font)
        chosen = [] if self._theme.code_font == MONO or role == "table" else own[:1]
        return [*chosen, *_WIDE, *own]

    def _colour(self, role: str) -> str | None:
        t = self._theme
        return {
            "markup": t.dim,
            "comment": t.dim,
            "front": t.dim,
            "info": t.dim,
            "quote": t.dim,
            "done": t.dim,
            "strike": t.dim,
            "target": t.dim,
            "tag": t.dim,
            "escape": t.dim,
            "key": t.accent,
            "list": t.accent,
            "task": t.accent,
            "link": t.accent,
            "wiki": t.accent,
            "auto": t.accent,
            "foot": t.accent,
            "callout": t.accent,
            "code": t.keyword,
            "math": t.function,
            "keyword": t.keyword,
            "string": t.string,
            "number": t.number,
            "function": t.function,
            "builtin": t.decorator,
            "error": t.bad,
        }.get(role)


class Highlighter(QObject):
    """Highlights one document, in slices short enough not to delay a key press."""

    def __init__(self, document: QTextDocument, theme: Theme, *, size: int) -> None:
        """Watch the document, and highlight it from `start` on; `size` is the font size of prose in pixels."""
        super().__init__(document)
        self._document = document
        self._palette = RoleFormats(theme, size)
        self._states: list[State] = []
        self._ids: dict[State, int] = {}
        self._on = False
        self._from: int | None = None  # the first block that is not highlighted yet
        self._until = 0  # blocks before this one are highlighted even if their state did not change
        self._count = document.blockCount()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_slice)
        document.contentsChange.connect(self._on_contents_change)

    @property
    def on(self) -> bool:
        """Whether this document is highlighted at all."""
        return self._on

    @property
    def busy(self) -> bool:
        """Whether some lines are not highlighted yet."""
        return self._from is not None

    def start(self) -> None:
        """Highlight the whole document, unless it is too long."""
        self._on = self._document.characterCount() <= LARGEST
        self._count = self._document.blockCount()
        self._from = None
        if self._on:
            self._begin(0, self._count)
            self._work(_SLICE)

    def stop(self) -> None:
        """Stop highlighting."""
        self._on, self._from = False, None
        self._timer.stop()

    def set_theme(self, theme: Theme, *, size: int) -> None:
        """Use the colours of a theme, and the font size of prose in pixels."""
        self._palette = RoleFormats(theme, size)
        if self._on:
            self.start()

    def refresh(self, block: QTextBlock) -> None:
        """Highlight one block again, after an input method has removed its formats."""
        if self._on and block.isValid():
            self._highlight(block)
            self._document.markContentsDirty(block.position(), block.length())

    def in_fence(self, block: QTextBlock) -> bool:
        """Return whether the block belongs to a code fence, including its first and last line."""
        return self.state_of(block).kind == "fence" or self.state_of(block.previous()).kind == "fence"

    def is_open(self, block: QTextBlock) -> bool:
        """Return whether a code fence continues after the block."""
        return self.state_of(block).kind == "fence"

    def state_of(self, block: QTextBlock) -> State:
        """Return the state that the block ends in; if it is still queued, highlight as far as it first."""
        if self._from is not None and block.isValid() and self._from <= block.blockNumber():
            self._work(_FOR_A_COMMAND, through=block.blockNumber())
        return self.shown_state(block)

    def shown_state(self, block: QTextBlock) -> State:
        """Return the state that the block is shown in, which is an old one while the block is queued."""
        known = block.userState() if block.isValid() else _NEVER
        return TEXT if known == _NEVER else self._states[known]

    def _begin(self, first: int, until: int) -> None:
        """Queue the blocks from `first` to before `until`, in addition to those in the queue."""
        waited = first if self._from is None else self._from
        self._from = min(first, waited)
        self._until = max(until, self._until, waited + 1)

    def _on_contents_change(self, position: int, _removed: int, added: int) -> None:
        if self._on and self._document.characterCount() > LARGEST:
            self.stop()
        if not self._on:
            return
        first = self._document.findBlock(position).blockNumber()
        last = self._document.findBlock(position + added)
        grown = self._document.blockCount() - self._count
        self._count += grown
        if self._from is not None:  # the queued blocks below have moved
            self._from = max(first, self._from + grown) if self._from > first else self._from
            self._until += grown
        else:
            self._until = 0
        self._begin(first, (last.blockNumber() if last.isValid() else self._count - 1) + 1)
        self._work(_AT_ONCE)

    def _on_slice(self) -> None:
        if self._from is not None:
            self._work(_SLICE)

    def _work(self, seconds: float, *, through: int | None = None) -> None:
        """Highlight queued blocks until all, or those to the number `through`, are done or the time is up."""
        end = time.perf_counter() + seconds
        block = self._document.findBlockByNumber(self._from or 0)
        dirty = block.position()
        while block.isValid():
            number = block.blockNumber()
            changed = self._highlight(block)
            block = block.next()
            if not changed and number + 1 >= self._until:
                self._from = None
                break
            self._from = number + 1
            if time.perf_counter() > end or number == through:
                break
        else:
            self._from = None
        self._document.markContentsDirty(dirty, (block.position() if block.isValid() else self._end()) - dirty)
        if self._from is not None:
            self._timer.start(0)

    def _end(self) -> int:
        return self._document.characterCount() - 1

    def _highlight(self, block: QTextBlock) -> bool:
        """Highlight a block; return whether the state at its end changed."""
        line = block.text()
        found, state = spans(line, self.shown_state(block.previous()) if block.previous().isValid() else START)
        layout = block.layout()
        if not layout.preeditAreaText():  # while text is composed, the input method sets the formats of the line
            layout.setFormats(list(self._formats(line, found)))
        number = self._ids.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        changed = number != block.userState()
        block.setUserState(number)
        return changed

    def _formats(self, line: str, found: tuple[Span, ...]) -> Iterator[QTextLayout.FormatRange]:
        wide = not line.isascii() and any(ord(char) > BASIC for char in line)
        for span in found:
            made = QTextLayout.FormatRange()
            start, length = span.start, span.length
            if wide:
                length = units(line[start : start + length])
                start = units(line[:start])
            made.start = start
            made.length = length
            made.format = self._palette[span.roles]
            yield made
