"""Conventions: what may be loaded where, and documents that are held to the code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import main
from app.cli import command_line

ROOT = Path(main.__file__).parent
DOCUMENTS = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]


def loaded(code: str) -> set[str]:
    """Run code in a fresh Python; return the top-level packages it has loaded."""
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}; print(*{{m.partition('.')[0] for m in sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_the_command_line_starts_light() -> None:
    """Starting the command line loads neither Qt nor torch nor the index nor the Markdown reader.

    Before it is known what is asked for, not even what reads options and prints tables is loaded.
    """
    heavy = {"PySide6", "torch", "whoosh", "markdown", "matplotlib", "nbformat", "numpy"}
    assert not loaded("import main, app.cli.command_line") & heavy
    assert not loaded("import main") & {*heavy, "typer", "rich", "kb", "snippets", "dataclasses"}


def test_the_window_starts_light() -> None:
    """The whole app, imported, has not loaded torch or matplotlib, which belong to the processes of runs.

    Nor has it loaded what searching needs: that comes while the window is there already.
    """
    assert not loaded("import app.startup.application, app.main_window.main_window") & {
        "torch",
        "matplotlib",
        "whoosh",
        "numpy",
        "markdown",
    }


@pytest.mark.parametrize("package", ["kb", "snippets"])
def test_the_core_knows_no_qt(package: str) -> None:
    """Every module of kb and snippets can be imported with PySide6 blocked."""
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / package).rglob("*.py")
        if not {"library", "__pycache__"} & set(path.parts) and path.stem != "matplotlib_backend"
    ]
    assert "PySide6" not in loaded(
        f"sys.modules['PySide6'] = None; import {', '.join(names)}; del sys.modules['PySide6']"
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_pictures_of_documents_are_there(document: Path) -> None:
    """What a document links to or shows in the project exists."""
    for target in re.findall(r"\]\((?!https?:|snippet:)([^)#]+)\)", document.read_text(encoding="utf-8")):
        assert (ROOT / target).exists() or target == "...", target


def test_the_readme_names_every_command() -> None:
    """Each command of the program stands in the README, and nothing that is not one."""
    commands = command_line.command.registered_commands
    named = {command.name or command.callback.__name__ for command in commands if command.callback}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"main\.py ([a-z]+)", readme)) == named - {"gui"}


def test_the_architecture_names_what_exists() -> None:
    """Each module that the page on architecture names in code is there."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:kb|snippets|app)\.[a-z_.]+)", text):
        path = ROOT.joinpath(*name.split("."))
        assert path.is_dir() or path.with_suffix(".py").exists() or path.parent.with_suffix(".py").exists(), name


def test_one_name_everywhere() -> None:
    """The distribution, its command and the user's folders bear one name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "torchleaf"
    assert project["scripts"] == {"torchleaf": "torchleaf.__main__:run"}


def test_english_sentences_have_straight_quotation_marks() -> None:
    """A Chinese font, which may be the only one there is, has the curly ones as wide as a Chinese letter."""
    slips = []
    for path in (path for package in ("app", "kb", "snippets") for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            text = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
            if re.search("[“”‘’]", text) and re.search("[a-z] [a-z]", text) and not re.search("[\u3400-\u9fff]", text):
                slips.append(f"{path.name}: {text}")
    assert slips == []


def test_every_fault_names_a_test_that_exists() -> None:
    """docs/faults.md has a row for each fault from 1 to 102, and a test that it names is there."""
    text = (ROOT / "docs" / "faults.md").read_text("utf-8")
    assert re.findall(r"(?m)^\| (\d+) \|", text) == [str(number) for number in range(1, 103)]
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", text)
    assert len(named) > 200
    missing = [
        f"{file}::{test}"
        for file, test in named
        if f"def {test}(" not in (ROOT / "tests" / file).read_text("utf-8", errors="replace")
    ]
    assert missing == []
