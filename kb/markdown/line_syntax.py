"""The syntax of single lines: how each kind of block begins. All readers of Markdown take their patterns from here."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from kb.lazy_regex import expression

# Parts of patterns.
MARKER = r"(?:[-*+]|\d{1,9}[.)])"  # of a list item
QUOTE_MARK = r"[ ]{0,3}>[ ]?"
TASK_BOX = r"\[([ xX])\]"
CALLOUT_MARK = r"\[!([A-Za-z]+)\][+-]?"
CONTENTS_MARK = r"\[\[?_?toc_?\]?\]"

# Patterns of lines as written, without their ends.
_FENCE = expression(
    rf"(?P<quote>(?:{QUOTE_MARK})*+)(?P<indent>[ \t]*+)(?P<item>{MARKER}[ \t]{{1,4}})?"
    r"(?P<mark>`{3,}+|~{3,}+)(?P<info>.*)"
)
_HEADING = expression(r"[ ]{0,3}(#{1,6})(?:[ \t]+(.*))?")
_CLOSING_SIGNS = expression(r"(?:^|[ \t]+)#+[ \t]*$")
UNDERLINE = expression(r"[ ]{0,3}(={2,}+|-{2,}+)[ \t]*")  # under a heading
HTML_BEGIN = expression(r"[ ]{0,3}<(?:(?P<comment>!--)|(?P<tag>pre|script|style|textarea)(?=[\s>]|$))", re.IGNORECASE)
DEFINITION = expression(r"[ ]{0,3}\[(?P<name>[^\[\]^][^\[\]]*+)\]:\s*+(?:<(?P<angle>[^<>]*+)>|(?P<dest>\S++))")

# Patterns of what is left of a line within its quotes and items, tabs expanded.
QUOTE = expression(QUOTE_MARK)
ITEM = expression(r"( *)([-+*]|(\d{1,9})([.)]))(?:( +)(.*)|$)")
TASK = expression(rf"{TASK_BOX} +(?=\S)")
CALLOUT = expression(rf"{CALLOUT_MARK} *(.*)")
ADMONITION = expression(r'!!! *([A-Za-z]+)(?: +"([^"]*)")? *$')
RULE = expression(r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
DELIMITER_ROW = expression(r"\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
FOOTNOTE = expression(r"\[\^[^\]\s]+\]:")
MEANING = expression(r" {0,3}:[ \t]+(?=\S)")  # of the term in the line before
CONTENTS = expression(rf"{CONTENTS_MARK}$", re.IGNORECASE)
HTML = expression(
    r"<(?P<verbatim>pre|script|style|textarea)\b|(?P<comment><!--)|"
    r"</?(?:address|article|aside|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure"
    r"|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|meta|nav|ol|p|section|summary|table|tbody"
    r"|td|tfoot|th|thead|title|tr|ul)(?:[\s/>]|$)",
    re.IGNORECASE,
)
_PREFIX = expression(rf"^[ \t>]*(?:{MARKER}[ \t]+)*")


@dataclass(frozen=True)
class FenceOpening:
    """The line that opens a fence, such as "> - ```python".

    quote: how many quote marks it begins with. inset: the columns of white space after these. item: whether a list
    item begins there. indent: the columns before the mark, those of the item included. start: the index of the mark.
    """

    quote: int
    inset: int
    item: bool
    indent: int
    start: int
    mark: str
    info: str

    @property
    def closing(self) -> re.Pattern[str]:
        """A pattern for the whole line that closes the fence."""
        return closing_fence(self.mark, quoted=bool(self.quote), indent=self.indent)


def fence_opening(line: str) -> FenceOpening | None:
    """Return the fence that a line opens, None if it opens none."""
    match = _FENCE.match(line)
    if match is None or ("`" in match["info"] and match["mark"][0] == "`"):
        return None
    inset, item = columns(match["indent"]), match["item"] or ""
    quote, indent = match["quote"].count(">"), inset + len(item)
    return FenceOpening(quote, inset, bool(item), indent, match.start("mark"), match["mark"], match["info"].strip())


@functools.lru_cache(maxsize=256)  # few fences differ in these
def closing_fence(mark: str, *, quoted: bool, indent: int) -> re.Pattern[str]:
    """Return a pattern for the line that closes a fence: the same mark, at least as long, 3 columns further in at most.

    Beyond 99 columns no mark closes.
    """
    again = re.escape(mark[0]) + "{" + str(len(mark)) + ",}+"
    quote = rf"(?:{QUOTE_MARK})++" if quoted else ""
    most = min(indent + 3, 99)
    return re.compile(quote + r"(?:[ ]{0," + str(most) + r"}|[ \t]{0," + str(most // 4) + r"})" + again + r"[ \t]*+")


def heading_of(line: str) -> tuple[int, str] | None:
    """Return level and raw text of a heading that begins with #, None if the line is none."""
    match = _HEADING.fullmatch(line) if "#" in line else None
    return (len(match[1]), _CLOSING_SIGNS.sub("", (match[2] or "").strip()).strip()) if match else None


def columns(line: str) -> int:
    """Return the columns of white space that a line begins with; a tab ends at a multiple of four."""
    width = 0
    for char in line:
        if char == " ":
            width += 1
        elif char == "\t":
            width += 4 - width % 4
        else:
            break
    return width


def indent_of(text: str) -> int:
    """Return the number of spaces that a line begins with."""
    return len(text) - len(text.lstrip(" "))


def without_tabs(line: str) -> str:
    """Expand the tabs before a line's text to four columns, and drop invisible characters at its beginning."""
    line = line.lstrip("\u200b\u2060\ufeff")
    if "\t" not in line:
        return line
    prefix = _PREFIX.match(line)
    assert prefix
    return prefix[0].expandtabs(4) + line[prefix.end() :]


def cell_count(row: str) -> int:
    """Return the number of cells in a table row; an escaped bar separates none."""
    return len(re.findall(r"(?<!\\)\|", row.strip().strip("|"))) + 1
