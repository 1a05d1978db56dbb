"""Imports notes from files of other programs: Jupyter notebooks, and folders of text in any encoding."""

from __future__ import annotations

import base64
import binascii
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb.errors import AlreadyInVault, KbError, LeadsOutside, NotText
from kb.files.encoding import UTF8, decode, encode
from kb.files.tree import SUFFIXES, is_ignored
from kb.lazy_regex import expression
from kb.vault.attachments import put, read_outside
from kb.vault.vault import Vault

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp")
_ANSI = expression(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_TICKS = expression(r"`{3,}")


@dataclass(frozen=True)
class Imported:
    """What was imported, by path in the vault, and what was not, with the reason."""

    paths: tuple[str, ...] = ()
    left: tuple[tuple[str, KbError], ...] = ()


@dataclass(frozen=True)
class Converted:
    """A notebook as a note: its text, and its pictures by file name."""

    text: str
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def import_file(vault: Vault, source: Path, folder: str = "") -> Imported:
    """Import a note or a notebook into a folder of the vault, in UTF-8, under a name that is free.

    A notebook's pictures are written into the same folder. Nothing is replaced. Raises NotText, SaveFailed,
    OutsideVault.
    """
    data = read_outside(source)
    stem, suffix = posixpath.splitext(source.name)
    if suffix.lower() != ".ipynb":
        decoded = decode(data, source.name)
        if not decoded.form.lossless:
            raise NotText(source.name, "its encoding is unknown", "无法识别它的编码")
        name = source.name if suffix.lower() in SUFFIXES else f"{stem}.md"
        return Imported((put(vault, folder, name, encode(decoded.text, UTF8, name)),))
    note = from_notebook(data, stem)
    paths = [put(vault, folder, f"{stem}.md", note.text.encode())]
    paths += [put(vault, folder, name, picture) for name, picture in note.pictures.items()]
    return Imported(tuple(paths))


def import_folder(vault: Vault, source: Path, folder: str) -> Imported:
    """Import all notes, notebooks and pictures of a folder, keeping its subfolders; see `import_file`.

    What cannot be imported is reported with its reason, and the rest goes on. If the folder contains the vault, the
    vault's own files are skipped. Raises AlreadyInVault if the folder is inside the vault.
    """
    root = vault.root.resolve()
    if source.resolve().is_relative_to(root):  # importing would add to the folder that is being imported
        raise AlreadyInVault(source)
    paths: list[str] = []
    left: list[tuple[str, KbError]] = []
    for file in _files(source, root):
        inner = posixpath.join(folder, file.parent.relative_to(source).as_posix())
        try:
            if not file.resolve().is_relative_to(source.resolve()):  # a link; what it leads to was not offered
                raise LeadsOutside(file.name)
            if file.suffix.lower() in _PICTURES:
                paths.append(put(vault, inner, file.name, read_outside(file)))
            else:
                paths += import_file(vault, file, inner).paths
        except KbError as error:
            left.append((file.relative_to(source).as_posix(), error))
        except (OSError, ValueError, RuntimeError) as error:  # such as a loop of links
            left.append((file.relative_to(source).as_posix(), NotText(file.name, f"it cannot be read ({error})")))
    return Imported(tuple(paths), tuple(left))


def _files(source: Path, without: Path) -> Iterator[Path]:
    wanted = (*SUFFIXES, *_PICTURES, ".ipynb")
    for place, names, files in os.walk(source):
        names[:] = sorted(name for name in names if not is_ignored(name) and Path(place, name).resolve() != without)
        for name in sorted(files):
            file = Path(place, name)
            if name.lower().endswith(wanted) and not is_ignored(name) and file.is_file():
                yield file


# --- notebooks


def from_notebook(data: bytes, name: str) -> Converted:
    """Convert a notebook of any format since 3; the names of its pictures begin with `name`. Raises NotText."""
    notebook = _notebook(data, name)
    pictures: dict[str, bytes] = {}
    try:
        language = notebook.metadata.get("language_info", {}).get("name", "python")
        parts = [part for cell in notebook.cells for part in _cell(cell, language, name, pictures)]
    except (ValueError, AttributeError, TypeError, KeyError) as error:
        raise _not_a_notebook(name) from error
    return Converted("\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n", pictures)


def _notebook(data: bytes, name: str) -> Any:
    import nbformat  # noqa: PLC0415 - slow to import, and large

    try:
        return nbformat.reads(data.decode("utf-8-sig"), as_version=4)
    except Exception as error:  # nbformat converts old formats without validating them: junk fails there in any way
        raise _not_a_notebook(name) from error


def _not_a_notebook(name: str) -> NotText:
    return NotText(f"{name}.ipynb", "it is not a Jupyter notebook", "不是 Jupyter 笔记本")


def _cell(cell: Any, language: str, name: str, pictures: dict[str, bytes]) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield _with_attachments(cell, name, pictures)
    elif cell.cell_type == "code" and cell.source.strip():
        magic = cell.source.lstrip().startswith(("%", "!"))  # runs only in Jupyter
        yield _fenced(cell.source, language if not magic else "text")
        said = "".join(_said(one) for one in cell.get("outputs", []))
        if said.strip():
            yield _fenced(_ANSI.sub("", said), "output")
        for one in cell.get("outputs", []):
            yield from _drawn(one, name, pictures)
    elif cell.cell_type == "raw" and cell.source.strip():
        yield _fenced(cell.source, "text")


def _with_attachments(cell: Any, name: str, pictures: dict[str, bytes]) -> str:
    text = str(cell.source)
    for attached, kinds in cell.get("attachments", {}).items():
        for kind, content in kinds.items():
            if (file := _keep(kind, content, name, pictures)) is not None:
                text = text.replace(f"attachment:{attached}", file)
    return text


def _said(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return "\n".join(output.traceback) + "\n"
    plain = str(output.get("data", {}).get("text/plain", ""))
    return "" if any(kind.startswith("image/") for kind in output.get("data", {})) else f"{plain}\n" if plain else ""


def _drawn(output: Any, name: str, pictures: dict[str, bytes]) -> Iterator[str]:
    for kind, content in output.get("data", {}).items():
        if (file := _keep(kind, content, name, pictures)) is not None:
            yield f"![]({file})"
            return


def _keep(kind: str, content: Any, name: str, pictures: dict[str, bytes]) -> str | None:
    suffix = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/svg+xml": "svg"}.get(kind)
    if suffix is None:
        return None
    try:
        data = str(content).encode() if suffix == "svg" else base64.b64decode(str(content))
    except (binascii.Error, ValueError):
        return None
    file = f"{re.sub(r'[^0-9A-Za-z_.-]+', '-', name)}-{len(pictures) + 1}.{suffix}"
    pictures[file] = data
    return file


def _fenced(text: str, info: str) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=2)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{info}\n{text.rstrip()}\n{mark}"
