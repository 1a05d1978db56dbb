"""Markdown as people write it for GitHub and Obsidian, for python-markdown to read.

The blocks are read by `block_syntax`. python-markdown gets the text of each, one after another, with marks between
them that stand for the lists, quotes and code they belong to; so it cannot misread what stands in what. It does
what it does well: links with references, footnotes, tables, emphasis. A mark is a number between two characters that no
note contains (they are not characters at all in Unicode, and are taken out beforehand).
"""

from __future__ import annotations

import html
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree as ET

import markdown
from markdown.extensions import Extension
from markdown.extensions.tables import TableExtension
from markdown.inlinepatterns import InlineProcessor, SimpleTagInlineProcessor, SimpleTextInlineProcessor

from kb.markdown.block_syntax import ContainerBlock, LeafBlock
from kb.markdown.emoji import SHORT_NAME, emoji_of
from kb.markdown.fast_inline import FastInline
from kb.markdown.sanitizer import INLINE_TAG, known_tags_only

BEGIN, END, TIGHT = "\ufdd0", "\ufdd1", "\ufdd2"
_RESERVED = re.compile(f"[{BEGIN}-\ufdef\x00\x02\x03]")
_CALLOUT = re.compile(r"\[!([A-Za-z]+)\][+-]? *(.*)")
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
_SPECIAL_NAMES = (  # of Python, which nobody means in bold
    "add|all|author|bool|call|class|contains|copy|deepcopy|del|delitem|dict|doc|enter|eq|exit|file|float|future|ge|"
    "getattr|getattribute|getitem|getstate|gt|hash|iadd|imul|index|init|init_subclass|int|invert|iter|le|len|lt|main|"
    "matmul|mod|module|mul|name|ne|neg|new|next|path|post_init|pow|qualname|radd|reduce|repr|rmul|set_name|setattr|"
    "setitem|setstate|slots|spec|str|sub|torch_dispatch|torch_function|truediv|version"
)
_SPECIAL_NAME = rf"(?<!\w)(__(?:{_SPECIAL_NAMES})__)(?!\w)"
_HAN = "\u2e80-\u303f\u30a0-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN_HAN = re.compile(f"(?<=[{_HAN}])\n(?=[{_HAN}])")
_ENDS_A_LINE = re.compile(r"(?<=[。：；！？])\n|(?<!\\)\\\n")

Draw = Callable[[str, bool], str | None]


@dataclass(frozen=True)
class BlockMark:
    """What a mark in the text stands for.

    kind: html (`text` stands in its place), element (`text` is the tag round what follows it), section, fence,
    snippet, code, contents, task (whether it is done is in `text`).
    """

    kind: str
    text: str
    line: int = 0
    level: int = 0


def without_marks(text: str) -> str:
    """Take out the characters that the marks are made of."""
    return _RESERVED.sub("\ufffd", text)


class Composer:
    """Writes a tree of blocks down as flat Markdown with marks."""

    def __init__(self, *, draw: Draw, chinese: bool) -> None:
        self.marks: list[BlockMark] = []
        self._draw = draw
        self._chinese = chinese
        self._chunks: list[str] = []
        self._latest = -1  # the mark whose chunk came last, if it is of HTML

    def compose(self, root: ContainerBlock) -> str:
        """Give the Markdown; `marks` then has what its marks stand for."""
        self._children(root, tight=False)
        return "\n\n".join(self._chunks) + "\n"

    def _mark(self, kind: str, text: str, *, line: int = 0, level: int = 0, after: str = "") -> None:
        self.marks.append(BlockMark(kind, text, line, level))
        self._chunks.append(f"{BEGIN}{len(self.marks) - 1}{END}{after}")

    def _html(self, text: str) -> None:
        """Add a mark for HTML, or add to the one just made: python-markdown's time goes by the number of paragraphs."""
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
    match = _CALLOUT.match(head)
    if not match:
        return None
    body = [LeafBlock("text", rest, first.line + 1)] if rest.strip() else []
    return match[1], match[2].strip(), ContainerBlock("quote", children=[*body, *node.children[1:]])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _with_breaks(text: str) -> str:
    """Keep the breaks between lines that were meant; a line of Chinese goes on in the next without a space."""
    return _BETWEEN_HAN.sub("", _ENDS_A_LINE.sub("  \n", text))


class _Math(InlineProcessor):
    def __init__(self, pattern: str, draw: Draw) -> None:
        super().__init__(pattern)
        self._draw = draw

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[ET.Element | None, int | None, int | None]:  # type: ignore[override]  # noqa: ARG002, N802
        name, latex = next((name, text) for name, text in m.groupdict().items() if text)
        key = self._draw(latex, name in ("wide", "square"))
        if key:
            element = ET.Element("img", {"src": f"formula:{key}", "alt": _one_line(latex)[:200]})
        elif name in ("round", "square"):
            return None, None, None  # brackets that were only escaped
        else:
            element = ET.Element("code", {"class": "formula-source"})
            element.text = markdown.util.AtomicString(latex.strip())
        return element, m.start(0), m.end(0)


class _Wiki(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[ET.Element, int, int]:  # type: ignore[override]  # noqa: ARG002, N802
        target, _, label = m["target"].replace("\\|", "|").partition("|")
        if m["embed"] and re.search(r"\.(png|jpe?g|gif|svg|webp|bmp)$", target.strip(), re.IGNORECASE):
            image = {"src": quote(target.strip(), safe="/:"), "alt": label}
            if re.fullmatch(r"\d{1,4}(?:x\d{1,4})?", label.strip()):
                image["alt"] = f"|{label.strip()}"  # a size, as behind the words of any other image
            return ET.Element("img", image), m.start(0), m.end(0)
        element = ET.Element("a", {"href": "wiki:" + quote(target.strip(), safe="/#")})
        element.text = markdown.util.AtomicString((label or target).strip())
        return element, m.start(0), m.end(0)


class _BareAddress(InlineProcessor):
    ANCESTOR_EXCLUDES = ("a",)

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[ET.Element, int, int]:  # type: ignore[override]  # noqa: ARG002, N802
        address = m[0].rstrip(".,;:!?*_~'")
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(".,;:!?*_~'")
        element = ET.Element("a", {"href": address if "://" in address else f"https://{address}"})
        element.text = markdown.util.AtomicString(address)
        return element, m.start(0), m.start(0) + len(address)


class _Emoji(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str | None, int | None, int | None]:  # type: ignore[override]  # noqa: ARG002, N802
        sign = emoji_of(m["emoji"].strip(":"))
        return (sign, m.start(0), m.end(0)) if sign else (None, None, None)


class _Habits(Extension):
    """Leaves python-markdown the inline text, tables, references and footnotes, and adds what people write besides."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self._draw = draw

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802
        for name in ("indent", "code", "hashheader", "setextheader", "hr", "olist", "ulist", "quote"):
            md.parser.blockprocessors.deregister(name)
        md.preprocessors.deregister("html_block")
        md.ESCAPED_CHARS = list(string.punctuation)
        patterns = md.inlinePatterns
        math = (
            r"\\\((?P<round>[^\n]{1,2000}?)\\\)|\\\[(?P<square>[^\n]{1,2000}?)\\\]"
            r"|(?<![\\$])\$\$(?!\$)(?P<wide>[^$]{1,2000}?)(?<!\\)\$\$(?!\$)"
            r"|(?<![\\$A-Za-z0-9])\$(?![\s$\d,.]*\$)(?=[^\s$])(?P<narrow>(?:[^$\\\n]|\\.){1,1000}?)(?<![\s\\])\$(?![\d$A-Za-z])"
        )
        patterns.register(_Math(math, self._draw), "math", 185)
        patterns.register(_Wiki(r"(?P<embed>!?)\[\[(?P<target>[^\[\]\n]{1,500})\]\]"), "wikilink", 182)
        patterns.deregister("html")
        patterns.register(markdown.inlinepatterns.HtmlInlineProcessor(f"({INLINE_TAG})", md), "html", 90)
        address = r"(?<![\w/@.=\"'])(?:https?://|www\.(?=\w))[^\s<>\"'`，。；：！？、（）【】「」《》“”\u3000]{2,2000}"
        patterns.register(_BareAddress(address), "bare_address", 85)
        patterns.register(SimpleTextInlineProcessor(_SPECIAL_NAME), "special_name", 68)
        patterns.register(_Emoji(SHORT_NAME), "emoji", 67)
        patterns.register(SimpleTagInlineProcessor(r"(~~)(?=[^\s~])(.{1,2000}?)(?<=[^\s~])~~", "s"), "strike", 66)
        patterns.register(
            SimpleTagInlineProcessor(r"(?<![=!<>])(==)(?=[^\s=])(.{1,2000}?)(?<=[^\s=])==(?!=)", "mark"), "mark", 65
        )


def converter(draw: Draw, footnotes: Extension) -> markdown.Markdown:
    """Make a python-markdown that reads composed text. `draw` gives a formula's key, or None."""
    made = markdown.Markdown(
        extensions=[TableExtension(use_align_attribute=True), footnotes, _Habits(draw)], output_format="html"
    )
    made.treeprocessors.register(FastInline(made), "inline", 20)  # in the place of python-markdown's own
    return made
