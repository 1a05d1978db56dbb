"""Fenced code blocks of a note: language, options, code, and the recorded output that follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kb.lazy_regex import expression
from kb.markdown.line_syntax import QUOTE, columns
from kb.markdown.lines import RawFence, Scan, scan

_PYTHON = frozenset({"python", "py", "python3"})
_WORD = expression(
    r"""(?P<key>[\w.-]+)=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'{}]+))|(?P<word>[^\s{}]+)"""
)
_OUTPUT = "output"
MOST_HIGHLIGHTED = 2_000  # lines
_BRACED = expression(r"\{\s*([\d\s,-]+)\}")
_NAMED = expression(r"""\bhl_lines=(?:"([\d\s,-]+)"|'([\d\s,-]+)'|([\d,-]+))""")
_SPAN = expression(r"(\d{1,6})(?:-(\d{1,6}))?")


@dataclass(frozen=True)
class Fence:
    """One fence. `line` and `end_line` are the 1-based lines of its marks; `info` is the text after the first mark.

    `output` is the text of an ```output fence that follows directly, `output_lines` the lines of that fence.
    """

    lang: str
    info: str
    options: Mapping[str, str]
    code: str
    line: int
    end_line: int
    indent: int
    id: str
    output: str | None = None
    output_lines: tuple[int, int] | None = None

    @property
    def runnable(self) -> bool:
        """Whether it is Python."""
        return self.lang in _PYTHON


def fences(text: str, first_line: int = 1, *, scanned: Scan | None = None) -> tuple[Fence, ...]:
    """Return the fences of a note in order. Lines before `first_line` (1-based) are front matter.

    Pass `scanned` if the text was scanned already. The name of a Python fence is its option `id`, otherwise `block1`,
    `block2`... by its position among the Python fences. A name that is already used gets a number, so that no fence
    can replace another.
    """
    scanned = scanned or scan(text, first_line)
    found: list[Fence] = []
    runnable = 0
    names: dict[str, int] = {}
    for index, raw in enumerate(scanned.fences):
        lang, options = _read_info(raw.opening.info)
        python = lang in _PYTHON
        runnable += python
        recorded = _recorded(scanned, index) if python else None
        found.append(
            Fence(
                lang=lang,
                info=raw.opening.info,
                options=options,
                code=_code(scanned, raw),
                line=raw.first + 1,
                end_line=raw.last + 1,
                indent=raw.opening.indent,
                id=unique_name(options.get("id") or (f"block{runnable}" if python else ""), names),
                output=None if recorded is None else _code(scanned, recorded),
                output_lines=None if recorded is None else (recorded.first + 1, recorded.last + 1),
            )
        )
    return tuple(found)


def unique_name(wanted: str, names: dict[str, int]) -> str:
    """Return the name, with a number if an earlier fence has it. `names` counts how often each was asked for."""
    name = wanted
    while name and name in names:
        names[wanted] += 1
        name = f"{wanted}-{names[wanted]}"
    names[name] = 1
    return name


def _read_info(info: str) -> tuple[str, Mapping[str, str]]:
    """Return language and options of `python id=x`, `{python id=x}`, `{.python #x}` or `python {id=x}`."""
    lang = ""
    options: dict[str, str] = {}
    for match in _WORD.finditer(info):
        if (word := match["word"]) is None:
            options[match["key"]] = next(v for v in match.group("double", "single", "bare") if v is not None)
        elif word.startswith("#") and len(word) > 1:
            options.setdefault("id", word[1:])
        elif not lang:
            lang = word.lstrip(".").lower()
    return lang, options


def highlighted_lines(info: str) -> tuple[int, ...]:
    """Return the 1-based lines of code that an info string highlights: `{2,4-6}` or `hl_lines="2 4-6"`."""
    found = _NAMED.search(info) or _BRACED.search(info)
    ranges = next((group for group in found.groups() if group), "") if found else ""
    lines: set[int] = set()
    for span in _SPAN.finditer(ranges):
        first, last = int(span[1]), int(span[2] or span[1])
        lines.update(range(max(1, first), min(last, first + MOST_HIGHLIGHTED) + 1))
    return tuple(sorted(lines)[:MOST_HIGHLIGHTED])


def _recorded(scanned: Scan, index: int) -> RawFence | None:
    if index + 1 >= len(scanned.fences):
        return None
    this, after = scanned.fences[index], scanned.fences[index + 1]
    between = scanned.lines[this.last + 1 : after.first]
    if _read_info(after.opening.info)[0] != _OUTPUT or any(line.strip(" \t>") for line in between):
        return None
    return after


def _code(scanned: Scan, raw: RawFence) -> str:
    lines = scanned.lines[raw.first + 1 : raw.last + (not raw.closed)]
    return "".join(line + "\n" for line in _unquoted(lines, raw))


def _unquoted(lines: list[str], raw: RawFence) -> Iterator[str]:
    for line in lines:
        rest = line
        for _ in range(raw.opening.quote):
            rest = rest[mark.end() :] if (mark := QUOTE.match(rest)) else rest
        yield _without_indent(rest, raw.opening.indent)


def _without_indent(line: str, indent: int) -> str:
    """Remove at most the columns by which the fence itself is indented."""
    if not indent:
        return line
    body = line.lstrip(" \t")
    lead = line[: len(line) - len(body)]
    if "\t" not in lead:
        return line[min(len(lead), indent) :]
    return " " * max(0, columns(lead) - indent) + body
