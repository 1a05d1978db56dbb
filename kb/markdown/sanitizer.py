"""Sanitizes HTML: removes what runs, fetches or restyles, and names what is shown elsewhere."""

from __future__ import annotations

import html
import re

import nh3

from kb.markdown.constructs import CONSTRUCTS, SPAN_CLASSES

DEEPEST = 48  # nested elements
DEEPEST_BOXES = 5  # nested quotes, tables and admonitions: each level doubles the time of Qt's layout

_INLINE = (
    "a abbr b big br cite code del em font i img ins kbd q samp small span strike strong sub sup tt u var wbr "
    + " ".join(construct.tag for construct in CONSTRUCTS)
)
_BLOCK = (
    "blockquote caption center dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre summary table "
    "tbody td tfoot th thead tr ul"
)
_HIDING = "script style textarea title noscript template select svg math"
_FRAMING = (
    "applet article aside base body button embed footer form frame frameset head header html iframe input link main "
    "meta nav object section source video audio"
)
_CLASSES = (
    "admonition note tip important warning caution admonition-title task task-open task-done footnote footnote-ref "
    "footnote-backref formula formula-source"
)
_CLASSED = "p div span table li a code"
_SCHEMES = "http https mailto wiki snippet formula"
_SHOWN_SCHEMES = (  # a link with one of these becomes text with its address
    "file ftp sftp ssh smb tel vscode obsidian zotero"
)


def _any_of(names: str) -> str:
    return "|".join(sorted(names.split(), key=len, reverse=True))


_ATTRIBUTES = r"(?:\s+[^<>\"'=]{1,100}(?:=(?:\"[^\"<>]{0,4000}\"|'[^'<>]{0,4000}'|[^\s\"'<>]{0,4000}))?){0,30}\s*/?"
_COMMENT = r"<!--(?:(?!-->).){0,2000}-->"
INLINE_TAG = rf"(?i:</?(?:{_any_of(_INLINE)})(?:(?=[\s/>]){_ATTRIBUTES})?>)|{_COMMENT}"
_ANY_TAG = re.compile(rf"</?(?:{_any_of(_INLINE + ' ' + _BLOCK)})(?=[\s/>]){_ATTRIBUTES}>", re.IGNORECASE)
_HIDDEN = re.compile(rf"<({_any_of(_HIDING)})\b.*?(?:</\1\s*>|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
_DROPPED = re.compile(rf"</?(?:{_any_of(_FRAMING)})\b[^<>]{{0,4000}}>", re.IGNORECASE)

_PLAYED = re.compile(r"<(?:iframe|video|audio|source|embed)(\s[^<>]{1,4000})>", re.IGNORECASE)
_SOURCE = re.compile(r"\ssrc\s{0,9}=\s{0,9}[\"']((?:https?:)?[^\"'<>\s:]{2,2000})[\"']", re.IGNORECASE)
_TITLE = re.compile(r"\stitle\s{0,9}=\s{0,9}[\"']([^\"'<>]{1,200})[\"']", re.IGNORECASE)

_CLEANER = nh3.Cleaner(
    tags={*_INLINE.split(), *_BLOCK.split()},
    clean_content_tags={*_HIDING.split(), "iframe"},
    attributes={
        "a": {"href", "title", "name", "id"},
        "img": {"src", "alt", "title", "width", "height"},
        "ol": {"start", "type"},
        "ul": {"type"},
        "li": {"id"},
        "sup": {"id"},
        "p": {"align"},
        "div": {"align"},
        **{f"h{level}": {"align"} for level in range(1, 7)},
        "table": {"width", "border", "cellspacing", "cellpadding", "align"},
        "td": {"align", "colspan", "rowspan", "width"},
        "th": {"align", "colspan", "rowspan", "width"},
        "font": {"color"},
    },
    allowed_classes={tag: {*_CLASSES.split(), *SPAN_CLASSES.values()} for tag in _CLASSED.split()},
    url_schemes={*_SCHEMES.split(), *_SHOWN_SCHEMES.split()},
    link_rel=None,
    strip_comments=True,
)
_TAG = re.compile(r"""<(/?)([a-z][a-z0-9]*)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*>""")
_TABLE_PARTS = frozenset(("caption", "tbody", "td", "tfoot", "th", "thead", "tr"))
_ATTRIBUTE = re.compile(r'\s([^\s=>"]+)="([^"]*)"')
_ANCHOR_BEFORE = re.compile(r'(<a name="[^"]*"></a>)\s*(<p[^>]*>)')
_SIZED = re.compile(r"(.*)\|(\d{1,4})(?:x(\d{1,4}))?")  # width and height, as in Obsidian
_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_SAFE_LINK = re.compile(r"(?:https?|mailto|wiki|snippet):", re.IGNORECASE)


def known_tags_only(text: str) -> str:
    """Keep the known tags of a piece of HTML, and show unknown ones as text, which they probably are."""
    text = _DROPPED.sub("", _PLAYED.sub(_media_link, _HIDDEN.sub("", text)))
    parts: list[str] = []
    at = 0
    for tag in _ANY_TAG.finditer(text):
        parts += [text[at : tag.start()].replace("<", "&lt;"), tag[0]]
        at = tag.end()
    return "".join([*parts, text[at:].replace("<", "&lt;")])


def _media_link(played: re.Match[str]) -> str:
    """Return a link to the medium that the element would play."""
    source, title = _SOURCE.search(played[1]), _TITLE.search(played[1])
    if source is None:
        return ""
    return f'<p><a href="{source[1]}">▶ {title[1] if title else source[1]}</a></p>'


def sanitise(text: str) -> str:
    """Return well-formed HTML of known elements only, in the subset that Qt shows.

    Nothing in it runs or is fetched: a remote image becomes a link that shows its address, and a link with a scheme
    that is not for reading (file:, ftp:) becomes text with its address.
    """
    return _Rewriter(_CLEANER.clean(text)).rewritten()


class _Rewriter:
    """Rewrites the tags of clean HTML in one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[str, str, bool]] = []  # open elements: name, closing tag, whether it is a box

    def rewritten(self) -> str:
        """Return the rewritten HTML."""
        return _ANCHOR_BEFORE.sub(r"\2\1", _TAG.sub(self._tag, self._text))

    def _tag(self, match: re.Match[str]) -> str:
        closing, name, rest = match[1], match[2], match[3]
        if name in ("br", "hr", "wbr", "img"):
            return self._image(rest) if name == "img" else "" if name == "wbr" else f"<{name}>"
        if closing:
            return self._closed(name)
        attributes = dict(_ATTRIBUTE.findall(rest))
        box = name in ("blockquote", "table") or "admonition" in attributes.get("class", "").split()
        if self._is_cut(name, box=box):
            self._open.append((name, "", False))
            return " " if name in _TABLE_PARTS else ""
        opening, ending = self._opened(name, attributes)
        self._open.append((name, ending, box))
        return opening

    def _is_cut(self, name: str, *, box: bool) -> bool:
        """Return whether an element is too deep and is left out; its content stays."""
        if len(self._open) >= DEEPEST:
            return True
        if name in _TABLE_PARTS:
            return any(known == "table" and not ending for known, ending, _ in self._open)
        return box and sum(one[2] for one in self._open) >= DEEPEST_BOXES

    def _closed(self, name: str) -> str:
        is_open = self._open and self._open[-1][0] == name
        return self._open.pop()[1] if is_open else ""

    def _opened(self, name: str, attributes: dict[str, str]) -> tuple[str, str]:
        anchor = attributes.pop("id", "")
        if name == "a":
            return self._link(attributes, anchor or attributes.get("name", ""))
        before = f'<a name="{anchor}"></a>' if anchor else ""
        if name in SPAN_CLASSES:
            return f'<span class="{SPAN_CLASSES[name]}">', "</span>"
        if name == "ins":
            return "<u>", "</u>"
        if name == "details":
            return '<div class="details">', "</div>"
        if name == "summary":
            return '<p class="summary"><b>▾ ', "</b></p>"
        if name == "pre":
            attributes["class"] = "code"
        if name == "table":
            attributes = {"border": "1", "cellspacing": "0", "cellpadding": "6"} | attributes
        if name == "li" and attributes.get("class") == "task":
            attributes["style"] = "list-style-type:none"
        opening = f"<{name}{_attribute_text(attributes)}>"
        return opening + before if name == "li" else before + opening, f"</{name}>"

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
        return (f"<a{_attribute_text(attributes)}>", "</a>") if attributes else ("", "")

    def _image(self, rest: str) -> str:
        attributes = dict(_ATTRIBUTE.findall(rest))
        source = html.unescape(attributes.get("src", "")).strip()
        alt = html.unescape(attributes.get("alt", ""))
        if sized := _SIZED.fullmatch(alt):
            alt = sized[1].strip()
            attributes |= {"alt": html.escape(alt), "width": sized[2]}
            if sized[3]:
                attributes["height"] = sized[3]
        if source.startswith("formula:") or _is_in_vault(source):
            return f"<img{_attribute_text(attributes)}>"
        if not source:
            return f'<span class="remote-image">[{html.escape(alt, quote=False)}]</span>' if alt else ""
        shown = html.escape(f"{alt} {source[:200]}".strip(), quote=False)
        if _WEB.match(source) and all(name != "a" for name, _, _ in self._open):
            address = html.escape(f"https:{source}" if source.startswith("//") else source)
            return f'<a class="remote-image" href="{address}">↗ {shown}</a>'
        return f'<span class="remote-image">↗ {shown}</span>'


def _is_in_vault(source: str) -> bool:
    if not source or not source.isprintable() or _SCHEME.match(source):
        return False
    return not source.startswith(("//", "\\", "/\\"))


def _attribute_text(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in attributes.items())
