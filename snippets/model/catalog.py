"""All the snippets there are in some folders, by name."""

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

_LARGEST = 1 << 20  # bytes; a file above that was not written to be read in a note


@dataclass(frozen=True)
class Problem:
    """A file, or a block of a note, that claims to be a snippet and cannot be one."""

    name: str
    path: Path | None  # None for a block of a note
    error: SnippetError
    origin: str  # where a reader finds it: a file, or a note
    line: int = 1


@dataclass(frozen=True)
class Catalog:
    """The snippets by name, and the files that are broken or bear a name already taken."""

    snippets: Mapping[str, Snippet]
    problems: tuple[Problem, ...]

    def find(self, name: str) -> Snippet:
        """Return the snippet of that name. Raises its BadSnippet, or UnknownSnippet with the names that come close."""
        if name in self.snippets:
            return self.snippets[name]
        for problem in self.problems:
            if problem.name == name:
                raise problem.error
        raise _unknown(name, tuple(self.snippets))


def catalog(*folders: Path) -> Catalog:
    """Read every snippet under the folders; of two with one name the first stays and the second is a problem."""
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
    """Leave out hidden folders, and environments with their thousands of foreign files."""
    return not folder.name.startswith((".", "__pycache__")) and not (folder / "pyvenv.cfg").exists()


def _is_source(path: Path, root: Path) -> bool:
    """Say whether it is a regular file of this folder: no device, no pipe, no link that leads out."""
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
