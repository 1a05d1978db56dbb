"""Saved versions of notes: what is kept, for how long, within which bound, and what damage does."""

from __future__ import annotations

import contextlib
import multiprocessing
import random
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.files.paths import UserPaths
from kb.vault import version_store
from kb.vault.vault import Vault
from kb.vault.version_store import Version, VersionsFailed, VersionStore, superfluous

DAY = 86_400.0
NOW = 1.8e9


@pytest.fixture
def store(tmp_path: Path) -> VersionStore:
    return VersionStore(tmp_path / "data" / "versions.sqlite")


def texts(store: VersionStore, path: str) -> list[bytes]:
    return [store.data(version) for version in store.versions(path)]


def test_what_was_recorded_comes_back(store: VersionStore) -> None:
    """To the byte, newest first, with its time; the same bytes in sequence are one version."""
    store.record("a.md", b"one\r\n", at=NOW)
    store.record("a.md", b"one\r\n", "二\0".encode("utf-16"), at=NOW + 1)
    store.record("b.md", b"", at=NOW)
    assert texts(store, "a.md") == ["二\0".encode("utf-16"), b"one\r\n"]
    assert [one.saved_at for one in store.versions("a.md")] == [NOW + 1, NOW]
    assert store.versions("a.md")[1].bytes == 5
    assert texts(store, "b.md") == [b""]
    assert store.paths() == ("a.md", "b.md")


def test_nothing_is_made_by_reading(store: VersionStore, tmp_path: Path) -> None:
    """A vault in which nothing was saved has no versions and no file for them."""
    assert store.versions("a.md") == ()
    assert store.paths() == ()
    store.follow({"a.md": "b.md"})
    with pytest.raises(VersionsFailed, match="gone"):
        store.data(Version(1, "a.md", NOW, 1))
    assert not list(tmp_path.iterdir())


def test_versions_thin_out_with_age() -> None:
    """Of the last ten minutes all stay, later one a minute, ten minutes, hour and day; the newest always stays."""
    rows = [(second, NOW - second) for second in range(0, int(70 * DAY), 41)]
    gone = set(superfluous(rows, NOW))
    ages = [number for number, _ in rows if number not in gone]
    assert ages[0] == 0
    assert sum(age <= 600 for age in ages) == 600 // 41 + 1
    assert sum(600 < age <= 7_200 for age in ages) in range(108, 112)
    assert sum(7_200 < age <= 2 * DAY for age in ages) in range(275, 279)
    assert sum(2 * DAY < age <= 60 * DAY for age in ages) in range(58 * 24 - 1, 58 * 24 + 2)
    assert sum(age > 60 * DAY for age in ages) in (10, 11)


def test_recording_thins_out_what_is_old(store: VersionStore) -> None:
    """Of that note alone."""
    for minute in range(0, 60, 5):
        store.record("a.md", b"%d" % minute, at=NOW - 3 * DAY + minute * 60)
    store.record("b.md", b"old", at=NOW - 3 * DAY)
    store.record("a.md", b"new", at=NOW)
    assert len(store.versions("a.md")) in (2, 3)
    assert len(store.versions("b.md")) == 1


@given(st.lists(st.floats(0, 400 * DAY), min_size=1, max_size=60, unique=True))
def test_thinning_keeps_the_newest(ages: list[float]) -> None:
    """And every version of the last ten minutes; thinning what was thinned deletes nothing."""
    rows = [(number, NOW - age) for number, age in enumerate(sorted(ages))]
    gone = set(superfluous(rows, NOW))
    assert 0 not in gone
    assert not gone & {number for number, at in rows if NOW - at <= 600}
    assert not superfluous([row for row in rows if row[0] not in gone], NOW)


def test_a_clock_that_is_set_back(store: VersionStore) -> None:
    """The last version recorded is the first in the list, whatever it says of its time, and none is taken for older."""
    store.record("a.md", b"one", at=NOW)
    store.record("a.md", b"two", at=NOW + 400 * DAY)
    store.record("a.md", b"three", at=NOW + 60)
    store.record("a.md", b"three", at=NOW + 120)
    assert texts(store, "a.md") == [b"three", b"two", b"one"]


def test_all_texts_stay_within_a_bound(tmp_path: Path) -> None:
    """The oldest go first; what is larger than the bound alone is still kept, as the newest one."""
    store = VersionStore(tmp_path / "versions.sqlite", most=20_000)
    noise = random.Random(1).randbytes
    for second in range(40):
        store.record(f"{second % 2}.md", noise(3_000), at=NOW + second)
    kept = [*store.versions("0.md"), *store.versions("1.md")]
    assert 4 <= len(kept) <= 6
    assert min(one.saved_at for one in kept) >= NOW + 34
    store.record("large.md", noise(50_000), at=NOW + 99)
    assert [one.bytes for one in store.versions("large.md")] == [50_000]
    assert store.paths() == ("large.md",)


def test_of_a_large_note_one_version_a_minute_is_kept(store: VersionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Since it is saved again and again while somebody types in it."""
    monkeypatch.setattr(version_store, "_LARGE", 10)
    for second in (0, 50, 130):
        store.record("a.md", b"%012d" % second, at=NOW + second)
    assert texts(store, "a.md") == [b"%012d" % 130, b"%012d" % 50]


def test_what_a_save_of_a_large_note_replaced_is_kept(store: VersionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of another program, or that of before the first save, gives way to nothing."""
    monkeypatch.setattr(version_store, "_LARGE", 10)
    store.record("a.md", b"theirs" * 3, b"ours" * 4, at=NOW)
    store.record("a.md", b"theirs again" * 2, b"ours again" * 2, at=NOW + 5)
    assert set(texts(store, "a.md")) == {b"theirs" * 3, b"ours" * 4, b"theirs again" * 2, b"ours again" * 2}


def test_versions_follow_a_renamed_note(store: VersionStore) -> None:
    """Also where two notes change names with each other, and onto a path that had versions."""
    for path in ("a.md", "b.md", "c.md"):
        store.record(path, path.encode(), at=NOW)
    store.follow({"a.md": "b.md", "b.md": "a.md"})
    assert texts(store, "a.md") == [b"b.md"]
    assert texts(store, "b.md") == [b"a.md"]
    store.follow({"c.md": "a.md"})
    assert set(texts(store, "a.md")) == {b"b.md", b"c.md"}
    assert store.versions("c.md") == ()


def test_versions_are_forgotten_with_their_note(store: VersionStore, tmp_path: Path) -> None:
    """Their texts too, unless another note has the same one."""
    store.record("a.md", b"both", b"secret", at=NOW)
    store.record("b.md", b"both", at=NOW)
    store.forget("a.md")
    assert store.paths() == ("b.md",)
    assert texts(store, "b.md") == [b"both"]
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "versions.sqlite")) as database:
        assert database.execute("SELECT COUNT(*) FROM texts").fetchone() == (1,)


def test_a_damaged_file_is_an_error(store: VersionStore, tmp_path: Path) -> None:
    """And a damaged text is never returned as if it was what had been saved."""
    store.record("a.md", b"text", at=NOW)
    file = tmp_path / "data" / "versions.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("UPDATE texts SET data = ?", (b"noise",))
    database.close()
    with pytest.raises(VersionsFailed, match="damaged"):
        store.data(store.versions("a.md")[0])
    for name in ("versions.sqlite-wal", "versions.sqlite-shm"):
        file.with_name(name).unlink(missing_ok=True)
    file.write_bytes(b"not a database" * 100)
    for act in (store.paths, lambda: store.record("a.md", b"more"), lambda: store.follow({"a.md": "b.md"})):
        with pytest.raises(VersionsFailed):
            act()


def _record(file: Path, name: str) -> None:
    for number in range(50):
        VersionStore(file).record(name, f"{name} {number}".encode())


def test_two_windows_record_at_once(tmp_path: Path) -> None:
    """Neither loses a version of the other one, nor fails."""
    file = tmp_path / "versions.sqlite"
    spawn = multiprocessing.get_context("spawn")
    windows = [spawn.Process(target=_record, args=(file, name)) for name in ("a.md", "b.md")]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert [window.exitcode for window in windows] == [0, 0]
    assert [len(VersionStore(file).versions(name)) for name in ("a.md", "b.md")] == [50, 50]


def test_every_save_is_a_version(tmp_path: Path) -> None:
    """With the bytes that the file had before the first one; renaming keeps them; restoring is to the byte."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_bytes("caf\xe9\r\nmixed\n".encode("cp1252"))
    vault = Vault.open(root, places=UserPaths.under(tmp_path / "user"))
    note = vault.read("a.md")
    note = vault.save("a.md", "# 新\n", expected_hash=note.hash)
    vault.rename("a.md", "b.md")
    first = vault.versions.versions("b.md")[-1]
    data = vault.versions.data(first)
    assert data == "caf\xe9\r\nmixed\n".encode("cp1252")
    vault.restore("b.md", data, expected_hash=note.hash)
    assert (root / "b.md").read_bytes() == data
    assert len(vault.versions.versions("b.md")) == 3
    vault.save("new.md", "new", expected_hash=None)
    assert [vault.versions.data(one) for one in vault.versions.versions("new.md")] == [b"new"]


def test_a_text_that_the_encoding_cannot_hold_is_kept(tmp_path: Path) -> None:
    """In UTF-8: a version must not be lost for its encoding."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_bytes("caf\xe9 and na\xefve".encode("cp1252"))
    vault = Vault.open(tmp_path / "vault", places=UserPaths.under(tmp_path / "user"))
    vault.keep_version("a.md", "新", vault.read("a.md").form)
    assert texts(vault.versions, "a.md") == ["新".encode()]


def test_saving_goes_on_without_versions(tmp_path: Path) -> None:
    """A damaged file of versions costs the versions, not the note."""
    root, user = tmp_path / "vault", UserPaths.under(tmp_path / "user")
    root.mkdir()
    file = user.for_vault(root).versions
    file.parent.mkdir(parents=True)
    file.write_bytes(b"not a database" * 100)
    vault = Vault.open(root, places=user)
    vault.save("a.md", "text", expected_hash=None)
    vault.rename("a.md", "b.md")
    assert (root / "b.md").read_text() == "text"
