"""Reads a pasted error message: separates what happened from where it happened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb.analysis.tokens import HAN
from kb.lazy_regex import expression

_NAMED = r"(?:[A-Za-z_]\w{0,60}\.){0,9}[A-Z]\w{0,60}"
_RAISED = expression(
    rf"(?<![\w.])(?P<name>{_NAMED}(?:Error|Exception|Interrupt|Exit|Warning|Iteration|Failed))(?=:(?!:)|\s*$)",
    re.MULTILINE,
)
_SAID = expression(_RAISED.pattern + r"(?=:[ \t]*\S|:\s)", re.MULTILINE)
_PASTED = expression(
    r"Traceback \(most|\bAssertion\b.{0,400}\bfailed\b|\.(?:cu|cpp|cc|h|cuh|py):\d+\b|^[ \t]*+File \"|^[ \t]*+what\(\):"
    r"|(?i:\b(?:fatal )?error: )|\bterminate called after|\bundefined symbol: |\bld: cannot find ",
    re.MULTILINE,
)
# Without the name of an exception, a text is a message only if it has something that nobody types.
_VALUE = expression(
    r"\b0x[0-9a-fA-F]{6,}\b|\b\d+x\d+ and \d+x\d+\b|\btorch\.Size\(\[|\b\d+(?:\.\d+)?\s?[KMGT]iB\b"
    r"|\bcuda:\d\b.{0,80}\bcpu\b"
)
_SENTENCE_WORDS = 6
_IN_A_ROW = 4  # words that a note about a message shares with it
_LATIN = expression(r"[A-Za-z]{2,}")
# Exceptions that only report that another process, or another exception, failed.
_WRAPPING = expression(
    r"(?:^|\.)(?:ChildFailedError|CalledProcessError|ProcessRaisedException|ProcessExitedException|SystemExit"
    r"|RayTaskError|BackendCompilerFailed)$"
)
_COLOUR = expression(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)?|.)|[\x00-\x08\x0b-\x1a\x1c-\x1f]"
)
_MOMENT = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?"
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_BEFORE = expression(
    r"^[ \t]*(?:[|+][-+| \t]*)?(?:(?:"
    r"\[?(?:rank|default|Rank )?\d{1,5}\](?:<std(?:err|out)>)?:?"  # [rank0]: [default1]: [0]:
    rf"|\[?{_MOMENT}\]?,?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?"
    r"|\[?[IWEF]\d{4} \d\d:\d\d:\d\d(?:\.\d+)? [^\]\n]{0,200}\]"  # the form of glog
    rf"|\[{_LEVEL}\]:?|{_LEVEL}(?=[ \t]*[:|-]| )[ \t]*[:|-]?"
    r")[ \t]*)*",
    re.MULTILINE,
)
# What is ignored: where it happened on another machine says nothing about what happened.
_FRAME = expression(
    r'File "[^"\n]*(?:site|dist)-packages[^"\n]*", line \d+(?:, in \S+)?(?:\n[^\n]*)?'  # with the line of code there
    r'|File "[^"\n]*", line \d+(?:, in \S+)?|\bline \d+\b|\bin <module>|Traceback \(most recent call last\):?'
    r"|(?:During handling of the above exception, another exception occurred"
    r"|The above exception was the direct cause of the following exception):?"
    r"|^[ \t]*(?:time|host|rank|exitcode|error_file|traceback)[ \t]*:[^\n]*$"  # the table that torchrun prints
    r"|\(exitcode: -?\d+\)|\(?\blocal_rank: \d+\)?|\(pid:? \d+\)"
    r"|Root Cause \(first observed failure\):|<NO_OTHER_FAILURES>|^[ \t]*Failures:[ \t]*$",
    re.MULTILINE,
)
_PLACE = expression(
    r"(?<![A-Za-z])[A-Za-z]:\\(?:[^\\\n\"'<>|:*?]{1,80}\\){1,30}"
    r"|(?<![\w.+~@:/\\-])(?:[A-Za-z]:)?[\\/]?(?:[\w.+~@-]++[\\/])++(?=[\w.+-])"
    r"|(?<![\w.-])[\w-]{1,80}\.py(?=:\d)"
)
_NUMBER = expression(
    r"\b0x[0-9a-fA-F]+\b|\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]|\b\d+(?:x\d+)+\b|\b\d+(?:\.\d+)?\s?(?:[KMGT]i?B|bytes)\b"
    r"|(?<=[\w.)]):\d+(?::\d+)?\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,64}\b|(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])"
)
_QUOTED = expression(r"'[\w.\[\]/-]{1,80}'|\"[\w.\[\]/-]{1,80}\"|`[\w.]{1,80}`")
_SENTENCE = expression(r"(?<=[a-z)\]!])\.\s|\n|(?<=\w)\s(?=CUDA kernel errors)")
_TALK = expression(
    r"(?:报错|出错|错误信息|请问|求助|遇到了?|出现了?)(?:如下|以下)?[:,]?|怎么(?:解决|办|回事|处理)|如何(?:解决|处理)|是?什么(?:原因|问题)"
)
_AFTERWARDS = expression(rf"(?<=[\x21-\x7e])(?<![,.;!?])[\s,.;!?]*+(?=[{HAN}])")


@dataclass(frozen=True)
class Message:
    """An error message without places and numbers: the exception line, the names it quotes, and the rest.

    `line` is the exception line as written; `alone`: there was nothing else.
    """

    line: str
    said: str
    quoted: str
    rest: str
    alone: bool


def is_message(text: str) -> bool:
    """Return whether a text is an error message rather than typed words."""
    text = _COLOUR.sub("", text)
    if _PASTED.search(text) or _SAID.search(text):
        return True
    return bool(_VALUE.search(text)) and len(_LATIN.findall(text)) >= _SENTENCE_WORDS


def message_of(text: str) -> Message:
    """Read an error message: the exception line, and what around it may help."""
    text = _BEFORE.sub("", _COLOUR.sub("", text))
    start = _start(text)
    line, rest = _line(text[start:])
    said = _bare(line)
    quoted = " ".join(_QUOTED.findall(said))
    return Message(
        line.strip(),
        _QUOTED.sub(" ", said),
        quoted,
        _bare(_TALK.sub(" ", f"{text[:start]}\n{rest}")),
        not text[:start].strip() and not rest.strip(),
    )


def repeats(message: str, texts: Iterable[str]) -> bool:
    """Return whether any of the texts has some words of a message in a row, or all of a short one.

    The exception's name does not count: many messages share it. A message without words is repeated by any text.
    """
    line = message_of(message).line
    said = _words(_RAISED.sub(" ", line, count=1))
    width = min(_IN_A_ROW, len(said))
    runs = {" ".join(said[at : at + width]) for at in range(len(said) - width + 1)} if width else {""}
    plain = (f" {' '.join(_words(text))} " for text in texts)
    return any(f" {run} " in text or not run for text in plain for run in runs)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _LATIN.findall(text)]


def _start(text: str) -> int:
    """Return where the most informative line begins: the last exception that is neither a warning nor a mere report."""
    raised = list(_RAISED.finditer(text))
    telling = [one for one in raised if not _WRAPPING.search(one["name"])]
    errors = [one for one in telling if not one["name"].endswith("Warning")]
    for found in (errors, telling):
        if found:
            return found[-1].start()
    return next(_otherwise(text), raised[-1].start() if raised else 0)


def _otherwise(text: str) -> Iterator[int]:
    """Yield where messages of compilers and of C++ begin."""
    for pattern in (r"^[ \t]*+what\(\):\s*", r"(?i)(?<=[:)] )(?:fatal )?error:\s+", r"(?=\bundefined symbol: )"):
        if match := re.search(pattern, text, re.MULTILINE):
            yield match.end()


def _line(text: str) -> tuple[str, str]:
    """Split the exception line from what follows; one that ends with a colon includes the next line."""
    said, *after = _SENTENCE.split(text, maxsplit=1)
    rest = "".join(after)
    if said.rstrip().endswith(":") and rest:
        more, *after = rest.split("\n", 1)
        said, rest = f"{said} {more}", "".join(after)
    if talk := _AFTERWARDS.search(said):
        said, rest = said[: talk.start()], f"{said[talk.end() :]}\n{rest}"
    return said, rest


def _bare(text: str) -> str:
    return _NUMBER.sub(" ", _PLACE.sub(" ", _FRAME.sub(" ", text)))
