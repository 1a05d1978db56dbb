"""The bar at the top: menu, search, reading mode, device and interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFileDialog, QFrame, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from app.commands.registry import Command, Commands, DynamicCommands
from app.i18n import Translator
from app.runs.device_model import DeviceModel
from app.search.search_field import SearchField
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.style.icons import icon
from app.widgets.deferred_delete import clear_menu
from snippets.targets.devices import Device
from snippets.targets.interpreters import Interpreter

HEIGHT = 48
ROOMY = 960  # pixels from which the choosers show details
_GIB = 1 << 30
_SUBMENUS = {
    "arrange": ("整理", "Rearrange"),
    "exchange": ("导入与导出", "Import and export"),
    "view": ("阅读", "Reading"),
    "write": ("写作", "Writing"),
    "run": ("运行代码", "Running code"),
    "look": ("界面", "Window"),
    "help": ("帮助", "Help"),
}
_WITHIN = {"language": "look", "panels": "look"}  # groups that are in the submenu of another
_ORDER = ("notes", "arrange", "exchange", "go", "view", "write", "run", "look", "language", "panels", "window", "help")


class TopBar(QWidget):
    """Menu button, search field, mode switch, device and interpreter."""

    def __init__(
        self, workspace: Workspace, words: Translator, look: Appearance, commands: Commands, field: SearchField
    ) -> None:
        """Create the bar around `field`, the search field."""
        super().__init__()
        self.setObjectName("topBar")
        self.setFixedHeight(HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.menu_button = MenuButton(words, look, commands)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 14, 0)
        row.setSpacing(8)
        row.addWidget(self.menu_button)
        row.addWidget(field, 3)
        row.addStretch(2)
        self._field, self._modes = field, ModeSwitch(workspace, words)
        row.addWidget(self._modes)
        row.addSpacing(6)
        self._choosers = (
            DeviceChooser(workspace.device_model, words, look),
            InterpreterChooser(workspace.device_model, words, look),
        )
        row.addWidget(self._choosers[0])
        row.addSpacing(6)
        row.addWidget(self._choosers[1])

    def serve(self, *, vault: bool) -> None:
        """Show everything, or only the menu before there is a vault."""
        for part in (self._field, self._modes, *self._choosers):
            part.setVisible(vault)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the choosers in a narrow window."""
        super().resizeEvent(event)
        for chooser in self._choosers:
            chooser.set_compact(compact=self.width() < ROOMY)


class MenuButton(QToolButton):
    """Opens the menu of all commands, group by group."""

    def __init__(self, words: Translator, look: Appearance, commands: Commands) -> None:
        """Fill the menu from `commands` whenever it opens."""
        super().__init__()
        self._words = words
        self._commands = commands
        self._look = look
        self.setProperty("quiet", True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        words.changed.connect(self.retranslate)
        look.changed.connect(self._show_icon)
        self.retranslate()
        self._show_icon()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        name = self._words("菜单", "Menu")
        self.setToolTip(self._words.with_key(name, "menu", "F10"))
        self.setAccessibleName(name)

    def _show_icon(self) -> None:
        self.setIcon(icon("menu", self._look.theme.ink))

    def _fill(self) -> None:
        """Fill the menu: frequent commands in one column, the others in submenus."""
        clear_menu(self._menu)
        inner: dict[str, QMenu] = {}
        before = ""
        shown = (command for command in self._commands if not command.hidden)
        for group, commands in groupby(sorted(shown, key=lambda one: _ORDER.index(one.group)), lambda one: one.group):
            menu = _WITHIN.get(group, group)
            if before and not (menu in _SUBMENUS and before in _SUBMENUS):
                self._menu.addSeparator()
            if menu in inner:
                inner[menu].addSeparator()
            elif menu in _SUBMENUS:
                inner[menu] = self._menu.addMenu(self._words(*_SUBMENUS[menu]))
            for command in commands:
                inner.get(menu, self._menu).addAction(self._commands.action(command.name))
                if command.more is not None and (others := command.more.commands()):
                    self._add_more(command.more, others)
            before = menu

    def _add_more(self, more: DynamicCommands, others: Sequence[Command]) -> None:
        menu = self._menu.addMenu(self._words(more.zh, more.en))
        for one in others:
            label = f"{self._words(one.zh, one.en)}\t{one.told}"
            menu.addAction(label.replace("&", "&&"), one.act)


class ModeSwitch(QFrame):
    """Switches the reading mode: 中, EN, or both side by side."""

    _CHOICES = (("zh", "中"), ("en", "EN"), ("both", "中 + EN"))

    def __init__(self, workspace: Workspace, words: Translator) -> None:
        """Show and change the reading mode of `workspace`."""
        super().__init__()
        self.setObjectName("modeSwitch")
        self.setFixedHeight(34)
        self._words = words
        self._buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for mode, label in self._CHOICES:
            button = self._buttons[mode] = QToolButton()
            button.setText(label)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, mode=mode: workspace.choose_mode(mode))
            self._group.addButton(button)
            row.addWidget(button)
        workspace.mode_changed.connect(self._on_mode_changed)
        words.changed.connect(self.retranslate)
        self._on_mode_changed(workspace.state.mode)
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        names = {
            "zh": self._words("只看中文", "Chinese only"),
            "en": self._words("只看英文", "English only"),
            "both": self._words("中英并排", "Both side by side"),
        }
        for number, (mode, button) in enumerate(self._buttons.items(), 1):
            button.setToolTip(self._words.with_key(names[mode], f"mode_{mode}", f"Alt+{number}"))
            button.setAccessibleName(names[mode])

    def _on_mode_changed(self, mode: str) -> None:
        self._buttons[mode].setChecked(True)


class ChoiceButton(QToolButton):
    """A button with a menu of choices."""

    def __init__(self, words: Translator, look: Appearance) -> None:
        """Create it without a text; the menu is filled when it opens."""
        super().__init__()
        self._words = words
        self._look = look
        self._compact = False
        self.setObjectName("chooser")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._on_about_to_show)
        self.setMenu(self._menu)
        words.changed.connect(self.retranslate)

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        raise NotImplementedError

    def set_compact(self, *, compact: bool) -> None:
        """Show only the name of what is chosen, or details, too."""
        if compact != self._compact:
            self._compact = compact
            self.retranslate()

    def fill(self) -> None:
        """Add the choices to the menu."""
        raise NotImplementedError

    def _on_about_to_show(self) -> None:
        self._menu.clear()
        self.fill()

    def _add(self, label: str, *, checked: bool, group: QActionGroup) -> QAction:
        action = self._menu.addAction(label)
        action.setCheckable(True)
        action.setChecked(checked)
        group.addAction(action)
        return action


class DeviceChooser(ChoiceButton):
    """Chooses the device that code runs on, and shows its free memory."""

    def __init__(self, machine: DeviceModel, words: Translator, look: Appearance) -> None:
        """Show and change the device of `machine`."""
        super().__init__(words, look)
        self._machine = machine
        machine.devices_found.connect(self._on_devices_found)
        machine.device_chosen.connect(self.retranslate)
        self._menu.aboutToHide.connect(lambda: machine.watch(on=False))
        self._shown: dict[str, QAction] = {}
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        chosen = next((one for one in self._machine.devices if one.id == self._machine.device), None)
        free = f" · {self._free(chosen)}" if chosen and not self._compact else ""
        self.setText(f"{self._machine.device}{free}  ▾")
        name = self._words("运行代码的设备", "Device that code runs on")
        self.setToolTip(f"{name}: {chosen.name if chosen else self._machine.device}")
        self.setAccessibleName(f"{name}: {self._machine.device}")

    def fill(self) -> None:
        """List the devices, with the reason for those that cannot be used."""
        group = QActionGroup(self._menu)
        self._shown.clear()
        for device in self._machine.devices:
            action = self._add(self._label(device), checked=device.id == self._machine.device, group=group)
            action.setEnabled(device.available)
            action.triggered.connect(lambda _=False, chosen=device.id: self._machine.choose_device(chosen))
            self._shown[device.id] = action
        self._machine.watch(on=True)

    def _on_devices_found(self) -> None:
        """Update memory and load, also in an open menu."""
        self.retranslate()
        for device in self._machine.devices if self._menu.isVisible() else ():
            if (action := self._shown.get(device.id)) is not None:
                action.setText(self._label(device))
                action.setEnabled(device.available)

    def _label(self, device: Device) -> str:
        if not device.available:
            reason = self._words(device.reason_zh or "", device.reason or "") or self._words("不可用", "unavailable")
            return f"{device.id}  {device.name} — {reason}"
        load = "" if device.load is None else self._words(f" · 负载 {device.load:.0%}", f" · load {device.load:.0%}")
        return f"{device.id}  {device.name} · {self._free(device)}{load}"

    def _free(self, device: Device) -> str:
        if device.memory_free is None:
            return device.kind
        amount = f"{device.memory_free / _GIB:.0f} GiB" if device.memory_free >= _GIB else "< 1 GiB"
        return self._words(f"空闲 {amount}", f"{amount} free")


class InterpreterChooser(ChoiceButton):
    """Chooses the Python interpreter that runs code."""

    def __init__(self, machine: DeviceModel, words: Translator, look: Appearance) -> None:
        """Show and change the interpreter of `machine`."""
        super().__init__(words, look)
        self._machine = machine
        machine.interpreter_chosen.connect(self.retranslate)
        machine.interpreters_found.connect(self.retranslate)
        machine.choice_requested.connect(self._on_choice_requested)
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        chosen = self._machine.interpreter
        looking = "py …" if self._compact else self._words("正在查找 Python…", "Looking for Python…")
        if chosen is None:
            self.setText(f"{looking}  ▾")
        else:
            torch = "" if self._compact else f" · {_torch(chosen, self._words)}"
            self.setText(f"py {_short(chosen.version)}{torch}  ▾")
        name = self._words("运行代码的 Python", "Python that code runs under")
        self.setToolTip(f"{name}: {chosen.path}" if chosen else name)
        self.setAccessibleName(name)

    def fill(self) -> None:
        """List the known interpreters, and an entry to choose another."""
        group = QActionGroup(self._menu)
        chosen = self._machine.interpreter
        for known in self._machine.interpreters:
            label = f"{known.name} · {_torch(known, self._words)}"
            action = self._add(label, checked=known == chosen, group=group)
            action.setToolTip(str(known.path))
            action.triggered.connect(lambda _=False, one=known: self._machine.choose_interpreter(one))
        self._menu.addSeparator()
        self._menu.addAction(self._words("选择其他…", "Choose another…"), self._on_choose_another)

    def _on_choice_requested(self) -> None:
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _on_choose_another(self) -> None:
        title = self._words("选择 Python 解释器", "Choose a Python interpreter")
        path, _ = QFileDialog.getOpenFileName(self.window(), title)
        if path:
            self._machine.try_interpreter(Path(path))


def _torch(known: Interpreter, words: Translator) -> str:
    return f"torch {_short(known.torch)}" if known.torch else words("没有 torch", "no torch")


def _short(version: str | None) -> str:
    return ".".join((version or "?").split("+")[0].split(".")[:2])
