"""Copied HTML as Markdown: headings, lists, tables, code, links, emphasis and formulas; everything else is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import groupby
from typing import TypeAlias

from app.editor.table_commands import formatted
from kb.lazy_regex import expression
from kb.markdown.constructs import CONSTRUCTS


def _words(names: str) -> frozenset[str]:
    return frozenset(names.split())


LARGEST = 1_000_000  # characters of HTML; longer HTML is pasted as plain text
_DEEPEST = 80  # levels of nested elements; deeper content is attached to the last level
_EMPTY = _words("area base br col embed hr img input link meta param source track wbr")
_DROPPED = _words("script style head title template noscript iframe object svg button select textarea")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = _words(
    "a abbr b big bdi bdo br cite code data del dfn em font i img input ins kbd label mark math q s samp small span"
    " strike strong sub sup time tt u var wbr"
)
_EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "strike": "~~"} | {
    construct.tag: construct.delimiter for construct in CONSTRUCTS
}
_CODE = _words("code kbd samp tt")
_STRUCTURE = _CODE | _HEADINGS.keys() | _EMPHASIS.keys() | _words("a ul ol li table pre blockquote dl img hr math")
_SAFE = expression(r"(?:https?://|mailto:)\S+", re.IGNORECASE)
_LANGUAGE = expression(r"(?:language|lang|highlight-source|highlight|brush:?)[- ](\w[\w+#-]*)")
_SPACE = expression(r"[ \t\n\r\f]+")
_SIGNS = expression(r"[\\`*]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!])|(?<!\w)~~|\[(?=[^\[\]]*\])")
_STARTS = expression(r"(?m)^(\s*)(#{1,6}(?=\s)|[-+>](?=\s)|\d{1,9}(?=[.)]\s))")


@dataclass
class HtmlElement:
    """An element with its content; `inside` are the tags of all its descendants that matter for the Markdown."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    inner: list[HtmlElement | str] = field(default_factory=list)
    inside: set[str] = field(default_factory=set)


Node: TypeAlias = HtmlElement | str


def as_markdown(html: str) -> str | None:
    """Return copied HTML as Markdown without a final line end, or None if plain text says the same."""
    if len(html) > LARGEST:
        return None
    reader = _Reader()
    reader.feed(html)
    reader.close()
    if not reader.root.inside & _STRUCTURE:
        return None
    return "\n\n".join(_blocks(reader.root.inner)).strip("\n") or None


class _Reader(HTMLParser):
    """Builds a tree from any HTML; an unclosed element ends with its parent."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = HtmlElement("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("li", "tr", "td", "th", "p", "dt", "dd"):
            self._leave(tag)
        element = HtmlElement(tag, {name: value or "" for name, value in attrs})
        self._open[-1].inner.append(element)
        if not any(_is_opaque(one) for one in (element, *self._open)):
            for one in self._open:
                one.inside.add(tag)
        elif tag == "math":
            self.root.inside.add(tag)
        if tag not in _EMPTY and len(self._open) < _DEEPEST:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].tag == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].inner.append(data)

    def _leave(self, tag: str) -> None:
        """Close an element that the next of its kind ends, as a list item does."""
        ends = {"li": ("ul", "ol"), "tr": ("table",), "td": ("tr",), "th": ("tr",), "dt": ("dl",), "dd": ("dl",)}
        alike = {"td": ("td", "th"), "th": ("td", "th"), "dt": ("dt", "dd"), "dd": ("dt", "dd")}.get(tag, (tag,))
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].tag in alike:
                del self._open[at:]
                return
            if self._open[at].tag in ends.get(tag, ()) or (tag == "p" and self._open[at].tag not in _INLINE):
                return


def _elements(element: HtmlElement) -> Iterator[HtmlElement]:
    for one in element.inner:
        if isinstance(one, HtmlElement) and not _left_out(one):
            yield one
            yield from _elements(one)


def _is_opaque(element: HtmlElement) -> bool:
    """Return whether the content of an element does not matter for its ancestors."""
    return element.tag == "math" or _left_out(element)


def _left_out(element: HtmlElement) -> bool:
    return element.tag in _DROPPED or (element.attributes.get("aria-hidden") == "true")


# blocks


def _blocks(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the paragraphs, lists and other blocks of some nodes."""
    for inline, group in groupby(nodes, key=_is_inline):
        if inline:
            text = _paragraph(group)
            if text:
                yield text
            continue
        for one in group:
            if isinstance(one, HtmlElement) and not _left_out(one):
                yield from _block(one)


def _is_inline(node: Node) -> bool:
    """Return whether a node is inline; an inline element that contains a block is a block."""
    if isinstance(node, str):
        return True
    return (node.tag in _INLINE and node.inside <= _INLINE) or _left_out(node)


def _block(element: HtmlElement) -> Iterator[str]:
    tag = element.tag
    if level := _HEADINGS.get(tag):
        text = " ".join(_inline(element.inner).split())
        if text:
            yield f"{'#' * level} {text}"
    elif tag in ("ul", "ol"):
        yield from filter(None, [_list(element)])
    elif tag == "pre":
        yield _fence(element)
    elif tag == "blockquote":
        text = "\n\n".join(_blocks(element.inner))
        if text:
            yield "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    elif tag == "table":
        yield from _table(element)
    elif tag == "hr":
        yield "---"
    elif tag == "dl":
        yield from _definitions(element)
    else:
        yield from _blocks(element.inner)


def _paragraph(nodes: Iterable[Node]) -> str:
    text = "\n".join(line.strip(" ") + ("  " if line.endswith("  ") else "") for line in _inline(nodes).split("\n"))
    return _STARTS.sub(_escaped_start, text.strip("\n ")) if text.strip() else ""


def _escaped_start(match: re.Match[str]) -> str:
    sign = match[2]
    return f"{match[1]}{sign}\\" if sign.isdigit() else f"{match[1]}\\{sign}"


def _list(element: HtmlElement) -> str:
    start = element.attributes.get("start", "")
    number = int(start) if start.isdigit() and len(start) < 9 else 1  # noqa: PLR2004 - digits of a list number
    made = []
    for item in element.inner:
        if not isinstance(item, HtmlElement):
            continue
        if item.tag in ("ul", "ol"):  # a list directly inside a list, as some programs write it
            text = _list(item)
            if text:
                made.append("\n".join(f"   {line}".rstrip() for line in text.split("\n")))
            continue
        marker = f"{number}. " if element.tag == "ol" else "- "
        number += 1
        made.append(_item(item, marker))
    return "\n".join(filter(None, made))


def _item(item: HtmlElement, marker: str) -> str:
    blocks = list(_blocks(item.inner))
    tight = not any(isinstance(one, HtmlElement) and one.tag == "p" for one in item.inner) and "pre" not in item.inside
    text = ("\n" if tight else "\n\n").join(blocks)
    lines = text.split("\n") if text else [""]
    indent = " " * len(marker)
    return "\n".join([marker + lines[0], *(f"{indent}{line}".rstrip() for line in lines[1:])])


def _fence(element: HtmlElement) -> str:
    code = _verbatim(element).strip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", code)), default=0))
    known = " ".join(one.attributes.get("class", "") for one in (element, *_elements(element)))
    named = _LANGUAGE.search(known)
    return f"{ticks}{named[1].lower() if named else ''}\n{code}\n{ticks}"


def _table(element: HtmlElement) -> Iterator[str]:
    rows = [
        [cell for cell in row.inner if isinstance(cell, HtmlElement) and cell.tag in ("td", "th")]
        for row in _rows(element)
    ]
    rows = [row for row in rows if row]
    inside = {tag for row in rows for cell in row for tag in cell.inside}
    if not rows or max(map(len, rows)) == 1 or inside & {"table", "pre", "ul", "ol"}:
        yield from _blocks([one for row in rows for cell in row for one in cell.inner])  # a table used for layout
        return
    lines = ["|" + "|".join(map(_cell, row)) + "|" for row in rows]
    most = max(map(len, rows))
    sides = "|" + "|".join(map(_side, next(row for row in rows if len(row) == most))) + "|"
    yield "\n".join(formatted([lines[0], sides, *lines[1:]]).lines)


def _rows(element: HtmlElement) -> Iterator[HtmlElement]:
    for one in element.inner:
        if isinstance(one, HtmlElement):
            if one.tag == "tr":
                yield one
            elif one.tag in ("thead", "tbody", "tfoot"):
                yield from _rows(one)


def _cell(cell: HtmlElement) -> str:
    text = " ".join(_inline(cell.inner).split())
    return re.sub(r"(?<!\\)\|", r"\\|", text) or " "


def _side(cell: HtmlElement) -> str:
    said = cell.attributes.get("align", "") + cell.attributes.get("style", "").replace(" ", "")
    return "--:" if "right" in said else ":-:" if "center" in said else "---"


def _definitions(element: HtmlElement) -> Iterator[str]:
    for one in element.inner:
        if isinstance(one, HtmlElement) and one.tag == "dt":
            text = _paragraph(one.inner)
            yield f"**{text}**" if text and not text.startswith("**") else text
        elif isinstance(one, HtmlElement) and one.tag == "dd":
            yield from _blocks(one.inner)


# lines


def _inline(nodes: Iterable[Node]) -> str:
    return _joined(_piece(one) for one in nodes)


def _joined(pieces: Iterable[str]) -> str:
    """Join pieces; two adjoining spaces become one."""
    made = ""
    for piece in pieces:
        made += piece.lstrip(" ") if made.endswith((" ", "\n")) and piece.startswith(" ") else piece
    return made


def _piece(node: Node) -> str:
    if isinstance(node, str):
        return _SIGNS.sub(lambda match: f"\\{match[0]}", _SPACE.sub(" ", node).replace("\u00a0", " "))
    if _left_out(node):
        return ""
    tag = node.tag
    if tag == "br":
        return "  \n"
    if tag in _CODE:
        return _code(_verbatim(node))
    if tag in _EMPHASIS and not _is_plain(node):
        return _around(_inline(node.inner), lambda text: f"{_EMPHASIS[tag]}{text}{_EMPHASIS[tag]}")
    return _special(node)


def _special(node: HtmlElement) -> str:
    if node.tag == "a":
        return _link(node)
    if node.tag == "img":
        source, words = node.attributes.get("src", ""), " ".join(node.attributes.get("alt", "").split())
        return f"![{words}]({_address(source)})" if _SAFE.fullmatch(source) else words
    if node.tag == "math":
        tex = next((_verbatim(one) for one in _elements(node) if one.tag == "annotation"), _verbatim(node))
        return f"${' '.join(tex.split())}$" if tex.strip() else ""
    if node.tag == "input":
        ticks = node.attributes.get("type") == "checkbox"
        return ("[x] " if "checked" in node.attributes else "[ ] ") if ticks else ""
    return _inline(node.inner)


def _link(node: HtmlElement) -> str:
    target, text = node.attributes.get("href", "").strip(), _inline(node.inner)
    if not _SAFE.fullmatch(target):
        return text
    return _around(text, lambda words: f"<{target}>" if words == target else f"[{words}]({_address(target)})")


def _address(target: str) -> str:
    return f"<{target}>" if re.search(r"[()]", target) else target


def _around(text: str, mark: Callable[[str], str]) -> str:
    """Mark a text without the spaces at its ends."""
    inner = text.strip()
    if not inner:
        return text
    start = len(text) - len(text.lstrip())
    return f"{text[:start]}{mark(inner)}{text[start + len(inner) :]}"


def _code(text: str) -> str:
    text = _SPACE.sub(" ", text)
    if not text.strip():
        return text
    ticks = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{gap}{text}{gap}{ticks}"


def _is_plain(node: HtmlElement) -> bool:
    """Return whether an element is styled as plain, like the one that some programs wrap all copied HTML in."""
    style = node.attributes.get("style", "").replace(" ", "").lower()
    return "font-weight:normal" in style or "font-weight:400" in style


def _verbatim(node: HtmlElement) -> str:
    """Return the text of an element with its white space."""
    made: list[str] = []
    stack: list[Sequence[Node]] = [node.inner]
    while stack:
        inner = stack.pop()
        for at, one in enumerate(inner):
            if isinstance(one, str):
                made.append(one)
            elif one.tag == "br":
                made.append("\n")
            elif not _left_out(one):
                stack.append(inner[at + 1 :])
                stack.append(one.inner)
                break
    return "".join(made)
