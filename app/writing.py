"""The commands of the editor: marks, lines, tables, and what can be completed or inserted."""

from __future__ import annotations

from collections.abc import Callable

from app.centre import Centre
from app.commands import Command
from app.editor.choosing import Chooser
from app.look import Look
from app.lore import VaultLore
from app.words import Words
from app.workspace import Workspace


class Writing:
    """Does to the text under the caret what the palette and the keys ask for."""

    def __init__(self, workspace: Workspace, centre: Centre, words: Words, look: Look) -> None:
        """Act on the editor of `centre`."""
        self._workspace, self._words = workspace, words
        self._editor = centre.editor
        self._source = centre.editor.source
        self.chooser = Chooser(
            self._source, VaultLore(workspace, words), path=lambda: self._editor.path, words=words, theme=look.theme
        )
        look.changed.connect(self.chooser.wear)

    def commands(self) -> tuple[Command, ...]:
        """Return the commands in the order of the menu."""
        lines, source = self._source.linework, self._source
        return (
            self._command("bold", "加粗", "Bold", lambda: lines.toggle("**"), "Ctrl+B"),
            self._command("italic", "斜体", "Italic", lambda: lines.toggle("*"), "Ctrl+I"),
            self._command("code", "行内代码", "Code", lambda: lines.toggle("`"), "Ctrl+Shift+K"),
            self._command("line_up", "上移行", "Move line up", lambda: lines.carry(-1), "Alt+Up"),
            self._command("line_down", "下移行", "Move line down", lambda: lines.carry(1), "Alt+Down"),
            self._command("double_line", "复制行", "Duplicate line", lines.double, "Ctrl+Shift+D"),
            self._command("table", "对齐表格", "Align table", source.typist.tabling.arrange, "Ctrl+Alt+T"),
            self._command(
                "complete", "补全（术语、链接、标签）", "Complete (terms, links, tags)", self.chooser.demand,
                "Ctrl+Space", "Alt+/",
            ),
        )  # fmt: skip

    def _command(self, name: str, zh: str, en: str, act: Callable[[], object], *keys: str) -> Command:
        return Command(name, "write", zh, en, lambda: self._do(act), keys, where=self._source)

    def _do(self, act: Callable[[], object]) -> None:
        """Do it where there is a text that can be written, and leave the keyboard there."""
        source = self._source
        if source.isVisible() and not source.isReadOnly() and not source.composing():
            source.setFocus()
            act()
