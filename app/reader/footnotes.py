"""What a footnote says, for the pointer that rests on its number."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument

from app.reader.document_html import anchor_name
from app.reader.link_targets import JumpTarget
from app.reader.reader_document import anchored_block
from app.reader.selection_text import plain_text

LONGEST = 700  # characters shown; the rest is a click away
_BACK = "↩"


def footnote_text(document: QTextDocument, jump: JumpTarget) -> str:
    """Return the text of the footnote that a link leads to, nothing where it leads elsewhere."""
    if not jump.anchor.startswith("fn:"):
        return ""
    block = anchored_block(document, [anchor_name(jump.side, jump.anchor)])
    if block is None:
        return ""
    cursor = QTextCursor(block)
    items = block.textList()
    after = block.next()
    # What belongs to an item of a list stands behind it, until the next one or the end of the list.
    while after.isValid() and items is not None and after.textList() is None and after.blockFormat().indent():
        after = after.next()
    cursor.setPosition(after.position() - 1 if after.isValid() else block.position() + block.length() - 1,
                       QTextCursor.MoveMode.KeepAnchor)  # fmt: skip
    text = plain_text(cursor).replace(_BACK, "").strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
