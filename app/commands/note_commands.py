"""The commands that change the notes of a vault: create, translate, rename, move, delete, and undo."""

from __future__ import annotations

import datetime as dt
import posixpath
from collections.abc import Callable

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.central.central_widget import CentralWidget
from app.commands.input_prompt import InputPrompt
from app.commands.registry import Command
from app.i18n import Translator
from app.state.workspace import Workspace
from app.widgets.notification import Notification
from kb.errors import KbError, SaveFailed
from kb.files.tree import is_note_name, refuse_name
from kb.markdown.lines import split_lines
from kb.markdown.sections import Section
from kb.notes.language import split_name
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.notes.templates import file_for, filled, is_template, templates
from kb.notes.translation_skeleton import other_path, skeleton

_RENAME = ("重命名", "Rename")
_UNDO = ("Ctrl+Alt+Z",)


class NoteCommands:
    """Asks for names in a prompt over the window, and edits the vault."""

    def __init__(self, workspace: Workspace, central: CentralWidget, words: Translator, window: QWidget) -> None:
        """Create the prompt over `window`."""
        self._workspace = workspace
        self._central = central
        self._words = words
        self._window = window
        self.prompt = InputPrompt(words, window)

    def commands(self) -> tuple[Command, ...]:
        """Return the commands, which act on the open note."""
        edits = self._workspace.vault_edits
        return (
            Command("new", "notes", "新建笔记…", "New note…", self.new_note, ("Ctrl+N",)),
            Command(
                "translate", "notes", "新建另一语言的版本", "Create the other language", self._here(self.translate)
            ),
            Command("rename", "arrange", "重命名或移动笔记…", "Rename or move note…", self._here(self.rename), ("F2",)),
            Command("rename_heading", "arrange", "重命名标题…", "Rename heading…", self.rename_heading, ("Shift+F2",)),
            Command(
                "put_away",
                "arrange",
                "移出笔记库",
                "Move note out of the vault",
                self._here(edits.delete_note),
                also="删除 delete remove trash",
            ),
            Command("undo_arranging", "arrange", "撤销上次整理", "Undo the last rearranging", self.undo, _UNDO),
        )

    def menu(self, entry: NoteEntry | None, folder: str) -> QMenu:
        """Return the context menu of a note in the tree, or of a folder."""
        menu = QMenu(self._window)
        words = self._words
        if entry is not None:
            path = self._workspace.path_of(entry)
            menu.addAction(words("打开", "Open"), lambda: self._workspace.open_note(path))
            new_tab = words("在新标签页打开", "Open in a new tab")
            menu.addAction(new_tab, lambda: self._workspace.open_note(path, new_tab=True))
            menu.addSeparator()
        menu.addAction(words("在这里新建笔记…", "New note here…"), lambda: self.new_note(folder))
        if entry is not None:
            if len(entry.paths) == 1:
                menu.addAction(words("新建另一语言的版本", "Create the other language"), lambda: self.translate(entry))
            menu.addSeparator()
            menu.addAction(words("重命名或移动…", "Rename or move…"), lambda: self.rename(entry))
            menu.addAction(words("复制链接", "Copy link"), lambda: _copy(f"[[{entry.key}]]"))
            delete = words("移出笔记库", "Move out of the vault")
            menu.addAction(delete, lambda: self._workspace.vault_edits.delete_note(entry))
        elif folder:
            menu.addAction(words("重命名或移动文件夹…", "Rename or move folder…"), lambda: self.rename_folder(folder))
        menu.addSeparator()
        menu.addAction(words("在文件管理器中显示", "Show in the file manager"), lambda: self._show_on_disk(folder))
        return menu

    # --- what they do

    def new_note(self, folder: str | None = None) -> None:
        """Ask for a path and create a note there."""
        words, note = self._words, self._workspace.notes.current
        if folder is None:
            folder = note.entry.folder if note is not None and not is_template(note.entry) else ""
        start = f"{folder}/" if folder else ""
        self.prompt.ask(
            words("新建笔记", "New note"),
            self._create,
            text=start,
            chosen=(len(start), len(start)),
            check=self._wrong,
            hint=words("路径，例如 训练/冻结参数.zh", "A path, for example training/freezing.en"),
            choices=self._templates(),
            verb=("新建", "Create"),
        )

    def _templates(self) -> tuple[str, ...]:
        """Return the names of what a new note can begin with; empty if the vault has no templates."""
        found = templates(self._workspace.notes.entries)
        return (self._words("空白笔记", "An empty note"), *(one.name for one in found)) if found else ()

    def rename(self, entry: NoteEntry) -> None:
        """Ask for a new path of a note, in all its languages."""
        words, key = self._words, entry.key
        self.prompt.ask(
            words("笔记的新名称或路径", "New name or path of the note"),
            lambda new: self._workspace.vault_edits.rename_note(entry, _key(new)),
            text=key,
            chosen=(len(key) - len(entry.name), len(key)),
            check=lambda text: self._taken(text, key),
            hint=words("不含语言和后缀；所有链接会随之更改", "Without language and suffix; every link is updated"),
            verb=_RENAME,
        )

    def rename_folder(self, folder: str) -> None:
        """Ask for a new path of a folder."""
        words, at = self._words, len(folder) - len(posixpath.basename(folder))
        self.prompt.ask(
            words("文件夹的新名称或路径", "New name or path of the folder"),
            lambda new: self._workspace.vault_edits.move_folder(folder, new),
            text=folder,
            chosen=(at, len(folder)),
            check=self._wrong,
            hint=words("所有指向其中笔记的链接会随之更改", "Every link to its notes is updated"),
            verb=_RENAME,
        )

    def rename_heading(self) -> None:
        """Ask for the new text of the heading in view, or of the one above the cursor."""
        found, words = self._heading(), self._words
        if found is None:
            self._tell("这篇笔记里没有标题。", "This note has no heading.")
            return
        path, section = found
        self.prompt.ask(
            words("标题的新文字", "New text of the heading"),
            lambda new: self._workspace.vault_edits.rename_heading(path, section.line, new),
            text=section.raw_heading,
            hint=words("所有指向它的链接会随之更改", "Every link to it is updated"),
            verb=_RENAME,
        )

    def translate(self, entry: NoteEntry) -> None:
        """Create the file of a note's other language with its headings, code and snippets, and edit it."""
        note = self._workspace.notes.current
        if note is None or note.entry.key != entry.key:
            self._workspace.open_then(self._workspace.path_of(entry), lambda: self.translate(entry))
        elif len(note.notes) == 1:
            first: Note = next(iter(note.notes.values()))
            self._workspace.vault_edits.new_note(other_path(first), text=skeleton(first), then=self._edit)
        else:
            self._tell("这篇笔记已有两种语言。", "This note already has both languages.")

    def undo(self) -> None:
        """Undo the last change of the vault, or say that there is none."""
        if not self._workspace.vault_edits.undo():
            self._tell("没有可以撤销的整理。", "There is nothing to undo.")

    def _tell(self, zh: str, en: str) -> None:
        """Show why nothing happens."""
        self._workspace.noticed.emit(Notification(zh, en, topic="keeping", passing=True))

    def _create(self, path: str) -> None:
        edits, store = self._workspace.vault_edits, self._workspace.notes.store
        at, known = self.prompt.choices.currentIndex(), templates(self._workspace.notes.entries)
        if at <= 0 or at > len(known) or store is None:
            edits.new_note(path, then=self._edit)
            return
        path = path if is_note_name(path) else f"{path}.md"

        def begin(template: Note) -> None:
            text = filled(template.text, path, dt.datetime.now().astimezone())
            edits.new_note(path, text=text, then=self._edit)

        store.read(file_for(known[at - 1], path), done=begin, failed=edits.failed("new"))

    def _edit(self, path: str) -> None:
        def edit() -> None:
            note = self._workspace.notes.current
            source = note.note_at(path) if note is not None else None
            self._central.edit(path, _first_line(source) if source is not None else 1)

        self._workspace.open_then(path, edit)

    def _here(self, act: Callable[[NoteEntry], object]) -> Callable[[], object]:
        def do() -> None:
            if (note := self._workspace.notes.current) is not None:
                act(note.entry)
            else:
                self._tell("没有打开的笔记。", "No note is open.")

        return do

    def _heading(self) -> tuple[str, Section] | None:
        note = self._workspace.notes.current
        if note is None:
            return None
        path = self._central.editor.path if self._central.editing else note.lead.path
        source = note.note_at(path)
        line = self._central.editor.source.line() if self._central.editing else self._central.reader.line_in_view()
        heads = [one for one in source.sections if one.level] if source is not None else []
        above = [one for one in heads if one.line <= line]  # none if the front matter is in view
        return (path, (above[-1:] or heads)[0]) if heads else None

    def _show_on_disk(self, folder: str) -> None:
        if (vault := self._workspace.vault) is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(vault.root / folder)))

    # --- checks of a typed name, which return what is wrong with it

    def _wrong(self, path: str) -> str:
        vault, path = self._workspace.vault, path if is_note_name(path) else f"{path}.md"
        try:
            if vault is not None:
                vault.inside(path)
                refuse_name(path)
        except SaveFailed as error:
            return self._words(error.reason_zh, error.reason)
        except KbError as error:
            return error.sentence(self._words.language)
        return ""

    def _taken(self, key: str, own: str) -> str:
        key = _key(key)
        if key != own and any(entry.key == key for entry in self._workspace.notes.entries):
            return self._words("已经有这样的笔记了。", "A note with this name exists already.")
        return self._wrong(key)


def _key(typed: str) -> str:
    """Return a note's path without language and suffix, which may be typed or not."""
    return split_name(typed if is_note_name(typed) else f"{typed}.md")[0]


def _first_line(note: Note) -> int:
    """Return the line (1-based) where the cursor starts: an empty one below the first heading, or the last line."""
    lines = split_lines(note.text)
    heading = next((one.line for one in note.sections if one.level), 0)
    free = [line for line in (heading + 2, heading + 1) if line <= len(lines) and not lines[line - 1].strip()]
    return (free or [len(lines)])[0]


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
