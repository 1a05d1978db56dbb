"""Applies the theme, light or dark, by choice or as the system has it, to the whole application."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from app.style.stylesheets import widget_sheet, window_sheet, with_fonts
from app.style.theme import DARK, LIGHT, Theme

STYLE = "Fusion"
STYLED = "styled"  # property of an application that was started in this style: setting it again takes PySide longer

Named = TypeVar("Named", bound=QWidget)
_LINE = 3  # pixels
_ROLES = {
    QPalette.ColorRole.Window: "panel",
    QPalette.ColorRole.WindowText: "ink",
    QPalette.ColorRole.Base: "page",
    QPalette.ColorRole.AlternateBase: "panel",
    QPalette.ColorRole.Text: "ink",
    QPalette.ColorRole.Button: "field",
    QPalette.ColorRole.ButtonText: "ink",
    QPalette.ColorRole.PlaceholderText: "dim",
    QPalette.ColorRole.ToolTipBase: "field",
    QPalette.ColorRole.ToolTipText: "ink",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "keyword",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.BrightText: "bad",
    QPalette.ColorRole.Light: "field",
    QPalette.ColorRole.Midlight: "hover",
    QPalette.ColorRole.Mid: "line",
    QPalette.ColorRole.Dark: "dim",
    QPalette.ColorRole.Shadow: "dim",
}


class Appearance(QObject):
    """The current theme; `changed` is emitted with a new one."""

    changed = Signal(object)  # Theme

    def __init__(self, application: QApplication, choice: str = "system", *, fonts: tuple[str, str] = ("", "")) -> None:
        """Style the application; `choice` is system, light or dark, `fonts` are the families of prose and code."""
        super().__init__(application)
        self._application = application
        self._choice = choice
        self._fonts = fonts
        self.theme: Theme = LIGHT
        if application.property(STYLED) is None:
            application.setStyle(STYLE)
        application.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)
        self.choose(choice)

    @property
    def choice(self) -> str:
        """The chosen theme: system, light or dark."""
        return self._choice

    def choose(self, choice: str) -> None:
        """Apply a theme: light, dark, or system."""
        self._choice = choice
        system_is_dark = self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        colours = DARK if choice == "dark" or (choice == "system" and system_is_dark) else LIGHT
        self._apply(with_fonts(colours, *self._fonts) if any(self._fonts) else colours)

    def choose_fonts(self, text: str, code: str) -> None:
        """Show prose and code of notes in these font families; an empty name means the system's."""
        self._fonts = text, code
        self.choose(self._choice)

    def _on_scheme_changed(self) -> None:
        if self._choice == "system":
            self.choose("system")

    def _apply(self, theme: Theme) -> None:
        if theme == self.theme and self._application.styleSheet():
            return
        before, self.theme = self.theme, theme
        if theme.dark != before.dark or not self._application.styleSheet():
            self._application.setPalette(palette(theme))
            self._application.setStyleSheet(widget_sheet(theme) + window_sheet(theme))
        self.changed.emit(theme)


def palette(theme: Theme) -> QPalette:
    """Return the theme as a palette, for what the style sheet does not cover."""
    colours = QPalette()
    for role, name in _ROLES.items():
        colours.setColor(role, QColor(getattr(theme, name)))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        colours.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.dim))
    return colours


class FocusLine(QFrame):
    """A line at the left edge of a page while it has the focus, if it got it by a key."""

    _BY_KEYS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)

    def __init__(self, page: QWidget) -> None:
        """Watch `page`; a border of the page itself would cause a new layout of its document."""
        super().__init__(page)
        self._page = page
        self.setObjectName("focusLine")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show and hide the line with the focus, as high as the page."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(0, 0, _LINE, self._page.height())
        elif isinstance(event, QFocusEvent):
            self.setGeometry(0, 0, _LINE, self._page.height())
            self.raise_()
            self.setVisible(event.gotFocus() and event.reason() in self._BY_KEYS)
        return super().eventFilter(watched, event)


def flag(widget: QWidget, name: str, *, on: bool) -> None:
    """Set a boolean property that the style sheet uses, such as `wrong` of a label, and restyle the widget."""
    if bool(widget.property(name)) != on:
        widget.setProperty(name, on)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def named(widget: Named, name: str) -> Named:
    """Set the object name that the style sheet uses, and return the widget."""
    widget.setObjectName(name)
    return widget
