"""The patterns of inline text for python-markdown: its own and ours, each tried only where it can match."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from urllib.parse import quote
from xml.etree import ElementTree as ET

import markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import HtmlInlineProcessor, InlineProcessor, SimpleTextInlineProcessor
from markdown.treeprocessors import InlineProcessor as InlineTreeProcessor
from markdown.util import AtomicString

from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.delimited_construct import DelimitedConstruct
from kb.markdown.emoji import SHORT_NAME, emoji_of
from kb.markdown.sanitizer import INLINE_TAG

Draw = Callable[[str, bool], str | None]

# What a text must contain for a pattern to match. A pattern without an entry is always tried.
_REQUIRED: dict[str, tuple[str, ...]] = {
    "backtick": ("`",),
    "math": ("$", "\\"),
    "wikilink": ("[[",),
    "escape": ("\\",),
    "footnote": ("[^",),
    "reference": ("[",),
    "link": ("[",),
    "image_link": ("![",),
    "image_reference": ("![",),
    "short_reference": ("[",),
    "short_image_ref": ("![",),
    "autolink": ("<",),
    "automail": ("<",),
    "linebreak": ("  \n",),
    "html": ("<",),
    "bare_address": ("://", "www."),
    "entity": ("&",),
    "special_name": ("__",),
    "emoji": (":",),
    "em_strong": ("*", "_"),
    **{construct.name: (construct.delimiter,) for construct in CONSTRUCTS},
}
_MATH = (
    r"\\\((?P<round>[^\n]{1,2000}?)\\\)|\\\[(?P<square>[^\n]{1,2000}?)\\\]"
    r"|(?<![\\$])\$\$(?!\$)(?P<wide>[^$]{1,2000}?)(?<!\\)\$\$(?!\$)"
    r"|(?<![\\$A-Za-z0-9])\$(?![\s$\d,.]*\$)(?=[^\s$])(?P<narrow>(?:[^$\\\n]|\\.){1,1000}?)(?<![\s\\])\$(?![\d$A-Za-z])"
)
_WIKI = r"(?P<embed>!?)\[\[(?P<target>[^\[\]\n]{1,500})\]\]"
# \x02 begins what python-markdown has put in the place of a construct that it read before, such as a line break.
_ADDRESS = r"(?<![\w/@.=\"'])(?:https?://|www\.(?=\w))[^\s\x02<>\"'`，。；：！？、（）【】「」《》“”\u3000]{2,2000}"
_SPECIAL_NAMES = (  # of Python, which nobody means in bold
    "add|all|author|bool|call|class|contains|copy|deepcopy|del|delitem|dict|doc|enter|eq|exit|file|float|future|ge|"
    "getattr|getattribute|getitem|getstate|gt|hash|iadd|imul|index|init|init_subclass|int|invert|iter|le|len|lt|main|"
    "matmul|mod|module|mul|name|ne|neg|new|next|path|post_init|pow|qualname|radd|reduce|repr|rmul|set_name|setattr|"
    "setitem|setstate|slots|spec|str|sub|torch_dispatch|torch_function|truediv|version"
)
_SPECIAL_NAME = rf"(?<!\w)(__(?:{_SPECIAL_NAMES})__)(?!\w)"


class _Math(InlineProcessor):
    def __init__(self, draw: Draw) -> None:
        super().__init__(_MATH)
        self._draw = draw

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[ET.Element | None, int | None, int | None]:  # type: ignore[override]  # noqa: ARG002, N802
        name, latex = next((name, text) for name, text in m.groupdict().items() if text)
        key = self._draw(latex, name in ("wide", "square"))
        if key:
            element = ET.Element("img", {"src": f"formula:{key}", "alt": " ".join(latex.split())[:200]})
        elif name in ("round", "square"):
            return None, None, None  # brackets that were only escaped
        else:
            element = ET.Element("code", {"class": "formula-source"})
            element.text = AtomicString(latex.strip())
        return element, m.start(0), m.end(0)


class _Wiki(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[ET.Element, int, int]:  # type: ignore[override]  # noqa: ARG002, N802
        target, _, label = m["target"].replace("\\|", "|").partition("|")
        if m["embed"] and re.search(r"\.(png|jpe?g|gif|svg|webp|bmp)$", target.strip(), re.IGNORECASE):
            image = {"src": quote(target.strip(), safe="/:"), "alt": label}
            if re.fullmatch(r"\d{1,4}(?:x\d{1,4})?", label.strip()):
                image["alt"] = f"|{label.strip()}"  # a size, as after the alternative text of any other image
            return ET.Element("img", image), m.start(0), m.end(0)
        element = ET.Element("a", {"href": "wiki:" + quote(target.strip(), safe="/#")})
        element.text = AtomicString((label or target).strip())
        return element, m.start(0), m.end(0)


class _BareAddress(InlineProcessor):
    ANCESTOR_EXCLUDES = ("a",)

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[ET.Element, int, int]:  # type: ignore[override]  # noqa: ARG002, N802
        address = m[0].rstrip(".,;:!?*_~'")
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(".,;:!?*_~'")
        element = ET.Element("a", {"href": address if "://" in address else f"https://{address}"})
        element.text = AtomicString(address)
        return element, m.start(0), m.start(0) + len(address)


class _Emoji(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str | None, int | None, int | None]:  # type: ignore[override]  # noqa: ARG002, N802
        sign = emoji_of(m["emoji"].strip(":"))
        return (sign, m.start(0), m.end(0)) if sign else (None, None, None)


class _Delimited(InlineProcessor):
    def __init__(self, construct: DelimitedConstruct) -> None:
        super().__init__(construct.pattern())
        self._construct = construct

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[ET.Element, int, int]:  # type: ignore[override]  # noqa: ARG002, N802
        element = ET.Element(self._construct.tag)
        element.text = m[f"{self._construct.name}_text"]
        return element, m.start(0), m.end(0)


class InlinePatterns(Extension):
    """Adds our patterns to python-markdown's, and replaces its processor of inline text."""

    def __init__(self, draw: Draw) -> None:
        """`draw` returns the key of a formula, or None if it cannot be drawn."""
        super().__init__()
        self._draw = draw

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802
        """Register everything."""
        md.ESCAPED_CHARS = list(string.punctuation)
        patterns = md.inlinePatterns
        patterns.register(_Math(self._draw), "math", 185)
        patterns.register(_Wiki(_WIKI), "wikilink", 182)
        patterns.deregister("html")
        patterns.register(HtmlInlineProcessor(f"({INLINE_TAG})", md), "html", 90)
        patterns.register(_BareAddress(_ADDRESS), "bare_address", 85)
        patterns.register(SimpleTextInlineProcessor(_SPECIAL_NAME), "special_name", 68)
        patterns.register(_Emoji(SHORT_NAME), "emoji", 67)
        for construct in CONSTRUCTS:
            patterns.register(_Delimited(construct), construct.name, construct.priority)
        md.treeprocessors.register(SelectiveInline(md), "inline", 20)


class SelectiveInline(InlineTreeProcessor):
    """Processes each text with only those patterns that can match in it, and most texts with none.

    python-markdown would try each of some twenty patterns on each text, which takes a quarter longer in all.
    """

    def __init__(self, md: markdown.Markdown) -> None:
        """Take over the patterns that are registered by now."""
        super().__init__(md)
        patterns = md.inlinePatterns
        required = {id(patterns[name]): signs for name, signs in _REQUIRED.items() if name in patterns}
        self._patterns = [(required.get(id(pattern), ("",)), pattern) for pattern in patterns]
        self._signs = re.compile("|".join({re.escape(sign) for signs, _ in self._patterns for sign in signs}))

    def run(self, tree: ET.Element, ancestors: list[str] | None = None) -> ET.Element:
        """Replace the Markdown in the texts of a tree by elements, in python-markdown's order."""
        queue = [(tree, [*(ancestors or ()), tree.tag.lower()])]
        for parent, names in queue:  # level by level: footnotes are numbered in this order
            for child in list(parent):
                if len(child):
                    queue.append((child, [*names, child.tag.lower()]))
                self._process(parent, child, names)
        return tree

    def _process(self, parent: ET.Element, child: ET.Element, names: list[str]) -> None:
        if child.text and not isinstance(child.text, AtomicString) and self._signs.search(child.text):
            made = self._made(child.text, [*names, child.tag.lower()])
            child.text, child[0:0] = made.text, list(made)
        if child.tail and self._signs.search(child.tail):
            made = self._made(child.tail, names)
            child.tail, at = made.text, list(parent).index(child) + 1
            parent[at:at] = list(made)

    def _made(self, text: str, names: list[str]) -> ET.Element:
        """Return an element with the processed text, as if it were within elements of these names."""
        holder = ET.Element("div")
        element = ET.SubElement(holder, names[-1])
        element.text = text
        chosen = [pattern for signs, pattern in self._patterns if any(sign in text for sign in signs)]
        self.inlinePatterns = chosen  # type: ignore[assignment]  # read like a list, and a list is quicker
        super().run(holder, names[:-1])
        return element
