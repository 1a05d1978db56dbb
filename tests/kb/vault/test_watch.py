"""Noticing what other programs change."""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers.api import BaseObserver
from watchdog.observers.inotify import InotifyObserver
from watchdog.observers.polling import PollingObserver

from kb.files.atomic import replace_file
from kb.vault import watch
from kb.vault.watch import Watcher

WAIT = 20.0  # seconds that are far more than enough


class Heard:
    """What the watcher told, to wait for."""

    def __init__(self) -> None:
        self.told: list[frozenset[str]] = []
        self._news = threading.Condition()

    def __call__(self, paths: frozenset[str]) -> None:
        with self._news:
            self.told.append(paths)
            self._news.notify_all()

    def paths(self) -> set[str]:
        return set().union(*self.told)

    def wait(self, *paths: str) -> bool:
        """Wait until all of the paths were told."""
        with self._news:
            return self._news.wait_for(lambda: set(paths) <= self.paths(), WAIT)

    def clear(self) -> None:
        with self._news:
            self.told.clear()


Watch = Callable[[Path], Heard]


@pytest.fixture
def watching() -> Iterator[Watch]:
    """Return a function that watches a folder until the end of the test; no thread is left then."""
    before = set(threading.enumerate())
    watchers: list[Watcher] = []

    def begin(folder: Path) -> Heard:
        heard = Heard()
        watchers.append(Watcher(folder, heard))
        watchers[-1].start()
        return heard

    yield begin
    for watcher in watchers:
        watcher.stop()
    assert set(threading.enumerate()) <= before


def test_changes_are_told_by_relative_path(root: Path, watching: Watch) -> None:
    """New, changed, moved and deleted files, in folders old and new."""
    (root / "sub").mkdir()
    (root / "sub" / "old.md").write_text("x")
    heard = watching(root)
    (root / "页.md").write_text("x")
    assert heard.wait("页.md")
    (root / "sub" / "old.md").write_text("y")
    assert heard.wait("sub/old.md")
    heard.clear()
    (root / "sub" / "old.md").rename(root / "new.md")
    assert heard.wait("sub/old.md", "new.md")
    heard.clear()
    (root / "new.md").unlink()
    assert heard.wait("new.md")
    (root / "deep" / "er").mkdir(parents=True)
    assert heard.wait("deep")
    (root / "deep" / "er" / "a.md").write_text("x")
    assert heard.wait("deep/er/a.md")
    (root / "deep").rename(root / "moved")
    assert heard.wait("moved")
    (root / "moved" / "er" / "b.md").write_text("x")
    assert heard.wait("moved/er/b.md")


def test_atomic_replacements_do_not_lose_the_file(root: Path, watching: Watch) -> None:
    """Thirty times another editor puts a new file in place of the old one: each is noticed."""
    note = root / "note.md"
    note.write_text("x")
    heard = watching(root)
    for count in range(30):
        heard.clear()
        replace_file(note, f"text {count}".encode())
        assert heard.wait("note.md")
        assert heard.paths() == {"note.md"}


def test_hidden_and_temporary_files_are_not_told(root: Path, watching: Watch) -> None:
    """What comes after them is."""
    (root / ".git").mkdir()
    heard = watching(root)
    for name in (".git/index", ".hidden.md", "a.md~", ".a.md.swp", "~$a.md", "#a.md#"):
        (root / name).write_text("x")
    (root / "last.md").write_text("x")
    assert heard.wait("last.md")
    assert heard.paths() == {"last.md"}


def test_reading_is_no_change(root: Path, watching: Watch) -> None:
    """A program that only looks makes no noise."""
    (root / "a.md").write_text("x")
    heard = watching(root)
    for _ in range(20):
        (root / "a.md").read_text()
    (root / "b.md").write_text("x")
    assert heard.wait("b.md")
    assert heard.paths() == {"b.md"}


def test_many_changes_are_told_in_few_calls(root: Path, watching: Watch) -> None:
    """A thousand new files come in batches, none of them lost."""
    heard = watching(root)
    names = [f"{number}.md" for number in range(1_000)]
    for name in names:
        (root / name).write_text("x")
    assert heard.wait(*names)
    assert len(heard.told) < 100


def test_a_linked_root_is_watched(root: Path, tmp_path: Path, watching: Watch) -> None:
    """By its own relative paths."""
    (tmp_path / "link").symlink_to(root)
    heard = watching(tmp_path / "link")
    (root / "a.md").write_text("x")
    assert heard.wait("a.md")


def test_a_receiver_that_fails_is_logged_and_called_again(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One bad call does not end the watch."""
    heard = Heard()

    def fail_first(paths: frozenset[str]) -> None:
        heard(paths)
        if len(heard.told) == 1:
            raise ValueError("a bad day")

    watcher = Watcher(root, fail_first)
    watcher.start()
    try:
        (root / "a.md").write_text("x")
        assert heard.wait("a.md")
        (root / "b.md").write_text("x")
        assert heard.wait("b.md")
    finally:
        watcher.stop()
    assert "a bad day" in caplog.text
    caplog.clear()


class NoWatchLeft(InotifyObserver):
    """What the system's watcher does where its watches are used up."""

    def start(self) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")


def no_instance_left() -> BaseObserver:
    """Fail as the system's watcher does where its instances are used up."""
    raise OSError(errno.EMFILE, "inotify instance limit reached")


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux")
@pytest.mark.parametrize("broken", [NoWatchLeft, no_instance_left])
def test_without_inotify_it_looks_again_and_again(
    root: Path,
    watching: Watch,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    broken: Callable[[], BaseObserver],
) -> None:
    """Where the system's watches are used up, nothing is raised and changes are still told."""

    def poll() -> BaseObserver:
        return PollingObserver(timeout=0.05)

    monkeypatch.setattr(watch, "Observer", broken)
    monkeypatch.setattr(watch, "PollingObserver", poll)
    with caplog.at_level(logging.INFO):
        heard = watching(root)
    assert "limit reached" in caplog.text
    (root / "a.md").write_text("x")
    assert heard.wait("a.md")
    os.truncate(root / "a.md", 0)
    heard.clear()
    (root / "a.md").unlink()
    assert heard.wait("a.md")


def test_a_folder_that_is_not_there_is_not_watched(root: Path, watching: Watch) -> None:
    """Nothing is raised and nothing hangs; there is simply nothing to tell."""
    watching(root / "gone")


def test_stopping_twice_and_from_the_receiver(root: Path) -> None:
    """Both end the watch; a watcher that never started can be stopped too."""
    done = threading.Event()

    def stop(paths: frozenset[str]) -> None:
        watcher.stop()
        done.set()

    watcher = Watcher(root, stop)
    watcher.stop()
    watcher = Watcher(root, stop)
    watcher.start()
    (root / "a.md").write_text("x")
    assert done.wait(WAIT)
    watcher.stop()
    assert not any(thread.name == "vault-watcher" for thread in threading.enumerate())


def test_stopping_while_changes_are_being_told(root: Path) -> None:
    """It ends although what wakes the thread that tells is forgotten with the changes: the window would not close."""
    watcher = Watcher(root, lambda paths: None)
    watcher.start()
    stopping = threading.Thread(target=watcher.stop)
    woken, wake = threading.Event(), watcher._some.set

    def wake_and_tell() -> None:
        wake()
        woken.set()

    class Lock:
        """Lets it be stopped at the very moment at which the changes are taken."""

        def __enter__(self) -> None:
            stopping.start()
            assert woken.wait(WAIT)

        def __exit__(self, *_: object) -> None:
            pass

    watcher._some.set = wake_and_tell  # type: ignore[method-assign]
    watcher._lock = Lock()  # type: ignore[assignment]
    wake()
    assert woken.wait(WAIT)
    stopping.join(WAIT)
    assert not stopping.is_alive()
    watcher.stop()
