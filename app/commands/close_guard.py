"""Closing the window or its vault: the last save, and a question if something would be lost."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox

from app.editor.editor_pane import EditorPane
from app.i18n import Translator
from app.state.workspace import Workspace
from app.widgets.deferred_delete import delete_later

SOON_MS = 30_000  # after which a logout is taken to be cancelled
PATIENCE_MS = 3000  # for the last save; text that is not in the file by then is kept as a draft


class CloseGuard:
    """Decides whether the window may close now."""

    def __init__(self, window: QMainWindow, editor: EditorPane, workspace: Workspace, words: Translator) -> None:
        """Ask in front of `window`."""
        self._window = window
        self._editor = editor
        self._workspace = workspace
        self._words = words
        self._forced = self._stopping = False
        self._done_waiting = False
        self._patience = QTimer(window, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._on_patience_ended)
        editor.rested.connect(self._on_rested)

    def force_close(self) -> None:
        """Close without a question, as when the system asks: the text is saved or kept as a draft.

        Open questions and dialogs are closed without an answer.
        """
        self._forced = True
        for other in QApplication.topLevelWidgets():
            if other is not self._window and other.isModal() and other.isVisible():
                other.close()
        self._window.close()

    def session_ends(self) -> None:
        """Save at once because the user logs out; the window then closes without a question."""
        self._forced = True
        self._editor.flush()
        QTimer.singleShot(SOON_MS, self._window, self._on_logout_cancelled)

    def _on_logout_cancelled(self) -> None:
        self._forced = False

    def may_close(self) -> bool:
        """Return whether the window may close now; after a last save that is under way it closes by itself."""
        if not (self._forced or self._stopping) and self._workspace.runs.active and not self._asked_about_runs():
            return False
        if not self._done_waiting and not self._editor.flush():
            self._patience.start()
            return False
        if not self._forced and not self._editor.state.safe and not self._asked_about_text():
            if not self._patience.isActive():  # it stays open, and the next attempt asks again
                self._done_waiting = self._stopping = False
            return False
        return True

    def may_switch(self) -> bool:
        """Return whether another vault may be opened now; unsaved text is saved or kept as a draft by then."""
        words, count = self._words, len(self._workspace.runs.active)
        return not count or self._ask(
            words(f"还有 {count} 段代码在运行。", f"Code is still running ({count})."),
            words("停止并切换", "Stop and switch"),
            words("不切换", "Stay here"),
        )

    def _on_rested(self) -> None:
        if self._patience.isActive():
            self._on_patience_ended()

    def _on_patience_ended(self) -> None:
        self._patience.stop()
        self._done_waiting = True
        self._window.close()

    def _asked_about_runs(self) -> bool:
        words, count = self._words, len(self._workspace.runs.active)
        answered = self._ask(
            words(f"还有 {count} 段代码在运行。", f"Code is still running ({count})."),
            words("停止并关闭", "Stop and close"),
            words("不关闭", "Keep open"),
        )
        if answered:
            self._workspace.runs.stop_all()
            self._stopping = True
        return answered

    def _asked_about_text(self) -> bool:
        words, leave = self._words, self._words("关闭", "Close")
        zh = "编辑的文字还没能写入文件；已留作草稿，下次打开时会提示。"
        en = "What you typed could not be written to its file; it is kept as a draft and offered next time."
        if self._editor.only_here:
            zh = "编辑的文字既没能写入文件，也没能留作草稿；关闭就会失去它。"
            en = "What you typed could be written neither to its file nor to a draft; closing loses it."
            leave = words("关闭并放弃文字", "Close and lose it")
        elif self._editor.state.kind == "conflict":
            return self._asked_about_conflict()
        return self._ask(words(zh, en), leave, words("不关闭", "Keep open"))

    def _asked_about_conflict(self) -> bool:
        """Ask what to do with two versions; to keep both as files, the window closes once they are written."""
        words = self._words
        zh = "另一个程序改动了这篇笔记，而这里也有改动。直接关闭时文件是对方的版本，你的留作草稿，下次打开时会提示。"
        en = "Another program changed this note, and so did you. If you just close, the file stays theirs; yours is "
        en += "kept as a draft and offered next time."
        ways = words("两者都存为文件并关闭", "Keep both as files and close"), words("关闭", "Close")
        chosen = self._choose(words(zh, en), ways, words("不关闭", "Keep open"))
        if chosen != 0:
            return chosen is not None
        self._editor.keep_both()
        if self._editor.flush():
            return self._editor.state.safe
        self._patience.start()
        return False

    def _ask(self, sentence: str, leave: str, stay: str) -> bool:
        return self._choose(sentence, (leave,), stay) is not None

    def _choose(self, sentence: str, ways: Sequence[str], stay: str) -> int | None:
        """Return the index of the chosen way to leave, or None to stay, which Escape and Enter do."""
        box = QMessageBox(QMessageBox.Icon.Question, self._window.windowTitle(), sentence, parent=self._window)
        leaving = [box.addButton(way, QMessageBox.ButtonRole.AcceptRole) for way in ways]
        staying = box.addButton(stay, QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(staying)
        box.setEscapeButton(staying)
        box.exec()
        clicked = box.clickedButton()
        delete_later(box)
        if self._forced:  # while the question was open; the last way has no other effect than closing
            return len(ways) - 1
        return next((number for number, button in enumerate(leaving) if button is clicked), None)
