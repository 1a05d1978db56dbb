"""The settings page: look and language, running code, vaults, and the shortcuts of all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction, QFont, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFontComboBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.commands.command_palette import fits
from app.commands.registry import Command, Commands
from app.commands.view_commands import ViewCommands
from app.editor.dictionary import available
from app.i18n import Translator
from app.pages.close_button import CloseButton
from app.runs.trusted_code import POLICIES
from app.state.settings import LANGUAGES, SPELLINGS, THEMES, SettingsStore
from app.state.workspace import Workspace
from app.style.appearance import Appearance, named
from app.style.icons import icon
from app.style.theme import Theme
from app.widgets.deferred_delete import delete_later
from app.widgets.elided_label import ElidedLabel
from app.widgets.ime_fields import ImeLineEdit

_CLEAR_ACTION = "_q_qlineeditclearaction"  # Qt's object name of the action that clears a field
_THEMES = {"system": ("跟随系统", "As the system"), "light": ("浅色", "Light"), "dark": ("深色", "Dark")}
_LANGUAGES = {"system": ("跟随系统", "As the system"), "zh": ("中文", "中文"), "en": ("English", "English")}
_POLICIES = {
    "always": ("直接运行", "Run it"),
    "ask": ("先询问", "Ask first"),
    "never": ("不运行", "Do not run it"),
}
_SPELLINGS = {
    "off": ("不标出", "Nowhere"),
    "english": ("英文笔记中", "In English notes"),
    "all": ("全部笔记中", "In all notes"),
}
_ZOOM = (50, 300)  # percent
_MIN_WIDTH = 220  # pixels of a field


class ShortcutsPage(QWidget):
    """A row for each command: its name, a field for its key, and a button to reset it."""

    def __init__(self, memory: SettingsStore, words: Translator, look: Appearance, commands: Commands) -> None:
        """Read and write the keys of `commands` in the preferences."""
        super().__init__()
        self._memory, self._words, self._commands = memory, words, commands
        self._problem: tuple[str, str] = ("", "")  # with the key pressed last
        self._rows: dict[str, tuple[QLabel, QKeySequenceEdit, QPushButton]] = {}
        self.told = named(QLabel(wordWrap=True), "keysTold")
        self.wanted = ImeLineEdit()
        self.wanted.setClearButtonEnabled(True)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(4)
        self._grid.addWidget(self.wanted, 0, 0, 1, 2)
        for row, command in enumerate(commands):
            self._add(2 * row + 2, command)  # every second row is for a problem with the key above
        self.wanted.textChanged.connect(lambda _: self._filter())
        look.changed.connect(self._set_theme)
        self._set_theme(look.theme)
        words.changed.connect(self.retranslate)
        commands.rebind(memory.preferences.keys)
        self.retranslate()

    def field(self, name: str) -> QKeySequenceEdit:
        """Return the field for the key of a command."""
        return self._rows[name][1]

    def _add(self, row: int, command: Command) -> None:
        field, back = QKeySequenceEdit(), QPushButton("↺")
        field.setMaximumSequenceLength(1)
        field.setClearButtonEnabled(True)
        back.setProperty("quiet", True)
        label = QLabel()
        label.setBuddy(field)
        name = command.name
        field.editingFinished.connect(lambda: self._on_keys(name, field.keySequence()))
        back.clicked.connect(lambda: self._save(name, self._commands.natural(name)))
        for column, widget in enumerate((label, field, back)):
            self._grid.addWidget(widget, row, column)
        self._grid.setColumnStretch(0, 1)
        self._rows[name] = label, field, back

    def _set_theme(self, theme: Theme) -> None:
        """Give clear buttons the window's own icon: there are many, and Qt's is heavy."""
        for line in self.findChildren(QLineEdit):
            if (clear := line.findChild(QAction, _CLEAR_ACTION)) is not None:
                clear.setIcon(icon("close", theme.dim))

    def retranslate(self) -> None:
        """Set all texts in the current language, and show the current keys."""
        hint = self._words("查找命令", "Find a command")
        self.wanted.setPlaceholderText(hint)
        self.wanted.setAccessibleName(hint)
        self.told.setText(self._words(*self._problem))
        for command in self._commands:
            label, field, back = self._rows[command.name]
            words = self._words(command.zh, command.en)
            label.setText(words)
            field.setAccessibleName(words)
            field.setKeySequence(QKeySequence(command.keys[0]) if command.keys else QKeySequence())
            for line in field.findChildren(QLineEdit):  # the inner field is what a screen reader finds
                line.setAccessibleName(words)
                line.setPlaceholderText(self._words("按下快捷键", "Press the keys"))  # Qt resets it with each new key
            reset = self._words("恢复原来的键", "Reset to the default keys")
            back.setToolTip(reset)
            back.setAccessibleName(f"{reset}: {words}")
        self._filter()

    def _filter(self) -> None:
        """Show the commands whose name, in either language, or keys match the search field."""
        typed = self.wanted.text().strip()
        for command in self._commands:
            shown = fits(command, typed) or typed.casefold() in self._commands.keys(command).casefold()
            label, field, back = self._rows[command.name]
            label.setVisible(shown)
            field.setVisible(shown)
            back.setVisible(shown and command.keys != self._commands.natural(command.name))
        self.told.setVisible(any(self._problem))  # an empty label would still take a line

    def _on_keys(self, name: str, pressed: QKeySequence) -> None:
        keys = pressed.toString(QKeySequence.SequenceFormat.PortableText)
        command = next(command for command in self._commands if command.name == name)
        if keys == (command.keys[0] if command.keys else ""):
            return
        other = next((one for one in self._commands if keys in one.keys and one.name != name), None)
        if other is not None and command.where is other.where:
            self._grid.addWidget(self.told, 2 * list(self._rows).index(name) + 3, 0, 1, 3)  # below the field
            self._problem = (
                f"“{keys}”已用于“{other.zh}”；请先改掉那一个。",
                f'"{keys}" is used by "{other.en}"; change that one first.',
            )
            self.retranslate()
            return
        self._problem = ("", "")
        self._save(name, (keys,) if keys else ())

    def _save(self, name: str, keys: tuple[str, ...]) -> None:
        changed = {**self._memory.preferences.keys, name: keys}
        if keys == self._commands.natural(name):
            del changed[name]
        self._memory.set_preference(shortcuts=tuple(f"{one}={' '.join(keys)}" for one, keys in changed.items()))
        self._commands.rebind(changed)


class SettingsPage(QScrollArea):
    """Each change takes effect at once; there is nothing to save."""

    def __init__(
        self, workspace: Workspace, words: Translator, look: Appearance, commands: Commands, menus: ViewCommands
    ) -> None:
        """Change the settings of `workspace`, partly by the commands of `menus`."""
        super().__init__()
        self._workspace, self._words, self._look, self._menus = workspace, words, look, menus
        self.setObjectName("settingsPage")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.theme, self.language = self._choice(THEMES), self._choice(LANGUAGES)
        self.spelling = self._choice(SPELLINGS)
        self.text_font, self.code_font = self._font(), self._font(fixed=True)
        self.text_size = QSpinBox(minimum=_ZOOM[0], maximum=_ZOOM[1], singleStep=10, suffix=" %")
        self.text_size.lineEdit().setTextMargins(9, 0, 9, 0)  # the style sheet's padding has no effect on it
        self.python = QComboBox()
        self.isolated = QCheckBox()
        self.policy = self._choice(POLICIES)
        self.keys = ShortcutsPage(workspace.settings_store, words, look, commands)
        self.setFocusProxy(self.theme)
        self._vaults = QVBoxLayout()
        self._vault_rows: list[QWidget] = []
        self._captions: list[tuple[QLabel, str, str]] = []
        self._place_parts()
        self._connect()
        self.retranslate()

    # --- parts

    def _choice(self, values: Iterable[str]) -> QComboBox:
        box = QComboBox()
        for value in values:
            box.addItem(value, value)
        return box

    def _font(self, *, fixed: bool = False) -> QFontComboBox:
        box = QFontComboBox()
        box.setEditable(False)
        if fixed:
            box.setFontFilters(QFontComboBox.FontFilter.MonospacedFonts)
        return box

    def _place_parts(self) -> None:
        inner = named(QWidget(), "settingsInner")
        outer = QHBoxLayout(inner)
        outer.setContentsMargins(28, 22, 18, 28)
        outer.setSpacing(2)
        column = QVBoxLayout()
        column.setSpacing(8)
        outer.addLayout(column)
        outer.addStretch(1)
        close = CloseButton(self._words, self._look, self._menus.leave_page)
        outer.addWidget(close, alignment=Qt.AlignmentFlag.AlignTop)
        column.addWidget(self._title("外观与语言", "Look and language"))
        look = (
            (self.theme, "主题", "Theme"),
            (self.language, "界面语言", "Interface language"),
            (self.text_font, "正文字体", "Font of notes"),
            (self.code_font, "代码字体", "Font of code"),
            (self.text_size, "文字大小", "Text size"),
            (self.spelling, "标出不认识的英文词", "Mark unknown words"),
        )
        column.addLayout(self._form(look))
        column.addWidget(self._title("运行代码", "Running code"))
        running = (
            (self.python, "Python", "Python"),
            (self.isolated, "隔离运行", "Run code isolated"),
            (self.policy, "新增或改动过的代码", "New or changed code"),
        )
        column.addLayout(self._form(running))
        column.addWidget(self._title("笔记库", "Vaults"))
        column.addLayout(self._vaults)
        column.addWidget(self._title("快捷键", "Keys"))
        column.addWidget(self.keys)
        column.addStretch(1)
        self.setWidget(inner)

    def _title(self, zh: str, en: str) -> QLabel:
        label = named(QLabel(indent=0), "settingsTitle")
        self._captions.append((label, zh, en))
        return label

    def _form(self, rows: Iterable[tuple[QWidget, str, str]]) -> QFormLayout:
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for widget, zh, en in rows:
            label = QLabel()
            label.setBuddy(widget)
            widget.setMinimumWidth(_MIN_WIDTH)
            self._captions.append((label, zh, en))
            form.addRow(label, widget)
        return form

    def _connect(self) -> None:
        self.theme.activated.connect(lambda _: self._menus.choose_theme(self.theme.currentData()))
        self.language.activated.connect(lambda _: self._menus.choose_language(self.language.currentData()))
        self.text_font.activated.connect(lambda _: self._on_font("text_font", self.text_font))
        self.code_font.activated.connect(lambda _: self._on_font("code_font", self.code_font))
        self.text_size.valueChanged.connect(self._menus.choose_size)
        self.spelling.activated.connect(
            lambda _: self._workspace.settings_store.set_preference(spelling=self.spelling.currentData())
        )
        self.python.activated.connect(self._on_python)
        self.isolated.clicked.connect(self._workspace.choose_isolation)
        self.policy.activated.connect(lambda _: self._workspace.choose_policy(self.policy.currentData()))
        self._workspace.device_model.interpreters_found.connect(lambda _: self.show_state())
        self._workspace.device_model.interpreter_chosen.connect(lambda _: self.show_state())
        self._workspace.vault_opened.connect(lambda _: self.show_state())
        self._words.changed.connect(self.retranslate)
        self._workspace.settings_store.listeners.append(self.show_state)  # commands change settings, too

    # --- showing

    def showEvent(self, event: QShowEvent) -> None:
        """Scroll to the top, where the focus and the close button are."""
        super().showEvent(event)
        if not event.spontaneous():
            self.verticalScrollBar().setValue(0)

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self.setAccessibleName(self._words("设置", "Settings"))
        for label, zh, en in self._captions:
            label.setMinimumWidth(0)  # forget the width in the other language,
            label.clear()  # and the size hint that Qt caches if the text is the same
            label.setText(self._words(zh, en))
            if (buddy := label.buddy()) is not None:
                buddy.setAccessibleName(self._words(zh, en))
        beside = [label for label, _, _ in self._captions if label.buddy() is not None]
        for label in beside:
            label.ensurePolished()  # sets its font
        widest = max(label.sizeHint().width() for label in beside)
        for label in beside:  # so that the fields of all forms are in one column
            label.setMinimumWidth(widest)
        for box, names in (
            (self.theme, _THEMES),
            (self.language, _LANGUAGES),
            (self.spelling, _SPELLINGS),
            (self.policy, _POLICIES),
        ):
            for row in range(box.count()):
                box.setItemText(row, self._words(*names[box.itemData(row)]))
        self.isolated.setText(self._words("无网络，看不到主目录", "No network, no home folder"))
        self.show_state()

    def show_state(self) -> None:
        """Show the current settings."""
        preferences, state = self._workspace.settings_store.preferences, self._workspace.state
        boxes = (self.theme, self.language, self.text_font, self.code_font, self.text_size, self.python, self.policy)
        blocked = [QSignalBlocker(box) for box in boxes]
        self.spelling.setCurrentIndex(self.spelling.findData(preferences.spelling))
        self.spelling.setEnabled(available())
        self.theme.setCurrentIndex(self.theme.findData(preferences.theme))
        self.language.setCurrentIndex(self.language.findData(preferences.language))
        for box, family in ((self.text_font, preferences.text_font), (self.code_font, preferences.code_font)):
            box.setCurrentFont(QFont(family)) if family else box.setCurrentIndex(-1)
            box.setPlaceholderText(self._words("跟随系统", "As the system"))
        self.text_size.setValue(int(state.zoom))
        self.isolated.setChecked(self._workspace.runs.isolate)
        self.policy.setCurrentIndex(self.policy.findData(self._workspace.runs.policy))
        for part in (self.text_size, self.python, self.isolated, self.policy):  # settings of the vault
            part.setEnabled(self._workspace.vault is not None)
        self._show_interpreters()
        self._show_vaults()
        del blocked

    def _show_interpreters(self) -> None:
        machine = self._workspace.device_model
        self.python.clear()
        for known in machine.interpreters:
            torch = f"torch {known.torch}" if known.torch else self._words("没有 torch", "no torch")
            self.python.addItem(f"{known.name} · {torch}", known)
        if machine.interpreter in machine.interpreters:
            self.python.setCurrentIndex(machine.interpreters.index(machine.interpreter))

    def _show_vaults(self) -> None:
        for widget in self._vault_rows:
            focused = QApplication.focusWidget()
            if focused is not None and (widget is focused or widget.isAncestorOf(focused)):
                self.setFocus()  # keep the focus in the page
            self._vaults.removeWidget(widget)
            delete_later(widget)
        self._vault_rows.clear()
        vault, words = self._workspace.vault, self._words
        here = str(vault.root) if vault is not None else ""
        own = str(self._workspace.places.user_vault)
        for path in dict.fromkeys((own, *self._workspace.settings_store.preferences.vaults)):
            name = words("自己的笔记库", "Your own vault") if path == own else Path(path).name
            self._vault_rows.append(row := self._row_of(name, path, is_open=path == here, own=path == own))
            self._vaults.addWidget(row)
        another = self._button(words("打开其他文件夹…", "Open another folder…"), self._menus.choose_folder)
        self._vault_rows.append(another)
        self._vaults.addWidget(another, alignment=Qt.AlignmentFlag.AlignLeft)

    def _row_of(self, name: str, path: str, *, is_open: bool, own: bool) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        told = QVBoxLayout()
        told.setSpacing(0)
        called, place = named(ElidedLabel(), "vaultName"), ElidedLabel()
        place.setProperty("dim", True)
        called.setText(name)
        place.setText(path)
        told.addWidget(called)
        told.addWidget(place)
        line.addLayout(told, 1)
        words = self._words
        if is_open:
            line.addWidget(QLabel(words("已打开", "open")))
            return row
        line.addWidget(self._button(words("打开", "Open"), lambda: self._menus.open_vault(None if own else Path(path))))
        if not own:
            line.addWidget(self._button(words("忘记", "Forget"), lambda: self._forget(path)))
        return row

    def _button(self, text: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.clicked.connect(act)
        return button

    # --- changes

    def _on_font(self, name: str, box: QFontComboBox) -> None:
        memory = self._workspace.settings_store
        memory.set_preference(**{name: box.currentFont().family()})
        self._look.choose_fonts(memory.preferences.text_font, memory.preferences.code_font)

    def _on_python(self, row: int) -> None:
        self._workspace.device_model.choose_interpreter(self.python.itemData(row))

    def _forget(self, path: str) -> None:
        """Remove a vault from the list; nothing on disk changes."""
        known = self._workspace.settings_store.preferences.vaults
        self._workspace.settings_store.set_preference(vaults=tuple(one for one in known if one != path))
        self._show_vaults()
