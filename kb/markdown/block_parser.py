"""Parses the lines of a note into a tree of blocks, as GitHub and Obsidian do.

Where the common rules would break up what the author clearly meant (two spaces under "1.", a deeply indented list
after a paragraph), the author's meaning wins. Fences, headings and snippet links of the note itself are given: they
come from `fences`, `sections` and `links`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kb.markdown.block_tree import ContainerBlock, LeafBlock
from kb.markdown.line_syntax import (
    ADMONITION,
    CONTENTS,
    DEFINITION,
    DELIMITER_ROW,
    FOOTNOTE,
    HTML,
    ITEM,
    MEANING,
    QUOTE,
    RULE,
    TASK,
    UNDERLINE,
    cell_count,
    heading_of,
    indent_of,
    without_tabs,
)

DEEPEST = 24  # nested quotes and lists; deeper ones are read as text
CODE_INDENT = 4  # columns
LOOKS_AHEAD = 100  # lines of the longest display formula
LEAST_INDENT = 2  # columns that make a line part of a list item or a footnote, whatever its marker


@dataclass
class _Open:
    kind: str
    line: int
    lines: list[str]
    end: str = ""


class Scanner:
    """Parses lines into a tree.

    `known` maps the first line of each block that is already known to its leaf (None to leave the block out) and to
    its last line.
    """

    def __init__(self, lines: Sequence[str], known: Mapping[int, tuple[LeafBlock | None, int]]) -> None:
        self._lines = lines
        self._known = known
        self._root = ContainerBlock("root")
        self._number = 0  # of the current line
        self._stack = [self._root]
        self._leaf: _Open | None = None
        self._after_blank = False
        self.seen = 0  # the last line that was looked at in advance
        self.unfinished = False  # whether the last block still waits for its closing mark

    def scan(self, first_line: int, last_line: int | None = None) -> ContainerBlock:
        """Parse from one line up to another or to the end. Later lines may be looked at, but are not parsed."""
        number, end = first_line, len(self._lines) if last_line is None else last_line
        while number <= end:
            self._number = number
            if number in self._known:
                leaf, last = self._known[number]
                self._place(self._lines[number - 1], leaf)
                number = max(number, last) + 1
            else:
                self._feed(number, self._lines[number - 1])
                number += 1
        self.unfinished = self._leaf is not None and bool(self._leaf.end)
        self._close(1)
        return self._root

    def _place(self, line: str, leaf: LeafBlock | None) -> None:
        if leaf is None:
            return
        if leaf.kind == "section":
            self._close(1)
        else:
            depth, rest = self._match(without_tabs(line))
            depth, _ = self._enter(depth, rest)
            self._close(depth)
            self._loosen()
        self._add(leaf)
        self._after_blank = False

    def _feed(self, number: int, line: str) -> None:
        depth, rest = self._match(without_tabs(line))
        whole = depth == len(self._stack)
        if whole and self._leaf and self._continue(number, self._leaf, rest):
            return
        if not rest.strip():
            self._close(depth)
            self._after_blank = True
            return
        before = depth
        depth, rest = self._enter(depth, rest)
        if depth == before and not whole and self._lazy(rest):
            assert self._leaf
            self._leaf.lines.append(rest.strip(" ") if not rest.endswith("  ") else rest.lstrip(" "))
            return
        if depth < len(self._stack):
            self._close(depth)
        if rest.strip():
            self._begin(number, rest)
        self._after_blank = False

    def _match(self, line: str) -> tuple[int, str]:
        """Return how many open containers this line continues, and the rest of the line within them."""
        depth, rest = 1, line
        for node in self._stack[1:]:
            if node.kind == "quote":
                mark = QUOTE.match(rest)
                if not mark:
                    break
                rest = rest[mark.end() :]
            elif rest.strip():
                columns = indent_of(rest)
                if columns < node.indent and not (node.kind == "item" and columns >= node.offset + LEAST_INDENT):
                    break
                rest = rest[min(columns, node.indent) :]
            depth += 1
        return depth, rest

    def _enter(self, depth: int, rest: str) -> tuple[int, str]:
        """Open the quotes, items, meanings and admonitions that this line begins."""
        while len(self._stack) < DEEPEST or depth < len(self._stack):
            if mark := QUOTE.match(rest):
                self._open(depth, ContainerBlock("quote"))
                rest = rest[mark.end() :]
            elif (item := ITEM.match(rest)) and self._may_begin(item, depth):
                rest = self._item(depth, item)
            elif (mark := MEANING.match(rest)) and self._may_explain(depth):
                self._explain(depth)
                rest = rest[mark.end() :]
            elif (note := ADMONITION.match(rest)) and not self._paragraph():
                self._open(depth, ContainerBlock("admonition", indent=CODE_INDENT, label=note[1], title=note[2]))
                rest = ""
            else:
                break
            depth = len(self._stack)
        return depth, rest

    def _may_begin(self, item: re.Match[str], depth: int) -> bool:
        if RULE.match(item[0].strip()):
            return False
        paragraph = self._paragraph()
        if not paragraph:
            return len(item[1]) < CODE_INDENT or self._last_is_list(depth)
        if depth < len(self._stack):
            return len(item[1]) < CODE_INDENT
        return bool(item[6]) and (item[3] in (None, "1") or paragraph.lines[-1].rstrip().endswith((":", "：")))

    def _last_is_list(self, depth: int) -> bool:
        children = self._stack[depth - 1].children
        last = children[-1] if children else None
        return isinstance(last, ContainerBlock) and last.kind == "list"

    def _item(self, depth: int, item: re.Match[str]) -> str:
        spaces, text = len(item[5] or " "), item[6] or ""
        offset = len(item[1])
        marker = item[4] or item[2]
        start = int(item[3]) if item[3] else None
        node = ContainerBlock("item", offset + len(item[2]) + (spaces if spaces <= CODE_INDENT else 1), offset)
        if task := TASK.match(text):
            node.task, node.line = "open" if task[1] == " " else "done", self._number
            text = text[task.end() :]
        self._open(depth, node, into=lambda parent: self._list(parent, start, marker))
        return text

    def _may_explain(self, depth: int) -> bool:
        """Return whether a meaning may begin here: after a term, with or without a blank line, or after a meaning."""
        if self._leaf and depth == len(self._stack):
            return self._leaf.kind == "text"
        children = self._stack[depth - 1].children
        last = children[-1] if children else None
        if isinstance(last, LeafBlock):
            return self._after_blank and last.kind == "text" and "\n" not in last.text
        return last is not None and last.kind == "terms"

    def _explain(self, depth: int) -> None:
        paragraph, children = self._leaf, self._stack[depth - 1].children
        terms: list[LeafBlock] = []
        if paragraph and depth == len(self._stack):
            terms = [LeafBlock("term", text, paragraph.line + at) for at, text in enumerate(paragraph.lines)]
            self._leaf = None
        elif isinstance(last := children[-1], LeafBlock):
            terms = [LeafBlock("term", last.text, last.line)]
            children.pop()
        self._open(
            depth, ContainerBlock("meaning", indent=LEAST_INDENT), into=lambda parent: self._terms(parent, terms)
        )

    def _terms(self, parent: ContainerBlock, terms: list[LeafBlock]) -> ContainerBlock:
        last = parent.children[-1] if parent.children else None
        if not (isinstance(last, ContainerBlock) and last.kind == "terms"):
            self._put(parent, last := ContainerBlock("terms"))
        last.children += terms
        return last

    def _list(self, parent: ContainerBlock, start: int | None, marker: str) -> ContainerBlock:
        last = parent.children[-1] if parent.children else None
        if isinstance(last, ContainerBlock) and last.kind == "list" and last.marker == marker:
            last.loose |= self._after_blank
            return last
        fresh = ContainerBlock("list", start=start, marker=marker)
        self._put(parent, fresh)
        return fresh

    def _open(
        self, depth: int, node: ContainerBlock, *, into: Callable[[ContainerBlock], ContainerBlock] | None = None
    ) -> None:
        self._close(depth)
        parent = self._stack[-1]
        if into:
            into(parent).children.append(node)
        else:
            self._put(parent, node)
        self._stack.append(node)
        self._after_blank = False

    def _put(self, parent: ContainerBlock, child: ContainerBlock | LeafBlock) -> None:
        self._loosen()
        parent.children.append(child)

    def _loosen(self) -> None:
        """Mark the list as loose if a blank line separates two blocks of its item."""
        item = self._stack[-1]
        if self._after_blank and item.kind == "item" and item.children:
            owner = self._stack[-2].children[-1]
            assert isinstance(owner, ContainerBlock)
            owner.loose = True

    def _add(self, leaf: LeafBlock) -> None:
        self._stack[-1].children.append(leaf)

    def _close(self, depth: int) -> None:
        """Close the open leaf and the containers below a depth."""
        self._finish()
        del self._stack[depth:]

    def _finish(self) -> None:
        leaf, self._leaf = self._leaf, None
        if leaf:
            text = "\n".join(leaf.lines)
            if leaf.kind != "hidden":
                self._add(LeafBlock(leaf.kind, text.rstrip("\n") if leaf.kind == "code" else text, leaf.line))

    def _paragraph(self) -> _Open | None:
        return self._leaf if self._leaf and self._leaf.kind == "text" else None

    def _lazy(self, rest: str) -> bool:
        text = rest.strip()
        return bool(self._paragraph()) and not (
            RULE.match(text) or heading_of(text) or HTML.match(text) or text.startswith("$$") or FOOTNOTE.match(text)
        )

    def _continue(self, number: int, leaf: _Open, rest: str) -> bool:
        """Add the line to the open leaf if it continues it; `_begin` continues paragraphs."""
        text = rest.strip()
        if leaf.end:
            self._until_its_end(number, leaf, rest)
            return True
        match leaf.kind:
            case "code":
                goes_on = not text or indent_of(rest) >= CODE_INDENT
                rest = rest[CODE_INDENT:]
            case "raw":
                goes_on = bool(text)
            case "table":
                goes_on = "|" in text and not QUOTE.match(rest)
            case "definition":
                goes_on = not text or indent_of(rest) >= LEAST_INDENT
                rest = f"    {text}" if text else ""
            case _:
                goes_on = False
        if goes_on:
            leaf.lines.append(rest)
        return goes_on

    def _until_its_end(self, number: int, leaf: _Open, rest: str) -> None:
        at = rest.lower().find(leaf.end)
        if at < 0:
            leaf.lines.append(rest)
            return
        after = at + len(leaf.end)
        leaf.lines.append(rest[: after if leaf.kind == "raw" else at])
        self._finish()
        if tail := rest[after:].strip():
            self._begin(number, tail)

    def _begin(self, number: int, rest: str) -> None:
        text, paragraph = rest.strip(), self._paragraph()
        self._loosen()
        if indent_of(rest) >= CODE_INDENT and not paragraph:
            self._start("code", number, rest[CODE_INDENT:])
        elif (
            paragraph
            and DELIMITER_ROW.match(text)
            and cell_count(text) == cell_count(paragraph.lines[-1])
            and "|" in text
        ):
            self._table(number, paragraph, text)
        elif paragraph and UNDERLINE.fullmatch(text) and len(self._stack) > 1:
            self._leaf = None
            self._add(LeafBlock("heading", " ".join(paragraph.lines), paragraph.line, 1 if text[0] == "=" else 2))
        elif single := self._single(number, text):
            self._finish()
            self._add(single)
        elif start := HTML.match(text):
            self._html(number, rest, start)
        elif text.startswith(("$$", "\\[")) and self._display(number, text):
            pass
        elif FOOTNOTE.match(text):
            self._start("definition", number, text)
        elif paragraph:
            paragraph.lines.append(rest.lstrip(" "))
        else:
            self._start("text", number, rest.lstrip(" "))

    def _single(self, number: int, text: str) -> LeafBlock | None:
        """Return the leaf that consists of this line alone."""
        if RULE.match(text):
            return LeafBlock("rule", "", number)
        if (heading := heading_of(text)) and len(self._stack) > 1:
            return LeafBlock("heading", heading[1], number, heading[0])
        if CONTENTS.match(text):
            return LeafBlock("contents", "", number)
        if DEFINITION.match(text) and not self._paragraph():
            return LeafBlock("definition", text, number)
        return None

    def _start(self, kind: str, number: int, text: str, end: str = "") -> None:
        self._finish()
        self._leaf = _Open(kind, number, [text], end)

    def _table(self, number: int, paragraph: _Open, row: str) -> None:
        header = paragraph.lines.pop()
        if not paragraph.lines:
            self._leaf = None
        self._start("table", number - 1, header)
        assert self._leaf
        self._leaf.lines.append(row)

    def _html(self, number: int, rest: str, start: re.Match[str]) -> None:
        name = (start["verbatim"] or "").lower()
        end = f"</{name}>" if name else "-->" if start["comment"] else ""
        hidden = end and name != "pre"
        self._start("hidden" if hidden else "raw", number, "" if end else rest, end)
        if end and self._leaf:
            self._until_its_end(number, self._leaf, rest)

    def _display(self, number: int, text: str) -> bool:
        closing = "$$" if text[0] == "$" else "\\]"
        inner = text[2:]
        if closing in inner:
            if not inner.endswith(closing) or inner.count(closing) > 1:
                return False
            self._finish()
            self._add(LeafBlock("display", inner[:-2].strip(), number))
            return True
        self.seen = number + LOOKS_AHEAD
        if not any(closing in line for line in self._lines[number : number + LOOKS_AHEAD]):
            return False
        self._start("display", number, inner, closing)
        return True
