"""Passes the blocks of a note to python-markdown.

`block_parser` reads the blocks. python-markdown gets their texts one after another, with marks in between for the
lists, quotes and code that contain them, so that it cannot nest them wrongly. It reads what it reads well: links with
references, footnotes, tables, emphasis. A mark is a number between two noncharacters of Unicode, which are removed from
notes first.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import markdown
from markdown.extensions import Extension
from markdown.extensions.tables import TableExtension

from kb.markdown.block_tree import ContainerBlock, LeafBlock
from kb.markdown.inline_patterns import Draw, InlinePatterns
from kb.markdown.line_syntax import CALLOUT
from kb.markdown.sanitizer import known_tags_only

BEGIN, END, TIGHT = "\ufdd0", "\ufdd1", "\ufdd2"
_RESERVED = re.compile(f"[{BEGIN}-\ufdef\x00\x02\x03]")
_KINDS = {
    "tip": ("hint", "success", "check", "done"),
    "important": ("abstract", "summary", "tldr"),
    "warning": ("attention", "question", "help", "faq"),
    "caution": ("danger", "error", "bug", "failure", "fail", "missing"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in (kind, *names)}
_TITLES = {
    "note": ("Note", "注意"), "tip": ("Tip", "提示"), "important": ("Important", "重要"),
    "warning": ("Warning", "警告"), "caution": ("Caution", "小心"), "info": ("Info", "信息"), "todo": ("To do", "待办"),
    "hint": ("Hint", "提示"), "success": ("Success", "成功"), "check": ("Check", "通过"), "done": ("Done", "完成"),
    "abstract": ("Abstract", "摘要"), "summary": ("Summary", "小结"), "tldr": ("TL;DR", "要点"),
    "attention": ("Attention", "注意"), "question": ("Question", "问题"), "help": ("Help", "帮助"),
    "faq": ("FAQ", "常见问题"), "danger": ("Danger", "危险"), "error": ("Error", "错误"), "bug": ("Bug", "缺陷"),
    "failure": ("Failure", "失败"), "fail": ("Fail", "失败"), "missing": ("Missing", "缺失"),
    "example": ("Example", "示例"), "quote": ("Quote", "引用"), "cite": ("Cite", "引用"),
    "seealso": ("See also", "另见"),
}  # fmt: skip
_HAN = "\u2e80-\u303f\u30a0-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN_HAN = re.compile(f"(?<=[{_HAN}])\n(?=[{_HAN}])")
_ENDS_A_LINE = re.compile(r"(?<=[。：；！？])\n|(?<!\\)\\\n")


@dataclass(frozen=True)
class BlockMark:
    """The meaning of a mark in the text.

    kind: html (`text` replaces the mark), element (`text` is the tag around what follows), section, fence, snippet,
    code, contents, task (`text` is "open" or "done").
    """

    kind: str
    text: str
    line: int = 0
    level: int = 0


def without_marks(text: str) -> str:
    """Replace the characters that marks are made of."""
    return _RESERVED.sub("\ufffd", text)


class Composer:
    """Writes a tree of blocks as flat Markdown with marks."""

    def __init__(self, *, draw: Draw, chinese: bool) -> None:
        self.marks: list[BlockMark] = []
        self._draw = draw
        self._chinese = chinese
        self._chunks: list[str] = []
        self._latest = -1  # the last mark for HTML

    def compose(self, root: ContainerBlock) -> str:
        """Return the Markdown, and put the meaning of its marks into `marks`."""
        self._children(root, tight=False)
        return "\n\n".join(self._chunks) + "\n"

    def _mark(self, kind: str, text: str, *, line: int = 0, level: int = 0, after: str = "") -> None:
        self.marks.append(BlockMark(kind, text, line, level))
        self._chunks.append(f"{BEGIN}{len(self.marks) - 1}{END}{after}")

    def _html(self, text: str) -> None:
        """Add HTML to the last mark if nothing follows it, or a mark: python-markdown's time grows with paragraphs."""
        last = self._latest
        if last >= 0 and self._chunks[-1] == f"{BEGIN}{last}{END}":
            self.marks[last] = BlockMark("html", self.marks[last].text + text)
        else:
            self._mark("html", text)
            self._latest = len(self.marks) - 1

    def _children(self, parent: ContainerBlock, *, tight: bool) -> None:
        for child in parent.children:
            if isinstance(child, LeafBlock):
                self._leaf(child, tight=tight)
            else:
                self._container(child)

    def _container(self, node: ContainerBlock) -> None:
        if node.kind == "quote" and (callout := _callout(node)):
            self._admonition(*callout)
        elif node.kind == "admonition":
            self._admonition(node.label, node.title or "", node)
        elif node.kind == "list":
            self._list(node)
        elif node.kind == "terms":
            self._terms(node)
        else:
            self._html("<blockquote>")
            self._children(node, tight=False)
            self._html("</blockquote>")

    def _list(self, node: ContainerBlock) -> None:
        start = "" if node.start in (None, 1) else f' start="{node.start}"'
        tag = "ul" if node.start is None else "ol"
        self._html(f"<{tag}{start}>")
        for item in node.children:
            assert isinstance(item, ContainerBlock)
            self._item(item, tight=not node.loose)
        self._html(f"</{tag}>")

    def _item(self, item: ContainerBlock, *, tight: bool) -> None:
        box = ""
        if item.task:
            self.marks.append(BlockMark("task", item.task, item.line))
            box = f"{BEGIN}{len(self.marks) - 1}{END} "
        self._html(f'<li class="task">{box}' if box else "<li>")
        first = item.children[0] if item.children else None
        self._children(item, tight=tight or (bool(box) and isinstance(first, LeafBlock) and len(item.children) == 1))
        self._html("</li>")

    def _terms(self, node: ContainerBlock) -> None:
        self._html("<dl>")
        for child in node.children:
            if isinstance(child, LeafBlock):
                self._mark("element", "dt", after=_one_line(child.text))
            else:
                self._html("<dd>")
                self._children(child, tight=len(child.children) == 1)
                self._html("</dd>")
        self._html("</dl>")

    def _admonition(self, name: str, title: str, node: ContainerBlock) -> None:
        kind = _KIND_OF.get(name.lower(), "note")
        self._mark(
            "html",
            f'<table class="admonition {kind}" width="100%" border="0" cellspacing="0" cellpadding="10"><tr><td>',
        )
        plain = titles[self._chinese] if (titles := _TITLES.get(name.lower())) else name.capitalize()
        self._mark("element", 'p class="admonition-title"', after=title or plain)
        self._children(node, tight=False)
        self._html("</td></tr></table>")

    def _leaf(self, leaf: LeafBlock, *, tight: bool) -> None:
        match leaf.kind:
            case "text":
                text = _with_breaks(leaf.text)
                self._chunks.append(TIGHT + text if tight else text)
            case "table" | "definition":
                self._chunks.append(leaf.text)
            case "raw":
                self._html(known_tags_only(leaf.text))
            case "rule":
                self._html("<hr>")
            case "display":
                self._display(leaf.text)
            case "heading":
                self._mark("element", f"h{leaf.level}", after=_one_line(leaf.text))
            case "section":
                self._mark("section", "", line=leaf.line, level=leaf.level, after=_one_line(leaf.text))
            case kind:
                self._mark(kind, leaf.text, line=leaf.line)

    def _display(self, latex: str) -> None:
        key = self._draw(latex, True)
        if key:
            alt = html.escape(_one_line(latex)[:200])
            self._html(f'<p class="formula" align="center"><img src="formula:{key}" alt="{alt}"></p>')
        else:
            self._mark("code", latex)


def _callout(node: ContainerBlock) -> tuple[str, str, ContainerBlock] | None:
    first = node.children[0] if node.children else None
    if not isinstance(first, LeafBlock) or first.kind != "text":
        return None
    head, _, rest = first.text.partition("\n")
    match = CALLOUT.match(head)
    if not match:
        return None
    body = [LeafBlock("text", rest, first.line + 1)] if rest.strip() else []
    return match[1], match[2].strip(), ContainerBlock("quote", children=[*body, *node.children[1:]])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _with_breaks(text: str) -> str:
    """Keep intended line breaks, and join lines of Chinese without a space."""
    return _BETWEEN_HAN.sub("", _ENDS_A_LINE.sub("  \n", text))


class _TextOnly(Extension):
    """Leaves python-markdown the text within blocks, tables, references and footnotes: we read the other blocks."""

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802
        for name in ("indent", "code", "hashheader", "setextheader", "hr", "olist", "ulist", "quote"):
            md.parser.blockprocessors.deregister(name)
        md.preprocessors.deregister("html_block")


def converter(draw: Draw, footnotes: Extension) -> markdown.Markdown:
    """Return a python-markdown that reads composed text. `draw` returns the key of a formula, or None."""
    return markdown.Markdown(
        extensions=[TableExtension(use_align_attribute=True), footnotes, _TextOnly(), InlinePatterns(draw)],
        output_format="html",
    )
