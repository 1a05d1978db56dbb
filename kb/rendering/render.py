"""Renders a note's Markdown to a Page, piece by piece: composes, converts, sanitizes, cuts into sections and cells.

What holds in the whole note (references, footnotes, headings, names of cells) is collected first, so that the page is
the same however the note is cut.
"""

from __future__ import annotations

import hashlib
import html
import pickle
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import markdown

from kb.errors import RenderFailed
from kb.markdown.block_tree import ContainerBlock
from kb.markdown.captions import with_captions
from kb.markdown.fences import Fence, highlighted_lines
from kb.markdown.highlight import code_html, python_html
from kb.markdown.lines import Scan
from kb.markdown.links import Link
from kb.markdown.markdown_extension import BEGIN, END, TIGHT, BlockMark, Composer, converter
from kb.markdown.markdown_references import NOTHING, Footnotes, FootnoteState, collect_definitions
from kb.markdown.sanitizer import sanitise
from kb.markdown.sections import Section
from kb.markdown.toc import contents_html
from kb.notes.language import language_of, split_name
from kb.rendering.batches import SIZE, Batch, leaves
from kb.rendering.formulas import FormulaSheet
from kb.rendering.html_export import page_html
from kb.rendering.html_splitter import HtmlSplitter, SplitMark
from kb.rendering.incremental_parse import IncrementalParse
from kb.rendering.parse_regions import ParseRegion
from kb.rendering.plain_page import plain_prose, plain_sections
from kb.rendering.rendered_page import Cell, Page, PagePiece, PageSection, Prose, joined, moved

__all__ = ["Cell", "FootnoteState", "Page", "PageSection", "Prose", "Rendering", "page_html", "render"]

WHOLE = 10_000  # characters of a note that is rendered in one piece, which takes no longer than a few others
MOST_SECTIONS = 25_000
LONGEST_HTML = 1_000_000  # characters of a piece; a rich-text view cannot show more
DRAWING = 1.0  # seconds for the formulas of a note
_TELLING = 20_000  # characters at the beginning that decide the language
LONGEST_PARAGRAPH = 100_000  # characters without a break of any kind
_INLINE = frozenset(("code", "task", "contents"))  # marks that are replaced by HTML after sanitizing

_PARAGRAPH = re.compile(rf"\n?<p>(?:({TIGHT})|{BEGIN}(\d+){END})[ ]?(.*?)</p>\n?", re.DOTALL)
_MARK = re.compile(rf"{BEGIN}(\d+){END}")
_BREAK = re.compile(r"[<\n]")


def render(note_text: str, *, path: str, size: int = 0) -> Page:
    """Return the page of a note; `path` is its path in the vault. Raises RenderFailed if it cannot be shown."""
    rendering = Rendering(note_text, path, size=size)
    return joined(rendering.shown(number) for number in range(rendering.count))


@dataclass
class _OpenSection:
    section: Section
    heading_html: str
    line: int  # of the next prose
    parts: list[Prose | Cell]

    def closed(self) -> PageSection:
        section = self.section
        return PageSection(
            self.heading_html, section.heading, section.level, section.anchor, section.line, tuple(self.parts)
        )


class Rendering:
    """Renders one note piece by piece, and again after each change. Pieces are requested in order.

    Unchanged parts are neither parsed nor rendered again.
    """

    def __init__(
        self,
        note_text: str,
        path: str,
        *,
        size: int = 0,
        drawing: float = DRAWING,
        between: Callable[[], object] = lambda: None,
    ) -> None:
        """Parse the note into pieces of `size` characters, by default `SIZE`.

        The formulas of a piece have `drawing` seconds. `between` is called now and then while the note is parsed; after
        an exception from it this object must not be used any more. Raises RenderFailed if there are too many headings.
        """
        self._path = path
        self._drawing_piece = drawing
        self._regions = IncrementalParse(size=size or SIZE, whole=0 if size else WHOLE, between=between)
        self._footnotes = Footnotes()
        self._markdown: markdown.Markdown | None = None
        self._definitions: list[str] = []  # the blocks that define references and footnotes
        self._beginning: tuple[object, bool] = None, False  # its first regions, and whether they are Chinese
        self.update(note_text)

    def update(self, note_text: str) -> None:
        """Parse the new text of the note, and begin again with its first piece. Raises RenderFailed."""
        self._regions.update(note_text)
        regions = self._regions.all
        if sum(len(region.heads) for region in regions) > MOST_SECTIONS:
            raise _too_large()
        self._chinese = self._is_chinese()
        self._parts = [(region, number) for region in regions for number in range(len(region.batches))]
        defining = [one for region in regions for one in region.defining]
        if defining != self._definitions:
            self._markdown, self._definitions = None, defining
        self._footnotes.restore(NOTHING)
        self._drawing = DRAWING
        self._formulas = FormulaSheet(seconds=0)
        self._composed: tuple[int, Composer, str] | None = None

    @property
    def count(self) -> int:
        """Number of pieces."""
        return len(self._parts)

    @property
    def lines(self) -> int:
        """Number of lines of the note."""
        return self._regions.count

    def line(self, number: int) -> int:
        """Return the first line of a piece."""
        return self._parts[number][0].before + self._batch(number).line

    def at_line(self, line: int) -> int:
        """Return the number of the piece that contains a line of the note."""
        return max(0, bisect_right(range(self.count), line, key=self.line) - 1)

    def cost(self, number: int) -> int:
        """Return the cost of showing a piece, in characters."""
        region, at = self._parts[number]
        return region.costs[at]

    def referring(self, stop: int) -> Iterator[int]:
        """Yield the numbers of pieces before `stop` that may refer to footnotes, on which later pieces depend."""
        for number, (region, _) in enumerate(self._parts[:stop]):
            if region.refers and self._digest(number)[1]:
                yield number

    def _batch(self, number: int) -> Batch:
        region, at = self._parts[number]
        return region.batches[at]

    def shown(self, number: int) -> PagePiece:
        """Return a rendered piece, or the piece as written if it cannot be rendered."""
        try:
            return self.piece(number)
        except (RenderFailed, RecursionError, MemoryError):
            return self.plain_piece(number)

    def piece(self, number: int) -> PagePiece:
        """Render a piece. Earlier pieces have to be rendered or passed before. Raises RenderFailed."""
        composer, text = self._compose(number)
        batch, made = self._batch(number), self._converter()
        made.htmlStash.reset()
        self._footnotes.listed = number == self.count - 1
        marked = _PARAGRAPH.sub(lambda match: _unmarked(match, composer.marks), made.convert(text))
        clean = with_captions(sanitise(marked))
        _check(clean, composer.marks)
        sections = tuple(self._cut(clean, number, composer.marks))
        return self._placed(number, PagePiece(sections, dict(self._formulas.drawn), batch.line, not batch.begins))

    def _placed(self, number: int, piece: PagePiece) -> PagePiece:
        """Return a piece with lines counted in the note instead of its region."""
        return moved(piece, self._parts[number][0].before) if self._parts[number][0].before else piece

    def plain_piece(self, number: int) -> PagePiece:
        """Return a piece as written."""
        self._markdown = None  # it may have been interrupted
        (region, at), batch = self._parts[number], self._batch(number)
        beside = [one.line for one in region.batches[max(0, at - 1) : at + 2]]
        if beside.count(batch.line) > 1:  # a part of an endless paragraph
            text = "\n".join(leaf.text for node in batch.nodes for leaf in leaves(node))
            made = _OpenSection(self._before(number), "", batch.line, [plain_prose(text, batch.line)]).closed()
            return self._placed(number, PagePiece((made,), {}, batch.line, not batch.begins, plain=True))
        last = region.batches[at + 1].line - 1 if at + 1 < len(region.batches) else len(region.lines)
        heads = [section for line, section in region.heads.items() if batch.line <= line <= last]
        if not batch.begins:
            heads.insert(0, self._before(number))
        cells = {line: fence for line, fence in region.fences.items() if fence.runnable and batch.line <= line <= last}
        sections = plain_sections(heads, list(region.lines), cells, last)
        return self._placed(number, PagePiece(sections, {}, batch.line, not batch.begins, plain=True))

    def signature(self, number: int) -> bytes:
        """Return a digest of everything that the rendered piece depends on, except its position in the note."""
        digest, refers = self._digest(number)
        if not refers and number < self.count - 1:
            return digest
        noted = (self._footnotes.state, *self._footnotes.footnotes.items())
        return hashlib.blake2b(digest + pickle.dumps(noted), digest_size=16).digest()

    def _digest(self, number: int) -> tuple[bytes, bool]:
        """Return the digest of a piece without its footnotes, and whether it may have footnotes."""
        (region, at), batch = self._parts[number], self._batch(number)
        self._converter()
        key = number == 0, number == self.count - 1, self._chinese, self._leads, self._regions.heading_changes
        if (known := region.digests.get(at)) is None or (known[0] != key and known[0] != key[:-1]):
            composer, text = self._compose(number)
            said = text, *key[:-1], batch.begins, [self._content(region, mark, batch.line) for mark in composer.marks]
            digest = hashlib.blake2b(pickle.dumps(said), digest_size=16).digest()
            lists = any(mark.kind == "contents" for mark in composer.marks)
            known = region.digests[at] = key if lists else key[:-1], digest, "[^" in text
        return known[1:]

    def footnotes_left(self, number: int) -> FootnoteState | None:
        """Return the footnotes that a piece, just rendered, leaves to later ones; None if it has none."""
        return self._footnotes.state if self._digest(number)[1] else None

    def restore_footnotes(self, left: FootnoteState | None) -> None:
        """Treat a piece as rendered that left these footnotes."""
        if left is not None:
            self._footnotes.restore(left)

    def _content(self, region: ParseRegion, mark: BlockMark, line: int) -> tuple[object, ...]:
        """Return everything that a mark adds to a piece, with lines relative to the piece."""
        said: tuple[object, ...] = (mark.kind, mark.text, mark.line - line, mark.level)
        match mark.kind:
            case "section":
                return (*said, region.heads[mark.line].anchor)
            case "contents":
                return (*said, self._contents())
            case "snippet":
                return (*said, region.snippets[mark.line].target, region.snippets[mark.line].label)
        if (fence := region.fences.get(mark.line)) is None:
            return said
        end = fence.output_lines[1] if fence.output_lines else fence.end_line
        return (*said, fence.id, fence.info, fence.output, end - line)

    def _contents(self) -> str:
        return contents_html([head for region in self._regions.all for head in region.heads.values()])

    def _is_chinese(self) -> bool:
        """Return whether the note is Chinese, by its name or its beginning."""
        if named := split_name(self._path)[1]:
            return named == "zh"
        length, beginning = 0, []
        for region in self._regions.all:
            beginning.append(region)
            length += sum(map(len, region.lines))
            if length > _TELLING:
                break
        if self._beginning[0] != beginning:
            lines = [line for region in beginning for line in region.lines]
            kinds = [kind for region in beginning for kind in region.kinds]
            self._beginning = beginning, language_of("", scanned=Scan(lines, kinds, [])) == "zh"
        return self._beginning[1]

    def _compose(self, number: int) -> tuple[Composer, str]:
        if self._composed is None or self._composed[0] != number:
            self._drawing -= self._formulas.seconds
            self._formulas = FormulaSheet(seconds=min(self._drawing_piece, self._drawing))
            composer = Composer(draw=self._draw, chinese=self._chinese)
            text = composer.compose(ContainerBlock("root", children=[*self._batch(number).nodes]))
            self._composed = number, composer, text
        return self._composed[1:]

    def _converter(self) -> markdown.Markdown:
        """Return a python-markdown with all definitions of the note."""
        if self._markdown is None:
            before, self._footnotes = self._footnotes.state, Footnotes()
            self._markdown = converter(self._draw, self._footnotes)
            collect_definitions(self._markdown, self._footnotes, self._definitions)
            self._footnotes.restore(before)
            self._leads = hashlib.blake2b(pickle.dumps(tuple(self._markdown.references.items()))).digest()
        return self._markdown

    def _draw(self, latex: str, display: bool) -> str | None:  # noqa: FBT001 - passed as a callable
        return self._formulas.image(latex, display=display)

    def _before(self, number: int) -> Section:
        """Return a section for the beginning of a piece without a heading; only its parts are used."""
        (region, _), line = self._parts[number], self._batch(number).line
        head = region.head if region is self._regions.all[0] else None
        return head if head and line <= 1 else Section("", "", 0, line, 0, "", ())

    def _cut(self, clean: str, number: int, marks: list[BlockMark]) -> Iterator[PageSection]:
        (region, _), batch = self._parts[number], self._batch(number)
        opened = _OpenSection(self._before(number), "", batch.line, [])
        goes_on = not batch.begins and number > 0
        inline = {at: self._inline(region, mark) for at, mark in enumerate(marks) if mark.kind in _INLINE}
        headings = frozenset(at for at, mark in enumerate(marks) if mark.kind == "section")
        for piece in HtmlSplitter(clean, inline, headings).pieces():
            if not isinstance(piece, SplitMark):
                opened.parts.append(Prose(piece.html, opened.line))
            elif (mark := marks[piece.mark]).kind == "section":
                if opened.parts or opened.heading_html or goes_on:
                    yield opened.closed()
                goes_on = False
                section = region.heads[mark.line]
                opened = _OpenSection(section, _heading_html(section, piece.html), section.line + 1, [])
            else:
                cell = _cell(region, mark)
                opened.parts.append(cell)
                opened.line = cell.end_line + 1
        yield opened.closed()

    def _inline(self, region: ParseRegion, mark: BlockMark) -> str:
        match mark.kind:
            case "task":
                sign = "☑" if mark.text == "done" else "☐"
                return f'<a class="task-{mark.text}" href="task:{mark.line}">{sign}</a>'
            case "contents":
                return self._contents()
        return _pre(region, mark)


def _pre(region: ParseRegion, mark: BlockMark) -> str:
    fence = region.fences.get(mark.line)
    lang = re.sub(r"[^\w+#-]", "", fence.lang) if fence else ""
    classes = f' class="code language-{lang}"' if lang else ' class="code"'
    said = _fence_attributes(fence) if fence and fence.code.startswith(mark.text) else ""  # only for the first part
    return f"<pre{classes}{said}>{code_html(mark.text.rstrip(chr(10)), lang)}</pre>"


def _cell(region: ParseRegion, mark: BlockMark) -> Cell:
    if mark.kind == "snippet":
        return _snippet_cell(region.snippets[mark.line])
    return _fence_cell(region.fences[mark.line])


def _unmarked(match: re.Match[str], marks: list[BlockMark]) -> str:
    """Replace the paragraph of a mark by its meaning."""
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
        options=dict(fence.options),  # a plain dict can be sent between processes
        output=fence.output,
        line=fence.line,
        end_line=fence.output_lines[1] if fence.output_lines else fence.end_line,
        marked=highlighted_lines(fence.info),
    )


def _fence_attributes(fence: Fence) -> str:
    """Return the attributes for a fence's title and highlighted lines."""
    title, lines = fence.options.get("title", ""), highlighted_lines(fence.info)
    named = f' title="{html.escape(title)}"' if title else ""
    return named + (f' data-lines="{" ".join(map(str, lines))}"' if lines else "")


def _heading_html(section: Section, inner: str) -> str:
    anchor = html.escape(section.anchor)
    return f'<h{section.level}><a name="{anchor}"></a>{inner}</h{section.level}>'


def _check(clean: str, marks: list[BlockMark]) -> None:
    """Raise RenderFailed if a mark was lost or the result is too large to show."""
    found = sorted(int(number) for number in _MARK.findall(clean))
    meant = [number for number, mark in enumerate(marks) if mark.kind not in ("html", "element")]
    if found != meant:
        raise RenderFailed(
            "The note's blocks could not be told apart; it is shown as written.", "无法辨认该笔记的结构，按原文显示。"
        )
    # Split instead of searched: a regular expression would start again at every letter.
    if len(clean) > LONGEST_HTML or max(map(len, _BREAK.split(clean))) >= LONGEST_PARAGRAPH:
        raise _too_large()


def _too_large() -> RenderFailed:
    return RenderFailed(
        "The note is too large to be shown rendered; split it into several.",
        "该笔记过大，无法以排版形式显示；请拆分成几篇。",
    )
