"""Text into Qt's document and back without the loss of a character.

Qt ends a paragraph at U+2029, U+FDD0 and U+FDD1 as well as at a line feed, so where a note holds these they are shown
as private characters that the note does not use. Line ends are given back by kb, line by line.
"""

from __future__ import annotations

from collections.abc import Mapping

from kb.files.encoding import restore_line_ends

_ENDS_A_PARAGRAPH = "\u2029\ufdd0\ufdd1"
_LINE_SEPARATOR = "\u2028"  # Qt keeps it, but kb would take it for a line end
_PRIVATE = range(0xF8FF, 0xE000, -1)


class TextCodec:
    """The way of one note's text to the screen and back."""

    def __init__(self, text: str, faces: Mapping[str, str] | None = None) -> None:
        """Learn from the text on disk which characters need another face; `faces` are those already in use."""
        self._text = text
        self._faces = dict(faces or {})
        special = [char for char in _ENDS_A_PARAGRAPH + _LINE_SEPARATOR if char in text and char not in self._faces]
        if special:
            taken = set(self._faces.values())
            free = (chr(code) for code in _PRIVATE if chr(code) not in text and chr(code) not in taken)
            self._faces |= zip(special, free, strict=False)

    def after(self, text: str) -> TextCodec:
        """Return the letters for a newer text on disk; faces that are on the screen keep their meaning."""
        return TextCodec(text, self._faces)

    def shown(self) -> str:
        """Return the text for the screen, with line feeds alone."""
        faces = {ord(char): face for char, face in self._faces.items() if char != _LINE_SEPARATOR}
        text = self._text.translate(faces) if faces else self._text
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def written(self, raw: str) -> str:
        """Return the text for the disk; `raw` is that of Qt's document, with U+2029 between paragraphs."""
        text = raw.replace("\u2029", "\n")
        if text == self.shown():
            return self._text
        if not self._faces:
            return restore_line_ends(self._text, text) if "\r" in self._text else text
        masked = {ord(char): face for char, face in self._faces.items()}
        bared = {ord(face): char for char, face in self._faces.items()}
        return restore_line_ends(self._text.translate(masked), text.translate(masked)).translate(bared)
