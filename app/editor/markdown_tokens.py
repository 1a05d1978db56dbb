"""Tokens of a line of Markdown source for its colours, one line at a time with the state of the line before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from app.editor.fence_lexer import ROOT, Stack, coloured, known
from kb.lazy_regex import expression
from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.line_syntax import (
    CALLOUT_MARK,
    MARKER,
    TASK_BOX,
    FenceOpening,
    closing_fence,
    fence_opening,
    heading_of,
)

Roles: TypeAlias = tuple[str, ...]
Kind: TypeAlias = Literal["start", "text", "front", "fence", "math", "comment"]
_LONGEST_SPAN = 300  # characters between two delimiters
_LONGEST_LINE = 2_000  # characters; longer lines have no colours, so that typing in them stays fast


@dataclass(frozen=True)
class Span:
    """A part of a line: its index, its length, and its roles, outermost first."""

    start: int
    length: int
    roles: Roles


@dataclass(frozen=True)
class State:
    """The state at the beginning of a line.

    marker: what closes the fence, formula or comment. quoted and indent: how the fence was opened. stack: the state of
    the lexer of its language.
    """

    kind: Kind = "text"
    marker: str = ""
    lang: str = ""
    stack: Stack = ROOT
    quoted: bool = False
    indent: int = 0  # columns


START = State("start")
TEXT = State()
_LANG = expression(r"\s*\{?\.?([\w+#-]*)")
_RULE = expression(r"[ \t]{0,3}(?:([-*_])[ \t]*(?:\1[ \t]*){2,}|=+[ \t]*|-+[ \t]*)$")
_LEAD = expression(rf"(?P<quote>(?:[ \t]*>[ \t]?)+)?(?P<list>[ \t]*{MARKER}[ \t]+)?(?P<task>{TASK_BOX}[ \t])?")
_DELIMITERS = expression(r"[ \t|:-]+")
_CALLOUT = expression(CALLOUT_MARK)
_KEY = expression(r"([ \t-]*)([^\s:#][^:#]{0,80}):(?=\s|$)")
_INLINE = expression(
    r"""
      (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<code>(?P<tick>`+)(?!`).{1,500}?(?<!`)(?P=tick)(?!`))
    | (?P<math>\$\$.{1,400}?\$\$ | \$(?=[^\s$])[^$]{1,400}?(?<=\S)\$(?!\d))
    | (?P<wiki>!?\[\[[^\[\]]{1,300}\]\])
    | (?P<foot>\[\^[^\]\s]{1,80}\]:?)
    | (?P<link>!?\[(?P<label>[^\[\]]{0,300})\]\((?P<target>[^()]{0,400}(?:\([^()]{0,100}\)[^()]{0,100})?)\))
    | (?P<auto><(?:https?://|mailto:)[^<>\s]{1,400}> | https?://[^\s<>()\[\]（）。，、；：]{1,400})
    | (?P<tag></?[A-Za-z][^<>]{0,200}> | <!--.{0,400}?-->)
    | (?P<strong>\*\*(?=[^\s*]).{1,300}?(?<=\S)\*\* | (?<!\w)__(?=\S)[^_]{1,300}__(?!\w))
    | (?P<emphasis>\*(?=[^\s*])[^*]{1,300}(?<=\S)\* | (?<!\w)_(?=\S)[^_]{1,300}(?<=\S)_(?!\w))
    """
    + "".join(f"| (?P<{one.name}>{one.pattern(_LONGEST_SPAN)})" for one in CONSTRUCTS),
    re.VERBOSE,
)
_DELIMITED = {"strong": 2, "emphasis": 1, **{one.name: len(one.delimiter) for one in CONSTRUCTS}}
_EDGES = {"code": 0, "math": 0, "wiki": 2, **_DELIMITED}


def spans(line: str, state: State) -> tuple[tuple[Span, ...], State]:
    """Return the tokens of a line that begins in `state`, and the state of the next line."""
    if state.kind == "start":
        return ((_whole(line, "front", "markup"),), State("front")) if line.rstrip() == "---" else spans(line, TEXT)
    if state.kind == "front":
        return _front(line)
    if state.kind == "fence":
        return _in_fence(line, state)
    if state.kind in ("math", "comment"):
        return _until(line, state)
    return _text(line)


def link_stretch(line: str, at: int) -> str:
    """Return the link around an index of a line of prose as written, brackets included; "" if there is none."""
    start, end = 0, len(line)
    while found := next((one for one in _INLINE.finditer(line, start, end) if one.start() <= at <= one.end()), None):
        kind = found.lastgroup or ""
        if found["link"] is not None or kind in ("wiki", "auto"):
            return found[0]
        if kind not in _DELIMITED:
            return ""
        start, end = found.start() + _EDGES[kind], found.end() - _EDGES[kind]
    return ""


def _whole(line: str, *roles: str) -> Span:
    return Span(0, len(line), roles)


def _front(line: str) -> tuple[tuple[Span, ...], State]:
    if line.rstrip() in ("---", "..."):
        return (_whole(line, "front", "markup"),), TEXT
    if line.lstrip().startswith("#"):
        return (_whole(line, "front", "comment"),), State("front")
    if key := _KEY.match(line):
        end = key.end(2)
        return (
            Span(key.start(2), end - key.start(2), ("front", "key")),
            Span(end, len(line) - end, ("front",)),
        ), State("front")
    return (_whole(line, "front"),), State("front")


def _in_fence(line: str, state: State) -> tuple[tuple[Span, ...], State]:
    if state.quoted and not line.lstrip().startswith(">"):  # the fence ended with its quote
        return _text(line)
    if closing_fence(state.marker, quoted=state.quoted, indent=state.indent).fullmatch(line):
        return (_whole(line, "block", "markup"),), TEXT
    if not state.lang:
        return (_whole(line, "block"),), state
    found, stack = coloured(state.lang, line, state.stack)
    return tuple(_filled(line, found, ("block",))), replace(state, stack=stack)


def _filled(line: str, found: list[tuple[int, int, str]], base: Roles) -> Iterator[Span]:
    """Yield tokens of code and, with the roles of `base`, the text between them."""
    at = 0
    for start, length, role in found:
        if start > at:
            yield Span(at, start - at, base)
        yield Span(start, length, (*base, role))
        at = start + length
    if at < len(line):
        yield Span(at, len(line) - at, base)


def _until(line: str, state: State) -> tuple[tuple[Span, ...], State]:
    role = "math" if state.kind == "math" else "comment"
    return (_whole(line, role),), TEXT if state.marker in line else state


def _text(line: str) -> tuple[tuple[Span, ...], State]:
    if len(line) > _LONGEST_LINE:
        return (), TEXT
    if fence := fence_opening(line):
        return _open_fence(line, fence)
    bare = line.strip()
    if bare.startswith("$$") and "$$" not in bare[2:]:
        return (_whole(line, "math"),), State("math", marker="$$")
    if bare.startswith("<!--") and "-->" not in bare:
        return (_whole(line, "comment"),), State("comment", marker="-->")
    return tuple(_line(line)), TEXT


def _open_fence(line: str, fence: FenceOpening) -> tuple[tuple[Span, ...], State]:
    named = _LANG.match(fence.info)
    lang = named[1].lower() if named else ""
    head = fence.start + len(fence.mark)
    found = [Span(0, fence.start, ("list",)), Span(fence.start, len(fence.mark), ("block", "markup"))]
    found.append(Span(head, len(line) - head, ("block", "info")))
    lang = lang if known(lang) else ""
    state = State("fence", fence.mark, lang, quoted=bool(fence.quote), indent=fence.indent)
    return tuple(span for span in found if span.length), state


def _line(line: str) -> Iterator[Span]:
    if heading := heading_of(line):
        base, end = f"heading{heading[0]}", line.index("#") + heading[0] + 1
        yield Span(0, min(end, len(line)), (base, "markup"))
        yield from _inline(line, end, (base,))
    elif _RULE.match(line):
        yield _whole(line, "markup")
    elif line.lstrip().startswith("|"):
        yield from _row(line)
    else:
        lead = _LEAD.match(line)
        yield from _after_lead(line, lead) if lead else _inline(line, 0, ())


def _row(line: str) -> Iterator[Span]:
    """Yield the tokens of a table row; their role has a fixed-width font, which aligns the columns."""
    if _DELIMITERS.fullmatch(line):
        yield _whole(line, "table", "markup")
    else:
        yield from _inline(line, 0, ("table",))


def _after_lead(line: str, lead: re.Match[str]) -> Iterator[Span]:
    base: Roles = ("quote",) if lead["quote"] else ()
    for part, role in (("quote", "markup"), ("list", "list"), ("task", "task")):
        if lead[part]:
            yield Span(lead.start(part), len(lead[part]), (role,))
    at = lead.end()
    if lead["quote"] and (callout := _CALLOUT.match(line, at)):
        yield Span(at, len(callout[0]), ("callout",))
        at = callout.end()
    if lead["task"] and lead["task"][1] in "xX":
        base = (*base, "done")
    yield from _inline(line, at, base)


def _inline(line: str, at: int, base: Roles) -> Iterator[Span]:
    """Yield the tokens of running text; text between them has the roles of `base`."""
    for found in _INLINE.finditer(line, at):
        if found.start() > at and base:
            yield Span(at, found.start() - at, base)
        yield from _found(line, found, base)
        at = found.end()
    if at < len(line) and base:
        yield Span(at, len(line) - at, base)


def _found(line: str, found: re.Match[str], base: Roles) -> Iterator[Span]:
    kind = found.lastgroup or ""
    if found["link"] is not None:
        yield from _link(found, base)
        return
    edge = _EDGES.get(kind, 0)
    start, end = found.span()
    inner = (*base, kind)
    if edge:
        yield Span(start, edge, (*inner, "markup"))
    if kind == "strong":
        yield from _inline(line[: end - edge], start + edge, inner)
    else:
        yield Span(start + edge, end - start - 2 * edge, inner)
    if edge:
        yield Span(end - edge, edge, (*inner, "markup"))


def _link(found: re.Match[str], base: Roles) -> Iterator[Span]:
    start, label, target = found.start("link"), found.span("label"), found.span("target")
    yield Span(start, label[0] - start, (*base, "markup"))
    if label[1] > label[0]:
        yield Span(label[0], label[1] - label[0], (*base, "link"))
    yield Span(label[1], 2, (*base, "markup"))
    if target[1] > target[0]:
        yield Span(target[0], target[1] - target[0], (*base, "target"))
    yield Span(target[1], 1, (*base, "markup"))
