"""A second process beside the indexing: what comes of it is the same with it, without it, and however it ends."""

from __future__ import annotations

import contextlib
import shutil
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest

from kb.errors import IndexFailed
from kb.index import index_update, segments
from kb.index import index_worker as colleagues
from kb.index.index_update import update_index
from kb.index.snapshot import Snapshot
from kb.results import Progress
from kb.worker_process import start_worker
from tests.kb.index.index_helpers import numbers
from tests.kb.vault_helpers import MakeVault

NOTES = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the index."""
    return tmp_path / "index"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few files are many, and steps are short."""
    monkeypatch.setattr(index_update, "MANY", 20)
    monkeypatch.setattr(index_update, "STEPS", (20, 60))
    monkeypatch.setattr(colleagues, "_cores", lambda: 2)


def texts(turn: int = 0) -> dict[str, str | bytes]:
    """Notes with some sections each, one of them no text."""
    made: dict[str, str | bytes] = {
        f"d{number % 3}/n{number:02}.md": "".join(
            f"# word{number} part{part}\n\nvalues 显存 turn{turn} name_{number * part}\n\n"
            for part in range(1 + number % 7)
        )
        for number in range(NOTES)
    }
    return {**made, "d0/odd.md": b"\0\1\2"}


def held(folder: Path) -> dict[str, object]:
    """All that an index holds, whatever the order of its documents."""
    snapshot = Snapshot(segments.open_leaves(folder))
    try:
        live = [int(number) for number in snapshot.live.nonzero()[0]]
        kept = sorted(map(repr, map(snapshot.stored, live)))
        found: dict[str, object] = {"sections": kept, "files": snapshot.files()}
        for term in ("values", "显", "显存", "name", "turn0", "turn1", "word7"):
            documents, often = snapshot.postings("body", term)
            found[term] = sorted(
                (repr(snapshot.stored(int(one))), int(times))
                for one, times in zip(documents, often, strict=True)
                if snapshot.live[one]
            )
        return found
    finally:
        snapshot.close()


class Watcher:
    """Sees who is at work while it is indexed, and may do something when so many files were looked at."""

    def __init__(self, at: int = -1, do: Any = None) -> None:
        self.seen: set[int] = set()
        self.steps: list[Progress] = []
        self._at = at
        self._do = do

    def __call__(self, progress: Progress) -> None:
        """Be told how far it is."""
        self.steps.append(progress)
        mine = gatherers()
        self.seen.update(one.pid for one in mine)
        if self._do and mine and progress.done >= self._at:
            act, self._do = self._do, None
            act(mine[0])


def gatherers() -> list[psutil.Process]:
    """The processes that gather for this one."""
    found = []
    for child in psutil.Process().children():
        try:
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.fixture
def alone(make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What an index of these notes holds that one process made."""
    with monkeypatch.context() as patch:
        patch.setattr(colleagues, "_cores", lambda: 1)
        report = update_index(make_vault(texts()), tmp_path / "alone")
    assert numbers(report)[2:] == (NOTES, 0, 0)
    return held(tmp_path / "alone")


def test_two_make_the_same_index_as_one(make_vault: MakeVault, folder: Path, alone: dict[str, object]) -> None:
    """The same sections, terms and counts; progress never goes back; one segment, and nothing beside it is left."""
    watcher = Watcher()
    report = update_index(make_vault(texts()), folder, progress=watcher)
    assert len(watcher.seen) == 1
    assert numbers(report) == (NOTES, sum(1 + number % 7 for number in range(NOTES)), NOTES, 0, 0)
    assert [skipped.path for skipped in report.skipped] == ["d0/odd.md"]
    assert held(folder) == alone
    done = [progress.done for progress in watcher.steps]
    assert done == sorted(done)
    assert watcher.steps[-1] == Progress(NOTES + 1, NOTES + 1)
    leaves = segments.open_leaves(folder)
    for leaf in leaves:
        leaf.close()
    assert len(leaves) == 1
    assert gatherers() == []
    assert not list(folder.glob("handed-*"))


def test_much_that_changed_is_shared_too(make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changed, new and deleted files, and files that stay: counted once each, by whomever they were looked at."""
    monkeypatch.setattr(index_update, "CHANGED", 5)
    vault = make_vault(texts())
    update_index(vault, folder)
    changed = {path: text for number, (path, text) in enumerate(sorted(texts(turn=1).items())) if number % 4}
    make_vault({**changed, "new.md": "# new\n\nvalues\n"})
    vault.inside("d1/n01.md").unlink()
    watcher = Watcher()
    report = update_index(vault, folder, progress=watcher)
    assert watcher.seen
    updated = len([path for path in changed if path not in {"d0/odd.md", "d1/n01.md"}])
    assert numbers(report)[2:] == (1, updated, 1)
    assert numbers(update_index(vault, folder))[2:] == (0, 0, 0)
    assert [path for path in sorted(changed) if path not in known(folder)] == ["d1/n01.md"]


def known(folder: Path) -> dict[str, str]:
    """The files of an index."""
    snapshot = Snapshot(segments.open_leaves(folder))
    try:
        return snapshot.files()
    finally:
        snapshot.close()


def test_a_rebuild_reads_every_note_again(make_vault: MakeVault, folder: Path, alone: dict[str, object]) -> None:
    """With both at it, and nothing is there twice."""
    vault = make_vault(texts())
    update_index(vault, folder)
    watcher = Watcher()
    report = update_index(vault, folder, rebuild=True, progress=watcher)
    assert watcher.seen
    assert numbers(report)[2:] == (0, NOTES, 0)
    assert held(folder) == alone


def test_few_files_need_no_second_process(make_vault: MakeVault, folder: Path) -> None:
    """Nor do many that are as they were."""
    watcher = Watcher()
    vault = make_vault(dict(sorted(texts().items())[:19]))
    update_index(vault, folder, progress=watcher)
    assert not watcher.seen
    make_vault(texts())
    update_index(vault, folder)
    update_index(vault, folder, progress=watcher)
    assert not watcher.seen


@pytest.mark.parametrize("at", [0, 10, 30])
def test_one_that_is_killed_is_not_missed(
    make_vault: MakeVault, folder: Path, alone: dict[str, object], at: int
) -> None:
    """Whenever it dies, what it did not hand over is done without it, and nobody is told of an error."""
    watcher = Watcher(at, psutil.Process.kill)
    report = update_index(make_vault(texts()), folder, progress=watcher)
    assert numbers(report)[2:] == (NOTES, 0, 0)
    assert held(folder) == alone
    assert not list(folder.glob("handed-*"))


def test_one_that_cannot_be_started_is_not_missed(
    make_vault: MakeVault, folder: Path, alone: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where there may be no more processes, or the Python is frozen into the program."""

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with monkeypatch.context() as patch:
        patch.setattr(colleagues, "start_worker", refuse)
        assert update_index(make_vault(texts()), folder).added == NOTES
        assert held(folder) == alone
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    watcher = Watcher()
    assert update_index(make_vault(texts()), folder, rebuild=True, progress=watcher).updated == NOTES
    assert not watcher.seen


def test_one_that_ends_by_itself_is_not_missed(make_vault: MakeVault, folder: Path, alone: dict[str, object]) -> None:
    """It cannot write into its folder, and says nothing."""

    def take_away(_: psutil.Process) -> None:
        (mine,) = folder.glob("handed-*")
        shutil.rmtree(mine)
        mine.touch()

    report = update_index(make_vault(texts()), folder, progress=Watcher(0, take_away))
    assert numbers(report)[2:] == (NOTES, 0, 0)
    assert held(folder) == alone


def test_nobody_is_left_where_indexing_stops(make_vault: MakeVault, folder: Path) -> None:
    """An error or a Ctrl+C in the middle: the process ends, its folder goes, and the next indexing does it all."""

    def stop(_: psutil.Process) -> None:
        raise KeyboardInterrupt

    vault = make_vault(texts())
    with pytest.raises(KeyboardInterrupt):
        update_index(vault, folder, progress=Watcher(10, stop))
    assert gatherers() == []
    assert not list(folder.glob("handed-*"))
    assert update_index(vault, folder).notes == NOTES


def test_what_somebody_killed_left_goes(make_vault: MakeVault, folder: Path) -> None:
    """A folder of a colleague whose indexing process was killed is deleted by the next one."""
    vault = make_vault({"a.md": "# alpha\n"})
    update_index(vault, folder)
    (folder / "handed-old").mkdir()
    (folder / "handed-old" / "notes_1.postings").touch()
    update_index(vault, folder)
    assert not list(folder.glob("handed-*"))


def test_a_full_disk_is_said_once(make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where neither can write, it is the error that one alone would meet."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    vault = make_vault(texts())
    update_index(vault, folder, paths=[])
    with monkeypatch.context() as patch:
        patch.setattr(segments, "replace_derived", full)
        with pytest.raises(IndexFailed, match="No space left"):
            update_index(vault, folder)
    assert gatherers() == []
    assert update_index(vault, folder).notes == NOTES


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_it_inherits_neither_lock_nor_file(make_vault: MakeVault, folder: Path) -> None:
    """Begun while the lock is held and the index is open: it has of that folder what it writes itself."""
    links: list[str] = []

    def look(one: psutil.Process) -> None:
        for link in Path(f"/proc/{one.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # it works on, and may have closed that one
                links.append(str(link.readlink()))

    update_index(make_vault(texts()), folder, progress=Watcher(5, look))
    assert links
    assert [link for link in links if link.startswith(str(folder)) and "handed-" not in link] == []


def loaded(pipe: Connection, root: Path, folder: Path) -> None:
    """Gather as the second process does, and say what that has loaded."""
    mine, theirs = Pipe()
    mine.send([("d0/n00.md", None), ("d0/none.md", None), ("d0/odd.md", None)])
    mine.send(None)
    colleagues._work(theirs, root, folder, 1)
    said = [mine.recv() for _ in range(5)]
    pipe.send(([one for one in said if one is not None], {name.partition(".")[0] for name in sys.modules}))


def test_it_is_light_and_says_what_it_saw(make_vault: MakeVault, folder: Path) -> None:
    """Neither the window nor torch nor the renderer are loaded; each file is told of, in order, with its segment."""
    folder.mkdir()
    mine, theirs = Pipe()
    process = start_worker(loaded, theirs, make_vault(texts()).root, folder, name="loaded")
    theirs.close()
    (first, last), names = mine.recv()
    process.join()
    mine.close()
    assert [(one.path, bool(one.hash), one.gone, bool(one.skipped)) for one in first.looked] == [
        ("d0/n00.md", True, False, False)
    ]
    assert (first.segment.doc_count_all(), first.last) == (1, False)
    assert [(one.path, bool(one.hash), one.gone, bool(one.skipped)) for one in last.looked] == [
        ("d0/none.md", False, True, False),
        ("d0/odd.md", False, True, True),
    ]
    assert (last.segment, last.last) == (None, True)
    assert not names & {"PySide6", "typer", "rich", "markdown", "matplotlib", "torch", "main", "app"}
