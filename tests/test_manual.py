"""The living manual: what it says of searching, of keys and of commands is what the program has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

import main
from app.cli import command_line
from kb.index.index_update import update_index
from kb.search.query_syntax import FILTERS
from kb.search.searcher import Searcher
from kb.vault.vault import SHIPPED_NOTES, Vault

BOTH = pytest.mark.parametrize("lang", ["zh", "en"])
RUNS_NEEDED = ("status:", "device:")  # answered from past runs, of which a fresh vault has none


def page(name: str, lang: str) -> str:
    """Read a page of the manual."""
    return (SHIPPED_NOTES / "manual" / f"{name}.{lang}.md").read_text(encoding="utf-8")


def listed(text: str) -> Iterator[list[str]]:
    """Yield the code in the first cell of each line of a table."""
    for cell in re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE):
        yield re.findall(r"`([^`]+)`", cell)


@BOTH
def test_every_filter_and_its_values_are_told(lang: str) -> None:
    """Under the name that is typed in either language, and each value that the field offers."""
    text = page("search", lang)
    for name, kind in FILTERS.items():
        assert f"`{name}:" in text
        assert f"`{kind.zh}:`" in text
        for value in kind.values:
            assert f"`{value.name}`" in text or f"`{name}:{value.name}" in text, (name, value)


def test_every_example_of_a_query_finds_something(tmp_path: Path) -> None:
    """In the shipped notes and beside the manual itself, as the manual would have it."""
    vault = Vault.open(SHIPPED_NOTES)
    update_index(vault, tmp_path / "index")
    searcher = Searcher(tmp_path / "index", vault.root)
    try:
        for query in (query for lang in ("zh", "en") for cell in listed(page("search", lang)) for query in cell):
            if not query.startswith(RUNS_NEEDED):
                assert any("manual/" not in hit.path for hit in searcher.search(query, limit=500).hits), query
    finally:
        searcher.close()


@BOTH
def test_every_command_is_told(lang: str) -> None:
    """Each command of the program stands in the list, nothing else does, and options that are named exist."""
    text = page("command-line", lang)
    program = typer.main.get_command(command_line.command)
    commands = program.commands  # type: ignore[attr-defined]
    table = text.split("\n## ")[1]
    assert {name for cell in listed(table) for name in cell} == set(commands)
    known = {option for one in (program, *commands.values()) for param in one.params for option in param.opts}
    assert set(re.findall(r"--[a-z]+(?:-[a-z]+)*", text)) <= known | {"--help"}


@BOTH
def test_every_key_is_one_of_the_program(lang: str) -> None:
    """What stands in the tables of keys is written in the program as a shortcut."""
    written = {
        node.value
        for path in (Path(main.__file__).parent / "app").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    keys = {key for cell in listed(page("keys", lang)) for key in cell}
    assert len(keys) >= 20
    for key in keys:
        digit = re.fullmatch(r"Alt\+[1-3]", key)  # one for each way to read
        assert key in written or digit, key
