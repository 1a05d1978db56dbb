"""The commands to import, export and print notes, also by dropping files on the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QLabel, QWidget

from app.commands.registry import Command
from app.export.note_export import ExportFormat, export_note
from app.export.pdf_export import page_layout, paint_note
from app.i18n import Translator
from app.state.notification_texts import vault_first
from app.state.workspace import Workspace
from app.widgets.deferred_delete import delete_later
from app.widgets.notification import Notification, NotificationAction, of_error
from kb.errors import KbError
from kb.files.tree import SUFFIXES
from kb.notes.note import Note

_EDGE = 12  # pixels between the hint and the edge of the window
_DPI = 96
_FORMATS = {
    "html": ("网页，单个文件", "Web page, one file"),
    "pdf": ("PDF", "PDF"),
    "ipynb": ("Jupyter 笔记本", "Jupyter notebook"),
    "py": ("Python 文件", "Python file"),
}


class DropHint(QLabel):
    """A sentence over the window while files are dragged over it; mouse events pass through it."""

    def __init__(self, window: QWidget, meant: Callable[[Sequence[Path]], str]) -> None:
        """Watch `window`; `meant` returns what dropping these files does."""
        super().__init__(window)
        self._window, self._meant = window, meant
        self.setObjectName("dropHint")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the hint when files are dragged into the window, hide it when they leave or are dropped."""
        if isinstance(event, QDragEnterEvent):
            places = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
            if places and watched is self._window:
                self._show(self._meant(places))
        elif event.type() in {QEvent.Type.DragLeave, QEvent.Type.Drop}:
            self.hide()
        return super().eventFilter(watched, event)

    def _show(self, sentence: str) -> None:
        self.setText(sentence)
        self.setAccessibleName(sentence)
        self.setGeometry(self._window.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE))
        self.show()
        self.raise_()


class ImportExport:
    """Asks for files in dialogs; a file is overwritten only if the dialog has asked."""

    def __init__(
        self, workspace: Workspace, words: Translator, window: QWidget, *, open_vault: Callable[[Path | None], object]
    ) -> None:
        """Show dialogs over `window`; `open_vault` opens a folder, after a question about active runs."""
        self._workspace = workspace
        self._open_vault = open_vault
        self._words = words
        self._window = window
        self.hint = DropHint(window, self.meant)

    def commands(self) -> tuple[Command, ...]:
        """Return the commands in the order of the menu."""
        return (
            Command("export", "exchange", "导出笔记…", "Export note…", self.export),
            Command("print", "exchange", "打印…", "Print…", self.print, ("Ctrl+P",)),
            Command("import", "exchange", "导入文件…", "Import files…", self.choose_files),
            Command("import_folder", "exchange", "导入文件夹…", "Import a folder…", self.choose_folder),
        )

    # --- export and print

    def export(self) -> None:
        """Ask for a file and export the open note in the format of its suffix."""
        if (note := self._lead()) is None:
            return
        filters = {f"{self._words(one.zh, one.en)} (*.{one})": one for one in ExportFormat}
        start = str(Path.home() / f"{note.path.rpartition('/')[2].partition('.')[0]}.html")
        out, chosen = QFileDialog.getSaveFileName(
            self._window, self._words("导出笔记", "Export note"), start, ";;".join(filters)
        )
        if out:
            suffix = Path(out).suffix.lower().lstrip(".")
            known = suffix in set(ExportFormat)
            to = suffix if known else filters.get(chosen, ExportFormat.HTML)
            self.write(note, Path(out) if known else Path(f"{out}.{to}"), to)

    def write(self, note: Note, out: Path, to: str) -> None:
        """Export a note to a file in the background, with a notification at the end."""
        vault = self._workspace.vault
        if vault is None:
            return
        self._workspace.noticed.emit(Notification("正在导出…", "Exporting…", topic="export"))
        self._workspace.executor.run(
            lambda: export_note(vault, note, to=to, out=out), lambda _: self._on_written(out), self._on_failed
        )

    def print(self) -> None:
        """Ask for a printer and print the open note."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415 - loads slowly

        note, current, vault = self._lead(), self._workspace.notes.current, self._workspace.vault
        if note is None or current is None or vault is None:
            return
        printer = QPrinter()
        printer.setResolution(_DPI)
        printer.setPageLayout(page_layout())
        printer.setDocName(note.title)
        dialog = QPrintDialog(printer, self._window)
        answer = dialog.exec()
        delete_later(dialog)  # with its file system watcher
        if answer == QDialog.DialogCode.Accepted:
            page = next(current.pages[side] for side, one in current.notes.items() if one.path == note.path)
            try:
                paint_note(printer, vault, note, page)
            except KbError as error:
                self._on_failed(error)

    def _lead(self) -> Note | None:
        """Return the file of the open note in the reading mode's language, or the first one."""
        note = self._workspace.notes.current
        mode = self._workspace.state.mode
        return None if note is None else next((one for side, one in note.notes.items() if side == mode), note.lead)

    def _on_written(self, out: Path) -> None:
        file, folder = (QUrl.fromLocalFile(str(place)) for place in (out, out.parent))
        choices = (
            NotificationAction("打开", "Open it", lambda: QDesktopServices.openUrl(file)),
            NotificationAction("打开文件夹", "Show the folder", lambda: QDesktopServices.openUrl(folder)),
        )
        note = Notification(f"已导出到 {out}。", f"Exported to {out}.", choices=choices, topic="export")
        self._workspace.noticed.emit(note)

    def _on_failed(self, error: Exception) -> None:
        self._workspace.noticed.emit(of_error(error, topic="export"))

    # --- import

    def choose_files(self) -> None:
        """Ask for notes and notebooks to import."""
        title = self._words("导入笔记和 Jupyter 笔记本", "Import notes and notebooks")
        kinds = f"{self._words('笔记', 'Notes')} ({' '.join(f'*{suffix}' for suffix in (*SUFFIXES, '.ipynb'))})"
        files, _ = QFileDialog.getOpenFileNames(self._window, title, str(Path.home()), kinds)
        self.import_files([Path(file) for file in files])

    def choose_folder(self) -> None:
        """Ask for a folder to import."""
        title = self._words("导入一个文件夹", "Import a folder")
        if folder := QFileDialog.getExistingDirectory(self._window, title):
            self.import_files([Path(folder)])

    def import_files(self, sources: Sequence[Path]) -> None:
        """Import files and folders into the folder of the open note, and open the first of them."""
        if sources:
            note = self._workspace.notes.current
            folder = note.entry.folder if note is not None else ""
            self._workspace.vault_edits.import_files(sources, folder, self._workspace.open_note)

    def drop(self, places: Sequence[Path]) -> None:
        """Do what dropping files on the window means."""
        act, _ = self._meaning(places)
        act()

    def meant(self, places: Sequence[Path]) -> str:
        """Return a sentence on what dropping these files on the window does."""
        _, told = self._meaning(places)
        return self._words(*told)

    def _meaning(self, places: Sequence[Path]) -> tuple[Callable[[], object], tuple[str, str]]:
        """Return what dropping these files does, and its sentence: open a note or a folder, or import files."""
        vault = self._workspace.vault
        if vault is None:
            return self._meaning_without_vault(places)
        root = vault.root.resolve()
        inside = [place for place in places if place.resolve().is_relative_to(root)]
        if inside and inside[0].is_file():
            note, name = inside[0].resolve().relative_to(root).as_posix(), inside[0].name
            return partial(self._workspace.open_note, note), (f"松开即打开 {name}", f"Drop to open {name}")
        if len(places) == 1 and places[0].is_dir():
            name = places[0].name
            return partial(self._offer_folder, places[0]), (
                f"松开后可以把 {name} 作为笔记库打开，或导入其中的笔记",
                f"Drop to open {name} as a vault, or to import its notes",
            )
        others = [place for place in places if place not in inside]
        zh, en = f"这 {len(others)} 个文件", f"these {len(others)} files"
        if len(others) == 1:
            zh, en = f" {others[0].name}", others[0].name
        return partial(self.import_files, others), (f"松开即导入{zh}", f"Drop to import {en}")

    def _meaning_without_vault(self, places: Sequence[Path]) -> tuple[Callable[[], object], tuple[str, str]]:
        folder = next((place for place in places if place.is_dir()), None)
        if folder is not None:
            said = f"松开即把 {folder.name} 作为笔记库打开", f"Drop to open {folder.name} as a vault"
            return partial(self._open_vault, folder), said
        first = vault_first()
        return partial(self._workspace.noticed.emit, first), (first.zh, first.en)

    def _offer_folder(self, folder: Path) -> None:
        zh = f"“{folder.name}”是一个文件夹：作为笔记库打开，还是把其中的笔记导入这里？"
        en = f'"{folder.name}" is a folder: open it as a vault, or import its notes here?'
        choices = (
            NotificationAction("打开", "Open", lambda: self._open_vault(folder)),
            NotificationAction("导入", "Import", lambda: self.import_files([folder])),
        )
        self._workspace.noticed.emit(Notification(zh, en, "asked", choices, "drop"))
