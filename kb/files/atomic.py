"""Replaces a file in one step: at any moment, and after any failure, it holds the old text or the new one."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import os
import re
import secrets
import shutil
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from kb.errors import SaveFailed
from kb.files.locks import folder_held

_HOST = hashlib.sha256(socket.gethostname().encode("utf-8", "replace")).hexdigest()[:6]
_SESSION = secrets.token_hex(4)
_COUNT = itertools.count()
_PREFIX = ".~tl-"
_TEMP = re.compile(re.escape(_PREFIX) + r"([0-9a-f]{6})-(\d+)-([0-9a-f]{8})-\d+")
_DAY = 86_400.0  # seconds
_PATIENCE = 1.0  # seconds to wait for another window that is saving into the same folder
# Errors of file systems that cannot sync a folder; they keep the order of writes by themselves.
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EISDIR}


def temporary_name() -> str:
    """Return a name for a file or folder that `sweep` may remove once this process is gone."""
    return f"{_PREFIX}{_HOST}-{os.getpid()}-{_SESSION}-{next(_COUNT)}"


def is_temporary(name: str) -> bool:
    """Return whether a file name is one that `temporary_name` made."""
    return name.startswith(_PREFIX)


def replace_file(path: Path, data: bytes, *, check: Callable[[], None] | None = None, name: str = "") -> None:
    """Write `data` to `path` in one step. Raises SaveFailed, which leaves the old text, or after the last step the new.

    `name` is what the error's sentence calls the file, by default its path. Mode, owner and extended attributes are
    kept; a symbolic link stays and its target is replaced. `check` is called last, when all is written and nothing yet
    replaced; what it raises stops the save.
    """
    with _sentences(name or path):
        real = Path(os.path.realpath(path))
        before = _writable(real)
        with _temporary(real.parent) as temp:
            _write(temp, data, real if before else None)
            with folder_held(real.parent, patience=_PATIENCE):
                if check is not None:
                    check()
                temp.replace(real)
        _sync_folder(real.parent)


def create_file(path: Path, data: bytes, *, name: str = "") -> None:
    """Write a new file in one step. Raises FileExistsError if it exists, else SaveFailed (about `name`)."""
    with _sentences(name or path):
        _writable(path)
        with _temporary(path.parent) as temp:
            _write(temp, data, None)
            move_new(temp, path)
        _sync_folder(path.parent)


def replace_derived(path: Path, data: bytes) -> None:
    """Replace a file that can be made again, in one step but without syncing it to disk. Raises OSError.

    The temporary file has a fixed name (`path` with the suffix .new), so that the next call overwrites what a killed
    process left; the caller holds a lock against other writers.
    """
    temp = path.with_suffix(".new")
    temp.write_bytes(data)
    temp.replace(path)


def move_new(source: Path, target: Path) -> None:
    """Rename a file, but never over another file. Raises FileExistsError and other OSErrors."""
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # no hard links here: look first, then move
        with folder_held(target.parent, patience=_PATIENCE):
            if os.path.lexists(target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
            source.rename(target)
    else:
        try:
            source.unlink()
        except OSError:
            target.unlink()  # one name is better than two
            raise


def is_half_moved(source: Path, target: Path) -> bool:
    """Return whether `move_new` was interrupted between its two steps: both names exist and are one file."""
    names = [os.listdir(place.parent) for place in (source, target)]  # noqa: PTH208 - the names as they are written
    both = source.name in names[0] and target.name in names[1]  # else the disk ignores letter case
    return both and os.path.samestat(source.lstat(), target.lstat())


def relocate(source: Path, target: Path) -> None:
    """Move a file, also to another file system, with its mode, owner, times and attributes; a link stays a link.

    Raises FileExistsError if the target exists, and other OSErrors; the file is where it was then.
    """
    try:
        move_new(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with _temporary(target.parent) as temp:
            shutil.copy2(source, temp, follow_symlinks=False)
            owner = source.lstat()
            with contextlib.suppress(OSError):  # only root may give files away
                os.chown(temp, owner.st_uid, owner.st_gid, follow_symlinks=False)
            if not temp.is_symlink():
                with temp.open("rb") as file:
                    os.fsync(file.fileno())
            move_new(temp, target)
        source.unlink()


@contextlib.contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, and remove the file if the block fails."""
    temp = folder / temporary_name()
    try:
        yield temp
    except BaseException:
        temp.unlink(missing_ok=True)
        raise


def sweep(folder: Path) -> int:
    """Remove what processes that died while saving left in the folder; return how many. Never raises OSError."""
    removed = 0
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in list(found):
            if is_temporary(entry.name) and _abandoned(entry):
                removed += _removed(entry)
    return removed


def _abandoned(entry: os.DirEntry[str]) -> bool:
    match = _TEMP.fullmatch(entry.name)
    if match is None:
        return False
    host, pid, session = match.groups()
    if host == _HOST and int(pid) == os.getpid():
        return session != _SESSION  # an earlier process may have had our pid
    if host == _HOST:
        return not psutil.pid_exists(int(pid))
    return time.time() - entry.stat(follow_symlinks=False).st_mtime > _DAY


def _removed(entry: os.DirEntry[str]) -> bool:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        Path(entry.path).unlink(missing_ok=True)
    return not os.path.lexists(entry.path)


@contextlib.contextmanager
def _sentences(path: Path | str) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise SaveFailed(path, *_reason(error)) from error


def _reason(error: OSError) -> tuple[str, str]:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return "the disk is full", "磁盘已满"
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return "the file or its folder may not be written", "没有写入该文件或其文件夹的权限"
    if error.errno == errno.ENAMETOOLONG:
        return "its name is too long", "文件名太长"
    if error.errno == errno.ENOENT:
        return "its folder is not there", "它所在的文件夹不存在"
    text = error.strerror or str(error)
    return text, text


def _writable(path: Path) -> os.stat_result | None:
    """Return the state of a file, None if it is new.

    Raises PermissionError for a file or folder marked read-only, even for root, who could write it.
    """
    folder = path.parent.stat()
    before = path.stat() if path.exists() else None
    for state in (folder, before):
        if state is not None and not state.st_mode & 0o222:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if before is None:
        return None
    if not stat.S_ISREG(before.st_mode) or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return before


def _write(temp: Path, data: bytes, like: Path | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    target = os.open(temp, flags, 0o666 if like is None else 0o600)
    try:
        if like is not None:
            _adopt(target, temp, like)
        view = memoryview(data)
        while view:
            view = view[os.write(target, view) :]
        os.fsync(target)
    finally:
        os.close(target)


def _adopt(target: int, temp: Path, like: Path) -> None:
    """Give the new file the owner, mode and extended attributes of the old one. Raises OSError."""
    before = like.stat()
    if sys.platform != "win32":
        mine = os.fstat(target)
        if (mine.st_uid, mine.st_gid) != (before.st_uid, before.st_gid):
            os.fchown(target, before.st_uid, before.st_gid)
        os.fchmod(target, stat.S_IMODE(before.st_mode))  # after chown, which takes the set-id bits away
    else:  # pragma: no cover
        temp.chmod(stat.S_IMODE(before.st_mode))
    if sys.platform == "linux":  # pragma: no branch
        _copy_attributes(target, like)


def _copy_attributes(target: int, like: Path) -> None:
    try:
        names = os.listxattr(like)
    except OSError:  # a file system without them
        return
    for name in names:
        try:
            os.setxattr(target, name, os.getxattr(like, name))
        except OSError:
            # The system itself labels the new file for its security modules.
            if not name.startswith(("security.", "trusted.")):
                raise


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that the new name survives a power cut."""
    if sys.platform == "win32":  # pragma: no cover
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(handle)
