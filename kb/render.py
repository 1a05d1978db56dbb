"""A note's Markdown to a Page, piece by piece: composed, converted, sanitised, and cut into sections and cells.

What a note says once and means everywhere (its references, footnotes, headings, the names of its cells) is read from
the whole of it beforehand, so that the page is the same however the note is cut.
"""

from __future__ import annotations

import hashlib
import html
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass

import markdown

from kb.batches import SIZE, Batch, batches, leaves
from kb.blocks import Container, Leaf
from kb.captions import with_captions
from kb.contents import contents_html
from kb.cutting import Cut, Cutter
from kb.definitions import Footnotes, FootnoteState, learn
from kb.dialect import BEGIN, END, TIGHT, Composer, Mark, cleared, converter
from kb.errors import RenderFailed
from kb.fences import Fence, fences
from kb.formulas import FormulaSheet
from kb.frontmatter import split
from kb.highlight import code_html, python_html
from kb.language import language_of, split_name
from kb.linemarks import marked_lines
from kb.lines import scan
from kb.links import Link, links
from kb.page import Cell, Page, PageSection, Piece, Prose, joined
from kb.plain import plain_prose, plain_sections
from kb.sanitise import sanitise
from kb.scanner import Scanner
from kb.sections import Section, sections
from kb.webpage import page_html

__all__ = ["Cell", "FootnoteState", "Page", "PageSection", "Prose", "Rendering", "page_html", "render"]

WHOLE = 10_000  # characters of a note that is rendered in one piece: in no longer than a few others take
MOST_SECTIONS = 25_000
MOST_CELLS = 4_000  # Python fences that can be run; what is beyond is shown as code
LONGEST_HTML = 1_000_000  # characters of a piece; what is longer is not for a rich-text view
DRAWING = 1.0  # seconds for the formulas of a note
LONGEST_PARAGRAPH = 100_000  # characters without a break of any kind
_INLINE = frozenset(("code", "task", "contents"))  # marks that HTML stands in the place of, once all is safe

_PARAGRAPH = re.compile(rf"\n?<p>(?:({TIGHT})|{BEGIN}(\d+){END})[ ]?(.*?)</p>\n?", re.DOTALL)
_MARK = re.compile(rf"{BEGIN}(\d+){END}")
_ATX = re.compile(r" {0,3}#")
_BREAK = re.compile(r"[<\n]")


def render(note_text: str, *, path: str, size: int = 0) -> Page:
    """Render a note; `path` is its place in the vault. Raises RenderFailed where the result cannot be shown."""
    rendering = Rendering(note_text, path, size=size)
    return joined(rendering.shown(number) for number in range(rendering.count))


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


class Rendering:
    """One note on its way to be a page, piece by piece. The pieces are asked for in order."""

    def __init__(self, note_text: str, path: str, *, size: int = 0, drawing: float = DRAWING) -> None:
        """Read what blocks the note has; its pieces have so many characters, or as many as are good.

        The formulas of a piece take `drawing` seconds. Raises RenderFailed where the headings are too many.
        """
        text = cleared(note_text)
        first = split(text).lines + 1
        scanned = scan(text, first)
        self._lines = scanned.lines
        self._first = first
        self._sections = sections(text, first, scanned=scanned)
        if len(self._sections) > MOST_SECTIONS:
            raise _too_large()
        self._heads = {section.line: section for section in self._sections if section.level}
        self._fences = {fence.line: fence for fence in fences(text, first, scanned=scanned)}
        found = links(text, first, scanned=scanned)
        self._snippets = {link.line: link for link in found if link.kind == "snippet" and link.alone}
        self._drawing, self._drawing_piece = DRAWING, drawing
        self._formulas = FormulaSheet(seconds=0)
        self._chinese = (split_name(path)[1] or language_of(text[:20_000], first)) == "zh"
        root = Scanner(self._lines, self._known()).scan(first)
        self._batches = batches(root, first, size=size or (SIZE if len(text) > WHOLE else 10 * WHOLE))
        self._defining = [leaf for leaf in leaves(root) if leaf.kind == "definition" or "]:" in leaf.text]
        self._footnotes = Footnotes()
        self._made: markdown.Markdown | None = None
        self._composed: tuple[int, Composer, str] | None = None

    @property
    def count(self) -> int:
        """How many pieces the note has."""
        return len(self._batches)

    def line(self, number: int) -> int:
        """Return the line that a piece begins at."""
        return self._batches[number].line

    def shown(self, number: int) -> Piece:
        """Render a piece, or give it as it is written where it cannot be."""
        try:
            return self.piece(number)
        except (RenderFailed, RecursionError, MemoryError):
            return self.plain_piece(number)

    def piece(self, number: int) -> Piece:
        """Render a piece, those before it having been rendered or passed. Raises RenderFailed."""
        composer, text = self._compose(number)
        batch, made = self._batches[number], self._converter()
        made.htmlStash.reset()
        self._footnotes.listed = number == self.count - 1
        marked = _PARAGRAPH.sub(lambda match: _unmarked(match, composer.marks), made.convert(text))
        clean = with_captions(sanitise(marked))
        _check(clean, composer.marks)
        return Piece(
            tuple(self._cut(clean, batch, composer.marks)), dict(self._formulas.drawn), batch.line, not batch.begins
        )

    def plain_piece(self, number: int) -> Piece:
        """Give a piece as it is written."""
        self._made = None  # it may have been left in the middle of something
        batch = self._batches[number]
        beside = [one.line for one in self._batches[max(0, number - 1) : number + 2]]
        if beside.count(batch.line) > 1:  # a part of a paragraph without end
            text = "\n".join(leaf.text for node in batch.nodes for leaf in leaves(node))
            made = _Making(self._before(batch.line), "", batch.line, [plain_prose(text, batch.line)]).made()
            return Piece((made,), {}, batch.line, not batch.begins, plain=True)
        last = self._batches[number + 1].line - 1 if number + 1 < self.count else len(self._lines)
        heads = [section for line, section in self._heads.items() if batch.line <= line <= last]
        if not batch.begins:
            heads.insert(0, self._before(batch.line))
        cells = {line: fence for line, fence in self._fences.items() if fence.runnable and batch.line <= line <= last}
        sections = plain_sections(heads, self._lines, cells, last)
        return Piece(sections, {}, batch.line, not batch.begins, plain=True)

    def signature(self, number: int) -> bytes:
        """Return what tells a piece from all that would come out otherwise, wherever in the note it stands."""
        composer, text = self._compose(number)
        self._converter()
        line, last = self._batches[number].line, number == self.count - 1
        noted = (self._footnotes.state, *self._footnotes.footnotes.items()) if last or "[^" in text else ()
        said = (
            text, number == 0, self._batches[number].begins, noted, self._leads,
            [self._meant(mark, line) for mark in composer.marks],
        )  # fmt: skip
        return hashlib.blake2b(pickle.dumps(said), digest_size=16).digest()

    def left(self, number: int) -> FootnoteState | None:
        """Return what a piece that was just rendered leaves to those after it, if it leaves anything."""
        return self._footnotes.state if "[^" in self._compose(number)[1] else None

    def passed(self, left: FootnoteState | None) -> None:
        """Take a piece as rendered that left this behind."""
        if left is not None:
            self._footnotes.restore(left)

    def _meant(self, mark: Mark, line: int) -> tuple[object, ...]:
        """Return all that a mark brings into a piece, its lines as they count from the piece's."""
        said: tuple[object, ...] = (mark.kind, mark.text, mark.line - line, mark.level)
        match mark.kind:
            case "section":
                return (*said, self._heads[mark.line].anchor)
            case "contents":
                return (*said, contents_html(self._sections))
            case "snippet":
                return (*said, self._snippets[mark.line].target, self._snippets[mark.line].label)
        if (fence := self._fences.get(mark.line)) is None:
            return said
        end = fence.output_lines[1] if fence.output_lines else fence.end_line
        return (*said, fence.id, fence.info, fence.output, end - line)

    def _compose(self, number: int) -> tuple[Composer, str]:
        if self._composed is None or self._composed[0] != number:
            self._drawing -= self._formulas.seconds
            self._formulas = FormulaSheet(seconds=min(self._drawing_piece, self._drawing))
            composer = Composer(draw=self._draw, chinese=self._chinese)
            self._composed = (
                number,
                composer,
                composer.compose(Container("root", children=[*self._batches[number].nodes])),
            )
        return self._composed[1:]

    def _converter(self) -> markdown.Markdown:
        """Return the python-markdown that knows all that the note defines."""
        if self._made is None:
            before, self._footnotes = self._footnotes.state, Footnotes()
            self._made = converter(self._draw, self._footnotes)
            learn(self._made, self._footnotes, self._defining)
            self._footnotes.restore(before)
            self._leads = tuple(self._made.references.items())
        return self._made

    def _draw(self, latex: str, display: bool) -> str | None:  # noqa: FBT001 - a callable that is handed on
        return self._formulas.image(latex, display=display)

    def _known(self) -> dict[int, tuple[Leaf | None, int]]:
        """Tell the scanner which blocks stand where."""
        known: dict[int, tuple[Leaf | None, int]] = {}
        told: dict[int, tuple[Leaf | None, int]] = {}  # the outputs that stand with their cells
        cells = 0
        for line, fence in self._fences.items():
            cells += fence.runnable
            cell = fence.runnable and cells <= MOST_CELLS
            kind = "fence" if cell else "display" if fence.lang == "math" else "code"
            known[line] = (Leaf(kind, fence.code, line), fence.end_line)
            if cell and fence.output_lines:
                told[fence.output_lines[0]] = None, fence.output_lines[1]
        known |= told
        for line in self._snippets:
            known[line] = (Leaf("snippet", "", line), line)
        for section in self._sections:
            if section.level:
                last = section.line + (not _ATX.match(self._lines[section.line - 1]))
                known[section.line] = (Leaf("section", section.raw_heading, section.line, section.level), last)
        return known

    def _before(self, line: int) -> Section:
        """Return what stands for the section that a line goes on with: of it, the parts alone are taken."""
        head = self._sections[0] if self._sections and not self._sections[0].level else None
        return head if head and line <= self._first else Section("", "", 0, line, 0, "", ())

    def _cut(self, clean: str, batch: Batch, marks: list[Mark]) -> Iterator[PageSection]:
        making = _Making(self._before(batch.line), "", batch.line, [])
        goes_on = not batch.begins and batch is not self._batches[0]
        inline = {number: self._inline(mark) for number, mark in enumerate(marks) if mark.kind in _INLINE}
        headings = frozenset(number for number, mark in enumerate(marks) if mark.kind == "section")
        for piece in Cutter(clean, inline, headings).pieces():
            if not isinstance(piece, Cut):
                making.parts.append(Prose(piece.html, making.line))
            elif (mark := marks[piece.mark]).kind == "section":
                if making.parts or making.heading_html or goes_on:
                    yield making.made()
                goes_on = False
                section = self._heads[mark.line]
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
        said = _said(fence) if fence and fence.code.startswith(mark.text) else ""  # not behind the first part
        return f"<pre{classes}{said}>{code_html(mark.text.rstrip(chr(10)), lang)}</pre>"

    def _cell(self, mark: Mark) -> Cell:
        if mark.kind == "snippet":
            return _snippet_cell(self._snippets[mark.line])
        fence = self._fences[mark.line]
        return _fence_cell(fence)


def _unmarked(match: re.Match[str], marks: list[Mark]) -> str:
    """Put what a mark stands for in the place of its paragraph."""
    tight, number, text = match.groups()
    if tight:
        return str(text)
    mark = marks[int(number)]
    rest = f"<p>{text}</p>" if text else ""
    match mark.kind:
        case "html":
            return mark.text + rest
        case "element":
            return f"<{mark.text}>{text}</{mark.text.split()[0]}>"
        case "section":
            return f"<h{mark.level}>{BEGIN}{number}{END}{text}</h{mark.level}>"
    return f"{BEGIN}{number}{END}{rest}"


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
