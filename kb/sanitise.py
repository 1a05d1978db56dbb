"""HTML made safe: what may run, fetch or restyle is taken out; what is shown elsewhere is said."""

from __future__ import annotations

import html
import re

import nh3

DEEPEST = 48  # elements within each other

_INLINE = frozenset(
    "a abbr b big br cite code del em font i img ins kbd mark q s samp small span strike strong sub sup tt u var wbr".split()
)
_BLOCK = frozenset(
    "blockquote center details dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre summary table tbody td tfoot th "
    "thead tr ul caption".split()
)
_ATTRIBUTES = r"(?:\s+[^<>\"'=]{1,100}(?:=(?:\"[^\"<>]{0,4000}\"|'[^'<>]{0,4000}'|[^\s\"'<>]{0,4000}))?){0,30}\s*/?"
INLINE_TAG = rf"(?i:</?(?:{'|'.join(sorted(_INLINE, key=len, reverse=True))})(?:(?=[\s/>]){_ATTRIBUTES})?>)|<!--(?:(?!-->).){{0,2000}}-->"
_ANY_TAG = re.compile(
    rf"</?(?:{'|'.join(sorted(_INLINE | _BLOCK, key=len, reverse=True))})(?=[\s/>]){_ATTRIBUTES}>", re.IGNORECASE
)
_HIDDEN = re.compile(
    r"<(script|style|textarea|title|noscript|template|select|svg|math)\b.*?(?:</\1\s*>|$)|<!--.*?(?:-->|$)",
    re.IGNORECASE | re.DOTALL,
)
_DROPPED = re.compile(
    r"</?(?:html|head|body|iframe|object|embed|applet|form|input|button|meta|link|base|frame|frameset|video|audio|source|main|section|article|header|footer|nav|aside)\b[^<>]{0,4000}>",
    re.IGNORECASE,
)

_CLASSES = frozenset(
    "admonition note tip important warning caution admonition-title task task-open task-done footnote footnote-ref footnote-backref "
    "formula formula-source mark".split()
)
_CLEANER = nh3.Cleaner(
    tags=set(_INLINE | _BLOCK),
    clean_content_tags={"script", "style", "textarea", "title", "noscript", "template", "select", "svg", "math", "iframe"},
    attributes={
        "a": {"href", "title", "name", "id"},
        "img": {"src", "alt", "title", "width", "height"},
        "ol": {"start", "type"},
        "ul": {"type"},
        "li": {"id"},
        "sup": {"id"},
        "p": {"align"}, "div": {"align"}, "h1": {"align"}, "h2": {"align"}, "h3": {"align"},
        "table": {"width", "border", "cellspacing", "cellpadding", "align"},
        "td": {"align", "colspan", "rowspan", "width"},
        "th": {"align", "colspan", "rowspan", "width"},
        "font": {"color"},
    },
    allowed_classes={tag: set(_CLASSES) for tag in ("p", "div", "span", "table", "li", "a", "code", "img", "ol", "ul")},
    url_schemes={"http", "https", "mailto", "wiki", "snippet", "formula", "file", "ftp"},
    link_rel=None,
    strip_comments=True,
)  # fmt: skip
_TAG = re.compile(r"""<(/?)([a-z][a-z0-9]*)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*>""")
_ATTRIBUTE = re.compile(r'\s([^\s=>"]+)="([^"]*)"')
_ANCHOR_BEFORE = re.compile(r'(<a name="[^"]*"></a>)\s*(<p[^>]*>)')
_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_SAFE_LINK = re.compile(r"(?:https?|mailto|wiki|snippet):", re.IGNORECASE)


def known_tags_only(text: str) -> str:
    """Let only known tags of a piece of HTML stand; an unknown one is shown as the text it probably is."""
    text = _DROPPED.sub("", _HIDDEN.sub("", text))
    parts: list[str] = []
    at = 0
    for tag in _ANY_TAG.finditer(text):
        parts += [text[at : tag.start()].replace("<", "&lt;"), tag[0]]
        at = tag.end()
    return "".join([*parts, text[at:].replace("<", "&lt;")])


def sanitise(text: str) -> str:
    """Give well-formed HTML of known elements only, in the subset that Qt shows.

    Nothing in it runs or is fetched: a picture from elsewhere becomes a link that says its address, a link with a scheme
    that is not for reading (file:, ftp:) becomes text that says where it led.
    """
    return _Rewriter(_CLEANER.clean(text)).rewritten()


class _Rewriter:
    """Goes over the tags of clean HTML once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[str, str]] = []  # the names of open elements, and what closes each

    def rewritten(self) -> str:
        """Give the HTML with each tag as it should be."""
        return _ANCHOR_BEFORE.sub(r"\2\1", _TAG.sub(self._tag, self._text))

    def _tag(self, match: re.Match[str]) -> str:
        closing, name, rest = match[1], match[2], match[3]
        if name in ("br", "hr", "wbr", "img"):
            return self._image(rest) if name == "img" else "" if name == "wbr" else f"<{name}>"
        if closing:
            return self._closed(name)
        if len(self._open) >= DEEPEST:
            self._open.append((name, ""))
            return ""
        opening, ending = self._opened(name, dict(_ATTRIBUTE.findall(rest)))
        self._open.append((name, ending))
        return opening

    def _closed(self, name: str) -> str:
        if self._open and self._open[-1][0] == name:
            return self._open.pop()[1]
        return ""

    def _opened(self, name: str, attributes: dict[str, str]) -> tuple[str, str]:
        anchor = attributes.pop("id", "")
        if name == "a":
            return self._link(attributes, anchor or attributes.get("name", ""))
        before = f'<a name="{anchor}"></a>' if anchor else ""
        if name == "mark":
            return '<span class="mark">', "</span>"
        if name == "ins":
            return "<u>", "</u>"
        if name == "details":
            return '<div class="details">', "</div>"
        if name == "summary":
            return '<p class="summary"><b>▸ ', "</b></p>"
        if name == "table":
            attributes = {"border": "1", "cellspacing": "0", "cellpadding": "6"} | attributes
        if name == "li" and attributes.get("class") == "task":
            attributes["style"] = "list-style-type:none"
        return (
            f"<{name}{_written(attributes)}>{before}" if name == "li" else f"{before}<{name}{_written(attributes)}>"
        ), f"</{name}>"

    def _link(self, attributes: dict[str, str], anchor: str) -> tuple[str, str]:
        if anchor:
            attributes["name"] = anchor
        target = html.unescape(attributes.get("href", ""))
        if not target:
            attributes.pop("href", None)
        elif target.startswith("//"):
            attributes["href"] = "https:" + attributes["href"]
        elif (_SCHEME.match(target) and not _SAFE_LINK.match(target)) or target.startswith(("\\", "/\\")):
            return '<span class="blocked-link">', f" <code>{html.escape(target, quote=False)}</code></span>"
        return (f"<a{_written(attributes)}>", "</a>") if attributes else ("", "")

    def _image(self, rest: str) -> str:
        attributes = dict(_ATTRIBUTE.findall(rest))
        source = html.unescape(attributes.get("src", ""))
        alt = html.unescape(attributes.get("alt", ""))
        if source.startswith("formula:") or (
            source and not _SCHEME.match(source) and not source.startswith(("//", "\\", "/\\"))
        ):
            return f"<img{_written(attributes)}>"
        if not source:
            return f'<span class="remote-image">[{html.escape(alt, quote=False)}]</span>' if alt else ""
        shown = html.escape(f"{alt} {source[:200]}".strip(), quote=False)
        if _WEB.match(source) and all(name != "a" for name, _ in self._open):
            address = html.escape(source if ":" in source.partition("//")[0] else f"https:{source}")
            return f'<a class="remote-image" href="{address}">🖼 {shown}</a>'
        return f'<span class="remote-image">🖼 {shown}</span>'


def _written(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in attributes.items())
