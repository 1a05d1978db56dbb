"""The commands to open vaults, navigate, read, run code and change the look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.central.central_widget import CentralWidget
from app.commands.close_guard import CloseGuard
from app.commands.registry import Command, DynamicCommands
from app.i18n import Translator, system_language
from app.search.search_controller import SearchController
from app.state.settings import THEMES
from app.state.workspace import Workspace
from app.style.appearance import Appearance

_THEMES = {"system": ("跟随系统", "as the system"), "light": ("浅色", "light"), "dark": ("深色", "dark")}
_MODES = {
    "zh": ("只看中文", "Chinese only"),
    "en": ("只看英文", "English only"),
    "both": ("中英并排", "both languages"),
}
_ZOOM_STEP = 1.1


class ViewCommands:
    """The commands that need only the workspace and the central widget."""

    def __init__(
        self,
        workspace: Workspace,
        words: Translator,
        look: Appearance,
        *,
        central: CentralWidget,
        searching: SearchController,
        leaving: CloseGuard,
        window: QWidget,
        enter: Callable[[Path | None], object],
    ) -> None:
        """Show dialogs over `window`; `enter` opens a vault or shows the welcome page."""
        self._leaving, self._enter = leaving, enter
        self._workspace = workspace
        self._central = central
        self._searching = searching
        self._words = words
        self._look = look
        self._window = window

    def all(self) -> tuple[Command, ...]:
        """Return the commands in the order of the menu."""
        return (*self._notes(), *self._navigation(), *self._reading(), *self._running(), *self._appearance())

    def _notes(self) -> tuple[Command, ...]:
        return (
            Command("search", "notes", "搜索", "Search", self._searching.enter, ("Ctrl+K", "Ctrl+L")),
            Command(
                "edit",
                "notes",
                "编辑 / 阅读",
                "Edit / read",
                self._central.toggle_editor,
                ("Ctrl+E",),
                bound=lambda keys: self._central.editor.source.keys.bind("close", keys),
            ),
            Command(
                "open",
                "notes",
                "打开文件夹…",
                "Open a folder…",
                self.choose_folder,
                ("Ctrl+O",),
                more=DynamicCommands("打开笔记库", "Open vault", self._known_vaults),
            ),
            Command("own", "notes", "打开自己的笔记库", "Open your own vault", lambda: self.open_vault(None)),
        )

    def _navigation(self) -> tuple[Command, ...]:
        notes, step = self._workspace.notes, self._step_tab
        replace_all, replace_keys = self._central.replace_in_vault, ("Ctrl+Shift+F", "Ctrl+Shift+H")
        find = Command("find", "go", "在本页中查找", "Find in this page", self._find, ("Ctrl+F",), where=self._central)
        tabs = (
            ("close_tab", "关闭标签页", "Close tab", self._close_tab, "Ctrl+W"),
            ("next_tab", "下一个标签页", "Next tab", lambda: step(1), "Ctrl+Tab"),
            ("previous_tab", "上一个标签页", "Previous tab", lambda: step(-1), "Ctrl+Shift+Tab"),
            ("reopen_tab", "重新打开关闭的标签页", "Open the closed tab again", self._reopen_tab, "Ctrl+Shift+T"),
        )
        return (
            Command("back", "go", "后退", "Back", notes.back, ("Alt+Left",)),
            Command("forward", "go", "前进", "Forward", notes.forward, ("Alt+Right",)),
            replace(find, bound=lambda keys: self._central.editor.source.keys.bind("find", keys)),
            Command(
                "replace", "go", "在整个笔记库中查找和替换", "Find and replace in the vault", replace_all, replace_keys
            ),
            *(Command(name, "go", zh, en, act, (key,), hidden=True) for name, zh, en, act, key in tabs),
        )

    def _reading(self) -> tuple[Command, ...]:
        modes = (self._mode(number, mode) for number, mode in enumerate(_MODES, 1))
        return (
            *modes,
            Command(
                "larger", "view", "放大", "Larger", lambda: self._zoom(_ZOOM_STEP), ("Ctrl++", "Ctrl+="), hidden=True
            ),
            Command("smaller", "view", "缩小", "Smaller", lambda: self._zoom(1 / _ZOOM_STEP), ("Ctrl+-",), hidden=True),
            Command("natural", "view", "原始大小", "Natural size", lambda: self._zoom(0), ("Ctrl+0",), hidden=True),
        )

    def _running(self) -> tuple[Command, ...]:
        workspace, view = self._workspace, self._central.reader.view
        run, verify = ("Ctrl+Return", "Ctrl+Enter"), ("Ctrl+Shift+R",)
        all_code = ("运行并验证本篇的全部代码", "Run and verify all code of the note")
        return (
            Command("run", "run", "运行当前代码块", "Run the cell in view", view.run_current, run, where=view),
            *self._cell_commands(),
            Command("verify", "run", *all_code, workspace.verify_note, verify),
            Command("stop", "run", "停止全部运行", "Stop all runs", workspace.runs.stop_all, ("Ctrl+.",)),
            Command("isolate", "run", "切换：隔离运行", "Run code isolated, or not", self._toggle_isolation),
        )

    def _cell_commands(self) -> tuple[Command, ...]:
        controller = self._central.reader.cell_controller
        menu, about = controller.menu, controller.about_current
        on_all = menu.run_on_all_devices
        verbs = (
            ("to_here", "运行到当前代码块", "Run to the cell in view", menu.run_to_here),
            ("everywhere", "在每个设备上运行当前代码块", "Run the cell in view on every device", on_all),
            ("options", "当前代码块的运行选项…", "Run options of the cell in view…", menu.choose_options),
            ("past", "当前代码块的运行历史…", "Past runs of the cell in view…", menu.show_past),
            ("differs", "当前代码块与记录的差异…", "Differences of the cell in view…", menu.show_difference),
        )
        return tuple(Command(name, "run", zh, en, partial(about, verb), hidden=True) for name, zh, en, verb in verbs)

    def _appearance(self) -> tuple[Command, ...]:
        choose = self.choose_language
        return (
            *map(self._theme, THEMES),
            Command("zh", "language", "界面语言：中文", "Interface in Chinese (中文)", lambda: choose("zh")),
            Command("en", "language", "界面语言：英文 (English)", "Interface in English", lambda: choose("en")),
        )

    def _mode(self, number: int, mode: str) -> Command:
        zh, en = _MODES[mode]
        choose = self._workspace.choose_mode
        return Command(f"mode_{mode}", "view", f"阅读：{zh}", f"Read {en}", lambda: choose(mode), (f"Alt+{number}",))

    def _theme(self, choice: str) -> Command:
        zh, en = _THEMES[choice]
        return Command(f"theme_{choice}", "look", f"外观：{zh}", f"Theme: {en}", lambda: self.choose_theme(choice))

    def _known_vaults(self) -> tuple[Command, ...]:
        """Return a command to open each known vault, except for the one that is open."""
        vault = self._workspace.vault
        roots = map(Path, self._workspace.settings_store.preferences.vaults)
        return tuple(
            Command(f"vault {root}", "notes", root.name, root.name, partial(self.open_vault, root), told=_at_home(root))
            for root in roots
            if vault is None or str(root) != str(vault.root)
        )

    # --- what they do

    def choose_folder(self) -> None:
        """Ask for a folder of notes and open it."""
        title = self._words("打开一个笔记文件夹", "Open a folder of notes")
        if folder := QFileDialog.getExistingDirectory(self._window, title):
            self.open_vault(Path(folder))

    def open_vault(self, root: Path | None) -> bool:
        """Open a folder of notes, or the user's own for None; return False if the user keeps active runs instead."""
        if agreed := self._leaving.may_switch():
            self._enter(root)
        return agreed

    def leave_page(self) -> None:
        """Go back to the note from another page, such as the settings."""
        self._central.leave_page()

    def choose_theme(self, choice: str) -> None:
        """Apply and save a theme: light, dark, or system."""
        self._look.choose(choice)
        self._workspace.settings_store.set_preference(theme=choice)

    def choose_language(self, language: str) -> None:
        """Apply and save the interface language: zh, en, or system."""
        self._words.switch(system_language() if language == "system" else "zh" if language == "zh" else "en")
        self._workspace.settings_store.set_preference(language=language)

    def choose_size(self, percent: int) -> None:
        """Show notes at this zoom."""
        self._central.reader.view.set_zoom(percent / 100)

    def _find(self) -> None:
        if self._central.editing:
            self._central.editor.find_bar.open(replace=False)
        else:
            self._central.find_bar.enter()

    def _close_tab(self) -> None:
        self._workspace.open_at(self._workspace.tabs.close(self._workspace.tabs.current))

    def _reopen_tab(self) -> None:
        self._workspace.open_at(self._workspace.tabs.reopen())

    def _step_tab(self, step: int) -> None:
        self._workspace.open_at(self._workspace.tabs.neighbour(step))

    def _zoom(self, factor: float) -> None:
        view = self._central.reader.view
        view.set_zoom(view.zoom * factor if factor else 1.0)

    def _toggle_isolation(self) -> None:
        self._workspace.choose_isolation(not self._workspace.runs.isolate)


def _at_home(path: Path) -> str:
    """Return a path with ~ for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
