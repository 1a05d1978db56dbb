"""What the tags of a note's HTML say of themselves."""

from __future__ import annotations

import re

from kb.lazy_regex import expression

_ATTRIBUTE = expression(r"([a-z-]+)=\"([^\"]*)\"")
_REMOTE = expression(r'(<a class="remote-image" href="[^"]*")>↗ ([^<]*)(?=</a>)')

_MOST_SPANNED = 50  # columns or rows


def attributes_of(text: str) -> dict[str, str]:
    """Read what stands between a tag's name and its end."""
    return dict(_ATTRIBUTE.findall(text)) if text else {}


def with_alternatives(markup: str) -> str:
    """Let the words of each picture on another machine be its alternative."""
    return _REMOTE.sub(_without_words, markup)


def _without_words(match: re.Match[str]) -> str:
    return f'{match[1]} title="{match[2].replace(chr(34), "&quot;")}">'


def number_of(text: str) -> int:
    """Read a size, in pixels or percent; 0 where there is none."""
    found = re.match(r"\d{1,4}", text)
    return int(found[0]) if found else 0


def alignment_of(attributes: dict[str, str]) -> str:
    """Return the side that an element's text keeps to: left, center or right."""
    wanted = attributes.get("align") or attributes.get("style", "")
    return next((side for side in ("right", "center") if side in wanted), "left")


def span_of(attributes: dict[str, str]) -> str:
    """Write how many columns and rows a table's cell takes, where it takes more than one."""
    spans = ((name, number_of(attributes.get(name, ""))) for name in ("colspan", "rowspan"))
    return "".join(f' {name}="{count}"' for name, count in spans if 1 < count <= _MOST_SPANNED)
