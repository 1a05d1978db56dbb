"""Sections: a heading and the text below it, the unit of search, links and history."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kb.lazy_regex import expression
from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.line_syntax import UNDERLINE, heading_of
from kb.markdown.lines import LineKind, Scan, scan

_NO_TITLE = expression(r"[ ]{0,3}(?:[-*+>|#<]|\d{1,9}[.)][ \t]|!\[|:::)|.*\|.*\|")  # a list, quote, table, picture

HeadingTest: TypeAlias = Callable[[str, str], bool]


@dataclass(frozen=True)
class Section:
    """A part of a note. Level 0 is the text before the first heading; lines are 1-based and inclusive.

    `anchor` is unique in the note; `trail` holds the plain headings above, outermost first.
    """

    heading: str
    raw_heading: str
    level: int
    line: int
    end_line: int
    anchor: str
    trail: tuple[str, ...]


def sections(text: str, first_line: int = 1, *, scanned: Scan | None = None) -> tuple[Section, ...]:
    """Return the sections of a note in order. Lines before `first_line` (1-based) are front matter.

    Pass `scanned` if the text was scanned already. A section of level 0 exists only if it has text or if there is no
    heading at all.
    """
    scanned = scanned or scan(text, first_line)
    heads = list(_headings(scanned))
    last = len(scanned.lines)
    if last > 1 and not scanned.lines[-1]:
        last -= 1
    start = min(first_line, last)
    stop = heads[0][0] if heads else last + 1
    if not heads or any(line.strip() for line in scanned.lines[start - 1 : stop - 1]):
        heads.insert(0, (start, 0, ""))
    return tuple(_built(heads, last))


def _headings(scanned: Scan) -> Iterator[tuple[int, int, str]]:
    """Yield line, level and raw text of each heading."""
    lines, kinds = scanned.lines, scanned.kinds
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        if kind is not LineKind.PROSE:
            continue
        if heading := heading_of(line):
            yield index + 1, *heading
        elif index + 1 < len(lines) and kinds[index + 1] is LineKind.PROSE and _underlined(scanned, index):
            yield index + 1, 1 if "=" in lines[index + 1] else 2, line.strip()


def _underlined(scanned: Scan, index: int) -> bool:
    """Return whether a line is a paragraph of one line with a line of = or - below it."""
    line, under = scanned.lines[index : index + 2]
    if not UNDERLINE.fullmatch(under) or UNDERLINE.fullmatch(line) or _NO_TITLE.match(line):
        return False
    above = scanned.lines[index - 1] if index else ""
    return not index or scanned.kinds[index - 1] is not LineKind.PROSE or bool(heading_of(above))


def _built(heads: list[tuple[int, int, str]], last: int) -> Iterator[Section]:
    anchors: dict[str, int] = {}
    above: list[tuple[int, str]] = []
    ends = [line - 1 for line, _, _ in heads[1:]] + [last]
    for (line, level, raw), end in zip(heads, ends, strict=True):
        plain = plain_heading(raw)
        while above and above[-1][0] >= level:
            above.pop()
        trail = tuple(heading for _, heading in above)
        if level:
            above.append((level, plain))
        anchor = unique_anchor(slug(plain), anchors) if level else ""
        yield Section(plain, raw, level, line, end, anchor, trail)


def slug(heading: str) -> str:
    """Return the anchor of a heading as GitHub does: lower case, hyphens for spaces, no punctuation."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-") or "section"


def heading_tests(anchor: str) -> tuple[HeadingTest, ...]:
    """Return tests of a heading's anchor and text for a link's anchor, best first.

    A link gives the anchor itself, or the text of the heading as in a wikilink, perhaps after those of the headings
    above it, or a text whose anchor is the heading's.
    """
    words = anchor.rpartition("#")[2].strip()
    folded, named = words.casefold(), slug(words)
    return (
        lambda known, _: known == anchor,
        lambda _, heading: heading.casefold() == folded,
        lambda known, _: known == named,
    )


def unique_anchor(anchor: str, used: dict[str, int]) -> str:
    """Return an anchor that no earlier heading has; `used` counts how often each was given."""
    name = anchor
    while name in used:
        used[anchor] += 1
        name = f"{anchor}-{used[anchor]}"
    used[name] = 0
    return name


_CONSTRUCTS = {construct.delimiter: construct for construct in CONSTRUCTS}
_LINK = r"\]\((?:[^()\n]|\([^()\n]*+\))*+\)"
_MARKUP = expression(
    r"(?P<code>(?<!`)(?P<ticks>`{1,8}+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!?\[\[(?:[^\[\]|]*+\|)?(?P<wiki>[^\[\]|]++)\]\]"
    r"|<(?P<auto>https?://[^<>\s]++)>"
    r"|<(?:!--|/?[A-Za-z])[^<>]*+>"
    r"|(?P<open>!?\[)|(?P<close>\]\((?:[^()\n]|\([^()\n]*+\))*+\)|\]\[[^\[\]]*+\])"
    r"|(?P<stars>\*{1,3}+|" + "|".join(map(re.escape, _CONSTRUCTS)) + ")"
)
_ATTRIBUTES = expression(r"[ \t]*\{[#.:][^{}]*\}$")
_UNDERSCORED = expression(r"(?<!\w)(_{1,2})(?=[^\s_])([^_]*+)(?<=[^\s_])\1(?!\w)")
_LONGEST = 2000  # characters of a heading whose markup is read


def plain_heading(raw: str) -> str:
    """Return a heading's text without markup; names such as scatter_ and __init__ are kept."""
    if len(raw) > _LONGEST:
        return raw
    return " ".join(html.unescape(_plain(_ATTRIBUTES.sub("", raw))).split())


def _plain(raw: str) -> str:
    parts: list[str] = []
    opened: dict[str, list[int]] = {}  # indices in `parts` of delimiters that are not yet closed
    start = 0
    for match in _MARKUP.finditer(raw):
        parts.append(_unscored(raw[start : match.start()]))
        start = match.end()
        _take(match, raw, parts, opened)
    return "".join([*parts, _unscored(raw[start:])])


def _take(match: re.Match[str], raw: str, parts: list[str], opened: dict[str, list[int]]) -> None:
    if match["code"]:
        ticks = len(match["ticks"])
        parts.append(html.escape(match["code"][ticks:-ticks].strip(), quote=False))
    elif match["open"]:
        opened.setdefault("[", []).append(len(parts))
        parts.append(match["open"])
    elif match["close"]:
        _close("[", match["close"], parts, opened)
    elif match["stars"]:
        _star(match, raw, parts, opened)
    else:
        parts.append(match["escaped"] or match["wiki"] or match["auto"] or "")


def _close(mark: str, text: str, parts: list[str], opened: dict[str, list[int]]) -> None:
    if places := opened.get(mark):
        parts[places.pop()] = ""
    else:
        parts.append(text)


def _star(match: re.Match[str], raw: str, parts: list[str], opened: dict[str, list[int]]) -> None:
    mark = match["stars"]
    before, after = raw[max(match.start() - 1, 0) : match.start()], raw[match.end() : match.end() + 1]
    construct = _CONSTRUCTS.get(mark)
    if opened.get(mark) and before.strip():
        _close(mark, mark, parts, opened)
        return
    if construct.opens(before, after) if construct else after.strip():
        opened.setdefault(mark, []).append(len(parts))
    parts.append(mark)


def _unscored(text: str) -> str:
    """Remove _emphasis_ around words of prose, but not in names."""
    return _UNDERSCORED.sub(lambda m: m[0] if re.fullmatch(r"[\w.]+", m[2], re.ASCII) else m[2], text)
