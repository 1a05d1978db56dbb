"""Drafts of unsaved text: written soon after typing, in order, and never on the GUI thread."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.editor.document_store import DocumentStore


class DraftWriter(QObject):
    """Keeps and deletes drafts, one job at a time; of several waiting jobs for a note only the newest is done."""

    failed = Signal(str, object)  # path, error: the text exists only on screen
    rested = Signal()  # all jobs are done

    def __init__(self, store: DocumentStore, parent: QObject | None = None) -> None:
        """Write drafts to `store`."""
        super().__init__(parent)
        self._store = store
        self._waiting: dict[str, Callable[[], None]] = {}
        self._busy = False
        self._owners: dict[str, object] = {}
        self._dropped: set[str] = set()  # paths whose draft waits to be deleted

    @property
    def busy(self) -> bool:
        """Whether a draft is being kept or deleted."""
        return self._busy

    def keep(self, path: str, text: str, *, base_hash: str | None, owner: object) -> None:
        """Keep the text of a note; only `owner` may delete it again."""
        self._owners[path] = owner
        self._dropped.discard(path)
        self._put(
            path,
            lambda: self._store.keep_draft(
                path, text, base_hash=base_hash, done=self._on_done, failed=lambda error: self._on_failed(path, error)
            ),
        )

    def drop(self, path: str, *, owner: object) -> None:
        """Delete the draft of a note, unless another owner kept a newer one."""
        if self._owners.get(path, owner) is not owner:
            return
        self._owners.pop(path, None)
        self._dropped.add(path)

        def job() -> None:
            self._dropped.discard(path)
            self._store.drop_draft(path, done=self._on_done, failed=lambda error: self._on_failed(path, error))

        self._put(path, job)

    def drops(self, path: str) -> bool:
        """Whether the draft of a note waits to be deleted: its text is safe."""
        return path in self._dropped

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
        except Exception:  # a bug, which is reported; the next draft is kept nevertheless
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
