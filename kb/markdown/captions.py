"""Captions: an image alone in a paragraph shows its title or alternative text below it."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

_ALONE = re.compile(r'<p>((?:<a [^>]*>)?<img((?:\s+[^\s=>"]+="[^"]*")*)\s*>(?:</a>)?)\s*</p>')
_REMOTE_ALONE = re.compile(r'<p>(<a class="remote-image" href="([^"]*)">↗ )([^<]*)</a>\s*</p>')
_ATTRIBUTE = re.compile(r'\s([^\s=>"]+)="([^"]*)"')
_SIZED = re.compile(r'(<img(?:\s+[^\s=>"]+="[^"]*")*)\s*>\{((?:\s*(?:[#.][\w-]+|[\w-]+=[^\s{}<>]{1,80}))+)\s*\}')
_WIDTH = re.compile(r"""(?:^|\s)width=["']?(\d{1,4}(?:px|%)?)["']?(?:\s|$)""")
_SAYS_NOTHING = frozenset(("", "alt", "alt text", "image", "img", "picture", "figure", "在这里插入图片描述", "图片"))


def with_captions(text: str) -> str:
    """Return sanitized HTML with captions below its images, and with the widths given in braces after them."""
    text = _REMOTE_ALONE.sub(_remote, text) if "remote-image" in text else text
    return _ALONE.sub(_figure, _SIZED.sub(_sized, text))


def _sized(match: re.Match[str]) -> str:
    found = _WIDTH.search(html.unescape(match[2]))
    return f'{match[1]} width="{found[1]}">' if found and " width=" not in match[1] else f"{match[1]}>"


def _figure(match: re.Match[str]) -> str:
    attributes = dict(_ATTRIBUTE.findall(match[2]))
    source, alternative = attributes.get("src", ""), attributes.get("alt", "").strip()
    if source.startswith("formula:"):
        return match[0]
    caption = attributes.get("title", "").strip() or ("" if _is_name(alternative, source) else alternative)
    return _with_below(match[1], caption)


def _remote(match: re.Match[str]) -> str:
    """Put the caption of a remote image below its address, where it stays when the image is loaded."""
    link, source, said = match.groups()
    words, _, address = said.rpartition(" ")
    words = words.strip()
    if not words or _is_name(words, source):
        return f'<p class="figure">{link}{said}</a></p>'
    return _with_below(f"{link}{address}</a>", words)


def _with_below(picture: str, caption: str) -> str:
    below = f'<p class="caption">{caption}</p>' if caption else ""
    return f'<p class="figure">{picture}</p>{below}'


def _is_name(words: str, source: str) -> bool:
    """Return whether words only say that there is an image, or repeat the name of its file."""
    file = unquote(html.unescape(source)).rsplit("/", 1)[-1].casefold()
    said = html.unescape(words).casefold()
    return said in _SAYS_NOTHING or said in (file, file.rsplit(".", 1)[0])
