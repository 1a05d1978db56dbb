"""The panel on the right: headings of the open note, links to it, related notes, and the status of its code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.commands.registry import Commands
from app.i18n import Translator
from app.notebook.note_loader import OpenNote
from app.panels.related_panel import Backlink, RelatedPanel, citations
from app.runs.run_controller import RunController
from app.state.tree_model import ago, seconds_since, title_of
from app.state.workspace import Workspace
from app.style.appearance import Appearance, named
from app.widgets.sidebar_section import LineButton, SidebarSection
from kb.rendering.rendered_page import PageSection
from snippets.model.snippet import Snippet

_DEEPEST = 3  # levels of headings
_MOST_HEADINGS = 1_000  # that are listed
_AT_ONCE, _LATER = 30, 6  # headings added at once, and then at a time: that takes some ms each
_INSET = "padding-left: 9px; qproperty-indent: 0;"  # aligns a sentence with the captions
_MOST_CITED = 3  # listed links from one note


@dataclass(frozen=True)
class VerificationSummary:
    """A sentence on the verified code, the theme's role of its colour, and when the last run was."""

    sentence: str
    colour: str
    when: str


def proof_of(
    note: OpenNote, shown: Sequence[Snippet], runs: RunController, words: Translator
) -> VerificationSummary | None:
    """Return a summary of the states of the shown cells; None if there are none."""
    if not shown:
        return None
    states = runs.known.get(runs.page_key(note), {})
    counts = Counter(state.status for state in states.values())
    total, passed = len(shown), counts["passed"]
    last = max((state.last for state in states.values() if state.last), key=lambda row: row.started, default=None)
    parts = [words(f"{total} 段中 {passed} 段通过", f"{passed} of {total}")]
    if last is not None:
        parts += [f"torch {'.'.join(last.torch.split('.')[:2])}"] if last.torch else []
        parts.append(last.device)
    colour = "bad" if counts["failed"] else "good" if passed == total else "warn" if passed else "dim"
    when = ago(seconds_since(last.started), words) if last is not None else words("还没有运行过", "not run yet")
    return VerificationSummary(" · ".join(parts), colour, when)


class OutlinePanel(QScrollArea):
    """Shows the headings, with a mark at the current one, links to the note, and the status of its code."""

    heading_chosen = Signal(str)  # anchor

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance, commands: Commands) -> None:
        """Show the open note of `workspace`."""
        super().__init__()
        self._workspace = workspace
        self._words = words
        self._look = look
        self._commands = commands
        self._headings: dict[str, QPushButton] = {}
        self._same: dict[str, str] = {}  # anchor in the other language -> anchor that is shown
        self._waiting: list[tuple[str, str, str, int]] = []  # to be added: anchor, text, text in one language, depth
        self._more = QTimer(self, singleShot=True, interval=10)
        self._more.timeout.connect(self._add_headings)
        self._here = ""
        self._linked: tuple[str, ...] = ()  # keys of the notes that link to this one
        self._cited: dict[str, tuple[Backlink, ...]] = {}  # their links, by these keys
        self._request = 0  # number of the last request for links
        self.setObjectName("outlinePanel")
        self.setProperty("panel", True)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumWidth(150)
        self._headings_part, self._links_part, self._proof_part = SidebarSection(), SidebarSection(), SidebarSection()
        self.kin = RelatedPanel(workspace, words)
        self._place_parts()
        self._connect()

    def _place_parts(self) -> None:
        inner = named(QWidget(), "outlineInner")
        column = QVBoxLayout(inner)
        column.setContentsMargins(6, 16, 6, 12)
        column.setSpacing(14)
        for part in (self._headings_part, self._links_part, *self.kin.parts, self._proof_part):
            column.addWidget(part)
        column.addStretch()
        self.setWidget(inner)

    def _connect(self) -> None:
        self._workspace.notes.opened.connect(lambda _: self.retranslate())
        self._workspace.notes.reloaded.connect(lambda _: self.retranslate())
        self._workspace.notes.grown.connect(lambda _: self._show_headings())
        self._workspace.vault_opened.connect(lambda _: self.retranslate())
        self._workspace.mode_changed.connect(lambda _: self.retranslate())
        self._workspace.vault_scanner.found.connect(lambda _: self._on_survey_found())
        self._workspace.runs.states_known.connect(lambda *_: self._show_proof())
        self._workspace.runs.started.connect(lambda _: self._show_proof())
        self._words.changed.connect(self.retranslate)
        self._look.changed.connect(lambda _: self._show_proof())

    def retranslate(self) -> None:
        """Show everything of the open note again."""
        self._show_headings()
        self._show_links()
        self.kin.show()
        self._show_proof()

    def reached(self, anchor: str) -> None:
        """Mark the heading of the section in view."""
        anchor = self._same.get(anchor, anchor)
        for name in (self._here, anchor):
            if button := self._headings.get(name):
                button.setChecked(name == anchor)
        self._here = anchor
        if button := self._headings.get(anchor):
            self.ensureWidgetVisible(button, 0, 40)

    def _show_headings(self) -> None:
        self._headings_part.clear(self._words("本页内容", "ON THIS PAGE"))
        self._headings, self._same, self._waiting = {}, {}, []
        self._more.stop()
        note = self._workspace.notes.current
        if note is None:
            self._headings_part.setVisible(False)
            return
        shown, other = _sides(note, self._workspace.state.mode, self._words.language)
        top = min((section.level for section in shown if section.level), default=1)
        for at, section in enumerate(shown):
            twin = other[at] if len(other) == len(shown) else None
            if twin is not None:
                self._same[twin.anchor] = section.anchor
            elif len(self._waiting) == _MOST_HEADINGS:
                break
            if 0 < section.level < top + _DEEPEST:
                both = twin is not None and self._workspace.state.mode == "both"
                text = f"{section.heading}  {twin.heading}" if both and twin else section.heading
                self._waiting.append((section.anchor, text, section.heading, section.level - top))
        del self._waiting[_MOST_HEADINGS:]
        self._headings_part.setVisible(bool(self._waiting))
        self._add_headings()

    def _add_headings(self) -> None:
        """Add some headings, and the others after pending events: creating the buttons takes time."""
        count = _LATER if self._headings else _AT_ONCE
        some, self._waiting = self._waiting[:count], self._waiting[count:]
        for anchor, text, alone, depth in some:
            self._headings[anchor] = self._heading(anchor, text, alone=alone, depth=depth)
        if self._waiting:
            self._more.start()
        if any(anchor == self._here for anchor, *_ in some):
            self.reached(self._here)

    def _heading(self, anchor: str, text: str, *, alone: str, depth: int) -> QPushButton:
        button = self._headings_part.add(text, depth, shorter=alone)
        button.setCheckable(True)
        button.clicked.connect(lambda: self._on_heading(anchor))
        return button

    def _on_heading(self, anchor: str) -> None:
        self.heading_chosen.emit(anchor)
        for name, button in self._headings.items():
            button.setChecked(name == anchor)
        self._here = anchor

    def _on_survey_found(self) -> None:
        """Show the links if they have changed; the scanner reports after every few notes."""
        if self._linking() != self._linked:
            self._show_links()

    def _linking(self) -> tuple[str, ...]:
        note = self._workspace.notes.current
        return self._workspace.vault_scanner.linked_from(note.entry.key) if note else ()

    def _show_links(self) -> None:
        self._cited = {}
        self._list_links()
        note, vault, keys = self._workspace.notes.current, self._workspace.vault, set(self._linked)
        if note is None or vault is None or not keys:
            return
        self._request += 1
        request, entry = self._request, note.entry
        linking = [one for one in self._workspace.notes.entries if one.key in keys]
        language = self._workspace.state.mode if self._workspace.state.mode != "both" else self._words.language
        self._workspace.executor.run(
            lambda: citations(vault, entry, linking, language=language),
            lambda found: self._on_cited(found) if request == self._request else None,
            lambda _: None,
        )

    def _on_cited(self, found: dict[str, tuple[Backlink, ...]]) -> None:
        self._cited = found
        self._list_links()

    def _list_links(self) -> None:
        self._links_part.clear(self._words("被这些笔记引用", "LINKED FROM"))
        keys = self._linked = self._linking()
        by_key = {entry.key: entry for entry in self._workspace.notes.entries} if keys else {}
        known = [by_key[key] for key in keys if key in by_key]
        for entry in known:
            button = self._links_part.add(title_of(entry, self._words.language))
            path = self._workspace.path_of(entry)
            button.clicked.connect(lambda _=False, path=path: self._workspace.open_note(path))
            for one in self._cited.get(entry.key, ())[:_MOST_CITED]:
                self._links_part.column.addWidget(self._citation(one))
        self._links_part.setVisible(bool(known))

    def _citation(self, cited: Backlink) -> QPushButton:
        """Return a line with the words around a link, which opens its place."""
        line = LineButton(cited.excerpt, 1)
        line.setProperty("cited", True)
        line.setToolTip(f"{cited.path}:{cited.line}\n{cited.text}")
        line.clicked.connect(lambda: self._workspace.open_note(cited.path, line=cited.line))
        return line

    def _show_proof(self) -> None:
        self._proof_part.clear(self._words("代码验证", "PROVEN"))
        note = self._workspace.notes.current
        proof = proof_of(note, self._workspace.notes.shown, self._workspace.runs, self._words) if note else None
        self._proof_part.setVisible(proof is not None)
        if proof is None:
            return
        told = proof.sentence.replace(" ", "\u00a0").replace("·\u00a0", "· ")  # lines break only after a dot
        label = QLabel(told, wordWrap=True)
        label.setStyleSheet(f"color: {getattr(self._look.theme, proof.colour)}; {_INSET}")
        self._proof_part.column.addWidget(label)
        if proof.when:
            when = QLabel(proof.when, wordWrap=True)
            when.setStyleSheet(f"color: {self._look.theme.dim}; font-size: 13px; {_INSET}")
            self._proof_part.column.addWidget(when)
        button = QPushButton(self._words("验证本篇", "Verify note"))
        if not self._commands.expecting:  # otherwise this is shown again soon
            button.setToolTip(self._commands.tip("verify"))
        button.clicked.connect(self._workspace.verify_note)
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        line = QWidget()  # not a nested layout: PySide would keep its items after Qt has deleted them
        row = QHBoxLayout(line)
        row.setContentsMargins(9, 6, 0, 0)
        row.addWidget(button)
        row.addStretch()
        self._proof_part.column.addWidget(line)


def _sides(note: OpenNote, mode: str, language: str) -> tuple[tuple[PageSection, ...], tuple[PageSection, ...]]:
    """Return the sections whose headings are shown, and those of the other language if there is one."""
    wanted = next((side for one in (mode, language) for side in note.pages if side == one), next(iter(note.pages)))
    others = [page.sections for side, page in note.pages.items() if side != wanted]
    return note.pages[wanted].sections, (others[0] if others else ())
