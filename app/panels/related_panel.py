"""Notes related to the open one, in the panel on the right: links to it, similar notes, and unlinked mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from app.i18n import Translator
from app.state.related_notes import LinkedMention
from app.state.workspace import Workspace
from app.style.appearance import named
from app.widgets.notification import Notification, NotificationAction, of_error
from app.widgets.sidebar_section import LineButton, SidebarSection
from kb.errors import KbError
from kb.lazy_regex import expression
from kb.markdown.lines import split_lines
from kb.markdown.sections import plain_heading
from kb.notes.language import split_name
from kb.notes.note_listing import NoteEntry
from kb.results import Hit, Mention
from kb.vault.vault import Vault

MOST = 60  # notes that are read for links
BEFORE = 18  # characters shown before the label of a link
_LEADING = expression(r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?")
_LONGEST = 300  # characters of a line
_MENTIONS = 6


@dataclass(frozen=True)
class Backlink:
    """A link to a note: its file and line (1-based), the line as plain text, and the part that is shown."""

    path: str
    line: int
    text: str
    excerpt: str


def citations(
    vault: Vault, entry: NoteEntry, linking: Iterable[NoteEntry], *, language: str
) -> dict[str, tuple[Backlink, ...]]:
    """Return the links to an entry by the key of the linking note, one per line; reads these notes.

    For a note in two languages the file in `language` is preferred, if it contains links.
    """
    found: dict[str, tuple[Backlink, ...]] = {}
    for one in list(linking)[:MOST]:
        paths = sorted(one.paths.items(), key=lambda item: item[0] != language)
        each = (tuple(_links_in(vault, entry, path)) for _, path in paths)
        if there := next((cited for cited in each if cited), ()):
            found[one.key] = there
    return found


def _links_in(vault: Vault, entry: NoteEntry, path: str) -> Iterator[Backlink]:
    try:
        note = vault.read(path)
    except KbError:
        return
    lines, wanted, seen = split_lines(note.text), set(entry.paths.values()), set[int]()
    for link in note.links:
        if link.kind not in {"wiki", "note"} or link.line in seen:
            continue
        if vault.resolve_link(path, link.target) not in wanted:
            continue
        seen.add(link.line)
        text = plain_heading(_LEADING.sub("", lines[link.line - 1])[:_LONGEST]).strip(" |")
        yield Backlink(path, link.line, text, _around(text, link.label))


def _around(text: str, label: str) -> str:
    """Return the part of a line that begins a little before the label of a link."""
    at = text.find(label)
    if at <= BEFORE:
        return text
    start = text.find(" ", at - BEFORE, at) + 1 or at - BEFORE
    return f"…{text[start:]}"


class RelatedPanel:
    """Two sections of the panel, similar notes and unlinked mentions, each hidden if empty."""

    def __init__(self, workspace: Workspace, words: Translator) -> None:
        """Show what is related to the open note of `workspace`."""
        self._workspace = workspace
        self._words = words
        self.like, self.mentions = SidebarSection(), SidebarSection()
        self.parts = (self.like, self.mentions)
        workspace.related_notes.found.connect(lambda _: self.show())
        workspace.mode_changed.connect(lambda _: self.show())
        self.show()

    def show(self) -> None:
        """Show similar notes and mentions again."""
        kin, words = self._workspace.related_notes.kin, self._words
        self.like.clear(words("类似的笔记", "MORE LIKE THIS"))
        for hit in kin.like:
            button = self.like.add(self._title(hit.path))
            button.setToolTip(" / ".join(dict.fromkeys((self._title(hit.path), *hit.trail, hit.heading))))
            button.clicked.connect(lambda _=False, hit=hit: self._open(hit))
        self.like.setVisible(bool(kin.like))
        self.mentions.clear(words("提到本篇，还没有链接", "MENTIONED, NOT LINKED"))
        mentions = one_of_each(kin.mentions, self._workspace.state.mode)
        for mention in mentions:
            self.mentions.column.addWidget(self._mention(mention))
        self.mentions.setVisible(bool(mentions))

    def _title(self, path: str) -> str:
        return self._workspace.title_at(path, self._words.language)

    def _own_title(self, path: str) -> str:
        """Return the title of a note in the language of the file: both files of a note may be in the list."""
        entries = self._workspace.notes.entries
        titles = (one.titles[side] for one in entries for side, own in one.paths.items() if own == path)
        return next(titles, path.rpartition("/")[2])

    def _mention(self, mention: Mention) -> QWidget:
        """Return a line that opens a mention, with a button that turns it into a link."""
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 6, 0)
        row.setSpacing(2)
        title = self._own_title(mention.path)
        there = LineButton(title, 0)
        there.setToolTip(f"{mention.path}:{mention.line}\n{mention.excerpt}")
        there.clicked.connect(lambda: self._go(mention))
        link = named(QToolButton(), "linkIt")
        link.setText(self._words("链接", "link"))
        link.setProperty("quiet", True)
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        name = self._words(f"把“{mention.name}”变成指向本篇的链接", f'Make "{mention.name}" there a link to this note')
        link.setToolTip(f"{name}\n{mention.excerpt}")
        link.setAccessibleName(f"{name}: {title}")
        link.clicked.connect(lambda: self._link(mention, link))
        row.addWidget(there, 1)
        row.addWidget(link)
        return line

    def _open(self, hit: Hit) -> None:
        self._workspace.open_note(hit.path, anchor=hit.anchor, line=hit.line)

    def _go(self, mention: Mention) -> None:
        self._workspace.open_note(mention.path, anchor=mention.anchor, line=mention.line, marks=(mention.name.lower(),))

    def _link(self, mention: Mention, button: QToolButton) -> None:
        button.setEnabled(False)
        self._workspace.related_notes.link(
            mention, done=self._on_linked, failed=lambda error: self._on_failed(mention, error)
        )

    def _on_linked(self, linked: LinkedMention) -> None:
        path = linked.note.path
        zh, en = f"{path} 里现在有指向本篇的链接。", f"{path} now links to this note."
        undo = NotificationAction("撤销", "Undo", lambda: self._unlink(linked))
        self._workspace.noticed.emit(Notification(zh, en, "told", (undo,), "linked"))

    def _unlink(self, linked: LinkedMention) -> None:
        self._workspace.related_notes.unlink(linked, lambda error: self._workspace.noticed.emit(of_error(error)))

    def _on_failed(self, mention: Mention, error: Exception | None) -> None:
        """Say why there is no link, and open the mention, so that the user can add one."""
        self.show()
        if error is not None:
            self._workspace.noticed.emit(of_error(error, topic="linked"))
            return
        zh = f"{mention.path} 里的这一处不能自动改成链接；已打开，可以自己改。"
        en = f"This place in {mention.path} cannot be linked automatically; it is open now for you to edit."
        self._workspace.noticed.emit(Notification(zh, en, topic="linked"))
        self._go(mention)


def one_of_each(mentions: Iterable[Mention], mode: str) -> tuple[Mention, ...]:
    """Return the first mention in each file that is in the reading language; `mode` is zh, en or both."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        if mode == "both" or split_name(mention.path)[1] in {mode, None}:
            first.setdefault(mention.path, mention)
    return tuple(first.values())[:_MENTIONS]
