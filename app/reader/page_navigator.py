"""Navigation within the shown page: to headings, lines and found words, and the section in view."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QTextBrowser

from app.reader.note_page import NotePage
from app.reader.page_set import Side
from kb.markdown.sections import heading_tests

_TITLE = 40  # pixels at zoom 1 from the top of a page, within which its title is
_REACHED = 90  # pixels from the top of the view within which a heading counts as reached


class PageNavigator:
    """Scrolls the view of a page to places, and reports the section in view."""

    def __init__(self, view: QTextBrowser, page: NotePage, section_reached: Callable[[str], object]) -> None:
        """Call `section_reached` with the anchor of a heading when it comes into view."""
        self._view, self._page = view, page
        self._section_reached = section_reached
        self._jumped: tuple[QTextBlock, int] | None = None  # the target of a jump, and the scroll bar's value after it
        self.section = ""  # the anchor of the heading in view
        page.rebuilt.connect(self._forget)
        page.patched.connect(self._forget)

    def _forget(self) -> None:
        """Report the section again, as the page has changed."""
        self._jumped, self.section = None, ""

    def go_to(self, place: str | int, *, side: Side | None = None) -> bool:
        """Go to a heading's anchor, to another anchor of the page, or to a line; return False if there is none.

        If both languages have such a place, `side` says which is meant; by default it is the first one shown.
        """
        if isinstance(place, int):
            return self.go_to_line(place, side=side)
        found = self._find(place, side)
        if isinstance(found, bool):
            return found
        block, heading = found
        self._page.scroll_to(self._page.top_of(block) - self._page.space_above)
        self._jumped = (block, self._view.verticalScrollBar().value())
        if heading:
            self._announce(heading)
        return True

    def _find(self, anchor: str, side: Side | None) -> tuple[QTextBlock, str] | bool:
        """Return where an anchor is and its heading; True if the view goes there once it is filled in; else False."""
        anchors, filling = self._page.anchors, self._page.filling
        if anchors is None:
            return False
        found = anchors.find_heading(anchor, side)
        if anchor and filling.waiting and (found is None or found[1] != anchor) and self._to_fill(anchor, found):
            went: list[bool] = []
            filling.reach(
                lambda: self._to_fill(anchor, found),
                lambda: went.append(True) if not went else self.go_to(anchor, side=side),
            )
            if not went:
                went.append(False)
                return True
        return anchors.find(anchor, side) or False

    def _to_fill(self, anchor: str, found: object) -> int:
        """Return how many chunks are missing up to an anchor; 0 if it is not among them.

        If a heading of a similar name was `found` already, only another heading counts.
        """
        filling = self._page.filling
        count = next((count for way in heading_tests(anchor) if (count := filling.up_to_heading(way))), 0)
        return count or (0 if found else filling.up_to_name(anchor))

    def go_to_line(self, line: int, *, side: Side | None = None) -> bool:
        """Go to a line of a note's source, in the language named or the first one shown."""
        anchors, filling = self._page.anchors, self._page.filling
        if anchors is None or anchors.height_of_line(line, side) is None:
            return False
        known = anchors.known(side)
        filling.reach(lambda: filling.up_to_line(line, known), lambda: self._scroll_to_line(line, side))
        return True

    def _scroll_to_line(self, line: int, side: Side | None) -> None:
        height = self._page.anchors.height_of_line(line, side) if self._page.anchors else None
        if height is not None:
            self._page.scroll_to(height - self._page.space_above)

    def shows_line(self, line: int) -> bool:
        """Return whether a line of a note's source is in view, and not at the very edge."""
        anchors = self._page.anchors
        if anchors is None or self._page.filling.up_to_line(line, anchors.known(None)):
            return False
        height = anchors.height_of_line(line, None)
        above, seen = self._view.verticalScrollBar().value(), self._view.viewport().height()
        return height is not None and above <= height <= above + seen - 5 * self._page.space_above

    def nearest_cell(self) -> int | None:
        """Return the index of the cell at the text cursor, else of the one nearest the middle of the view."""
        top, height = self._view.verticalScrollBar().value(), self._view.viewport().height()
        position, anchors = self._view.textCursor().position(), self._page.anchors
        return anchors.nearest_box(position, (top, top + height), self._jump_target()) if anchors else None

    def _jump_target(self) -> QTextBlock | None:
        """Return the block that was jumped to, unless the view has scrolled since."""
        if self._jumped is None or self._jumped[1] != self._view.verticalScrollBar().value():
            return None
        return self._jumped[0]

    # The section in view

    def report_section(self) -> None:
        """Report the heading in view if it is another one."""
        if anchors := self._page.anchors:
            self._announce(anchors.heading_at(self._view.verticalScrollBar().value() + self._reading_line()))

    def _reading_line(self) -> float:
        """Return how far below the top of the view a heading counts as reached, in pixels.

        A page begins below its first heading. Over the last screen of a page the line moves down to the end of the
        view, so that sections which cannot scroll to the top are reached, too.
        """
        bar, seen = self._view.verticalScrollBar(), self._view.viewport().height()
        reached = min(_REACHED, _TITLE * self._page.zoom + bar.value())
        if not bar.maximum() or self._page.filling.waiting:
            return reached
        left = min(1.0, (bar.maximum() - bar.value()) / min(seen, bar.maximum()))
        return reached + (1 - left) * max(0, seen - reached)

    def _announce(self, anchor: str) -> None:
        if anchor and anchor != self.section:
            self.section = anchor
            self._section_reached(anchor)

    # Words

    def mark(self, words: Iterable[str]) -> None:
        """Mark the words that a search matched, and show the first of them in the section that is in view."""
        page = self._page
        page.marked = tuple(words)
        places = page.search.mark(page.marked)
        page.show_marks()
        y, height = self._view.verticalScrollBar().value(), self._view.viewport().height()
        tops = (page.top_of(self._view.document().findBlock(start)) for start, _ in places)
        top = next((top for top in tops if top >= y), None)
        if top is not None and top > y + height - 60:
            target = self._jump_target()
            page.scroll_to(top - height / 3)
            if target is not None:  # it is still what the user went to
                self._jumped = (target, self._view.verticalScrollBar().value())

    def find_text(self, text: str, *, backward: bool = False) -> tuple[int, int]:
        """Go to the next match of a text; return its number, from 1, and the number of matches (0, 0: none)."""
        page = self._page
        page.filling.finish()
        start = self._view.cursorForPosition(QPoint(1, 1)).position()
        found = page.search.find(text, start, backward=backward)
        page.show_marks()
        if found is None:
            return 0, 0
        self.show_block(self._view.document().findBlock(found[0]))
        return page.search.current + 1, page.search.count

    def show_block(self, block: QTextBlock) -> None:
        """Scroll to a block if it is not in view."""
        top = self._page.top_of(block)
        y, height = self._view.verticalScrollBar().value(), self._view.viewport().height()
        if not y + 20 <= top <= y + height - 60:
            self._page.scroll_to(top - height / 3)
