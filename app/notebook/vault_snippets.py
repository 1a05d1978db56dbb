"""The snippets of a vault: shipped ones, the vault's own files, and the python fences of its notes.

The only module that joins kb and snippets. Imports no Qt, because the command line uses it too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kb.errors import KbError, NoteMissing, SaveFailed
from kb.files.encoding import restore_line_ends
from kb.markdown.fences import Fence
from kb.notes.note import Note
from kb.vault.vault import Vault
from snippets.errors import BadSnippet, Sentence, SnippetError, UnknownSnippet
from snippets.model.catalog import LIBRARY, Catalog, Problem, catalog
from snippets.model.snippet import Snippet, read_snippet, snippet_from_block
from snippets.results.record_output import record

if TYPE_CHECKING:  # the runner loads slowly, and listing snippets needs none
    from snippets.verification.verify import VerifyReport


@dataclass(frozen=True)
class SnippetIndex:
    """The snippets of a vault, and those that are invalid."""

    snippets: tuple[Snippet, ...]
    problems: tuple[Problem, ...]

    @property
    def claims(self) -> tuple[Snippet, ...]:
        """The snippets that can be verified: all files, and fences with a recorded output."""
        return tuple(snippet for snippet in self.snippets if snippet.path is not None or snippet.recorded)


def library(vault: Vault) -> Catalog:
    """Return the shipped snippets and the files of the vault."""
    return catalog(LIBRARY, vault.root)


def fence_snippet(note: Note, fence: Fence) -> Snippet:
    """Return a python fence as snippet NOTE#ID; its code includes earlier blocks of its session. Raises BadSnippet."""
    return snippet_from_block(
        name=f"{note.path}#{fence.id}",
        code=joined(session_blocks(note, fence)),
        options=fence.options,
        output=fence.output,
        origin=note.path,
        line=fence.line,
    )


def snippet_at(vault: Vault, note: Note, line: int) -> Snippet | None:
    """Return the python fence or the linked snippet at a line (from 1) of a note, or None. Raises SnippetError."""
    for fence in note.fences:
        if fence.runnable and fence.line <= line <= fence.end_line:
            return fence_snippet(note, fence)
    for link in note.links:
        if link.kind == "snippet" and link.line == line:
            return library(vault).find(link.target)
    return None


def fence_snippets(note: Note) -> Iterator[Snippet]:
    """Return an iterator over the python fences of a note as snippets, without invalid ones."""
    return (found for found in _fences(note) if isinstance(found, Snippet))


def everything(vault: Vault) -> Iterator[Snippet]:
    """Return an iterator over all snippets of the vault: files, then fences note by note."""
    return iter(stock(vault).snippets)


def stock(vault: Vault) -> SnippetIndex:
    """Return all snippets of the vault, and the invalid ones; unreadable notes are skipped."""
    files = library(vault)
    snippets, problems = [*files.snippets.values()], [*files.problems]
    for path in vault.files():
        try:
            note = vault.read(path)
        except KbError:
            continue
        for found in _fences(note):
            (snippets if isinstance(found, Snippet) else problems).append(found)  # type: ignore[arg-type]
    return SnippetIndex(tuple(snippets), tuple(problems))


def find(vault: Vault, name: str) -> Snippet:
    """Return the snippet called NAME, FILE.py or NOTE#ID. Raises UnknownSnippet, NoteMissing."""
    if "#" in name:
        return _find_fence(vault, *name.rsplit("#", 1))
    if name.endswith(".py") and (file := _file(vault, name)):
        return read_snippet(file)
    return library(vault).find(name)


def stock_of(vault: Vault, path: str, *, files: Catalog | None = None) -> SnippetIndex:
    """Return the snippets of a note in all its languages, linked ones and fences, and the invalid ones.

    `files` is `library(vault)`, if the caller has it. Raises KbError if a language cannot be read.
    """
    entry, files = vault.entry_of(path), files or library(vault)
    snippets: dict[str, Snippet] = {}
    problems: list[Problem] = []
    for note in map(vault.read, entry.paths.values() if entry else (path,)):
        for found in (*_linked(note, files), *_fences(note)):
            if isinstance(found, Snippet):
                snippets.setdefault(found.name, found)
            else:
                problems.append(found)
    return SnippetIndex(tuple(snippets.values()), tuple(problems))


def claims(vault: Vault) -> Iterator[Snippet]:
    """Return an iterator over the snippets that can be verified: all files, and fences with a recorded output."""
    return iter(stock(vault).claims)


def write_accepted(vault: Vault, report: VerifyReport) -> VerifyReport:
    """Write the accepted outputs of fences into their notes, and return the report.

    A claim whose output cannot be written fails with the reason; nothing is raised.
    """
    results = list(report.results)
    accepted = [n for n, verdict in enumerate(results) if verdict.accepted is not None and verdict.snippet.path is None]
    for number in accepted:
        verdict = results[number]
        try:
            write_claim(vault, verdict.snippet, verdict.outcome.device, verdict.accepted or "")
        except (KbError, SnippetError) as error:
            results[number] = replace(verdict, status="failed", reason=_why(error), accepted=None)
    return report.of(tuple(results))


def _why(error: KbError | SnippetError) -> Sentence:
    if isinstance(error, SaveFailed):  # its sentence is for the editor
        return Sentence(
            f"{error.path} could not be written: {error.reason}.", f"无法写入 {error.path}：{error.reason}。"
        )
    return Sentence(error.sentence("en"), error.sentence("zh"))


def write_claim(vault: Vault, snippet: Snippet, device: str, text: str) -> None:
    """Record the expected output of a snippet, beside its file or in its note. Raises KbError, SnippetError."""
    if snippet.path is not None:
        record(snippet, device, text)
    else:
        _write_output(vault, snippet, text)


def _linked(note: Note, files: Catalog) -> Iterator[Snippet | Problem]:
    for link in note.links:
        if link.kind == "snippet":
            try:
                yield files.find(link.target)
            except SnippetError as error:
                yield Problem(link.target, None, error, note.path, link.line)


def _fences(note: Note) -> Iterator[Snippet | Problem]:
    for fence in note.fences:
        if fence.runnable:
            try:
                yield fence_snippet(note, fence)
            except BadSnippet as error:
                yield Problem(f"{note.path}#{fence.id}", None, error, note.path, fence.line)


def _write_output(vault: Vault, snippet: Snippet, output: str) -> None:
    note = vault.read(snippet.origin)
    same = (f for f in note.fences if f.runnable and joined(session_blocks(note, f)) == snippet.code)
    fence = next((f for f in same if f"{note.path}#{f.id}" == snippet.name), None)
    if fence is None:
        raise BadSnippet(
            f"{snippet.name} was changed since it ran; run it again, then record its output.",
            f"{snippet.name} 在运行之后有改动；请重新运行，再记录输出。",
        )
    lines = note.text.splitlines(keepends=True)
    start, end = fence.output_lines or (fence.end_line + 1, fence.end_line)
    text = "".join([*lines[: start - 1], _output_fence(fence, output), *lines[end:]])
    vault.save(note.path, restore_line_ends(note.text, text), expected_hash=note.hash)


def note_path(vault: Vault, name: str) -> str:
    """Return the path in the vault of a note given by path, name, key or title. Raises NoteMissing."""
    path = vault.resolve_link("", name)
    if path is None:
        raise NoteMissing(name)
    return path


def _find_fence(vault: Vault, name: str, wanted: str) -> Snippet:
    note = vault.read(note_path(vault, name))
    found = [fence for fence in note.fences if fence.runnable]
    for fence in found:
        if fence.id == wanted:
            return fence_snippet(note, fence)
    known = ", ".join(fence.id for fence in found) or "none"
    raise UnknownSnippet(
        f"The note {note.path} has no python block {wanted}; it has: {known}.",
        f"笔记 {note.path} 里没有名为 {wanted} 的 python 代码块；现有：{known}。",
    )


def _file(vault: Vault, name: str) -> Path | None:
    for candidate in (Path(name), vault.root / name):
        with contextlib.suppress(OSError):  # the name may be too long for a path
            if candidate.is_file():
                return candidate.resolve()
    return None


def session_blocks(note: Note, fence: Fence) -> tuple[str, ...]:
    """Return the code of a block, after that of the blocks before it in its session."""
    session = fence.options.get("session")
    if not session:
        return (fence.code,)
    before = (f.code for f in note.fences if f.runnable and f.options.get("session") == session and f.line < fence.line)
    return (*before, fence.code)


def joined(blocks: tuple[str, ...]) -> str:
    """Return the blocks of a session as they are run."""
    return "\n".join([*(code.rstrip("\n") for code in blocks[:-1]), blocks[-1]])


def all_code(vault: Vault) -> Iterator[str]:
    """Yield the code of every snippet of the vault, and of every block by itself; unreadable notes are skipped."""
    yield from (snippet.code for snippet in library(vault).snippets.values())
    for path in vault.files():
        with contextlib.suppress(KbError):
            yield from code_of(vault.read(path))


def code_of(note: Note) -> Iterator[str]:
    """Yield the code of every block of a note, by itself and as it is run."""
    for fence in note.fences:
        if fence.runnable:
            yield fence.code
            yield joined(session_blocks(note, fence))


def _output_fence(fence: Fence, output: str) -> str:
    ticks = "```" if "```" not in output else "~~~~"
    lead = "" if fence.output_lines else "\n"
    indent = " " * fence.indent
    body = "".join(f"{indent}{line}\n" for line in output.rstrip("\n").split("\n"))
    return f"{lead}{indent}{ticks}output\n{body}{indent}{ticks}\n"
