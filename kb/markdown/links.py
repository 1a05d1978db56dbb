"""Links of a note: to other notes, the web, images, snippets and headings of the same note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote, unquote

from kb.lazy_regex import expression
from kb.markdown.line_syntax import DEFINITION, heading_of
from kb.markdown.lines import LineKind, Scan, scan, without_code

LinkKind = Literal["wiki", "note", "web", "image", "snippet", "anchor"]

_LABEL = r"\[(?P<label>(?:[^\[\]]|\[[^\[\]]*+\](?:\([^()\s]*+\))?)*+)\]"
_DEST = r"(?:<(?P<angle>[^<>\n]*+)>|(?P<dest>(?:[^()\s<]|\([^()\s]*+\))(?:[^()\s]|\([^()\s]*+\))*+)?)"
_TITLE = r"""(?:\s++(?:"[^"]*+"|'[^']*+'))?+\s*+"""
_LINK = expression(
    r"(?<!\\)(?:"
    r"(?P<embed>!?)\[\[(?P<wiki>[^\[\]\n]++)\]\]"
    rf"|(?P<image>!?){_LABEL}(?:\(\s*+{_DEST}{_TITLE}\)|\[(?P<ref>[^\[\]]*+)\])"
    r"|<(?P<auto>[A-Za-z][A-Za-z0-9+.-]{1,30}:[^<>\s]++)>"
    r")"
)
SAFE = "/:!$&'*+,;=@~-._"  # ASCII punctuation that a destination may contain; brackets and spaces end it
_SCHEME = expression(r"[A-Za-z][A-Za-z0-9+.-]+:")  # at least two letters: C: is a disk
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif", ".ico")


@dataclass(frozen=True)
class Link:
    """A link as written. `alone`: it is a whole paragraph. The anchor has no #, the line is 1-based."""

    kind: LinkKind
    target: str
    anchor: str
    label: str
    line: int
    alone: bool = False


@dataclass(frozen=True)
class LinkSpan:
    """The destination of a link in the source: its line (1-based), column (0-based) and text as written.

    `wiki`: in double brackets, where a label may follow. `angled`: between < and >, where spaces are allowed.
    """

    line: int
    column: int
    text: str
    wiki: bool = False
    angled: bool = False
    image: bool = False


def links(
    text: str, first_line: int = 1, *, scanned: Scan | None = None, targets: Mapping[str, str] | None = None
) -> tuple[Link, ...]:
    """Return the links of a note's prose in order. Lines before `first_line` (1-based) are front matter.

    Pass `scanned` if the text was scanned already, and as `targets` the `definitions` of the whole note if the text is
    only a part of it.
    """
    scanned = scanned or scan(text, first_line)
    known = definitions(scanned) if targets is None else targets
    return tuple(link for line, block in _paragraphs(scanned) for link in _found(block, line, known))


def definitions(scanned: Scan) -> dict[str, str]:
    """Return the destinations of a note's references by their case-folded names, in the order of the text."""
    found: dict[str, str] = {}
    if any("]:" in line for line in scanned.lines):
        for _, block in _paragraphs(scanned):
            for line in block.splitlines() if "]:" in block else ():
                if match := DEFINITION.match(line):
                    found.setdefault(_folded(match["name"]), match["angle"] or match["dest"] or "")
    return found


def written(text: str, first_line: int = 1) -> tuple[LinkSpan, ...]:
    """Return each destination in a note's prose that is a file or a heading of the vault, in order.

    A reference counts once, in its definition. Web pages and snippets are no files of the vault.
    """
    places = (place for line, block in _paragraphs(scan(text, first_line)) for place in _places(block, line))
    return tuple(place for place in places if place.wiki or not _elsewhere(place.text))


def destination(path: str) -> str:
    """Return a path as a destination without < and >; only characters with a meaning there are %-encoded."""
    return "".join(
        letter if not (letter.isascii() or letter.isspace()) else quote(letter, safe=SAFE) for letter in path
    )


def _elsewhere(dest: str) -> bool:
    return not dest or dest.startswith("//") or _SCHEME.match(dest) is not None


def _places(block: str, first: int) -> Iterator[LinkSpan]:
    if "[" in block:
        for number, line in enumerate(block.splitlines()):
            if match := DEFINITION.match(line):
                name = "angle" if match["angle"] is not None else "dest"
                yield LinkSpan(first + number, match.start(name), match[name], angled=name == "angle")
        yield from _inline(block, 0, len(block), first)


def _inline(block: str, start: int, end: int, first: int) -> Iterator[LinkSpan]:
    for match in _LINK.finditer(block, start, end):
        name = next((one for one in ("wiki", "angle", "dest") if match[one]), None)
        if name is not None:
            at = match.start(name)
            line, column = first + block.count("\n", 0, at), at - block.rfind("\n", 0, at) - 1
            image = bool(match["image"] or match["embed"])
            yield LinkSpan(line, column, match[name], wiki=name == "wiki", angled=name == "angle", image=image)
        if "![" in (match["label"] or ""):
            yield from _inline(block, *match.span("label"), first)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _paragraphs(scanned: Scan) -> Iterator[tuple[int, str]]:
    """Yield first line (1-based) and text of each run of prose, inline code replaced by spaces."""
    block: list[str] = []
    for number, (line, kind) in enumerate(zip(scanned.lines, scanned.kinds, strict=True), 1):
        heading = kind is LineKind.PROSE and heading_of(line)  # what follows it is a paragraph of its own
        if block and (heading or kind is not LineKind.PROSE):
            yield number - len(block), without_code("\n".join(block))
            block = []
        if heading:
            yield number, without_code(line)
        elif kind is LineKind.PROSE:
            block.append(line)
    if block:
        yield len(scanned.lines) - len(block) + 1, without_code("\n".join(block))


def _found(block: str, first: int, targets: Mapping[str, str]) -> Iterator[Link]:
    counted = 0
    line = first
    if "[" not in block and "<" not in block:
        return
    for match in _LINK.finditer(block):
        line += block.count("\n", counted, match.start())
        counted = match.start()
        link = _link(match, line, targets)
        if link is None:
            continue
        yield replace(link, alone=True) if match[0] == block.strip() else link
        if "![" in (match["label"] or ""):  # an image that is a link
            yield from _found(match["label"], line, targets)


def _link(match: re.Match[str], line: int, targets: Mapping[str, str]) -> Link | None:
    if match["wiki"] is not None:
        return _wiki(match, line)
    if match["auto"] is not None:
        return Link("web", match["auto"], "", match["auto"], line)
    dest = match["angle"] if match["angle"] is not None else match["dest"] or ""
    if match["ref"] is not None:
        dest = targets.get(_folded(match["ref"] or match["label"]), "")
        if not dest:
            return None
    label = " ".join(match["label"].split())
    return _aimed(dest, label, line, image=bool(match["image"]))


def _wiki(match: re.Match[str], line: int) -> Link:
    place, _, label = match["wiki"].replace("\\|", "|").partition("|")  # in a table the bar is escaped
    target, _, anchor = place.partition("#")
    image = bool(match["embed"]) and target.lower().endswith(_IMAGES)
    kind: LinkKind = "image" if image else "wiki" if target.strip() else "anchor"
    return Link(kind, target.strip(), anchor.strip(), (label or place).strip(), line)


def _aimed(dest: str, label: str, line: int, *, image: bool) -> Link:
    if dest.startswith("snippet:") and not image:
        return Link("snippet", unquote(dest.removeprefix("snippet:")), "", label, line)
    if _SCHEME.match(dest) or dest.startswith("//"):
        return Link("image" if image else "web", dest, "", label, line)
    target, _, anchor = dest.partition("#")
    kind: LinkKind = "image" if image else "note" if target else "anchor"
    return Link(kind, unquote(target), unquote(anchor), label, line)
