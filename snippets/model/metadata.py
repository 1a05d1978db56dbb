"""The metadata of a snippet: its keys, and errors that name the line of a wrong value.

The block has the shape that PEP 723 gives to metadata inside scripts, with the type `snippet` and TOML inside:

    # /// snippet
    # title.zh = "按行取值"
    # title.en = "Gather by row"
    # devices = ["cpu", "cuda"]
    # ///
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from snippets.errors import BadSnippet

DEVICE_KINDS = ("cpu", "cuda", "mps", "xpu", "any")
LANGUAGES = ("zh", "en")

_OPENING = re.compile(r"^# /// snippet[ \t]*$", re.MULTILINE)
# The expression of PEP 723 for the type `snippet`; the closing line may be the last of the file.
_BLOCK = re.compile(r"(?m)^# /// snippet$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_TOML_LINE = re.compile(r" ?\(at (?:line (?P<line>\d+), column \d+|end of document)\)")


@dataclass(frozen=True)
class Metadata:
    """The checked values of a block or of the options of a fence, and their first line."""

    line: int
    title: Mapping[str, str] | None = None
    devices: tuple[str, ...] = ("any",)
    gpus: int = 0
    timeout: float = 60.0  # seconds
    raises: str | None = None
    session: str | None = None
    args: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    processes: int = 1  # that work at the same time


class UnfitError(Exception):
    """A wrong value for a key: what to write instead, in both languages."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.en, self.zh = en, zh


def has_block(code: str) -> bool:
    """Return whether the source has a snippet block; without one it is an ordinary Python file."""
    return _OPENING.search(code) is not None


def block_metadata(code: str, origin: str) -> Metadata:
    """Read the one block of a source text. Raises BadSnippet, which names `origin` and the line."""
    openings = [code.count("\n", 0, match.start()) + 1 for match in _OPENING.finditer(code)]
    place = _Place(origin, openings[0] if openings else 1)
    if len(openings) != 1:
        raise place.bad("write exactly one block from # /// snippet to # ///", "请写且只写一段 # /// snippet 到 # ///")
    place = place.with_block(code)
    metadata = _metadata(_toml(place), place)
    if metadata.title is None:
        raise place.bad('write title.zh = "…" and title.en = "…"', '请写 title.zh = "…" 和 title.en = "…"')
    return metadata


def fence_metadata(options: Mapping[str, str], origin: str, *, line: int) -> Metadata:
    """Read the options of a fence; unknown ones belong to other programs. Raises BadSnippet."""
    found: dict[str, object] = {key: options[key] for key in ("raises", "session") if key in options}
    if "timeout" in options:
        found["timeout"] = _number(options["timeout"])
    if "device" in options:
        found["devices"] = options["device"].split(",")
    return _metadata(found, _Place(origin, line))


@dataclass(frozen=True)
class _Place:
    """The position of the metadata, for the line in errors."""

    origin: str
    line: int
    toml: str = ""  # its first line is the one after `line`

    def with_block(self, code: str) -> _Place:
        found = _BLOCK.search(code)
        if found is None:
            raise self.bad(
                "every line of the block starts with `# `, and the block ends with # ///",
                "块中每一行都以 `# ` 开头，并以 # /// 结束",
            )
        return _Place(self.origin, self.line, "\n".join(line[2:] for line in found["content"].split("\n")[:-1]))

    def bad(self, en: str, zh: str, *, below: int = 0) -> BadSnippet:
        at = f"{self.origin}:{self.line + below}"
        return BadSnippet(f"{at}: {en}.", f"{at}：{zh}。")

    def line_of(self, key: str) -> int:
        pattern = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}\b")
        numbered = enumerate(self.toml.split("\n"), 1)
        return next((number for number, text in numbered if pattern.match(text)), 0)


def _toml(place: _Place) -> dict[str, object]:
    try:
        return tomllib.loads(place.toml)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        reason = _TOML_LINE.sub("", str(error))
        below = int(found["line"]) if found and found["line"] else place.toml.count("\n") + 1
        raise place.bad(f"the block is not TOML: {reason}", f"这一块不是合法的 TOML：{reason}", below=below) from error


def _metadata(found: Mapping[str, object], place: _Place) -> Metadata:
    values: dict[str, Any] = {}
    for key, value in found.items():
        below = place.line_of(key)
        if key not in _READERS:
            known = ", ".join(_READERS)
            raise place.bad(
                f"unknown key {key!r}; known are {known}", f"不认识的键 {key!r}；可用的有 {known}", below=below
            )
        try:
            values[key] = _READERS[key](value)
        except UnfitError as unfit:
            raise place.bad(unfit.en, unfit.zh, below=below) from unfit
    return Metadata(place.line, **values)


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _title(value: object) -> dict[str, str]:
    titles = value if isinstance(value, dict) else {}
    texts = list(titles.values())
    if not texts or not set(titles) <= set(LANGUAGES) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise UnfitError('write title.zh = "…" and title.en = "…"', '请写 title.zh = "…" 和 title.en = "…"')
    return {lang: titles.get(lang, texts[0]) for lang in LANGUAGES}


def _devices(value: object) -> tuple[str, ...]:
    kinds = tuple(str(kind).strip().partition(":")[0] for kind in value) if isinstance(value, list) else ()
    if not kinds or not set(kinds) <= set(DEVICE_KINDS):
        known = ", ".join(DEVICE_KINDS)
        raise UnfitError(
            f'write devices = ["cpu"] (in a fence device=cpu), any of {known}',
            f'请写 devices = ["cpu"]（围栏里写 device=cpu），可用的有 {known}',
        )
    return kinds


def _count(key: str, *, least: int) -> Callable[[object], int]:
    def count(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            en, zh = f"write {key} = 2, a whole number from {least}", f"请写 {key} = 2，即不小于 {least} 的整数"
            raise UnfitError(en, zh)
        return value

    return count


def _timeout(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise UnfitError("write timeout = 30, seconds above 0", "请写 timeout = 30，单位是秒，须大于 0")
    return float(value)


def _raises(value: object) -> str:
    if not isinstance(value, str) or not _DOTTED.fullmatch(value):
        raise UnfitError(
            'write raises = "RuntimeError", the name of one exception',
            '请写 raises = "RuntimeError"，即一个异常的名字',
        )
    return value


def _session(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UnfitError('write session = "name"', '请写 session = "名字"')
    return value.strip()


def _texts(key: str, example: str) -> Callable[[object], tuple[str, ...]]:
    def texts(value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise UnfitError(f"write {key} = {example}, a list of texts", f"请写 {key} = {example}，即一组文本")
        return tuple(value)

    return texts


_READERS: Mapping[str, Callable[[object], object]] = {
    "title": _title,
    "devices": _devices,
    "gpus": _count("gpus", least=0),
    "timeout": _timeout,
    "raises": _raises,
    "session": _session,
    "args": _texts("args", '["--gpus", "2"]'),
    "topics": _texts("topics", '["T11"]'),
    "processes": _count("processes", least=1),
}
