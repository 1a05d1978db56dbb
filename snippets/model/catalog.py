"""The snippets in some folders, by name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from snippets.errors import BadSnippet, SnippetError, UnknownSnippet
from snippets.model.metadata import has_block
from snippets.model.snippet import Snippet, read_snippet

LIBRARY = Path(__file__).parents[1] / "library"

_LARGEST = 1 << 20  # bytes; larger files are not meant for notes


@dataclass(frozen=True)
class Problem:
    """A file or a block of a note with invalid snippet metadata."""

    name: str
    path: Path | None  # None for a block of a note
    error: SnippetError
    origin: str  # the file or the note that contains it
    line: int = 1


@dataclass(frozen=True)
class Catalog:
    """The snippets by name, and the files that are invalid or whose name is already taken."""

    snippets: Mapping[str, Snippet]
    problems: tuple[Problem, ...]

    def find(self, name: str) -> Snippet:
        """Return the snippet with a name. Raises its BadSnippet, or UnknownSnippet with similar names."""
        if name in self.snippets:
            return self.snippets[name]
        for problem in self.problems:
            if problem.name == name:
                raise problem.error
        raise _unknown(name, tuple(self.snippets))


def catalog(*folders: Path) -> Catalog:
    """Read every snippet below the folders; the second of two with the same name is a problem."""
    found: dict[str, Snippet] = {}
    problems: list[Problem] = []
    for path in dict.fromkeys(path for folder in folders for path in _sources(folder)):
        try:
            if not has_block(path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")):
                continue
            snippet = read_snippet(path)
            _refuse_second(snippet, found)
            found[snippet.name] = snippet
        except SnippetError as error:
            problems.append(Problem(path.stem, path, error, str(path)))
        except OSError as error:
            problems.append(Problem(path.stem, path, _unreadable(path, error), str(path)))
    return Catalog(found, tuple(problems))


def _sources(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if _worth_a_look(Path(place, name)))
        for name in sorted(files):
            path = Path(place, name)
            if name.endswith(".py") and not name.startswith(".") and _is_source(path, root):
                yield path


def _worth_a_look(folder: Path) -> bool:
    """Return False for hidden folders and for virtual environments, which contain thousands of files."""
    return not folder.name.startswith((".", "__pycache__")) and not (folder / "pyvenv.cfg").exists()


def _is_source(path: Path, root: Path) -> bool:
    """Return whether it is a regular file in the folder, not a device, a pipe or a link to elsewhere."""
    try:
        status = path.stat()
        inside = path.resolve(strict=True).is_relative_to(root)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST and inside


def _refuse_second(snippet: Snippet, found: Mapping[str, Snippet]) -> None:
    first = found.get(snippet.name)
    if first is not None:
        raise BadSnippet(
            f"{snippet.origin}: the name {snippet.name} is taken by {first.origin}; rename one of the two.",
            f"{snippet.origin}：名字 {snippet.name} 已被 {first.origin} 占用；请给其中一个改名。",
        )


def _unreadable(path: Path, error: OSError) -> BadSnippet:
    return BadSnippet(f"{path} cannot be read: {error.strerror}.", f"无法读取 {path}：{error.strerror}。")


def _unknown(name: str, names: tuple[str, ...]) -> UnknownSnippet:
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return UnknownSnippet(
            f"There is no snippet {name}; did you mean {', '.join(near)}?",
            f"没有名为 {name} 的代码片段；是不是要找 {'、'.join(near)}？",
        )
    return UnknownSnippet(
        f"There is no snippet {name}; the command `snippets` lists what there is.",
        f"没有名为 {name} 的代码片段；用 snippets 命令可以看到全部。",
    )
