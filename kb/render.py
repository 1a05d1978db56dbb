"""A note's Markdown to a Page: composed, converted once as a whole, sanitised, and cut into sections and cells."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.blocks import Leaf
from kb.captions import with_captions
from kb.contents import contents_html
from kb.cutting import Cut, Cutter
from kb.dialect import BEGIN, END, TIGHT, Composer, Mark, cleared, converter
from kb.errors import RenderFailed
from kb.fences import Fence, fences
from kb.formulas import FormulaSheet
from kb.frontmatter import split
from kb.highlight import code_html, python_html
from kb.language import language_of, split_name
from kb.linemarks import marked_lines
from kb.lines import split_lines
from kb.links import Link, links
from kb.page import Cell, Page, PageSection, Prose
from kb.sanitise import sanitise
from kb.scanner import Scanner
from kb.sections import Section, sections
from kb.webpage import page_html

__all__ = ["Cell", "Page", "PageSection", "Prose", "page_html", "render"]

MOST_SECTIONS = 2_000
MOST_CELLS = 500
MOST_BLOCKS = 8_000  # python-markdown takes half a second for so many
LONGEST_HTML = 2_000_000  # characters; a page that is longer is not for a rich-text view
LONGEST_PARAGRAPH = 100_000  # characters without a break of any kind
_INLINE = frozenset(("code", "task", "contents"))  # marks that HTML stands in the place of, once all is safe

_PARAGRAPH = re.compile(rf"\n?<p>(?:({TIGHT})|{BEGIN}(\d+){END})[ ]?(.*?)</p>\n?", re.DOTALL)
_MARK = re.compile(rf"{BEGIN}(\d+){END}")
_ATX = re.compile(r" {0,3}#")
_BREAK = re.compile(r"[<\n]")


def render(note_text: str, *, path: str) -> Page:
    """Render a note; `path` is its place in the vault. Raises RenderFailed where the result cannot be shown."""
    return _Rendering(cleared(note_text), path).page()


@dataclass
class _Making:
    section: Section
    heading_html: str
    line: int  # where the next prose begins
    parts: list[Prose | Cell]

    def made(self) -> PageSection:
        section = self.section
        return PageSection(
            self.heading_html, section.heading, section.level, section.anchor, section.line, tuple(self.parts)
        )


class _Rendering:
    def __init__(self, text: str, path: str) -> None:
        self._lines = split_lines(text)
        first = split(text).lines + 1
        self._first = first
        self._sections = sections(text, first)
        self._fences = {fence.line: fence for fence in fences(text, first)}
        self._snippets = {link.line: link for link in links(text, first) if link.kind == "snippet" and link.alone}
        self._formulas = FormulaSheet()
        language = split_name(path)[1] or language_of(text[:20_000], first)
        self._composer = Composer(draw=self._draw, chinese=language == "zh")

    def page(self) -> Page:
        if len(self._sections) > MOST_SECTIONS or sum(fence.runnable for fence in self._fences.values()) > MOST_CELLS:
            raise _too_large()
        tree = Scanner(self._lines, self._known()).scan(self._first)
        markdown = self._composer.compose(tree)
        if markdown.count("\n\n") > MOST_BLOCKS:
            raise _too_large()
        marked = _PARAGRAPH.sub(self._paragraph, converter(self._draw).convert(markdown))
        clean = with_captions(sanitise(marked))
        _check(clean, self._composer.marks)
        return Page(tuple(self._cut(clean)), dict(self._formulas.drawn))

    def _draw(self, latex: str, display: bool) -> str | None:  # noqa: FBT001 - a callable that is handed on
        return self._formulas.image(latex, display=display)

    def _known(self) -> dict[int, tuple[Leaf | None, int]]:
        """Tell the scanner which blocks stand where."""
        known: dict[int, tuple[Leaf | None, int]] = {}
        for line, fence in self._fences.items():
            kind = "fence" if fence.runnable else "display" if fence.lang == "math" else "code"
            known[line] = (Leaf(kind, fence.code, line), fence.end_line)
        known |= {lines[0]: (None, lines[1]) for fence in self._fences.values() if (lines := fence.output_lines)}
        for line in self._snippets:
            known[line] = (Leaf("snippet", "", line), line)
        for section in self._sections:
            if section.level:
                last = section.line + (not _ATX.match(self._lines[section.line - 1]))
                known[section.line] = (Leaf("section", section.raw_heading, section.line, section.level), last)
        return known

    def _paragraph(self, match: re.Match[str]) -> str:
        """Put what a mark stands for in the place of its paragraph."""
        tight, number, text = match.groups()
        if tight:
            return str(text)
        mark = self._composer.marks[int(number)]
        rest = f"<p>{text}</p>" if text else ""
        match mark.kind:
            case "html":
                return mark.text + rest
            case "element":
                return f"<{mark.text}>{text}</{mark.text.split()[0]}>"
            case "section":
                return f"<h{mark.level}>{BEGIN}{number}{END}{text}</h{mark.level}>"
        return f"{BEGIN}{number}{END}{rest}"

    def _cut(self, clean: str) -> Iterator[PageSection]:
        marks = self._composer.marks
        by_line = {section.line: section for section in self._sections if section.level}
        head = self._sections[0] if self._sections and not self._sections[0].level else None
        making = _Making(head or Section("", "", 0, self._first, 0, "", ()), "", self._first, [])
        inline = {number: self._inline(mark) for number, mark in enumerate(marks) if mark.kind in _INLINE}
        headings = frozenset(number for number, mark in enumerate(marks) if mark.kind == "section")
        for piece in Cutter(clean, inline, headings).pieces():
            if not isinstance(piece, Cut):
                making.parts.append(Prose(piece.html, making.line))
            elif (mark := marks[piece.mark]).kind == "section":
                if making.parts or making.heading_html:
                    yield making.made()
                section = by_line[mark.line]
                making = _Making(section, _heading_html(section, piece.html), section.line + 1, [])
            else:
                cell = self._cell(mark)
                making.parts.append(cell)
                making.line = cell.end_line + 1
        yield making.made()

    def _inline(self, mark: Mark) -> str:
        match mark.kind:
            case "task":
                sign = "☑" if mark.text == "done" else "☐"
                return f'<a class="task-{mark.text}" href="task:{mark.line}">{sign}</a>'
            case "contents":
                return contents_html(self._sections)
        return self._pre(mark)

    def _pre(self, mark: Mark) -> str:
        fence = self._fences.get(mark.line)
        lang = re.sub(r"[^\w+#-]", "", fence.lang) if fence else ""
        classes = f' class="code language-{lang}"' if lang else ' class="code"'
        said = _said(fence) if fence else ""
        return f"<pre{classes}{said}>{code_html(mark.text.rstrip(chr(10)), lang)}</pre>"

    def _cell(self, mark: Mark) -> Cell:
        if mark.kind == "snippet":
            return _snippet_cell(self._snippets[mark.line])
        fence = self._fences[mark.line]
        return _fence_cell(fence)


def _snippet_cell(link: Link) -> Cell:
    return Cell("snippet", link.target, link.label, "", "", "python", {}, None, link.line, link.line)


def _fence_cell(fence: Fence) -> Cell:
    return Cell(
        kind="fence",
        id=fence.id,
        label=fence.options.get("title", ""),
        code=fence.code,
        code_html=python_html(fence.code),
        lang="python",
        options=dict(fence.options),  # a plain one, to be sent between processes
        output=fence.output,
        line=fence.line,
        end_line=fence.output_lines[1] if fence.output_lines else fence.end_line,
        marked=marked_lines(fence.info),
    )


def _said(fence: Fence) -> str:
    """Give the attributes of what a fence says besides its language: a title, and lines to be marked."""
    title, lines = fence.options.get("title", ""), marked_lines(fence.info)
    named = f' title="{html.escape(title)}"' if title else ""
    return named + (f' data-lines="{" ".join(map(str, lines))}"' if lines else "")


def _heading_html(section: Section, inner: str) -> str:
    anchor = html.escape(section.anchor)
    return f'<h{section.level}><a name="{anchor}"></a>{inner}</h{section.level}>'


def _check(clean: str, marks: list[Mark]) -> None:
    """See that nothing got lost on the way and that the result is fit to be shown."""
    found = sorted(int(number) for number in _MARK.findall(clean))
    meant = [number for number, mark in enumerate(marks) if mark.kind not in ("html", "element")]
    if found != meant:
        raise RenderFailed(
            "The note's blocks could not be told apart; it is shown as written.", "无法辨认该笔记的结构，按原文显示。"
        )
    # Split, not searched for: a regular expression would begin anew at every letter.
    if len(clean) > LONGEST_HTML or max(map(len, _BREAK.split(clean))) >= LONGEST_PARAGRAPH:
        raise _too_large()


def _too_large() -> RenderFailed:
    return RenderFailed(
        "The note is too large to be shown rendered; split it into several.",
        "该笔记过大，无法以排版形式显示；请拆分成几篇。",
    )
