"""The commands of the editor: formatting, lines, tables, completion, spelling, snippets and pasted images."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QKeySequence, QTextCursor
from PySide6.QtWidgets import QMenu

from app.central.central_widget import CentralWidget
from app.commands.registry import Command
from app.commands.vault_completions import VaultCompletions
from app.editor.completion import CompletionPopup
from app.editor.dictionary import available
from app.editor.insertion import Picture, beneath_code, insert_block, insert_paragraph
from app.editor.line_commands import headed, tasked
from app.editor.source_menu import LinkAtCursor, SourceMenu
from app.editor.spell_checker import SpellChecker
from app.editor.text_diff import replace_in
from app.editor.word_count import WordCountLabel
from app.i18n import Translator
from app.notebook.extract_snippet import ExtractedSnippet, extract
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.widgets.notification import Notification, NotificationAction, of_error
from kb.analysis.glossary import SHIPPED, OwnGlossary, things
from kb.errors import SaveFailed
from kb.vault.attachments import attach, attach_file, picture_name, shown_in
from kb.vault.vault import Vault

OWN = "words.txt"  # the user's words in their data folder, one per line
_TABLE = "表格：", "Table: "  # prefix of the commands for tables


class SpellingCommands:
    """Turns the spelling marks on and off as the preferences say, and opens the menu to correct a word."""

    def __init__(
        self,
        workspace: Workspace,
        central: CentralWidget,
        words: Translator,
        look: Appearance,
        *,
        table: Callable[[QMenu], object],
    ) -> None:
        """Act on the editor of `central`; `table` adds the table commands to the editor's context menu."""
        self._workspace, self._editor = workspace, central.editor
        self._source = central.editor.source
        self.spelling = SpellChecker(
            self._source, run=workspace.executor.run, context=self, own=workspace.places.data / OWN, theme=look.theme
        )
        self.menu = SourceMenu(self._source, self.spelling, words, table=table)
        look.changed.connect(self.spelling.set_theme)
        central.edited.connect(lambda on: self.follow() if on else None)
        self.spelling.failed.connect(lambda error: workspace.noticed.emit(of_error(error, topic="spelling")))

    # --- called by the spell checker

    def wanted(self) -> bool:
        """Return whether the note in the editor is checked: all notes are, English ones, or none."""
        choice = self._workspace.settings_store.preferences.spelling
        chosen = choice == "all" or (choice == "english" and self._english())
        return bool(self._editor.path) and available() and chosen

    def names(self) -> Callable[[], Iterable[str]]:
        """Return a function that yields the names of notes and terms; it reads files."""
        vault, entries = self._workspace.vault, self._workspace.notes.entries

        def found() -> Iterable[str]:
            for entry in entries:
                yield from (*entry.titles.values(), *entry.aliases, *entry.tags, entry.key)
            own = OwnGlossary(vault.root).things() if vault is not None else ()
            for forms in chain(own, things(SHIPPED.read_text(encoding="utf-8"))):
                yield from forms

        return found

    def _english(self) -> bool:
        note = self._workspace.notes.current
        edited = note.note_at(self._editor.path) if note is not None else None
        return edited is not None and edited.lang == "en"

    # --- commands

    def follow(self) -> None:
        """Turn the marks on or off as the preferences say now."""
        if self.wanted() != self.spelling.on:
            self.spelling.refresh()

    def toggle(self) -> None:
        """Turn the marks off, or on for English notes, or for all notes if this one is not English."""
        if not available():
            zh, en = (
                "没有拼写词典；装上它：pip install spylls。",
                "There is no dictionary: pip install spylls adds one.",
            )
            self._workspace.noticed.emit(Notification(zh, en, "failed", topic="spelling"))
            return
        choice = "off" if self.spelling.on else "english" if self._english() else "all"
        self._workspace.settings_store.set_preference(spelling=choice)
        self.follow()
        if choice == "off":
            self._tell("不再标出拼写。", "Spelling is no longer marked.")
        else:
            self._tell("标出不认识的英文词。", "Unknown English words are marked.")

    def _tell(self, zh: str, en: str) -> None:
        self._workspace.noticed.emit(Notification(zh, en, topic="spelling", passing=True))

    def next_one(self) -> None:
        """Go to the next marked word and open its menu."""
        self.spelling.next_one(self._on_next)

    def _on_next(self, word: QTextCursor | None) -> None:
        if word is None:
            self._tell("下面没有标出的词。", "No marked word below.")
            return
        source = self._source
        source.setTextCursor(word)
        source.ensureCursorVisible()
        place = source.cursorRect().bottomLeft()
        self.menu.open_at(word, source.viewport().mapToGlobal(place), word=word)


class EditorCommands:
    """The commands that act on the text at the cursor."""

    def __init__(self, workspace: Workspace, central: CentralWidget, words: Translator, look: Appearance) -> None:
        """Act on the editor of `central`."""
        self._workspace, self._words, self._central = workspace, words, central
        self._table_keys: dict[str, tuple[str, ...]] = {}  # changed keys of table commands, by their names
        self._editor = central.editor
        self._source = central.editor.source
        self.chooser = CompletionPopup(
            self._source,
            VaultCompletions(workspace, words),
            path=lambda: self._editor.path,
            words=words,
            theme=look.theme,
        )
        self._measuring = WordCountLabel(self._source, self._editor.header, words=words, run=workspace.executor.run)
        self.checking = SpellingCommands(workspace, central, words, look, table=self._add_table_menu)
        self._links = LinkAtCursor(self._source)
        self._links.followed.connect(central.reader.follow)
        look.changed.connect(self.chooser.set_theme)
        self._source.pictures_pasted.connect(self._on_pictures_pasted)

    def commands(self) -> tuple[Command, ...]:
        """Return the commands in the order of the menu."""
        lines, source, carets = self._source.linework, self._source, self._source.carets

        def mark(sign: str) -> None:
            carets.each(lambda: carets.linework.toggle(sign))

        return (
            *self._note_commands(),
            self._command("bold", "加粗", "Bold", lambda: mark("**"), "Ctrl+B"),
            self._command("italic", "斜体", "Italic", lambda: mark("*"), "Ctrl+I"),
            self._command("code", "行内代码", "Code", lambda: mark("`"), "Ctrl+Shift+K"),
            self._command("line_up", "上移行", "Move line up", lambda: lines.carry(-1), "Alt+Up"),
            self._command("line_down", "下移行", "Move line down", lambda: lines.carry(1), "Alt+Down"),
            self._command("double_line", "重复行", "Duplicate line", lines.double, "Ctrl+Shift+D"),
            self._command(
                "next_same", "选中单词，再选下一处相同的", "Select the word, and the next like it", carets.next_same,
                "Ctrl+D",
            ),
            self._command("all_same", "选中全部相同的", "Select all that are like it", carets.all_same, "Ctrl+Shift+L"),
            self._command(
                "caret_above", "在上一行加一个光标", "Add a caret above", lambda: carets.below(-1), "Ctrl+Alt+Up"
            ),
            self._command(
                "caret_below", "在下一行加一个光标", "Add a caret below", lambda: carets.below(1), "Ctrl+Alt+Down"
            ),
            self._command(
                "follow", "打开光标处的链接", "Follow the link at the cursor", self._links.follow, "Alt+Return"
            ),
            *self._line_commands(),
            *self._table_commands(),
            self._command(
                "complete", "补全（链接、标签、术语）", "Complete (links, tags, terms)", self.chooser.demand,
                "Ctrl+Space", "Alt+/",
            ),
            self._command(
                "spelling", "标出不认识的英文词 / 不标出", "Mark unknown English words, or not", self.checking.toggle
            ),
            self._command(
                "next_unknown", "下一个不认识的词", "Next unknown word", self.checking.next_one, "F7", hidden=True
            ),
            self._command("snippet", "插入代码片段…", "Insert a snippet…", self._insert_snippet, "Ctrl+Shift+I"),
            self._command(
                "block", "插入可运行的代码块", "Insert a block to run",
                lambda: insert_block(source, source.raw(), is_open=source.highlighter.is_open),
                "Ctrl+Shift+M",
            ),
            self._command("to_file", "把代码块存成文件", "Turn the block into a file", self._to_file),
            self._command("paste_plain", "粘贴为纯文本", "Paste as plain text", source.paste_plain, "Ctrl+Shift+V"),
        )  # fmt: skip

    def _note_commands(self) -> tuple[Command, ...]:
        editor, own = self._editor, self._own_key
        here = ("replace_here", "在本篇中替换…", "Replace in this note…")
        block = ("run_block", "运行光标所在的代码块", "Run the block that the cursor is in")
        preview = ("preview", "显示 / 隐藏预览", "Show / hide the preview")
        return (
            own("save", self._command("save", "立即保存", "Save now", editor.save_now, "Ctrl+S")),
            own("replace", self._command(*here, lambda: editor.find_bar.open(replace=True), "Ctrl+H")),
            own("run", self._command(*block, lambda: editor.run_at(self._source.line()), "Ctrl+Return")),
            self._command(*preview, editor.header.preview_button.toggle, "Ctrl+Shift+E"),
        )

    def _line_commands(self) -> tuple[Command, ...]:
        lines, each = self._source.carets.linework, self._source.carets.each

        def heading(level: int) -> Command:
            def act() -> None:
                each(lambda: lines.lead(lambda line: headed(line, level)))

            names = (f"heading_{level}", f"{level} 级标题", f"Heading {level}")
            return self._command(*names, act, f"Ctrl+{level}", hidden=True)

        task = ("task", "任务：加框、勾选", "Task: add a box, tick")
        mark = self._command(*task, lambda: each(lambda: lines.lead(tasked)), "Ctrl+Alt+X")
        return (*map(heading, range(1, 7)), mark)

    def _table_commands(self) -> tuple[Command, ...]:
        table = self._source.typist.tabling

        def with_keys(command: Command) -> Command:
            return replace(command, bound=lambda keys: self._table_keys.update({command.name: tuple(keys)}))

        return (
            with_keys(self._command("table", "对齐表格", "Align table", table.arrange, "Ctrl+Alt+T")),
            *(
                with_keys(self._command(name, f"{_TABLE[0]}{zh}", f"{_TABLE[1]}{en}", act, keys, hidden=True))
                for name, zh, en, act, keys in (
                    ("row_above", "上方加一行", "add a row above", lambda: table.add_row(0), "Ctrl+Alt+A"),
                    ("row_below", "下方加一行", "add a row below", lambda: table.add_row(1), "Ctrl+Alt+B"),
                    ("column_left", "左边加一列", "add a column left", lambda: table.add_column(0), "Ctrl+Alt+L"),
                    ("column_right", "右边加一列", "add a column right", lambda: table.add_column(1), "Ctrl+Alt+R"),
                    ("row_away", "删除这一行", "remove the row", table.remove_row, "Ctrl+Alt+Shift+R"),
                    ("column_away", "删除这一列", "remove the column", table.remove_column, "Ctrl+Alt+Shift+L"),
                )
            ),
        )

    def _add_table_menu(self, menu: QMenu) -> None:
        """Add a submenu with the table commands and their current keys."""
        inner = menu.addMenu(self._words("表格", "Table"))
        for command in self._table_commands():
            name = self._words(command.zh.removeprefix(_TABLE[0]), command.en.removeprefix(_TABLE[1]))
            keys = QKeySequence(*self._table_keys.get(command.name, command.keys)[:1])
            told = keys.toString(QKeySequence.SequenceFormat.NativeText)
            inner.addAction(f"{name[:1].upper()}{name[1:]}\t{told}", command.act)

    def _command(
        self, name: str, zh: str, en: str, act: Callable[[], object], *keys: str, hidden: bool = False
    ) -> Command:
        return Command(name, "write", zh, en, lambda: self._do(act), keys, hidden=hidden, where=self._source)

    def _own_key(self, name: str, command: Command) -> Command:
        """Let the editor handle the command's keys itself, whichever of its widgets is focused."""
        return replace(command, bound=lambda keys: self._source.keys.bind(name, keys))

    def _do(self, act: Callable[[], object]) -> None:
        """Act on the text and focus it; if the editor is hidden, say that the command needs it."""
        source = self._source
        if not source.isVisible():
            zh, en = "这个命令在编辑笔记时才有用。", "This works only while you edit a note."
            edit = (NotificationAction("编辑", "Edit", self._central.toggle_editor),)
            choices = edit if self._workspace.notes.current is not None else ()
            self._workspace.noticed.emit(Notification(zh, en, choices=choices, topic="writing", passing=True))
        elif not source.isReadOnly() and not source.composing():
            source.setFocus()
            act()

    def _insert_snippet(self) -> None:
        insert_paragraph(self._source, "[](snippet:", ")", is_open=self._source.highlighter.is_open)
        self.chooser.demand()

    def _to_file(self) -> None:
        """Move the block at the cursor into a file next to the note, and link to it instead."""
        vault, note, text = self._workspace.vault, self._editor.path, self._source.raw()
        line = self._source.line()
        if vault is not None and note:
            self._workspace.notes.in_turn(
                lambda: extract(vault, note, text, line),
                lambda made: self._on_filed(note, text, made),
                lambda error: self._workspace.noticed.emit(of_error(error, topic="attach")),
            )

    def _on_filed(self, note: str, text: str, made: ExtractedSnippet) -> None:
        """Replace the block by the link; if the text has changed meanwhile, insert the link at the cursor instead."""
        source = self._source
        if note != self._editor.path or source.isReadOnly():
            return
        if source.raw() != text:
            insert_paragraph(source, made.link, "", is_open=source.highlighter.is_open)
            return
        lines = text.split("\n")
        lines[made.first - 1 : made.last] = [made.link]
        replace_in(source.document(), 0, text, "\n".join(lines))

    # --- images

    def _on_pictures_pasted(self, pictures: tuple[Picture, ...]) -> None:
        """Write images next to the note in the background, and insert them where the cursor was."""
        vault, note = self._workspace.vault, self._editor.path
        if vault is None or not note or self._source.isReadOnly():
            return
        place = QTextCursor(self._source.textCursor())
        self._workspace.notes.in_turn(
            lambda: "\n".join(shown_in(note, _kept(vault, note, one)) for one in pictures),
            lambda shown: self._on_kept(note, place, shown),
            lambda error: self._workspace.noticed.emit(of_error(error, topic="attach")),
        )

    def _on_kept(self, note: str, place: QTextCursor, shown: str) -> None:
        if note == self._editor.path and not self._source.isReadOnly():
            highlighter = self._source.highlighter
            if highlighter.in_fence(place.block()):
                place, shown = beneath_code(place, highlighter.is_open), f"\n\n{shown}"
            place.insertText(shown)
            self._source.ensureCursorVisible()


def _kept(vault: Vault, note: str, picture: Picture) -> str:
    """Return the path of an image in the vault; write it there if it is new. Raises SaveFailed."""
    if not isinstance(picture, QImage):
        return attach_file(vault, note, picture)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    name = picture_name(note)
    if not picture.save(buffer, "PNG"):  # type: ignore[call-overload]  # Qt takes the format as text, its stubs as bytes
        raise SaveFailed(name, "the picture cannot be written as PNG", "这张图片无法写成 PNG")
    return attach(vault, note, bytes(buffer.data().data()), name=name)
