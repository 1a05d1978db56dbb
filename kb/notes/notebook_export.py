"""Exports a note as a Jupyter notebook or a Python file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from kb.markdown.lines import split_lines
from kb.notes.note import Note


def to_notebook(
    note: Note, *, snippets: Mapping[str, str] | None = None, outputs: Mapping[str, str] | None = None
) -> str:
    """Return the note as a Jupyter notebook (format 4.5), its code as code cells with the recorded output.

    `snippets` maps names of library snippets to code, `outputs` to recorded output; a link to another snippet stays a
    link.
    """
    cells = list(_cells(note, snippets or {}, outputs or {}))
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"  # the same file for the same note
    kernel = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
        "title": note.title,
    }
    notebook = new_notebook(cells=cells, metadata=kernel)
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def _cells(note: Note, snippets: Mapping[str, str], outputs: Mapping[str, str]) -> Iterator[Any]:
    lines = split_lines(note.text)
    at = note.meta.lines
    for first, last, code, output in _runnable(note, snippets, outputs):
        yield from _markdown(lines[at : first - 1])
        yield _code(code, output)
        at = last
    yield from _markdown(lines[at:])


def _runnable(
    note: Note, snippets: Mapping[str, str], outputs: Mapping[str, str]
) -> list[tuple[int, int, str, str | None]]:
    """Return first line, last line, code and output of each code cell, in order."""
    fences = [
        (fence.line, fence.output_lines[1] if fence.output_lines else fence.end_line, fence.code, fence.output)
        for fence in note.fences
        if fence.runnable
    ]
    links = [
        (link.line, link.line, snippets[link.target], outputs.get(link.target))
        for link in note.links
        if link.kind == "snippet" and link.alone and link.target in snippets
    ]
    return sorted(fences + links)


def _markdown(lines: list[str]) -> Iterator[Any]:
    if text := "\n".join(lines).strip("\n"):
        yield new_markdown_cell(text)


def _code(code: str, output: str | None) -> Any:
    shown = [] if output is None else [new_output("stream", name="stdout", text=output)]
    return new_code_cell(code.rstrip("\n"), outputs=shown)


def to_script(note: Note, *, snippets: Mapping[str, str] | None = None) -> str:
    """Return the note as a Python file with cells that begin with # %%, and its prose as comments."""
    parts = [f"# {note.title}"] if not note.sections or note.sections[0].heading != note.title else []
    for cell in _cells(note, snippets or {}, {}):
        lines = split_lines(cell.source)
        if cell.cell_type == "code":
            parts.append("\n".join(("# %%", *lines)))
        else:
            parts.append("\n".join(("# %% [markdown]", *(f"# {line}".rstrip() for line in lines))))
    return "\n\n".join(parts) + "\n"
