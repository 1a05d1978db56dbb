"""The words of the code: one name for one thing, in the field's own terms, and the sizes of files and functions."""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import main

ROOT = Path(main.__file__).parent
PACKAGES = ("app", "kb", "snippets")
SHARED = {"errors", "__init__", "__main__"}  # names that a module may have in several packages

# Metaphors that were given up, as parts of a name: `set_theme` stands for `wear`, `executor` for `door`.
WORDS = frozenset(
    re.findall(
        r"\w+",
        """
    anew bench centre colleague desk door dress emptywords equip equipment everywhere grounds hush keptkin kin
    kinship lore middle mindful parting piecework room rooms settling shade shelf shelves sounds survey
    sweeper typist voices walls warmth wear wearing
    """,
    )
)


def sources() -> dict[Path, ast.Module]:
    """Give the modules of the program, without shipped notes and snippets."""
    found = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {path: ast.parse(path.read_text("utf-8")) for path in found if "library" not in path.parts}


SOURCES = sources()


def definitions(tree: ast.Module) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    """Give every class and function of a module, methods included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node


def words(name: str) -> set[str]:
    """Give the words of a name: of `NoteTabs` and of `note_tabs`, note and tabs."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def twice(names: list[str]) -> list[str]:
    """Give what a list has more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def test_a_module_name_means_one_module() -> None:
    """No module has the name of another in any package."""
    assert twice([path.stem for path in SOURCES if path.stem not in SHARED]) == []


def test_a_class_name_means_one_class() -> None:
    """No public class has the name of another."""
    classes = [node.name for tree in SOURCES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert twice([name for name in classes if not name.startswith("_")]) == []


def test_modules_are_named_by_nouns() -> None:
    """At most ten modules end in -ing, all of them true nouns."""
    assert len([path.stem for path in SOURCES if path.stem.endswith("ing")]) <= 10


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_name_is_a_metaphor(path: Path) -> None:
    """No module, class or public function is named by a metaphor."""
    names = [path.stem, path.parent.name, *(node.name for node in definitions(SOURCES[path]))]
    assert {name for name in names if not name.startswith("_") and words(name) & WORDS} == set()


def test_files_keep_their_size() -> None:
    """Half of the files have at most 200 lines, and none more than 600."""
    lines = {path: path.read_text("utf-8").count("\n") for path in SOURCES}
    assert {path: count for path, count in lines.items() if count > 600} == {}
    assert statistics.median(lines.values()) <= 200


def test_functions_keep_their_size() -> None:
    """No function has more than 50 lines."""
    long = {
        f"{path.relative_to(ROOT)}: {node.name}": node.end_lineno - node.lineno + 1
        for path, tree in SOURCES.items()
        for node in definitions(tree)
        if isinstance(node, ast.FunctionDef) and node.end_lineno and node.end_lineno - node.lineno >= 50
    }
    assert long == {}
