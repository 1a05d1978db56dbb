"""Search in the open vault: indexing in another process and queries off the GUI thread; only the newest is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from app.executor import GuiExecutor
from app.state.run_status_filter import RunStatusFilter
from kb.errors import KbError
from kb.results import IndexReport, Progress, SearchResult

if TYPE_CHECKING:  # both load slowly, Whoosh and NumPy above all
    from kb.index.indexer import Indexer, IndexProcess
    from kb.search.searcher import Searcher

LIMIT = 40  # hits of one query
Result = TypeVar("Result")


class SearchService(QObject):
    """Answers queries on one vault and keeps its index up to date; signals are emitted on the GUI thread."""

    answered = Signal(object)  # SearchResult of the newest query
    search_failed = Signal(str, object)  # query, error
    progressed = Signal(object)  # Progress
    indexed = Signal(object)  # IndexReport
    index_failed = Signal(object)  # error

    def __init__(
        self, executor: GuiExecutor, parent: QObject | None = None, *, idle: list[IndexProcess] | None = None
    ) -> None:
        """Call back through `executor`; searches run one after another on their own thread.

        `idle` lends the processes that index, and keeps them when the service is closed.
        """
        super().__init__(parent)
        self._executor = executor
        self._own = GuiExecutor(self, threads=1)
        self._idle: list[IndexProcess] = [] if idle is None else idle
        self._lent = idle is not None
        self._attached = 0  # counts vaults, to drop answers for an earlier one
        self._vault: tuple[Path, Path] | None = None  # its folder, and the folder of its index
        self._ready = False  # whether the searcher is loaded or being loaded
        self._searcher: Searcher | None = None
        self._asked: list[Callable[[Searcher], object]] = []  # waiting for the searcher
        self._indexer: Indexer | None = None
        self._run_filter: RunStatusFilter | None = None
        self._wanted: str | None = None
        self._searching = False
        self.progress: Progress | None = None  # while the index is being updated
        self.report: IndexReport | None = None  # of the last update
        self.failed = False  # whether the last update failed

    def attach(self, root: Path, index: Path, run_filter: RunStatusFilter | None = None) -> None:
        """Switch to a vault. Indexing begins with `start_indexing`; the searcher is loaded for the first query."""
        self.detach()
        self._run_filter = run_filter
        self.report, self.failed = None, False
        self._attached += 1
        self._vault = root, index

    def start_indexing(self) -> None:
        """Start the indexing process, which updates the index now and at each `refresh`."""
        if self._vault is None or self._indexer is not None:
            return
        from kb.index.indexer import Indexer  # noqa: PLC0415 - see above

        self._indexer = Indexer(
            *self._vault,
            progressed=lambda progress: self._executor.post(lambda: self._on_progress(progress)),
            finished=lambda report: self._executor.post(lambda: self._on_indexed(report)),
            failed=lambda error: self._executor.post(lambda: self._on_index_failed(error)),
            idle=self._idle,
        )
        self.refresh()

    def get_ready(self) -> None:
        """Load the searcher in the background, unless it is loaded."""
        if self._vault is None or self._ready:
            return
        self._ready = True
        turn, (root, index) = self._attached, self._vault
        self._own.run(
            lambda: _searcher(index, root),
            lambda searcher: self._on_searcher(searcher) if turn == self._attached else None,
            lambda error: self._on_not_loaded(error) if turn == self._attached else None,
        )

    def detach(self) -> None:
        """Leave the vault and end its indexing process."""
        self._attached += 1
        self._wanted, self._vault, self._ready = None, None, False
        self._asked.clear()
        if self._indexer is not None:
            self._indexer.stop()
            self._indexer = None
        if self._searcher is not None:
            self._own.run(self._searcher.close, lambda _: None, lambda _: None)
            self._searcher = None
        self.progress = None

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Update the index for these notes, or for the whole vault."""
        if self._indexer is not None:
            self._indexer.refresh(paths)

    def search(self, query: str) -> None:
        """Search for a query; `answered` follows unless a newer query or `forget` comes first."""
        self._wanted = query
        self.get_ready()
        if not self._searching:
            self._search_wanted()

    def ask(self, work: Callable[[Searcher], Result], done: Callable[[Result], object]) -> None:
        """Run another query off the GUI thread.

        `done` is not called if the index cannot be read or the vault was left.
        """
        turn = self._attached

        def go(searcher: Searcher) -> None:
            self._executor.run(
                lambda: work(searcher), lambda found: done(found) if turn == self._attached else None, _pass_over
            )

        if self._searcher is not None:
            go(self._searcher)
        else:
            self._asked.append(go)
            self.get_ready()

    def forget(self) -> None:
        """Drop the current query."""
        self._wanted = None

    def runs_changed(self) -> None:
        """Read the ledger again at the next search that filters by status or device."""
        if self._run_filter is not None:
            self._run_filter.forget()

    def close(self) -> None:
        """End the indexing process and the search thread."""
        searcher = self._searcher
        self.detach()
        self._own.close()
        while self._idle and not self._lent:
            self._idle.pop().end()
        if searcher is not None:
            searcher.close()  # the executor drops calls that had not begun

    def _on_searcher(self, searcher: Searcher) -> None:
        self._searcher = searcher
        asked, self._asked = self._asked, []
        for go in asked:
            go(searcher)
        if not self._searching:
            self._search_wanted()

    def _on_not_loaded(self, error: Exception) -> None:
        """Report to the query that waits; the next one loads the searcher again."""
        self._ready = False
        self._asked.clear()
        query, self._wanted = self._wanted, None
        if query is None:
            self._on_index_failed(error)
        else:
            self.search_failed.emit(query, error)

    def _search_wanted(self) -> None:
        query, searcher, run_filter = self._wanted, self._searcher, self._run_filter
        if query is None or searcher is None:
            return
        self._searching = True
        self._own.run(
            lambda: searcher.search(query, limit=LIMIT, proven=run_filter),
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
        """Return whether the answer is still wanted; else start the newer query, if there is one."""
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
        self.runs_changed()  # the code of runs may have changed
        self.progress, self.report, self.failed = None, report, False
        self.indexed.emit(report)

    def _on_index_failed(self, error: Exception) -> None:
        self.progress, self.failed = None, True
        self.index_failed.emit(error)


def _pass_over(error: Exception) -> None:
    """Ignore an index or a note that cannot be read; raise any other error."""
    if not isinstance(error, KbError):
        raise error


def _searcher(index: Path, root: Path) -> Searcher:
    from kb.search.searcher import Searcher, load  # noqa: PLC0415 - see above

    load()
    return Searcher(index, root)
