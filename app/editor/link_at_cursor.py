"""The link of the source that one points at: by a click with Control, or by the caret."""

from __future__ import annotations

from urllib.parse import quote

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent, QTextCursor

from app.editor.markdown_tokens import link_stretch
from app.editor.source_editor import SourceEditor
from app.editor.text_diff import up_to
from kb.markdown.links import links


class LinkAtCursor(QObject):
    """Tells of links in one field that are to be followed."""

    followed = Signal(str)  # as a page has it: an address, a path, "wiki:" and a name, "#" and an anchor

    def __init__(self, source: SourceEditor) -> None:
        """Watch the field's mouse."""
        super().__init__(source)
        self._source = source
        source.viewport().installEventFilter(self)

    def follow(self) -> None:
        """Follow the link at the caret, if there is one."""
        self._follow(self._source.textCursor())

    def _follow(self, place: QTextCursor) -> None:
        block, highlighter = place.block(), self._source.highlighter
        prose = not highlighter.in_fence(block) and highlighter.state_of(block).kind in ("text", "start")
        line = block.text()
        if prose and (link := link_at(line, len(up_to(line, place.positionInBlock())))):
            self.followed.emit(link)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the link under a click with Control; dragging from there selects, as anywhere."""
        if (
            event.type() == QEvent.Type.MouseButtonRelease
            and isinstance(event, QMouseEvent)
            and event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
            and not self._source.textCursor().hasSelection()
        ):
            self._follow(self._source.cursorForPosition(event.position().toPoint()))
        return super().eventFilter(watched, event)


def link_at(line: str, at: int) -> str:
    """Return the link at a place of a line of prose, as a page has it; nothing where there is none."""
    stretch = link_stretch(line, at)
    if stretch.startswith(("http://", "https://")):
        return stretch
    found = links(stretch)
    if not found:
        return ""
    link = found[0]
    place = {"wiki": f"wiki:{quote(link.target)}", "snippet": f"snippet:{link.target}"}.get(link.kind, link.target)
    return f"{place}#{link.anchor}" if link.anchor else place
