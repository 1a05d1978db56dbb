"""Front matter: the YAML between two lines of --- at the top of a note. Comments survive changes."""

from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.errors import BadFrontMatter
from kb.files.encoding import restore_line_ends
from kb.lazy_regex import expression

_CLOSE = expression(r"(?:^|[\r\n])(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)")
_END = expression(r"\r\n|\n|\r")
_KEY = expression(r"""^["']?[\w.\- ]{1,80}["']?[ \t]*:(?:[ \t\r\n]|\Z)""", re.MULTILINE)
_SALVAGE = expression(r"^(title|lang)[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_PLAIN = r"[A-Za-z\u4e00-\u9fff][\w\u4e00-\u9fff./+()-]*+(?: [\w\u4e00-\u9fff(/+.][\w\u4e00-\u9fff./+()-]*+)*+"
_PLAIN_WORD = expression(_PLAIN)
_PLAIN_LINE = expression(
    rf"(?P<key>[A-Za-z_][\w-]*+): "
    rf"(?:(?P<word>{_PLAIN})|(?P<day>\d{{4}}-\d\d-\d\d)|\[(?P<list>{_PLAIN}(?:, {_PLAIN})*+)\])",
    re.ASCII,
)
_NOT_TEXT = expression("true|false|null", re.IGNORECASE)
_MOST_BRACKETS = 500
_LONGEST_STAMP = 80  # characters
LARGEST = 64 * 1024  # characters; a longer block means that the note begins with a rule


@dataclass(frozen=True)
class FrontMatter:
    """The front matter of a note. `lines` counts its lines, both marks included, 0 without front matter.

    covers: topics of the note. proven: the day on which all its claims last held. proven_on: on which kinds of devices
    and which torch, as `cpu, torch 2.13.0`. aside: the note repeats others, so searches list those first
    (`search: aside`). problem: why the YAML could not be read, in English; then only a plain
    title and language are read.
    """

    title: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    lang: str | None = None
    covers: tuple[str, ...] = ()
    proven: dt.date | None = None
    proven_on: str = ""
    aside: bool = False
    values: Mapping[str, object] = field(default_factory=dict)
    problem: str | None = None
    lines: int = 0


NONE = FrontMatter()


def split(text: str) -> FrontMatter:
    """Read the front matter of a note; never raises."""
    block = _block(text)
    if block is None:
        return NONE
    source, lines = block
    try:
        plain = _plain_values(source)
        values = _yaml_values(source) if plain is None else plain
    except (ValueError, RecursionError) as error:
        return _salvaged(source, lines, _reason(error)) if _KEY.search(source) else NONE
    if values is None and not source.strip("\r\n \t"):
        return FrontMatter(lines=lines)
    if not isinstance(values, dict):
        # Prose between two rules, or a list: no front matter.
        return FrontMatter(lines=lines) if values is None else NONE
    return _read({str(key): value for key, value in values.items()}, lines)


def _plain_values(source: str) -> dict[str, object] | None:
    """Return the values of the simplest YAML (key: words, key: day, key: [words]), None for any other.

    The YAML library takes a hundred times longer for the same result, and most front matter is this simple.
    """
    values: dict[str, object] = {}
    for line in source.splitlines():
        match = _PLAIN_LINE.fullmatch(line)
        if match is None or match["key"] in values:
            return None
        words = [match["word"]] if match["word"] else _PLAIN_WORD.findall(match["list"] or "")
        if any(_NOT_TEXT.fullmatch(word) for word in (match["key"], *words)):
            return None
        day = match["day"] and dt.date.fromisoformat(match["day"])
        values[match["key"]] = day or (words[0] if match["word"] else words)
    return values or None


def _yaml_values(source: str) -> object:
    if sum(source.count(mark) for mark in "[{") > _MOST_BRACKETS:  # the library's time is quadratic in them
        raise ValueError("it has too many brackets")
    from ruamel.yaml import YAML  # noqa: PLC0415 - few notes need it, and the import is slow
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        return YAML(typ="safe", pure=True).load(source)
    except YAMLError as error:
        raise ValueError(_worded(error)) from error


def _block(text: str) -> tuple[str, int] | None:
    """Return the YAML and the number of its lines, marks included; None without front matter."""
    if not text.startswith("---"):
        return None
    head = text[:LARGEST]
    opening = re.match(r"---[ \t]*+(?:\r\n|\n|\r)", head)
    if opening is None:
        return None
    closing = _CLOSE.search(head, opening.end() - 1)
    if closing is None:
        return None
    start = opening.end()
    source = head[start : max(start, closing.start() + 1)]
    return source, len(_END.findall(head[: closing.end()])) + 1


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]


def _worded(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 2}: {problem}" if mark is not None else str(problem)


def _salvaged(source: str, lines: int, problem: str) -> FrontMatter:
    found = {match[1]: match[2].strip("\"'") for match in _SALVAGE.finditer(source.replace("\r", "\n"))}
    return FrontMatter(title=found.get("title"), lang=_language(found.get("lang")), problem=problem, lines=lines)


def _read(values: dict[str, object], lines: int) -> FrontMatter:
    title = values.get("title")
    return FrontMatter(
        title=" ".join(str(title).split()) or None if isinstance(title, (str, int, float)) else None,
        tags=tuple(tag.lstrip("#") for tag in _words(values.get("tags", values.get("tag")))),
        aliases=_words(values.get("aliases", values.get("alias")), spaced=False),
        lang=_language(values.get("lang", values.get("language"))),
        covers=_words(values.get("covers")),
        proven=_day(values.get("proven")),
        proven_on=" ".join(str(values.get("proven-on") or "").split())[:_LONGEST_STAMP],
        aside=values.get("search") == "aside",
        values=values,
        lines=lines,
    )


def _day(value: object) -> dt.date | None:
    if isinstance(value, dt.datetime):
        return value.date()
    return value if isinstance(value, dt.date) else None


def _language(value: object) -> str | None:
    short = str(value).lower()[:2]
    return short if short in {"zh", "en"} else None


def _words(value: object, *, spaced: bool = True) -> tuple[str, ...]:
    """Return the distinct words of a list, or of a text separated by commas (or spaces, if `spaced`), in order."""
    if isinstance(value, str):
        found = re.split(r"[,\uff0c\u3001\s]" if spaced else r"[,\uff0c]", value)
    elif isinstance(value, list):
        found = [str(item) for item in value if isinstance(item, (str, int, float))]
    else:
        found = []
    return tuple(dict.fromkeys(word.strip() for word in found if word.strip()))


def with_values(text: str, changes: Mapping[str, object]) -> str:
    """Return the text with values of its front matter set, or removed if None; comments and order are kept.

    Raises BadFrontMatter if the present front matter cannot be read.
    """
    found = split(text)
    if found.problem is not None:
        raise BadFrontMatter(found.problem)
    wanted = {key: value for key, value in changes.items() if value is not None or key in found.values}
    block = _block(text) if found.lines else None
    if block is None:
        return text if not wanted else _begun(text, wanted)
    start = re.match(r"---[ \t]*+(?:\r\n|\n|\r)", text)
    begin = start.end() if start else 0
    changed = restore_line_ends(block[0], _changed(block[0], wanted))
    return text[:begin] + changed + text[begin + len(block[0]) :]


def _begun(text: str, wanted: Mapping[str, object]) -> str:
    first = _END.search(text)
    end = first[0] if first else "\n"
    return f"---\n{_changed('', wanted)}---\n".replace("\n", end) + text


def _changed(source: str, wanted: Mapping[str, object]) -> str:
    from ruamel.yaml import YAML  # noqa: PLC0415 - see above

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 100_000
    if re.search(r"^[ ]+- ", source, re.MULTILINE):
        yaml.indent(mapping=2, sequence=4, offset=2)
    values = yaml.load(source)
    if values is None:
        values = yaml.load("{}")
        values.fa.set_block_style()
    for key, value in wanted.items():
        if value is None:
            values.pop(key, None)
        else:
            values[key] = value
    target = io.StringIO()
    if values:
        yaml.dump(values, target)
    return target.getvalue()
