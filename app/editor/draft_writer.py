"""Drafts of what is not saved yet: written soon after it was typed, in order, and never on the GUI thread."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.editor.document_store import DocumentStore


class DraftWriter(QObject):
    """Keeps and drops drafts one job at a time; of several that wait for one note, the newest is done."""

    failed = Signal(str, object)  # path, error: this text is nowhere but on the screen
    rested = Signal()  # nothing is being kept or dropped any more

    def __init__(self, desk: DocumentStore, parent: QObject | None = None) -> None:
        """Work through `desk`."""
        super().__init__(parent)
        self._store = desk
        self._waiting: dict[str, Callable[[], None]] = {}
        self._busy = False
        self._owners: dict[str, object] = {}

    @property
    def busy(self) -> bool:
        """Whether a draft is being kept or dropped."""
        return self._busy

    def keep(self, path: str, text: str, *, base_hash: str | None, owner: object) -> None:
        """Keep a text of a note; `owner` is who may drop it again."""
        self._owners[path] = owner
        self._put(
            path,
            lambda: self._store.keep_draft(
                path, text, base_hash=base_hash, done=self._on_done, failed=lambda error: self._on_failed(path, error)
            ),
        )

    def drop(self, path: str, *, owner: object) -> None:
        """Forget the draft of a note, unless another owner kept a newer one."""
        if self._owners.get(path, owner) is not owner:
            return
        self._owners.pop(path, None)
        self._put(
            path,
            lambda: self._store.drop_draft(path, done=self._on_done, failed=lambda error: self._on_failed(path, error)),
        )

    def _put(self, path: str, job: Callable[[], None]) -> None:
        self._waiting[path] = job
        self._next()

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy = True
        job = self._waiting.pop(next(iter(self._waiting)))
        try:
            job()
        except Exception:  # a fault of the program, which is told; the next draft is kept all the same
            self._busy = False
            raise

    def _on_done(self) -> None:
        self._busy = False
        self._next()
        if not self._busy:
            self.rested.emit()

    def _on_failed(self, path: str, error: Exception) -> None:
        self.failed.emit(path, error)
        self._on_done()
