"""Walks the files of a vault and opens them: never a link that leads out, a loop, a pipe or a device."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.errors import BadName, NoteMissing, OutsideVault, VaultMissing
from kb.files.atomic import is_temporary
from kb.lazy_regex import expression

SUFFIXES = (".md", ".markdown", ".txt")
_EDITORS = expression(r"~\$.*|.*~|#.*#|.*\.(?:swp|swx|swo|tmp|bak|part|crdownload)", re.IGNORECASE | re.DOTALL)
_CONTROL = expression(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_RESERVED = expression(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)", re.IGNORECASE)


@dataclass(frozen=True)
class Skipped:
    """A file or folder that is not read, and why, in English."""

    path: str
    reason: str


def is_ignored(name: str) -> bool:
    """Return whether a file or folder is hidden or an editor's temporary file."""
    return name.startswith(".") or is_temporary(name) or _EDITORS.fullmatch(name) is not None


def is_note_name(name: str) -> bool:
    """Return whether a file name is that of a note."""
    return name.lower().endswith(SUFFIXES) and not is_ignored(name)


def walk(root: Path) -> Iterator[str | Skipped]:
    """Yield the notes under a folder, depth first and sorted, as paths with / relative to it.

    Links are followed to plain files inside the folder, never to folders. Raises VaultMissing without the folder.
    """
    real = os.path.realpath(root)
    pending: list[tuple[str, os.DirEntry[str] | None]] = [("", None)]
    while pending:
        path, entry = pending.pop()
        if entry is not None and not entry.is_dir(follow_symlinks=False):
            if (found := _file(entry, path, real)) is not None:
                yield found
            continue
        try:
            pending += [(f"{path}/{one.name}" if path else one.name, one) for one in _listed(entry or root)]
        except OSError as error:
            if entry is None:
                raise VaultMissing(root) from error
            yield Skipped(_shown(path), f"the folder cannot be read: {error.strerror}")


def notes_in(root: Path, folder: str) -> list[str]:
    """Return the notes directly in one folder, sorted, as `walk` yields them; empty if `walk` would not enter it."""
    place = root
    for part in folder.split("/") if folder else ():
        place /= part
        if is_ignored(part) or place.is_symlink():
            return []
    try:
        there = [one for one in _listed(place) if not one.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    real = os.path.realpath(root)
    found = (_file(one, f"{folder}/{one.name}" if folder else one.name, real) for one in reversed(there))
    return [path for path in found if isinstance(path, str)]


def _listed(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        wanted = [one for one in found if not is_ignored(one.name)]
    return sorted(wanted, key=lambda one: one.name, reverse=True)


def _file(entry: os.DirEntry[str], path: str, real: str) -> str | Skipped | None:
    if entry.is_symlink():
        return _link(entry, path, real)
    if not entry.name.lower().endswith(SUFFIXES):
        return None
    if not entry.is_file(follow_symlinks=False):
        return Skipped(_shown(path), "it is not a plain file")
    if _shown(path) != path:
        return Skipped(_shown(path), "its name is not text")
    return path


def _link(entry: os.DirEntry[str], path: str, real: str) -> str | Skipped | None:
    target = os.path.realpath(entry.path)
    inside = target == real or target.startswith(real.rstrip(os.sep) + os.sep)
    try:
        folder = entry.is_dir()
        plain = entry.is_file()
    except OSError:  # a loop of links
        folder = plain = False
    if folder:
        return Skipped(_shown(path), "it is a link to a folder" + ("" if inside else " outside the vault"))
    if not entry.name.lower().endswith(SUFFIXES):
        return None
    if not plain:
        return Skipped(_shown(path), "it is a link to nothing that can be read")
    return path if inside else Skipped(_shown(path), "it is a link that leaves the vault")


def _shown(path: str) -> str:
    """Return a printable path, with replacement characters for bytes that are not text."""
    return os.fsencode(path).decode("utf-8", "replace")


def inside(root: Path, path: str) -> Path:
    """Return the absolute path of a relative one with /. Raises OutsideVault if it leaves the folder, also by links."""
    parts = path.split("/")
    if not path or "\0" in path or ".." in parts or path.startswith("/") or Path(path).is_absolute():
        raise OutsideVault(path)
    if os.name == "nt" and ("\\" in path or ":" in path or any(map(is_reserved, parts))):  # pragma: no cover
        raise OutsideVault(path)
    place = root.joinpath(*(part for part in parts if part not in {"", "."}))
    real = os.path.realpath(root).rstrip(os.sep) + os.sep
    try:
        target = os.path.realpath(place)
    except (OSError, ValueError) as error:
        raise OutsideVault(path) from error
    if not target.startswith(real):
        raise OutsideVault(path)
    return place


def is_reserved(name: str) -> bool:
    """Return whether Windows takes a name for a device, whatever its suffix."""
    return _RESERVED.fullmatch(name.split(".", maxsplit=1)[0].rstrip()) is not None


def refuse_name(path: str) -> None:
    """Raise BadName if a new note's path is invalid on some system or would not be listed."""
    for part in path.split("/"):
        if is_reserved(part):
            raise BadName(path, f"{part} is the name of a device on Windows", f"{part} 在 Windows 上是设备名")
        if is_ignored(part):
            raise BadName(path, f"{part} is a hidden or temporary name", f"{part} 是隐藏文件或临时文件的名字")
        if _CONTROL.search(part):
            raise BadName(path, "it has a line break or another control character", "含有换行符或其他控制字符")
        if len(os.fsencode(part)) > 255:  # noqa: PLR2004 - the limit of nearly every file system
            raise BadName(path, "its name is longer than 255 bytes", "文件名超过 255 字节")
    if not path.lower().endswith(SUFFIXES):
        raise BadName(path, "a note ends in .md, .markdown or .txt", "笔记须以 .md、.markdown 或 .txt 结尾")


def read_own(place: Path, *, most: int = 1 << 26) -> bytes:
    """Read one of the program's own files, of at most so many bytes.

    Anything may lie in its place: a pipe would block, a device could do harm, and a sparse file fill the memory. Raises
    OSError if it is not a plain file, is larger, or cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    _check_own(place, place.stat(), most)
    with os.fdopen(os.open(place, flags), "rb") as file:
        _check_own(place, os.fstat(file.fileno()), most)
        return file.read(most)


def _check_own(place: Path, facts: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "not a plain file", str(place))
    if facts.st_size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(place))


def read_regular(place: Path, path: str, *, most: int | None = None) -> bytes:
    """Read a plain file, or its first `most` bytes, without blocking on a pipe or device.

    Raises NoteMissing, OutsideVault if it is not a plain file, and OSError if it cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if not stat.S_ISREG(place.stat().st_mode):  # opening a device can already do harm
            raise OutsideVault(path)
        handle = os.open(place, flags)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoteMissing(path) from error
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # pragma: no cover - replaced after the check
            raise OutsideVault(path)
        return file.read() if most is None else file.read(most)
