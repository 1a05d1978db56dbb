"""An error message as it was pasted: which words of it say what happened."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RAISED = re.compile(
    r"(?<![\w.])(?:[A-Za-z_]\w*\.){0,9}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit|Warning|Iteration)(?=:|\s*$)",
    re.MULTILINE,
)
_SAID = re.compile(_RAISED.pattern + r"(?=:\s)", re.MULTILINE)
_PASTED = re.compile(r"Traceback \(most|\bAssertion\b.*\bfailed\b|\.(?:cu|cpp|py|cc|h):\d+\b|^\s*File \"", re.MULTILINE)


def is_message(text: str) -> bool:
    """Tell whether a text is an error message rather than words that were typed."""
    return bool(_PASTED.search(text) or _SAID.search(text))


# What is set aside: where it happened on another machine says nothing about what happened.
_FRAME = re.compile(
    r'File "[^"]*", line \d+(?:, in \S+)?|\bline \d+\b|\bin <module>|Traceback \(most recent call last\):?'
)
_FOLDERS = re.compile(r"(?<![\w:/\\])(?:[A-Za-z]:)?[\\/]?(?:[\w.+~@-]+[\\/])+(?=[\w.+-])")
_NUMBERS = re.compile(
    r"\b0x[0-9a-fA-F]+\b|\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]|(?<=[\w.)]):\d+(?::\d+)?\b|(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])"
)
_SENTENCE = re.compile(r"(?<=[a-z)])\.\s|\n|(?<=\w)\s(?=CUDA kernel errors)")


@dataclass(frozen=True)
class Message:
    """What an error message says and the rest of it, both without places and numbers.

    `line` is the exception line as it stands; `alone`: there was nothing else.
    """

    line: str
    said: str
    rest: str
    alone: bool


def message_of(text: str) -> Message:
    """Read an error message: the exception line, and around it what may help."""
    raised = list(_RAISED.finditer(text))
    start = raised[-1].start() if raised else 0
    said, *after = _SENTENCE.split(text[start:], maxsplit=1)
    rest = "\n".join((text[:start], *after))
    return Message(said.strip(), _bare(said), _bare(rest), not rest.strip())


def _bare(text: str) -> str:
    return _NUMBERS.sub(" ", _FOLDERS.sub(" ", _FRAME.sub(" ", text)))
