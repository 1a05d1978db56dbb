"""Links of a note: to other notes, to the web, to pictures, to snippets, to places in the same note."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote

from kb.lines import Kind, Scan, scan, without_code

LinkKind = Literal["wiki", "note", "web", "image", "snippet", "anchor"]

_LABEL = r"\[(?P<label>(?:[^\[\]]|\[[^\[\]]*+\](?:\([^()\s]*+\))?)*+)\]"
_DEST = r"(?:<(?P<angle>[^<>\n]*+)>|(?P<dest>(?:[^()\s<]|\([^()\s]*+\))(?:[^()\s]|\([^()\s]*+\))*+)?)"
_TITLE = r"""(?:\s++(?:"[^"]*+"|'[^']*+'))?+\s*+"""
_LINK = re.compile(
    r"(?<!\\)(?:"
    r"(?P<embed>!?)\[\[(?P<wiki>[^\[\]\n]++)\]\]"
    rf"|(?P<image>!?){_LABEL}(?:\(\s*+{_DEST}{_TITLE}\)|\[(?P<ref>[^\[\]]*+)\])"
    r"|<(?P<auto>[A-Za-z][A-Za-z0-9+.-]{1,30}:[^<>\s]++)>"
    r")"
)
_DEFINITION = re.compile(r"[ ]{0,3}\[(?P<name>[^\[\]^][^\[\]]*+)\]:\s*+(?:<(?P<angle>[^<>]*+)>|(?P<dest>\S++))")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: C: is a disk
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")  # what follows it is a paragraph of its own
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif", ".ico")


@dataclass(frozen=True)
class Link:
    """A link as written. `alone`: a paragraph of its own. The anchor stands without its #, the line is 1-based."""

    kind: LinkKind
    target: str
    anchor: str
    label: str
    line: int
    alone: bool = False


def links(text: str, first_line: int = 1, *, scanned: Scan | None = None) -> tuple[Link, ...]:
    """Return the links of a note's prose in order; what stands before `first_line` (1-based) is front matter.

    `scanned` spares scanning a text that was scanned already.
    """
    blocks = list(_paragraphs(scanned or scan(text, first_line)))
    targets: dict[str, str] = {}
    for _, block in blocks:
        for line in block.splitlines() if "]:" in block else ():
            if match := _DEFINITION.match(line):
                targets.setdefault(_folded(match["name"]), match["angle"] or match["dest"] or "")
    return tuple(link for line, block in blocks for link in _found(block, line, targets))


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _paragraphs(scanned: Scan) -> Iterator[tuple[int, str]]:
    """Yield first line and text of each run of prose, its inline code blanked out."""
    block: list[str] = []
    for number, (line, kind) in enumerate(zip(scanned.lines, scanned.kinds, strict=True), 1):
        heading = kind is Kind.PROSE and _HEADING.match(line)
        if block and (heading or kind is not Kind.PROSE):
            yield number - len(block), without_code("\n".join(block))
            block = []
        if heading:
            yield number, without_code(line)
        elif kind is Kind.PROSE:
            block.append(line)
    if block:
        yield len(scanned.lines) - len(block) + 1, without_code("\n".join(block))


def _found(block: str, first: int, targets: dict[str, str]) -> Iterator[Link]:
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
        if "![" in (match["label"] or ""):  # a picture that is a link
            yield from _found(match["label"], line, targets)


def _link(match: re.Match[str], line: int, targets: dict[str, str]) -> Link | None:
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
    place, _, label = match["wiki"].partition("|")
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
