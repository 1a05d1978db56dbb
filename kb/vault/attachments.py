"""Pictures and other files shown in a note, stored in its folder."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from kb.errors import NotText, OutsideVault, SaveFailed
from kb.files.atomic import create_file
from kb.files.tree import SUFFIXES, read_regular, refuse_name
from kb.lazy_regex import expression
from kb.markdown.links import destination
from kb.notes.language import split_name
from kb.vault.vault import Vault, make_folder

LARGEST = 50_000_000  # bytes of an attached file
_MOST = 10_000  # names that are tried
_UNFIT = expression(r"[\x00-\x1f\x7f<>:\"/\\|?*]+")


def attach(vault: Vault, note: str, data: bytes, *, name: str) -> str:
    """Write a new file into the folder of a note and return its path; a number is added to a name that is taken.

    `name` is stripped of folders. Raises SaveFailed or OutsideVault, and writes nothing then.
    """
    return put(vault, posixpath.dirname(note), _UNFIT.sub(" ", name).strip(" .") or "picture", data)


def put(vault: Vault, folder: str, name: str, data: bytes) -> str:
    """Write a new file into a folder of the vault and return its path. Raises SaveFailed or OutsideVault.

    A number is added to a name that is taken, before its language suffix if it has one.
    """
    stem, suffix = posixpath.splitext(name)
    stem, dot, language = stem.rpartition(".") if stem.endswith((".zh", ".en")) else (stem, "", "")
    for number in range(1, _MOST):
        numbered = f"{stem}{f'-{number}' if number > 1 else ''}{dot}{language}{suffix}"
        path = posixpath.normpath(posixpath.join(folder, numbered))
        place = vault.inside(path)
        refuse_name(path if suffix.lower() in SUFFIXES else f"{path}.md")
        make_folder(place.parent, path)
        try:
            create_file(place, data, name=path)
        except FileExistsError:
            continue
        return path
    raise SaveFailed(name, "ten thousand files have this name", "已有一万个同名文件")


def attach_file(vault: Vault, note: str, source: Path) -> str:
    """Return the path of a file in the vault; a file from elsewhere is copied into the folder of the note.

    Raises NotText if it is not a file or is larger than 50 MB, and the errors of `attach`.
    """
    real, root = Path(os.path.realpath(source)), Path(os.path.realpath(vault.root))  # resolve() raises on a loop
    if real.is_relative_to(root):
        path = real.relative_to(root).as_posix()
        if vault.inside(path).is_file():
            return path
        raise OutsideVault(source.name)
    return attach(vault, note, read_outside(source), name=source.name)


def read_outside(source: Path) -> bytes:
    """Read a file outside the vault. Raises NoteMissing, and NotText if it cannot be read or is larger than 50 MB."""
    try:
        data = read_regular(source, source.name, most=LARGEST + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise NotText(source.name, f"it cannot be read ({reason})", f"无法读取（{reason}）") from error
    if len(data) > LARGEST:
        raise NotText(source.name, "it is larger than 50 MB", "超过 50 MB")
    return data


def picture_name(note: str) -> str:
    """Return a name for a picture without one, made from the note's name."""
    return f"{posixpath.basename(split_name(note)[0]) or 'picture'}-picture.png"


def shown_in(note: str, path: str) -> str:
    """Return the Markdown that shows a picture of the vault in a note."""
    return f"![]({destination(posixpath.relpath(path, posixpath.dirname(note) or '.'))})"
