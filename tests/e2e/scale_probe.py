"""Shows the window at the scale of the environment, at its least size, and prints what is wrong with it as JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QPoint, QRect, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from app.error_reporting import ErrorReporter
from app.main_window.main_window import MainWindow
from app.startup.application import chosen_appearance
from app.state.workspace import Workspace
from app.widgets.elided_label import ElidedLabel
from app.widgets.sidebar_section import LineButton
from kb.files.paths import UserPaths

LEAST = (720, 480)
FORMULA = "# Formula\n\nInline $a^2+b^2$ and\n\n$$\\sum_{i=1}^n x_i$$\n\n```python id=one\nprint(1)\n```\n"


def wait(ms: int) -> None:
    """Let events run."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds, a minute at most."""
    for _ in range(1200):
        if holds():
            return
        wait(50)
    raise TimeoutError


def surfaces(window: MainWindow) -> Iterator[str]:
    """Bring the surfaces into view, one after the other."""
    yield "reading"
    window.commands.run("find")
    yield "finding"
    window.central.find_bar.leave()
    window.commands.run("settings")
    yield "settings"
    window.central.leave_page()
    window.commands.run("replace")
    yield "replace"
    window.central.leave_page()
    window.commands.run("edit")
    window.central.editor.find_bar.open(replace=True)
    yield "editing"
    window.central.toggle_editor()


def shown(window: MainWindow) -> Iterator[QWidget]:
    """Yield the controls that are in view and have words."""
    kinds = (QLabel, QAbstractButton, QComboBox, QLineEdit)
    for widget in window.findChildren(QWidget):
        if isinstance(widget, kinds) and widget.isVisible() and not widget.visibleRegion().isEmpty():
            yield widget


def cut(widget: QWidget) -> bool:
    """Tell whether a control has less room than its words need, and does not say them in a tooltip."""
    if isinstance(widget, (ElidedLabel, LineButton, QLineEdit)):
        return False  # they cut by themselves, and tell
    if isinstance(widget, QLabel):
        needs = widget.heightForWidth(widget.width()) if widget.wordWrap() else widget.minimumSizeHint().height()
        wide = widget.wordWrap() or widget.minimumSizeHint().width() <= widget.width() + 1
        return bool(widget.text()) and (needs > widget.height() + 1 or not wide)
    if isinstance(widget, QToolButton) and not widget.icon().isNull():
        return False  # its words are not shown
    if isinstance(widget, (QPushButton, QToolButton)) and widget.text():
        return widget.fontMetrics().horizontalAdvance(widget.text()) > room(widget)
    return False


def room(button: QWidget) -> int:
    """Return the width that a button has for its words."""
    if isinstance(button, QPushButton):
        option = QStyleOptionButton()
        button.initStyleOption(option)
        return button.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, button).width() + 2
    return button.width() - 4


def place(widget: QWidget) -> QRect:
    """Return where a widget lies in the window."""
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


def over(window: MainWindow) -> Iterator[str]:
    """Yield pairs of controls that lie over each other, though neither holds the other."""
    controls = [one for one in shown(window) if not one.visibleRegion().isEmpty()]
    for one, other in combinations(controls, 2):
        if one.isAncestorOf(other) or other.isAncestorOf(one) or one.parentWidget() is not other.parentWidget():
            continue
        common = place(one) & place(other)
        if common.width() > 2 and common.height() > 2:
            yield f"{describe(one)} and {describe(other)}"


def describe(widget: QWidget) -> str:
    """Say which it is."""
    text = getattr(widget, "text", str)()
    return f"{type(widget).__name__} {widget.objectName()} {text[:30]!r} {place(widget).getRect()}"


def blurred(window: MainWindow, ratio: float) -> Iterator[str]:
    """Yield what is drawn in fewer pixels than the screen has: such a picture is one of blocks of equal pixels."""
    view, bar = window.central.reader.view, window.bar
    icons = [one for one in bar.findChildren(QToolButton) if one.isVisible() and not one.icon().isNull()]
    pictures = {f"icon {one.accessibleName() or one.text()}": one.grab().toImage() for one in icons}
    block = view.document().begin()
    while block.isValid():
        if "\ufffc" in block.text():
            rect = view.document().documentLayout().blockBoundingRect(block).toRect()
            rect.translate(0, -view.verticalScrollBar().value())
            pictures[f"formula at {block.position()}"] = view.viewport().grab(rect & view.viewport().rect()).toImage()
        block = block.next()
    for name, image in pictures.items():
        if (
            image.devicePixelRatio() != ratio
            or len({image.pixel(x, image.height() // 2) for x in range(image.width())}) < 2
        ):
            yield f"{name} is not there"
        elif in_blocks(image, 2) and ratio >= 2:
            yield f"{name} is drawn small and made larger"
    if len(pictures) < len(icons) + 2 or len(icons) < 3:
        yield f"too little was looked at: {sorted(pictures)}"


def in_blocks(image: QImage, size: int) -> bool:
    """Tell whether a picture is a smaller one, each of whose pixels was made a block."""
    small = image.scaled(image.width() // size, image.height() // size)
    large = small.scaled(small.width() * size, small.height() * size)
    return large.convertToFormat(QImage.Format.Format_RGB32) == image.copy(large.rect()).convertToFormat(
        QImage.Format.Format_RGB32
    )


def main() -> None:
    """Show, look, and tell."""
    application = QApplication([])
    places = UserPaths.of_user()
    places.user_vault.mkdir(parents=True, exist_ok=True)
    (places.user_vault / "formula.md").write_text(FORMULA, "utf-8")
    workspace = Workspace(places)
    workspace.settings_store.set_preference(language="en", theme="light")
    words, look = chosen_appearance(application, workspace.settings_store.preferences)
    window = MainWindow(workspace, words, look, ErrorReporter(Path(places.data) / "logs", debug=False))
    window.show()
    window.resize(*LEAST)
    workspace.open_vault(None)
    until(lambda: workspace.notes.current is not None and workspace.search_service.report is not None)
    found: dict[str, list[str]] = {"cut": [], "over": [], "blurred": []}
    for language, size in (("en", 100), ("zh", 300)):
        window.deferred.view_commands.choose_language(language)
        window.deferred.view_commands.choose_size(size)
        for where in surfaces(window):
            wait(60)
            found["cut"] += [f"{where} {size}: {describe(one)}" for one in shown(window) if cut(one)]
            found["over"] += [f"{where} {size}: {pair}" for pair in over(window)]
        window.central.show_reader()
        wait(200)
        found["blurred"] += blurred(window, application.devicePixelRatio())
    sys.stdout.write(json.dumps({"ratio": application.devicePixelRatio(), **found}) + "\n")
    window.deferred.close_guard.force_close()
    wait(100)
    workspace.close()


if __name__ == "__main__":
    main()
