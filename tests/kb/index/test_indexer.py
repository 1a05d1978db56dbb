"""Indexing in the background: real processes, killed at any moment."""

from __future__ import annotations

import queue
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest

from kb.errors import IndexFailed, KbError, VaultMissing
from kb.index import indexer as indexing
from kb.index.index_update import update_index
from kb.index.indexer import Indexer, IndexProcess
from kb.results import IndexReport, Progress
from kb.search.searcher import Searcher
from kb.vault.vault import Vault
from kb.worker_process import start_worker

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]
PATIENCE = 60  # seconds until a process that does not answer fails the test


class Witness:
    """Collects what an Indexer says."""

    def __init__(self) -> None:
        self.progress: list[Progress] = []
        self.threads: set[str] = set()
        self._ends: queue.SimpleQueue[IndexReport | KbError] = queue.SimpleQueue()
        self.began = threading.Event()

    def progressed(self, progress: Progress) -> None:
        """Note progress."""
        self.progress.append(progress)
        self.began.set()

    def ended(self, end: IndexReport | KbError) -> None:
        """Note how an indexing ended."""
        self.threads.add(threading.current_thread().name)
        self._ends.put(end)

    def report(self) -> IndexReport:
        """Wait for a report."""
        end = self._ends.get(timeout=PATIENCE)
        assert isinstance(end, IndexReport), end
        return end

    def error(self) -> KbError:
        """Wait for an error."""
        end = self._ends.get(timeout=PATIENCE)
        assert isinstance(end, KbError), end
        return end

    @property
    def silent(self) -> bool:
        """Whether everything that was said has been looked at."""
        return self._ends.empty()


@pytest.fixture
def witness() -> Witness:
    """Somebody to listen."""
    return Witness()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the index."""
    return tmp_path / "index"


Start = Callable[[Path], Indexer]


@pytest.fixture
def start(folder: Path, witness: Witness) -> Iterator[Start]:
    """Return a function that makes an Indexer, stopped at the end of the test."""
    made: list[Indexer] = []

    def make(root: Path) -> Indexer:
        made.append(Indexer(root, folder, progressed=witness.progressed, finished=witness.ended, failed=witness.ended))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def found(folder: Path, query: str) -> list[str]:
    """The headings of the hits."""
    searcher = Searcher(folder, folder)
    try:
        return [hit.heading for hit in searcher.search(query, limit=10_000).hits]
    finally:
        searcher.close()


def many(notes: int) -> dict[str, str | bytes]:
    """Notes with ten sections each."""
    text = "values are read along a dimension of the tensor 分布式训练 " * 20
    return {f"n{n:03}.md": "".join(f"# word{n} part{k}\n\n{text}\n\n" for k in range(10)) for n in range(notes)}


def worker() -> psutil.Process:
    """The indexing process."""
    living = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    (one,) = [child for child in living if "spawn_main" in " ".join(child.cmdline())]
    return one


def test_it_indexes_in_another_process(make_vault: MakeVault, folder: Path, start: Start, witness: Witness) -> None:
    """The report is that of update_index; progress begins at nothing and ends at all; one thread says it all."""
    indexer = start(make_vault({"a.md": "# alpha\n", "b.md": "# beta\n", "c.md": b"\0\1\2"}).root)
    indexer.refresh()
    report = witness.report()
    assert (report.notes, report.added, [skipped.path for skipped in report.skipped]) == (2, 2, ["c.md"])
    assert witness.progress[0] == Progress(0, 3)
    assert witness.progress[-1] == Progress(3, 3)
    assert witness.threads == {"indexer"}
    assert found(folder, "beta") == ["beta"]


def test_the_process_stays_for_the_next_wish(
    make_vault: MakeVault, folder: Path, start: Start, witness: Witness
) -> None:
    """A saved note is taken up by the process that is already there."""
    indexer = start(make_vault({"a.md": "# alpha\n"}).root)
    indexer.refresh()
    witness.report()
    first = worker().pid
    make_vault({"a.md": "# gamma\n"})
    indexer.refresh(["a.md"])
    assert witness.report().updated == 1
    assert worker().pid == first
    assert found(folder, "gamma") == ["gamma"]


def test_wishes_that_wait_are_granted_together(make_vault: MakeVault, start: Start, witness: Witness) -> None:
    """What was asked for while an indexing goes on is one indexing afterwards."""
    indexer = start(make_vault(many(60)).root)
    indexer.refresh()
    assert witness.began.wait(PATIENCE)
    (gone, *_), changed = (sorted(make_vault({}).files()), {"n001.md": "# alef\n", "n002.md": "# bet\n"})
    make_vault(changed).inside(gone).unlink()
    for wish in ([gone], ["n001.md"], ["n002.md"]):
        indexer.refresh(wish)
    witness.report()  # of the first, which may have seen some of it
    second = witness.report()
    assert second.notes == 59
    assert second.sections == 57 * 10 + 2
    indexer.refresh([])
    assert witness.report().notes == 59
    assert witness.silent


def test_errors_come_as_errors(make_vault: MakeVault, folder: Path, start: Start, witness: Witness) -> None:
    """A vault that is gone is said as such, with its sentence in both languages; the next try may succeed."""
    root = make_vault({"a.md": "# alpha\n"}).root
    indexer = start(root)
    root.rename(root.with_name("away"))
    indexer.refresh()
    error = witness.error()
    assert isinstance(error, VaultMissing)
    assert "不存在" in error.sentence("zh")
    root.with_name("away").rename(root)
    folder.parent.mkdir(exist_ok=True)
    indexer.refresh()
    assert witness.report().notes == 1


def test_an_unforeseen_error_is_said_too(make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong in the process, it lives on and says it."""
    monkeypatch.setattr("kb.index.index_update.update_index", lambda *_, **__: 1 / 0)
    mine, theirs = Pipe()
    monkeypatch.setattr(indexing, "_listen", lambda pipe, wishes: wishes.put(pipe.recv()))
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    class Enough(Exception):
        pass

    class Once:
        def send(self, message: Any) -> None:
            theirs.send(message)
            raise Enough

        def recv(self) -> Any:
            return theirs.recv()

    request = make_vault({}).root, folder, None
    mine.send(request)
    with pytest.raises(Enough):
        indexing._work(Once())  # type: ignore[arg-type]
    error = mine.recv()
    assert isinstance(error, IndexFailed)
    assert "ZeroDivisionError" in str(error)
    mine.send(request)

    def listen(pipe: Connection, wishes: queue.SimpleQueue[object]) -> None:
        wishes.put(pipe.recv())
        mine.close()

    monkeypatch.setattr(indexing, "_listen", listen)
    indexing._work(theirs)  # nobody is left to be told, and nothing is said
    theirs.close()


def test_a_killed_process_is_said_and_replaced(
    make_vault: MakeVault, folder: Path, start: Start, witness: Witness
) -> None:
    """If the process dies while it works, that is an error; the next wish starts another one."""
    root = make_vault(many(60)).root
    indexer = start(root)
    indexer.refresh()
    assert witness.began.wait(PATIENCE)
    worker().kill()
    assert "ended before its time" in str(witness.error())
    indexer.refresh()
    assert witness.report().notes == 60
    assert len(found(folder, "values")) == 600


def test_a_process_that_died_idle_is_replaced(make_vault: MakeVault, start: Start, witness: Witness) -> None:
    """A process that was killed between two wishes is not missed."""
    indexer = start(make_vault({"a.md": "# alpha\n"}).root)
    indexer.refresh()
    witness.report()
    worker().kill()
    indexer.refresh()
    assert witness.report().notes == 1


def test_stop_ends_everything(make_vault: MakeVault, start: Start, witness: Witness) -> None:
    """After stop there is no process, no thread, and nothing more is said; stopping twice does no harm."""
    indexer = start(make_vault(many(60)).root)
    indexer.refresh()
    assert witness.began.wait(PATIENCE)
    process = worker()
    indexer.stop()
    assert not process.is_running()
    assert not [thread for thread in threading.enumerate() if thread.name == "indexer"]
    assert witness.silent
    indexer.refresh()
    indexer.stop()
    assert witness.silent


def test_an_idle_process_serves_the_next_vault(make_vault: MakeVault, tmp_path: Path, witness: Witness) -> None:
    """It is lent by the list and given back to it, unless it was at work or has died; the indexes are separate."""
    idle: list[IndexProcess] = []
    pids = []
    for name in ("one", "two"):
        root = make_vault({f"{name}/a.md": f"# {name}\n"}).root / name
        indexer = Indexer(
            root,
            tmp_path / f"index {name}",
            progressed=lambda _: None,
            finished=witness.ended,
            failed=witness.ended,
            idle=idle,
        )
        indexer.refresh()
        assert witness.report().notes == 1
        pids.append(worker().pid)
        indexer.stop()
        assert len(idle) == 1
        assert found(tmp_path / f"index {name}", name) == [name]
    assert pids[0] == pids[1]
    worker().kill()
    indexer = Indexer(
        root, tmp_path / "index", progressed=lambda _: None, finished=witness.ended, failed=witness.ended, idle=idle
    )
    indexer.refresh()
    assert witness.report().notes == 1
    indexer.stop()
    idle.pop().end()
    assert not idle


def test_stop_before_the_first_wish(make_vault: MakeVault, start: Start) -> None:
    """An Indexer that was never used has nothing to end."""
    indexer = start(make_vault({}).root)
    indexer.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "indexer"]


def report_modules(pipe: Connection) -> None:
    """Say what a worker process has loaded once it can index."""
    pipe.send(sorted(sys.modules))


def test_the_process_is_light() -> None:
    """Neither the window nor the command line's libraries are loaded beside the indexing."""
    mine, theirs = Pipe()
    process = start_worker(report_modules, theirs, name="modules")
    theirs.close()
    # This module imports pytest and psutil itself; what the indexing brings must not be more than it needs.
    loaded = {name.partition(".")[0] for name in mine.recv()}
    process.join()
    process.close()
    mine.close()
    assert not loaded & {"PySide6", "typer", "rich", "markdown", "matplotlib", "torch", "main", "app"}


def parent(pipe: Connection, root: Path, folder: Path) -> None:
    """Stand for a program that indexes, and is killed."""
    began = threading.Event()
    indexer = Indexer(root, folder, progressed=lambda _: began.set(), finished=print, failed=print)
    indexer.refresh()
    began.wait()
    pipe.send(worker().pid)
    threading.Event().wait()


def test_the_process_ends_with_the_program(make_vault: MakeVault, folder: Path) -> None:
    """When the program is killed, its indexing process does not go on alone."""
    root = make_vault(many(200)).root
    mine, theirs = Pipe()
    # Not start_worker: a daemonic process may not have children of its own.
    from multiprocessing import get_context  # noqa: PLC0415

    process = get_context("spawn").Process(target=parent, args=(theirs, root, folder))
    process.start()
    theirs.close()
    orphan = psutil.Process(mine.recv())
    process.kill()
    process.join()
    process.close()
    mine.close()
    psutil.wait_procs([orphan], timeout=10)
    assert not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE
    assert update_index(Vault.open(root), folder).notes == 200


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread cannot step back by itself")
def test_many_notes_are_indexed_by_two_that_step_back(make_vault: MakeVault, folder: Path) -> None:
    """The second process ends with the first, both leave the window the processors, and a saved note does not wait."""
    second: queue.SimpleQueue[psutil.Process] = queue.SimpleQueue()

    def look(_: Progress) -> None:
        for one in worker().children():
            second.put(one)

    root = make_vault(many(200)).root
    ended: list[object] = []
    indexer = Indexer(root, folder, progressed=look, finished=ended.append, failed=ended.append)
    indexer.refresh()
    one = second.get(timeout=PATIENCE)
    first = worker()
    niceness = psutil.Process().nice()
    assert (first.nice(), one.nice()) == (niceness, min(19, niceness + 10))
    indexer.stop()
    assert not first.is_running()
    psutil.wait_procs([one], timeout=10)
    assert not one.is_running() or one.status() == psutil.STATUS_ZOMBIE
    assert ended == []
    report = update_index(Vault.open(root), folder)
    assert (report.notes, report.sections) == (200, 2000)
    assert len(found(folder, "values")) == 2000


def test_two_indexers_lose_nothing(make_vault: MakeVault, folder: Path, start: Start, witness: Witness) -> None:
    """Two programs on one vault take turns; every note is there once."""
    root = make_vault(many(40)).root
    one, two = start(root), start(root)
    one.refresh()
    two.refresh()
    reports = [witness.report(), witness.report()]
    assert sorted(report.added for report in reports) == [0, 40]
    assert len(found(folder, "values")) == 400


def test_thirty_kills(make_vault: MakeVault, folder: Path) -> None:
    """Killed at any moment, the index is never locked nor wrong: each commit is whole, the next run completes it."""
    luck = random.Random(7)
    notes = many(40)
    vault = make_vault(notes)
    searcher = Searcher(folder, vault.root)
    for turn in range(30):
        changed = {path: f"# turn{turn}\n\n" + str(notes[path]) for path in luck.sample(sorted(notes), 25)}
        make_vault(changed)
        mine, theirs = Pipe()
        process = start_worker(indexing._work, theirs, name="index")
        theirs.close()
        mine.send((vault.root, folder, None))
        mine.recv()  # it has begun
        process.join(luck.uniform(0, 0.25))
        process.kill()
        process.join()
        process.close()
        mine.close()
        searcher.search("values tensor", limit=1000)  # what is committed can be searched at any time
        if turn % 5 == 4:
            report = update_index(vault, folder)
            assert report.rebuilt is None
            texts = [(vault.root / path).read_text() for path in notes]
            assert report.notes == 40
            assert report.sections == sum(text.count("# ") for text in texts)
            headings = [hit.heading for hit in searcher.search(f"turn{turn} ", limit=1000).hits]
            assert headings.count(f"turn{turn}") == sum(f"turn{turn}\n" in text for text in texts)
    searcher.close()
    assert not list(folder.glob("*.tmp/*"))
