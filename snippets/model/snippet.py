"""A snippet: a plain Python file with a metadata block, or a fence of a note.

The expected output is next to the file: `name.out`, and `name.cuda.out` if CUDA must differ. So is the picture that it
draws, if any: `name.out.png`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from snippets.errors import BadSnippet
from snippets.model.metadata import DEVICE_KINDS, LANGUAGES, Metadata, block_metadata, fence_metadata, has_block


@dataclass(frozen=True)
class Snippet:
    """A piece of Python that can be run, and what is known about it before it runs."""

    name: str
    code: str
    path: Path | None  # its file; None for a fence of a note
    title: Mapping[str, str]  # by "zh" and "en", always both
    devices: tuple[str, ...]  # of DEVICE_KINDS; "any" = runs on every kind
    needs_gpus: int
    timeout: float  # seconds
    raises: str | None  # the exception it is meant to end with
    session: str | None  # fences of one session run together, in order
    args: tuple[str, ...]
    recorded: Mapping[str, str]  # variant ("" or a kind of device) -> the expected output
    origin: str  # the file or the note that contains it
    line: int  # of the metadata block or of the fence, from 1
    topics: tuple[str, ...] = ()
    processes: int = 1  # that it uses at the same time, for sharing out the machine


def read_snippet(path: Path) -> Snippet:
    """Read the file of a snippet and the recorded outputs next to it. Raises BadSnippet, OSError.

    A file without a block can be run too; it has the default metadata.
    """
    code = source_text(path)
    metadata = block_metadata(code, str(path)) if has_block(code) else Metadata(line=1)
    return _snippet(path.stem, code, metadata, path=path, recorded=_recorded(path), origin=str(path))


def snippet_from_block(
    *, name: str, code: str, options: Mapping[str, str], output: str | None, origin: str, line: int
) -> Snippet:
    """Return the snippet of a fence in a note; `output` is the fence that follows it. Raises BadSnippet."""
    metadata = fence_metadata(options, origin, line=line)
    recorded = {} if output is None else {"": output}
    return _snippet(name, code, metadata, path=None, recorded=recorded, origin=origin)


def recorded_path(path: Path, variant: str = "") -> Path:
    """Return the file with the recorded output of a snippet's file: `a.py` -> `a.out`, `a.cuda.out`."""
    return path.with_suffix(f".{variant}.out" if variant else ".out")


def picture_path(path: Path) -> Path:
    """Return the file with the recorded picture of a snippet's file: `a.py` -> `a.out.png`."""
    return path.with_suffix(".out.png")


def source_text(path: Path) -> str:
    """Read a file of a snippet as UTF-8, with line feeds for line ends. Raises BadSnippet, OSError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSnippet(
            f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8.",
            f"{path}：第 {error.start} 个字节不是 UTF-8；请以 UTF-8 保存该文件。",
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _recorded(path: Path) -> dict[str, str]:
    files = {variant: recorded_path(path, variant) for variant in ("", *DEVICE_KINDS) if variant != "any"}
    return {variant: source_text(file) for variant, file in files.items() if file.is_file()}


def _snippet(
    name: str, code: str, metadata: Metadata, *, path: Path | None, recorded: Mapping[str, str], origin: str
) -> Snippet:
    return Snippet(
        name=name,
        code=code,
        path=path,
        title=metadata.title or dict.fromkeys(LANGUAGES, name),
        devices=metadata.devices,
        needs_gpus=metadata.gpus,
        timeout=metadata.timeout,
        raises=metadata.raises,
        session=metadata.session,
        args=metadata.args,
        recorded=recorded,
        origin=origin,
        line=metadata.line,
        topics=metadata.topics,
        processes=metadata.processes,
    )
