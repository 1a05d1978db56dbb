"""Exports a page as HTML: the body alone, or one file with styles, formulas and images in it."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Mapping
from urllib.parse import unquote

from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.highlight import stylesheet
from kb.rendering.rendered_page import EM, Cell, Formula, Page, PageSection

_IMAGE = re.compile(r'<img((?:\s+[^\s=>"]+="[^"]*")*)\s*>')
_SOURCE = re.compile(r'\ssrc="([^"]*)"')
_ALT = re.compile(r'\salt="([^"]*)"')
_TASK = re.compile(r'<a (class="task-(?:open|done)") href="task:\d+">(.)</a>')
_WIKI = re.compile(r'<a href="wiki:[^"]*">((?:(?!</?a\b).)*)</a>', re.DOTALL)
_STARTS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
    b"\0\0\1\0": "image/x-icon",
}
_SVG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>\[]*>\s*)*<svg[\s>]", re.DOTALL
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)

_STYLE = """
:root { color-scheme: light; }
body { max-width: 46rem; margin: 2.5rem auto; padding: 0 1.25rem; line-height: 1.7;
  background: %(paper)s; color: %(ink)s;
  font-family: system-ui, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; }
h1, h2, h3, h4, h5, h6 { line-height: 1.3; margin: 1.8em 0 0.6em; }
a { color: %(accent)s; }
code, pre, kbd { font-size: 0.9em;
  font-family: "JetBrains Mono", Consolas, Menlo, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; }
code, kbd { background: %(shade)s; padding: 0.1em 0.3em; border-radius: 4px; }
pre { background: %(shade)s; padding: 0.8em 1em; border-radius: 8px; overflow-x: auto; line-height: 1.5; }
pre.plain { white-space: pre-wrap; }
.cell { border: 1px solid %(line)s; border-radius: 8px; margin: 1.2em 0; overflow: hidden; }
.cell figcaption { padding: 0.3em 1em; font-size: 0.85em; color: %(dim)s; border-bottom: 1px solid %(line)s; }
.cell pre { margin: 0; border-radius: 0; }
.cell pre.output { background: %(paper)s; border-top: 1px solid %(line)s; color: %(dim)s; }
table { border-collapse: collapse; border-color: %(line)s; margin: 1em 0; }
.admonition { --edge: %(accent)s; }
.admonition.tip { --edge: %(good)s; }
.admonition.important { --edge: %(stress)s; }
.admonition.warning { --edge: %(warn)s; }
.admonition.caution { --edge: %(alarm)s; }
table.admonition { border-left: 4px solid var(--edge); background: %(shade)s; }
.admonition-title { font-weight: 600; margin: 0.2em 0; color: var(--edge); }
blockquote { margin: 1em 0; padding-left: 1em; border-left: 3px solid %(line)s; color: %(dim)s; }
%(constructs)s
dt { font-weight: 600; }
.figure { margin-bottom: 0.3em; }
.caption { margin-top: 0; font-size: 0.9em; color: %(dim)s; }
.footnote { font-size: 0.9em; color: %(dim)s; }
img, svg { max-width: 100%%; }
hr { border: 0; border-top: 1px solid %(line)s; }
@media print { pre { white-space: pre-wrap; } h1, h2, h3, h4, h5, h6, figcaption { break-after: avoid; } }
"""
_COLOURS = {
    "paper": "#ffffff", "ink": "#1c2024", "dim": "#5b6270", "line": "#dfe2e6", "shade": "#f5f6f8",
    "accent": "#2f54c8", "good": "#217534", "stress": "#6b3fc4", "warn": "#8f5c08", "alarm": "#c22c2c",
    "constructs": "\n".join(f".{one.span_class} {{ {one.css}; }}" for one in CONSTRUCTS if one.css),
}  # fmt: skip

_LANGUAGES = {"zh": "zh-CN", "en": "en"}

Picture = Callable[[str], bytes | None]


def page_html(page: Page, *, standalone: bool, title: str = "", lang: str = "", picture: Picture | None = None) -> str:
    """Return the page as HTML with formulas as SVG; `standalone` returns a whole file with styles.

    `picture` returns the bytes of an image by its address in the note, to embed it. `lang` is the language of the
    file. In a file, wikilinks become text, because no browser could follow them.
    """
    body = "\n".join(_section(section, page.formulas, picture) for section in page.sections)
    if not standalone:
        return body
    style = _STYLE % _COLOURS + stylesheet("pre")
    body = _WIKI.sub(r"\1", body)
    told = f' lang="{_LANGUAGES[lang]}"' if lang in _LANGUAGES else ""
    return (
        f'<!DOCTYPE html>\n<html{told}>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _section(section: PageSection, formulas: Mapping[str, Formula], picture: Picture | None) -> str:
    parts = [_cell(part) if isinstance(part, Cell) else _prose(part.html) for part in section.parts]
    return _IMAGE.sub(lambda image: _image(image, formulas, picture), "\n".join([section.heading_html, *parts]))


def _prose(text: str) -> str:
    """Return prose with tasks that cannot be clicked."""
    return _TASK.sub(r"<span \1>\2</span>", text)


def _cell(cell: Cell) -> str:
    named = cell.kind == "snippet" or "id" in cell.options
    name = html.escape(cell.label or (cell.id if named else ""))
    caption = f"<figcaption>{name}</figcaption>" if name else ""
    output = f'<pre class="output">{html.escape(cell.output, quote=False)}</pre>' if cell.output is not None else ""
    return f'<figure class="cell">{caption}<pre class="code">{cell.code_html}</pre>{output}</figure>'


def _image(image: re.Match[str], formulas: Mapping[str, Formula], picture: Picture | None) -> str:
    found = _SOURCE.search(image[1])
    source = html.unescape(found[1]) if found else ""
    if source.startswith("formula:"):
        alt = _ALT.search(image[1])
        formula = formulas.get(source.removeprefix("formula:"))
        return _inlined(formula, alt[1] if alt else "") if formula else ""
    data = picture(unquote(source)) if picture and found and not _ADDRESS.match(source) else None
    kind = picture_type(data) if data is not None else None
    if data is None or kind is None or not found:
        return image[0]
    return image[0].replace(found[0], f' src="data:{kind};base64,{base64.b64encode(data).decode()}"')


def picture_type(data: bytes) -> str | None:
    """Return the media type of a picture by its first bytes; None for any other file, which is never embedded."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    known = next((kind for start, kind in _STARTS.items() if data.startswith(start)), None)
    return known or ("image/svg+xml" if _SVG.match(data) else None)


def _inlined(formula: Formula, alt: str) -> str:
    """Return the SVG in sizes relative to the text, aligned with its baseline."""
    width, height, depth = (round(size / EM, 3) for size in (formula.width, formula.height, formula.depth))
    style = f"width:{width}em;height:{height}em;vertical-align:-{depth}em"
    return formula.svg.decode().replace("<svg", f'<svg role="img" aria-label="{alt}" style="{style}"', 1)
