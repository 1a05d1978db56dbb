"""The commands that index, search, show and export notes."""

# Modules that load slowly (Whoosh, Markdown, the ledger) are imported by the command that needs them.
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.cli import command_options
from app.cli.console import progress, remark, say, say_json
from app.cli.exit_codes import BadUsage
from app.cli.vault_option import open_vault
from app.export.note_export import ExportFormat, export_note, page_of, refusal
from app.notebook import vault_snippets
from kb.errors import IndexFailed


class Language(StrEnum):
    """The language of a hit."""

    ZH = "zh"
    EN = "en"


def index(
    *,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Read every note again, also unchanged ones.")] = False,
    vault: command_options.Vault = None,
    as_json: command_options.Json = False,
) -> None:
    """Bring the search index up to date with the notes."""
    from app.cli.reports import picked, say_rebuilt
    from kb.index.index_update import update_index

    opened, places = open_vault(vault)
    with progress("Indexing") as step:
        report = update_index(opened, places.index, rebuild=rebuild, progress=lambda at: step(at.done, at.total))
    say_rebuilt(report)
    if as_json:
        say_json(picked(asdict(report), "notes sections added updated removed skipped seconds"))
        return
    changes = f"{report.added} added, {report.updated} updated, {report.removed} removed"
    say(f"{report.notes} notes, {report.sections} sections: {changes}, in {report.seconds:.2f} s.")
    for left in report.skipped:
        say(f"Left out: {left.path}: {left.reason}")


def search(
    query: Annotated[str | None, typer.Argument(help="Words, code, an error message; filters as below.")] = None,
    *,
    stdin: Annotated[bool, typer.Option("--stdin", help="A query a line from standard input, answered each.")] = False,
    limit: command_options.Limit = 10,
    lang: Annotated[Language | None, typer.Option("--lang", help="Only hits in this language.")] = None,
    vault: command_options.Vault = None,
    as_json: command_options.Json = False,
) -> None:
    """Find sections of notes."""
    from app.cli.console_run import open_ledger
    from app.cli.reports import say_hits, say_rebuilt, search_document
    from app.state.run_status_filter import RunStatusFilter
    from kb.index.index_update import update_index
    from kb.index.segments import exists
    from kb.search.searcher import Searcher

    if (query is None) != stdin:
        raise BadUsage("Give either a query or --stdin.")
    opened, places = open_vault(vault)
    try:
        say_rebuilt(update_index(opened, places.index))
    except IndexFailed as error:
        if not exists(places.index):
            raise
        remark(f"{error} What is found is as of the last indexing.")
    with contextlib.closing(Searcher(places.index, opened.root)) as searcher, contextlib.ExitStack() as stack:
        # The ledger is opened only if a query filters by it.
        standing = RunStatusFilter(opened, lambda: stack.enter_context(open_ledger(places)))
        for line in (text.rstrip("\r\n") for text in sys.stdin or ()) if query is None else [query]:
            result = searcher.search(line, limit=limit, lang=lang, proven=standing)
            say_json(search_document(result)) if as_json else say_hits(result)


def show(
    note: command_options.Note,
    *,
    html: Annotated[bool, typer.Option("--html", help="As the HTML that the reader shows.")] = False,
    vault: command_options.Vault = None,
    as_json: command_options.Json = False,
) -> None:
    """Show a note, rendered."""
    from app.cli.console import say_markdown
    from kb.rendering.render import page_html

    opened, _ = open_vault(vault)
    read = opened.read(vault_snippets.note_path(opened, note))
    if read.meta.problem:
        remark(f"The front matter of {read.path} cannot be read: {read.meta.problem}")
    if not (html or as_json):
        say_markdown("".join(read.text.splitlines(keepends=True)[read.meta.lines :]))
        return
    body = page_html(page_of(opened, read), standalone=False)
    say_json({"path": read.path, "title": read.title, "lang": read.lang, "html": body}) if as_json else say(body)


def export(
    note: command_options.Note,
    *,
    to: Annotated[ExportFormat, typer.Option("--to", help="The format.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where to.")],
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    vault: command_options.Vault = None,
    as_json: command_options.Json = False,
) -> None:
    """Write a note as HTML, PDF, a Jupyter notebook or a Python file."""
    if reason := refusal(out, force=force):
        raise BadUsage(reason)
    opened, _ = open_vault(vault)
    export_note(opened, opened.read(vault_snippets.note_path(opened, note)), to=to, out=out)
    say_json({"path": str(out), "bytes": out.stat().st_size}) if as_json else remark(f"Written: {out}")
