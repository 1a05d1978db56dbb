"""The room of finding: the index kept fresh in the background, and searches off the GUI thread, newest wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from app.executor import GuiExecutor
from app.state.run_status_filter import RunStatusFilter
from kb.errors import KbError
from kb.results import IndexReport, Progress, SearchResult

LIMIT = 40
Result = TypeVar("Result")


class SearchBackend(Protocol):
    """What answers queries."""

    def search(self, query: str, *, limit: int, proven: RunStatusFilter | None) -> SearchResult:
        """Return the best sections; `proven` knows how their code stands."""

    def close(self) -> None:
        """Let the index go."""


class IndexBackend(Protocol):
    """What keeps the index fresh."""

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Bring the index up to date with these notes, or with the whole vault."""

    def stop(self) -> None:
        """End, whatever is being done."""


class SearchService(QObject):
    """Answers queries on one vault and keeps its index; every signal comes on the GUI thread."""

    answered = Signal(object)  # SearchResult of the newest query
    search_failed = Signal(str, object)  # query, error
    progressed = Signal(object)  # Progress
    indexed = Signal(object)  # IndexReport
    index_failed = Signal(object)  # error

    def __init__(self, door: GuiExecutor, parent: QObject | None = None) -> None:
        """Report through `door`; searches take turns on a thread of their own."""
        super().__init__(parent)
        self._door = door
        self._turn = GuiExecutor(self, threads=1)
        self._attached = 0  # how often; what was begun for a vault before is dropped
        self._vault: tuple[Path, Path] | None = None  # its folder, and that of its index
        self._ready = False  # whether the searcher is there, or being loaded
        self._searcher: SearchBackend | None = None
        self._asked: list[Callable[[SearchBackend], object]] = []  # what waits for the searcher
        self._indexer: IndexBackend | None = None
        self._standing: RunStatusFilter | None = None
        self._wanted: str | None = None
        self._searching = False
        self.progress: Progress | None = None  # while the index is being brought up to date
        self.report: IndexReport | None = None  # what the last indexing found
        self.failed = False  # whether the last indexing came to nothing

    def attach(self, root: Path, index: Path, standing: RunStatusFilter | None = None) -> None:
        """Turn to a vault. It is indexed from `settle` on, and what searches it is loaded for the first who asks."""
        self.detach()
        self._standing = standing
        self.report, self.failed = None, False
        self._attached += 1
        self._vault = root, index

    def start_indexing(self) -> None:
        """Index the vault in the background, and again after each `refresh`."""
        if self._vault is None or self._indexer is not None:
            return
        from kb.index.indexer import Indexer  # noqa: PLC0415 - it has its process started by what loads slowly

        self._indexer = Indexer(
            *self._vault,
            progressed=lambda progress: self._door.post(lambda: self._on_progress(progress)),
            finished=lambda report: self._door.post(lambda: self._on_indexed(report)),
            failed=lambda error: self._door.post(lambda: self._on_index_failed(error)),
        )
        self.refresh()

    def get_ready(self) -> None:
        """Load what searches, in the background, if it is not loaded yet: somebody is about to ask."""
        if self._vault is None or self._ready:
            return
        self._ready = True
        turn, (root, index) = self._attached, self._vault
        self._turn.run(
            lambda: _searcher(index, root),
            lambda searcher: self._on_searcher(searcher) if turn == self._attached else None,
            self._on_index_failed,
        )

    def detach(self) -> None:
        """Let the vault go; the indexing process ends."""
        self._attached += 1
        self._wanted, self._vault, self._ready = None, None, False
        self._asked.clear()
        if self._indexer is not None:
            self._indexer.stop()
            self._indexer = None
        if self._searcher is not None:
            self._turn.run(self._searcher.close, lambda _: None, lambda _: None)
            self._searcher = None
        self.progress = None

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Bring the index up to date with these notes, or with the whole vault."""
        if self._indexer is not None:
            self._indexer.refresh(paths)

    def search(self, query: str) -> None:
        """Search; answers to older queries that are still under way are dropped."""
        self._wanted = query
        self.get_ready()
        if not self._searching:
            self._search_wanted()

    def ask(self, work: Callable[[SearchBackend], Result], done: Callable[[Result], object]) -> None:
        """Have something else asked of the index in the background; where it cannot be read, nothing is answered."""
        turn = self._attached

        def go(searcher: SearchBackend) -> None:
            self._door.run(
                lambda: work(searcher), lambda found: done(found) if turn == self._attached else None, _pass_over
            )

        if self._searcher is not None:
            go(self._searcher)
        else:
            self._asked.append(go)
            self.get_ready()

    def forget(self) -> None:
        """Drop whatever is being searched for."""
        self._wanted = None

    def runs_changed(self) -> None:
        """Look into the ledger again at the next search that asks how code stands."""
        if self._standing is not None:
            self._standing.forget()

    def close(self) -> None:
        """End the indexing process and the search thread."""
        searcher = self._searcher
        self.detach()
        self._turn.close()
        if searcher is not None:
            searcher.close()  # the door drops what had not begun

    def _on_searcher(self, searcher: SearchBackend) -> None:
        self._searcher = searcher
        asked, self._asked = self._asked, []
        for go in asked:
            go(searcher)
        if not self._searching:
            self._search_wanted()

    def _search_wanted(self) -> None:
        query, searcher, standing = self._wanted, self._searcher, self._standing
        if query is None or searcher is None:
            return
        self._searching = True
        self._turn.run(
            lambda: searcher.search(query, limit=LIMIT, proven=standing),
            lambda result: self._on_answer(query, result),
            lambda error: self._on_search_failed(query, error),
        )

    def _on_answer(self, query: str, result: SearchResult) -> None:
        if self._ended(query):
            self.answered.emit(result)

    def _on_search_failed(self, query: str, error: Exception) -> None:
        if self._ended(query):
            self.search_failed.emit(query, error)

    def _ended(self, query: str) -> bool:
        """Tell whether the answer is still wanted; if a newer query waits, it goes next."""
        self._searching = False
        if self._wanted == query:
            self._wanted = None
            return True
        self._search_wanted()
        return False

    def _on_progress(self, progress: Progress) -> None:
        self.progress = progress
        self.progressed.emit(progress)

    def _on_indexed(self, report: IndexReport) -> None:
        self.runs_changed()  # they may be of other code now
        self.progress, self.report, self.failed = None, report, False
        self.indexed.emit(report)

    def _on_index_failed(self, error: Exception) -> None:
        self.progress, self.failed = None, True
        self.index_failed.emit(error)


def _pass_over(error: Exception) -> None:
    """Take no notice of an index or a note that cannot be read; anything else is a fault of the program."""
    if not isinstance(error, KbError):
        raise error


def _searcher(index: Path, root: Path) -> SearchBackend:
    from kb.search.searcher import Searcher, load  # noqa: PLC0415 - whoosh and numpy load while the window is there already

    load()
    return Searcher(index, root)
