"""A note's rows as HTML of Qt's rich text, with marks that the built document is recognized by."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, TypeAlias

from app.reader.language_alignment import CellRow, HeadingRow, ProseRow, Row
from app.reader.link_targets import (
    BeginTranslation,
    CopyTarget,
    EnlargeImage,
    ImageTarget,
    JumpTarget,
    LinkTargets,
    LoadImage,
    TagTarget,
    Target,
    TaskTarget,
)
from app.reader.page_set import PageSet, Side
from app.reader.table_layout import steps
from app.reader.text_formats import BOX_END, box, code_box, pair_row, span_rows, table
from app.reader.text_spacing import ROOM, spaced, with_narrow_quotes, without_empty_lines
from app.style.stylesheets import TOKENS
from kb.lazy_regex import expression
from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.highlight import token_classes

_ATTRIBUTE = expression(r"([a-z-]+)=\"([^\"]*)\"")
_REMOTE = expression(r'(<a class="remote-image" href="[^"]*")>↗ ([^<]*)(?=</a>)')
_MOST_SPANNED = 50  # columns or rows
_TOKEN = expression(r'<span class="([^"]*)">([^<]*)</span>')
_BETWEEN = expression(r"</(t[a-z]+)><\1>")  # two tokens of one colour
_ELEMENTS = {name: TOKENS.get(name, "") for name in token_classes()}
# A span's tooltip marks its kind; notes cannot forge one, as their titles never start like this.
CODE, KEY = "~code", "~key"
BACKGROUNDS = {f"~{one.span_class}": one.background for one in CONSTRUCTS if one.background}
TICK, TICKED = "~tick", "~ticked"  # check boxes of tasks, painted by the backdrop
_TAG = expression(r"<(/?)([A-Za-z][A-Za-z0-9]*)((?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>")
_ADMONITION = expression(r"\badmonition +([a-z]+)")
_ADMONITIONS = ("note", "tip", "important", "warning", "caution")
_NO_LANGUAGES = ("text", "txt", "plain", "plaintext", "none")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")  # within prose they do not begin sections
_FIXED_TAGS = {
    "kbd": f'{ROOM}<code title="{KEY}">',
    "hr": box("rule") + BOX_END,
    **dict.fromkeys(_HEADINGS, '<p class="h4">'),
}
_FIXED_END_TAGS = {"th": "</td>", "kbd": f"</code>{ROOM}", **dict.fromkeys(_HEADINGS, "</p>")}


@dataclass(frozen=True)
class NoteLabels:
    """The window's own words within a note. On paper there are no buttons, and their labels are empty."""

    facts: Callable[[Side], str]  # the line under the title, as plain text
    place: Callable[[Side], str] = lambda _: ""  # the note's folder, before its tags
    tags: tuple[str, ...] = ()  # each links to the notes that have it
    lacks: str = ""  # shown if the note has no other language
    begin: str = ""  # link that starts the other language
    copy: str = ""  # on code that cannot be run
    diagram: str = "Mermaid"  # above the source of a diagram


def anchor_name(side: Side, anchor: str) -> str:
    """Return the document's name for an anchor in a note's text, such as a footnote's."""
    return f"{side}/{anchor}"


def document_html(
    laid: Sequence[Row],
    pages: PageSet,
    targets: LinkTargets,
    say: NoteLabels,
    *,
    beside: bool = True,
    first: int = 0,
    lead: str = "",
) -> str:
    """Return rows of a note as HTML: prose as plain flow or in two columns, each cell as a table.

    Two languages are side by side if `beside`, else, row by row, one below the other. `first` is the index of the
    first row in the note; `lead` is HTML that comes before it.
    """
    sides = pages.sides()
    write = _pairs if len(sides) > 1 and beside else _flow
    return f"<html><body>{lead}{write(_Writer(targets, say, pages.lacking()), laid, sides, first)}</body></html>"


def _flow(writer: _Writer, laid: Sequence[Row], sides: Sequence[Side], first: int) -> str:
    return "".join(
        writer.cell(row)
        if isinstance(row, CellRow)
        else "".join(writer.side(row, side, title=index == 0, twin=number > 0) for number, side in enumerate(sides))
        for index, row in enumerate(laid, first)
    )


def _pairs(writer: _Writer, laid: Sequence[Row], sides: Sequence[Side], first: int) -> str:
    """Return rows in two columns; the rows between two cells are one table, which keeps them close together."""
    out: list[str] = []
    inside = False
    for index, row in enumerate(laid, first):
        if isinstance(row, CellRow):
            out.append("</table>" * inside + writer.cell(row))
            inside = False
            continue
        out.append("" if inside else f'<table {table("pair")} width="100%">')
        inside = True
        top = "top-lead" if index == 1 and isinstance(row, ProseRow) else _top(row, title=index == 0)
        out.append(writer.pair(row, sides, top, title=index == 0))
    return "".join(out) + "</table>" * inside


def _top(row: HeadingRow | ProseRow, *, title: bool) -> str:
    """Return the CSS class for the space above a row: Qt drops the outer margins of a table cell's content."""
    if isinstance(row, ProseRow):
        return "top-prose"
    level = min(section.level for section in row.sides.values())
    return "top-title" if title else f"top-h{min(level, 4)}"


class _Writer:
    """Rewrites the tags of one note; the text between them is unchanged."""

    def __init__(self, targets: LinkTargets, say: NoteLabels, lacking: Side) -> None:
        self._targets = targets
        self._say = say
        self._lacking = lacking
        self._linked = False  # inside a link
        self._side: Side = ""
        self._ends: list[str] = []  # the closing tags of open <div> elements
        self._tables: list[str] = []  # the kinds of open tables
        self._boxes = 0  # number of open quotes and callouts
        self._in_pre = False
        self._code_ends = ""  # closing tags of the open box of code
        self._prose = 0  # the number of the current part of prose
        self._in_formula = False  # in a paragraph of its own

    def cell(self, row: CellRow) -> str:
        """Return a cell with its code; the bar and the output are filled in later."""
        cell = row.placed.cell
        code = coloured(cell.code_html or html.escape(cell.code))
        return (
            f'<table {table("cell")} width="100%">'
            '<tr><td class="bar"></td><td class="bar-end"></td></tr>'
            f'<tr><td colspan="2" class="box-code"><pre>{code.rstrip(chr(10))}</pre></td></tr></table>'
        )

    def side(self, row: HeadingRow | ProseRow, side: Side, *, title: bool, twin: bool = False) -> str:
        """Return one language's part of a row; a `twin` is shown below the other language's part."""
        if side not in row.sides:
            return ""
        self._side = side
        if isinstance(row, ProseRow):
            return "".join(self._rewritten(prose.html, self._targets.prose(prose.line)) for prose in row.sides[side])
        heading = with_narrow_quotes(_TAG.sub(self._in_heading, row.sides[side].heading_html))
        if twin:
            heading = heading.replace('class="h', 'class="twin h', 1)
        if not title:
            return heading
        first = heading if twin else heading.replace('class="h', 'class="first h', 1)
        tags = (f'<a href="{self._targets.link(TagTarget(tag))}">{html.escape(tag)}</a>' for tag in self._say.tags)
        place = " · ".join(filter(None, [html.escape(self._say.place(side)), *tags]))
        facts = "&nbsp;&nbsp; ".join(filter(None, [place, html.escape(self._say.facts(side))]))
        return f'{first}<p class="facts">{facts}{self._offer()}</p>'

    def pair(self, row: HeadingRow | ProseRow, sides: Sequence[Side], top: str, *, title: bool) -> str:
        """Return a row of two languages side by side, but wide tables one below the other."""
        proses = [row.sides[side][0] for side in sides if side in row.sides] if isinstance(row, ProseRow) else []
        parts = steps(proses[0].html, proses[1].html) if len(proses) > 1 else ()
        if not any(part.spans for part in parts):
            return pair_row([self.side(row, side, title=title) for side in sides], top)
        numbers = [self._targets.prose(prose.line) for prose in proses]
        out = []
        for part in parts:
            written = []
            for self._side, number, markup in zip(sides, numbers, part.sides, strict=True):
                written.append(self._rewritten(markup, number))
            out.append((span_rows if part.spans else pair_row)(written, top))
            top = "top-prose"
        return "".join(out)

    def _offer(self) -> str:
        """Return the remark that a language is missing, with a link that starts it."""
        if not self._lacking or not self._say.begin:
            return ""
        address = self._targets.link(BeginTranslation(self._lacking))
        return f'&nbsp;&nbsp; {self._say.lacks} <a href="{address}">{self._say.begin}</a>'

    def _rewritten(self, markup: str, prose: int) -> str:
        self._prose = prose
        self._ends.clear()
        self._tables.clear()
        self._boxes = 0
        self._in_pre = False
        markup = without_empty_lines(with_alternatives(coloured(markup) if "<pre" in markup else markup))
        written = _TAG.sub(self._tag, markup) + "".join(reversed(self._ends))
        return with_narrow_quotes(spaced(written))

    def _in_heading(self, match: re.Match[str]) -> str:
        """Write every heading as an h6: for the others Qt sets the font sizes itself, also of code within them."""
        if not re.fullmatch("[hH][1-6]", match[2]):
            return self._tag(match)
        return "</h6>" if match[1] else f'<h6 class="h{match[2][1]}">'

    def _tag(self, match: re.Match[str]) -> str:
        name = match[2].lower()
        if (fixed := (_FIXED_END_TAGS if match[1] else _FIXED_TAGS).get(name)) is not None:
            return fixed
        write = self._END_TAGS.get(name) if match[1] else self._TAGS.get(name)
        attributes = attributes_of(match[3])
        if write:
            return write(self, attributes)
        if "id" in attributes:
            return f"<{name}{self._named(attributes['id'], 'id')}>"
        return match[0]

    def _named(self, name: str, attribute: str) -> str:
        return f' {attribute}="{anchor_name(self._side, name)}"' if name else ""

    def _pre(self, attributes: dict[str, str]) -> str:
        self._in_pre = True
        number = len(self._targets.marked)
        self._targets.marked.append(tuple(int(line) for line in attributes.get("data-lines", "").split()))
        label, marked = self._label(attributes), bool(self._targets.marked[number])
        if "plain" in attributes.get("class", "") or not (label or self._say.copy):
            self._code_ends = f"</pre>{BOX_END}"
            return box("code") + "<pre>"
        address = self._targets.link(CopyTarget(number))
        begin, self._code_ends = code_box(label, self._say.copy, address, marked=marked)
        return begin

    def _label(self, attributes: dict[str, str]) -> str:
        lang = next((name[9:] for name in attributes.get("class", "").split() if name.startswith("language-")), "")
        named = self._say.diagram if lang == "mermaid" else "" if lang in _NO_LANGUAGES else lang
        return " · ".join(filter(None, (named, attributes.get("title", ""))))

    def _pre_end(self, _: dict[str, str]) -> str:
        self._in_pre = False
        return self._code_ends

    def _quote(self, _: dict[str, str]) -> str:
        self._boxes += 1
        return box("quote")

    def _quote_end(self, _: dict[str, str]) -> str:
        self._boxes -= 1
        return BOX_END

    def _div(self, attributes: dict[str, str]) -> str:
        found = _ADMONITION.search(attributes.get("class", ""))
        if found:
            kind = found[1] if found[1] in _ADMONITIONS else "note"
            self._tables.append(kind)
            self._boxes += 1
            self._ends.append(BOX_END)
            return box(kind)
        self._ends.append("</div>")
        aligned = f' align="{alignment_of(attributes)}"' if "align" in attributes else ""
        return f'<div class="{attributes.get("class", "")}"{aligned}>'

    def _div_end(self, _: dict[str, str]) -> str:
        end = self._ends.pop() if self._ends else ""
        if end == BOX_END:
            self._boxes -= 1
            self._tables.pop()
        return end

    def _paragraph(self, attributes: dict[str, str]) -> str:
        """Colour an admonition's title by its kind."""
        kind = attributes.get("class", "")
        self._in_formula = kind == "formula"
        if "admonition-title" in kind:
            return f'<p class="title {self._tables[-1] if self._tables else "note"}-title">'
        aligned = f' align="{alignment_of(attributes)}"' if "align" in attributes or "style" in attributes else ""
        return f'<p class="{kind}"{aligned}>' if attributes else "<p>"

    def _table(self, attributes: dict[str, str]) -> str:
        found = _ADMONITION.search(attributes.get("class", ""))
        kind = "table" if found is None else found[1] if found[1] in _ADMONITIONS else "note"
        self._tables.append(kind)
        self._boxes += kind != "table"
        return f"<table {table(kind)}" + (">" if kind == "table" else ' width="100%">')

    def _table_end(self, _: dict[str, str]) -> str:
        if self._tables:
            self._boxes -= self._tables.pop() != "table"
        return "</table>"

    def _data(self, attributes: dict[str, str]) -> str:
        if self._tables and self._tables[-1] != "table":
            return f'<td class="box-{self._tables[-1]}">'
        return f'<td class="t" align="{alignment_of(attributes)}"{span_of(attributes)}>'

    def _head(self, attributes: dict[str, str]) -> str:
        return f'<td class="t th" align="{alignment_of(attributes)}"{span_of(attributes)}>'

    def _code(self, _: dict[str, str]) -> str:
        return "" if self._in_pre else f'{ROOM}<code title="{CODE}">'

    def _code_end(self, _: dict[str, str]) -> str:
        return "" if self._in_pre else f"</code>{ROOM}"

    def _span(self, attributes: dict[str, str]) -> str:
        kind = attributes.get("class", "")
        return f'<span title="~{kind}">' if f"~{kind}" in BACKGROUNDS else f'<span class="{kind}">'

    def _link(self, attributes: dict[str, str]) -> str:
        named = self._named(attributes.get("name") or attributes.get("id", ""), "name")
        if "href" not in attributes:
            return f"<a{named}>"
        self._linked = True
        target = html.unescape(attributes["href"])
        kind = attributes.get("class", "")
        if target.startswith("task:"):  # only the renderer can write such a link, no note
            below = int(target[5:]) - self._targets.prose_lines[self._prose]
            link: Target = TaskTarget(self._side, self._prose, below, done=kind == "task-done")
            mark = TICKED if kind == "task-done" else TICK
            return f'<a class="task-box" title="{mark}" href="{self._targets.link(link)}">'
        if kind == "remote-image":
            name = self._targets.picture(ImageTarget(target, self._side, remote=True))
            words = attributes.get("title", "")
            return f'<a href="{self._targets.link(LoadImage(target))}"><img src="{name}" alt="{words}">'
        link = JumpTarget(self._side, target[1:]) if target.startswith("#") else target
        small = ' class="foot"' if kind.startswith("footnote-") else ""
        return f'<a{named}{small} href="{self._targets.link(link)}">'

    def _link_end(self, _: dict[str, str]) -> str:
        self._linked = False
        return "</a>"

    def _image(self, attributes: dict[str, str]) -> str:
        alternative = attributes.get("alt", "")
        source = html.unescape(attributes.get("src", ""))
        width, height = attributes.get("width", ""), attributes.get("height", "")
        size = number_of(width), number_of(height)
        percent, within = width.endswith("%"), self._boxes
        picture = ImageTarget(
            source, self._side, width=size[0], height=size[1], percent=percent, within=within, apart=self._in_formula
        )
        shown = f'<img src="{self._targets.picture(picture)}" alt="{alternative}">'
        if self._linked or source.startswith("formula:"):
            return shown
        return f'<a href="{self._targets.link(EnlargeImage(picture))}">{shown}</a>'

    def _item(self, attributes: dict[str, str]) -> str:
        kind = attributes.get("class", "")
        tick = "checked" if "task-done" in kind else "unchecked" if "task-open" in kind else kind
        return f'<li class="{tick}"{self._named(attributes.get("id", ""), "id")}>'

    _TAGS: ClassVar[dict[str, _Rewrite]] = {
        "pre": _pre,
        "blockquote": _quote,
        "div": _div,
        "p": _paragraph,
        "table": _table,
        "td": _data,
        "th": _head,
        "code": _code,
        "span": _span,
        "a": _link,
        "img": _image,
        "li": _item,
    }
    _END_TAGS: ClassVar[dict[str, _Rewrite]] = {
        "pre": _pre_end,
        "blockquote": _quote_end,
        "div": _div_end,
        "table": _table_end,
        "code": _code_end,
        "a": _link_end,
    }


_Rewrite: TypeAlias = Callable[[_Writer, dict[str, str]], str]


@lru_cache(maxsize=512)
def coloured(code: str) -> str:
    """Replace Pygments' spans by the elements that the style sheet has colours for; spans without colour are dropped.

    Other spans stay.
    """
    return _BETWEEN.sub("", _TOKEN.sub(_token, code))


def _token(match: re.Match[str]) -> str:
    element = _element(match[1])
    if element is None:
        return match[0]
    return f"<{element}>{match[2]}</{element}>" if element else match[2]


@lru_cache(maxsize=512)
def _element(classes: str) -> str | None:
    """Return the element for a span's classes: empty if it has no colour, None if it is not Pygments'."""
    return next((found for name in classes.split() if (found := _ELEMENTS.get(name)) is not None), None)


def with_alternatives(markup: str) -> str:
    """Move the words of each remote picture into its title, which becomes the alternative text."""
    return _REMOTE.sub(_without_words, markup)


def _without_words(match: re.Match[str]) -> str:
    return f'{match[1]} title="{match[2].replace(chr(34), "&quot;")}">'


def attributes_of(text: str) -> dict[str, str]:
    """Return the attributes in a tag's text."""
    return dict(_ATTRIBUTE.findall(text)) if text else {}


def alignment_of(attributes: dict[str, str]) -> str:
    """Return the alignment of an element's text: left, center or right."""
    wanted = attributes.get("align") or attributes.get("style", "")
    return next((side for side in ("right", "center") if side in wanted), "left")


def span_of(attributes: dict[str, str]) -> str:
    """Return the attributes of a table cell that spans several columns or rows."""
    spans = ((name, number_of(attributes.get(name, ""))) for name in ("colspan", "rowspan"))
    return "".join(f' {name}="{count}"' for name, count in spans if 1 < count <= _MOST_SPANNED)


def number_of(text: str) -> int:
    """Return a size, in pixels or percent; 0 if there is none."""
    found = re.match(r"\d{1,4}", text)
    return int(found[0]) if found else 0
