"""Room within lines: beside the ground of code, and where a line may end and where it may not."""

from __future__ import annotations

import re

from kb.lazy_regex import expression

GAP = "~gap"  # the kind of the room beside the ground of code; no part of a copied text
ROOM = f'<span class="gap" title="{GAP}">&nbsp;</span>'

# A full stop does not leave the formula before it for the next line: U+2060 joins them.
_JOINED = expression(r"<img [^>]*>(?=[，。；：、！？）”」,.;:!?)])")
# No line ends at the U+00A0 of the room, and Chinese punctuation has no blank behind it: U+200B lets a line end there.
_ROOM_TO_BREAK = ROOM.replace("&nbsp;", "\u200b&nbsp;")
_BEHIND_PUNCTUATION = expression(rf"(?<=[，。；：、！？）”]){re.escape(ROOM)}")
# At the edge of a paragraph letters stand below letters, and the ground hangs out; in an item the number stands there.
_ROOM_AT_EDGE = expression(
    rf"(<li\b[^>]*>(?:\s*<p\b[^>]*>)?{re.escape(ROOM)})|(<(?:td|p)\b[^>]*>){re.escape(ROOM)}"
    rf"|{re.escape(ROOM)}(?=</(?:td|li|p)>)"
)
_EMPTY_LINES = expression(r"(</(?:div|p|table|ul|ol)>)(?:\s*<br>)+")


def without_empty_lines(markup: str) -> str:
    """Take out the breaks behind blocks, which stand apart by themselves."""
    return _EMPTY_LINES.sub(r"\1", markup) if "<br>" in markup else markup


def spaced(written: str) -> str:
    """Give the lines of a stretch of prose the places at which they end, and code its room where it needs some."""
    written = _BEHIND_PUNCTUATION.sub(_ROOM_TO_BREAK, _ROOM_AT_EDGE.sub(lambda edge: edge[1] or edge[2] or "", written))
    return _JOINED.sub("\\g<0>\u2060", written)
