"""Output of the command line: JSON or readable text on standard output, progress and remarks on standard error."""

# Rich is imported where it is used: the window imports this module too, and needs no Rich.
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # line feed and tab are harmless
Step = Callable[[int, int], None]  # (done, total)


def speak_utf8() -> None:
    """Make the three standard streams UTF-8 in any locale; what cannot be encoded is escaped and raises no error."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors)


def visible(text: str) -> str:
    """Escape control characters: a note or a file name may contain sequences that a terminal would obey."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def say_json(document: object) -> None:
    """Print one JSON document on one line, and flush."""
    print(json.dumps(document, ensure_ascii=False, default=str), flush=True)


def say(text: str = "") -> None:
    """Print a line on standard output."""
    print(visible(text), flush=True)


def remark(text: str) -> None:
    """Print a line on standard error."""
    print(visible(text), file=sys.stderr, flush=True)


def say_markdown(source: str) -> None:
    """Print Markdown, formatted for a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(visible(source)))


def say_table(columns: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Print the named columns of the rows."""
    names = columns.split()
    _print_table(
        [name.replace("_", " ") for name in names],
        [[visible(_cell(name, row.get(name))) for name in names] for row in rows],
    )


def say_columns(heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Print a table with a column under each head; each row is its name and its cells. Empty rows are left out."""
    _print_table(
        ["", *map(visible, heads)], [[visible(cell) for cell in (name, *cells)] for name, cells in rows if any(cells)]
    )


def _print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(Text(head), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def say_marked(text: str, words: Sequence[str]) -> None:
    """Print a line with the words highlighted."""
    from rich.console import Console
    from rich.text import Text

    line = Text(visible(text))
    line.highlight_words(words, "bold yellow", case_sensitive=False)
    Console(soft_wrap=True).print(line)


@contextlib.contextmanager
def progress(what: str) -> Iterator[Step]:
    """Show a progress bar on standard error if it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if column.startswith("memory") and isinstance(value, int):
        return f"{value / 2**30:.1f} GiB"
    if isinstance(value, float):
        return f"{value:.0%}" if column == "load" else f"{value:.2f}"
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return str(value)
