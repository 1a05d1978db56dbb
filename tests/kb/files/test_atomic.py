"""Replacing a file in one step, whatever fails on the way."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.errors import NoteChanged, SaveFailed
from kb.files import atomic
from kb.files.atomic import create_file, is_temporary, move_new, replace_derived, replace_file
from tests.kb.vault_helpers import run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes, owners and signals of POSIX")

OLD, NEW = b"old text\n" * 100, b"new text, longer\n" * 100


@pytest.fixture
def note(root: Path) -> Path:
    """A note on disk."""
    path = root / "note.md"
    path.write_bytes(OLD)
    return path


@pytest.fixture
def nobody() -> Iterator[None]:
    """Act as a user without rights, until the end of the test."""
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def leftovers(folder: Path) -> list[str]:
    return [name for name in names(folder) if is_temporary(name)]


def test_a_replaced_file_holds_the_new_bytes(note: Path) -> None:
    """The file is new, and nothing lies beside it."""
    replace_file(note, NEW)
    assert note.read_bytes() == NEW
    assert names(note.parent) == ["note.md"]


def test_a_file_that_is_not_there_is_made(root: Path) -> None:
    """It gets the mode any new file gets."""
    (root / "plain").write_bytes(b"")
    replace_file(root / "new.md", NEW)
    assert (root / "new.md").stat().st_mode == (root / "plain").stat().st_mode


def test_mode_and_owner_stay(note: Path) -> None:
    """An odd mode, and another owner where that can be tried, are those of the new file."""
    note.chmod(0o2640)
    if os.geteuid() == 0:
        os.chown(note, 12345, 54321)
        note.chmod(0o2640)
    before = note.stat()
    replace_file(note, NEW)
    after = note.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


def test_extended_attributes_stay(note: Path) -> None:
    """A user's own attribute is on the new file too."""
    try:
        os.setxattr(note, "user.colour", b"red")
    except OSError:
        pytest.skip("a file system without extended attributes")
    replace_file(note, NEW)
    assert os.getxattr(note, "user.colour") == b"red"


def test_attributes_that_cannot_be_kept(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's attribute that cannot be set stops the save; a label of the system's does not."""
    names = ["security.label"]

    def refuse(*args: object) -> None:
        raise OSError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "listxattr", lambda path: names)
    monkeypatch.setattr(os, "getxattr", lambda path, name: b"x")
    monkeypatch.setattr(os, "setxattr", refuse)
    replace_file(note, NEW)
    names.append("user.colour")
    with pytest.raises(SaveFailed):
        replace_file(note, OLD)
    assert note.read_bytes() == NEW
    monkeypatch.setattr(os, "listxattr", refuse)
    replace_file(note, OLD)
    assert note.read_bytes() == OLD


def test_a_link_survives(root: Path, note: Path) -> None:
    """The link stays a link, also through a second one; its target is new."""
    (root / "sub").mkdir()
    (root / "sub" / "one.md").symlink_to("../note.md")
    (root / "two.md").symlink_to("sub/one.md")
    replace_file(root / "two.md", NEW)
    assert str((root / "two.md").readlink()) == "sub/one.md"
    assert str((root / "sub" / "one.md").readlink()) == "../note.md"
    assert note.read_bytes() == NEW


@pytest.mark.parametrize("name", ["n" * 252 + ".md", "页" * 84 + ".md"])
def test_the_longest_names_can_be_saved(root: Path, name: str) -> None:
    """255 bytes are a name like any other."""
    assert len(name.encode()) == 255
    for data in (OLD, NEW):
        replace_file(root / name, data)
    assert names(root) == [name]
    assert (root / name).read_bytes() == NEW


def test_a_longer_name_is_a_clear_error(root: Path) -> None:
    """Nothing is written for it."""
    for save in (replace_file, create_file):
        with pytest.raises(SaveFailed, match="too long"):
            save(root / ("n" * 300), NEW)
    assert names(root) == []


def test_a_read_only_file_is_not_replaced(note: Path) -> None:
    """Not by root either, whom the system would let."""
    note.chmod(0o444)
    with pytest.raises(SaveFailed, match="may not be written"):
        replace_file(note, NEW)
    assert note.read_bytes() == OLD
    assert leftovers(note.parent) == []


def test_a_read_only_folder_is_left_alone(note: Path) -> None:
    """Neither is a file in it replaced nor a new one made."""
    note.parent.chmod(0o555)
    try:
        for save, path in ((replace_file, note), (create_file, note.parent / "new.md")):
            with pytest.raises(SaveFailed, match="may not be written"):
                save(path, NEW)
    finally:
        note.parent.chmod(0o755)
    assert note.read_bytes() == OLD
    assert names(note.parent) == ["note.md"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a file away")
def test_a_foreign_file_is_not_replaced(common_ground: Path, nobody: None) -> None:
    """Another's file that may be written, in a folder that may be written: its owner would be lost, so no."""
    os.seteuid(0)
    note = common_ground / "note.md"
    note.write_bytes(OLD)
    note.chmod(0o666)
    os.seteuid(65534)
    with pytest.raises(SaveFailed, match="may not be written"):
        replace_file(note, NEW)
    assert note.read_bytes() == OLD
    assert leftovers(common_ground) == []


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_file_is_not_replaced(root: Path, make: Callable[[Path], None]) -> None:
    """A pipe or a folder stays what it is."""
    make(root / "odd.md")
    with pytest.raises(SaveFailed):
        replace_file(root / "odd.md", NEW)
    assert not (root / "odd.md").is_file()
    assert leftovers(root) == []


def test_a_missing_folder_is_said(root: Path) -> None:
    """A save does not make folders up."""
    with pytest.raises(SaveFailed, match="folder is not there"):
        replace_file(root / "gone" / "a.md", NEW)


STEPS = ["open", "write", "fsync", "replace", "fchmod", "close"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("step", STEPS)
def test_any_step_may_fail(note: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int) -> None:
    """The first, second, ... call of every kind fails: the file is old or new, whole, with nothing beside it."""
    failures = 0
    for nth in range(1, 10):
        note.write_bytes(OLD)
        with monkeypatch.context() as patch:
            calls = break_nth(patch, step, nth=nth, code=code)
            try:
                replace_file(note, NEW)
            except SaveFailed as error:
                failures += 1
                said = str(error)
            else:
                said = ""
        assert note.read_bytes() in ({OLD, NEW} if said else {NEW})
        assert leftovers(note.parent) == []
        assert ("disk is full" in said) == (bool(said) and code == errno.ENOSPC)
        if len(calls) < nth:
            break
    assert failures == len(calls) > 0


def break_nth(patch: pytest.MonkeyPatch, step: str, *, nth: int, code: int) -> list[int]:
    """Let the nth call of a step fail; writes are cut short first, so that there are several of them."""
    calls: list[int] = []
    real = os.replace if step == "replace" else getattr(os, step)

    def broken(*args: Any, **options: Any) -> Any:
        calls.append(1)
        if step == "close":  # the handle is closed all the same, as Linux does
            real(*args)
        if len(calls) == nth:
            raise OSError(code, os.strerror(code))
        if step == "write":
            return real(args[0], bytes(args[1])[:700])
        return None if step == "close" else real(*args, **options)

    if step == "replace":
        patch.setattr(Path, "replace", broken)
    patch.setattr(os, step, broken)
    return calls


def test_the_order_of_the_steps(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is synced before its name changes hands, the folder after."""
    seen: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def record_sync(handle: int) -> None:
        seen.append("folder" if Path(f"/dev/fd/{handle}").is_dir() else "file")
        fsync(handle)

    def record_replace(self: Path, target: Path) -> Path:
        seen.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(Path, "replace", record_replace)
    replace_file(note, NEW)
    assert seen == ["file", "replace", "folder"]


def test_a_folder_that_cannot_be_synced_is_no_failure(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems refuse it; a real fault of the disk is told."""
    fsync = os.fsync
    code = errno.EINVAL

    def refuse(handle: int) -> None:
        if Path(f"/dev/fd/{handle}").is_dir():
            raise OSError(code, os.strerror(code))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    replace_file(note, NEW)
    code = errno.EIO
    with pytest.raises(SaveFailed):
        replace_file(note, OLD)
    assert note.read_bytes() == OLD


FULL = """
import resource, signal, sys
from pathlib import Path
from kb.files.atomic import replace_file
from kb.errors import SaveFailed
from tests.kb.vault_helpers import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    replace_file(Path(sys.argv[1]), b"x" * 100_000)
except SaveFailed as error:
    print(error)
"""


def test_a_write_that_the_system_cuts_off(note: Path) -> None:
    """A real limit in the middle of writing: the old text, no leftover, a sentence; then it works."""
    assert "the disk is full" in run(FULL, str(note))
    assert note.read_bytes() == OLD
    assert names(note.parent) == ["note.md"]
    replace_file(note, NEW)


def test_a_check_stops_the_save_at_the_last_moment(note: Path) -> None:
    """What it raises comes through, and nothing has changed."""

    def refuse() -> None:
        assert len(leftovers(note.parent)) == 1
        raise NoteChanged("note.md")

    with pytest.raises(NoteChanged):
        replace_file(note, NEW, check=refuse)
    assert note.read_bytes() == OLD
    assert leftovers(note.parent) == []


def test_two_writers_take_turns(note: Path) -> None:
    """While one checks and replaces, the other waits: no check goes stale before its replace."""
    inside: list[int] = []
    crowded: list[int] = []

    def check() -> None:
        inside.append(1)
        crowded.append(len(inside))
        time.sleep(0.002)
        inside.pop()

    def write() -> None:
        for _ in range(10):
            replace_file(note, NEW, check=check)

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert max(crowded) == 1
    assert len(crowded) == 30


def test_a_lock_that_is_never_given_back_delays_but_does_not_stop(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may hold the folder's lock for good; the text is saved all the same."""
    monkeypatch.setattr(atomic, "_PATIENCE", 0.05)
    handle = os.open(note.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        replace_file(note, NEW)
    finally:
        os.close(handle)
    assert note.read_bytes() == NEW

    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    replace_file(note, OLD)
    assert note.read_bytes() == OLD


def test_a_derived_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Where it cannot be written the old one stays."""
    file = tmp_path / "a.json"
    replace_derived(file, b"old")
    (tmp_path / "a.new").mkdir()
    with pytest.raises(OSError, match=r"a\.new"):
        replace_derived(file, b"new")
    assert file.read_bytes() == b"old"


def test_a_new_file_is_never_written_over_another(note: Path) -> None:
    """It says so, and both are as they were."""
    with pytest.raises(FileExistsError):
        create_file(note, NEW)
    assert note.read_bytes() == OLD
    create_file(note.parent / "new.md", NEW)
    assert names(note.parent) == ["new.md", "note.md"]


def test_without_hard_links_names_are_still_safe(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system that has none, a name that is taken is still refused."""

    def refuse(*args: object, **options: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    create_file(note.parent / "new.md", NEW)
    with pytest.raises(FileExistsError):
        create_file(note, NEW)
    move_new(note, note.parent / "moved.md")
    assert names(note.parent) == ["moved.md", "new.md"]
