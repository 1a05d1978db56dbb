"""The tables of Qt's rich text as which a note's boxes are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtGui import QTextDocument, QTextTable

# A table's ground tells its kind once the document is built; it is taken off again.
FRAME_KINDS = ("pair", "cell", "code", "quote", "table", "note", "tip", "important", "warning", "caution", "rule")
_GROUND = {kind: f"#0102{index:02x}" for index, kind in enumerate(FRAME_KINDS, 1)}
KIND_OF_GROUND = {ground: kind for kind, ground in _GROUND.items()}
LABEL = "~label"  # the tooltip of what stands over code or beside it; no part of a copied text
BOX_END = "</td></tr></table>"


def document_of(table: QTextTable) -> QTextDocument:
    """Return the document that a table stands in: by what is in it, as PySide never lets one go that a table named."""
    return table.firstCursorPosition().document()


def table(kind: str) -> str:
    """Return the attributes of a table of a kind."""
    return f'bgcolor="{_GROUND[kind]}" cellspacing="0" cellpadding="0" border="0"'


def box(kind: str) -> str:
    """Return the beginning of a box of one cell, which `BOX_END` ends."""
    return f'<table {table(kind)} width="100%"><tr><td class="box-{kind}">'


def code_box(label: str, copy: str, address: str, *, marked: bool) -> tuple[str, str]:
    """Return the beginning and the end of a box of code, with the words that copy it, and their link's `address`.

    Over the code stands its label. Without one, the words stand beside its first lines, unless lines of it are `marked`
    all across the box.
    """
    link = f'<p class="small" align="right"><a title="{LABEL}" href="{address}">{copy or "&nbsp;"}</a></p>'
    begin = f'<table {table("code")} width="100%"><tr>'
    if not label and not marked:
        button = f'<td class="code-copy beside" align="right">{link}</td>'
        return f'{begin}<td class="box-code" width="100%"><pre>', f"</pre></td>{button}</tr></table>"
    button = f'<td class="code-copy" align="right">{link}</td>'
    words = f'<td class="code-label"><p class="small"><span title="{LABEL}">{label or "&nbsp;"}</span></p></td>'
    return f'{begin}{words}{button}</tr><tr><td colspan="2" class="box-labelled"><pre>', f"</pre>{BOX_END}"


def pair_row(sides: Sequence[str], top: str) -> str:
    """Return the row of what two languages say side by side, with the room above it that the class `top` gives."""
    places = zip(sides, ("left", "right"), strict=True)
    cells = (f'<td width="50%" class="{place} {top}">{side}</td>' for side, place in places)
    return f"<tr>{''.join(cells)}</tr>"


def span_rows(sides: Iterable[str], top: str) -> str:
    """Return the rows of what two languages say one under the other, each across the whole page."""
    return "".join(f'<tr><td colspan="2" class="{top}">{side}</td></tr>' for side in sides)
