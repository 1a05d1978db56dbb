"""Modules that a snippet imports and the chosen Python lacks, found before a run or at its end."""

from __future__ import annotations

import ast
import functools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from snippets.errors import RunnerFailed
from snippets.model.snippet import Snippet
from snippets.process.connection import run_to_end
from snippets.project_metadata import project
from snippets.results.outcome import Lack
from snippets.supervisor.run_environment import clean, python_variables
from snippets.targets.interpreters import PROBE_SECONDS, Interpreter

TORCH = "torch"
RAISED = "ModuleNotFoundError"

_QUESTION = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
# The traceback that standard error ends with: its innermost frame, and the module that was not found.
_LAST_WORDS = re.compile(
    r"^Traceback \(most recent call last\):\r?\n(?:(?!Traceback )[ \t].*\n)*?"
    r'  File "(?P<file>[^"\n]+)", line (?P<line>\d+), in .*\n(?:    .*\n)*'
    rf"{RAISED}: No module named '(?P<module>[^'.\n]+)'[^\n]*\s*\Z",
    re.MULTILINE,
)


def lacks_torch(snippet: Snippet, interpreter: Interpreter) -> bool:
    """Return whether a snippet starts with importing torch and a Python lacks it; False if that is meant to fail."""
    return interpreter.torch is None and snippet.raises != RAISED and TORCH in leading_imports(snippet.code)


@functools.lru_cache(maxsize=4096)
def leading_imports(code: str) -> frozenset[str]:
    """Return the modules that code imports before any other statement, which could change the import path."""
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            found.update(_imported(statement))
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            break
    return frozenset(found)


def missing_module(snippet: Snippet, stderr: str, *, program: Path, interpreter: Interpreter) -> str | None:
    """Return the module whose import by the snippet ended a run, if its Python really lacks it; else None."""
    last = _LAST_WORDS.search(stderr)
    if last is None or last["file"] != str(program):
        return None
    module = last["module"]
    own = module in _imported_at(snippet.code, int(last["line"]))
    return module if own and not _has(interpreter, module) else None


def before_traceback(printed: str, stderr: str) -> str:
    """Return what was printed before the traceback that standard error ends with."""
    last = _LAST_WORDS.search(stderr)
    return printed if last is None else printed.replace(last[0], "")


def lack_of(module: str, interpreter: Interpreter) -> Lack:
    """Return what is missing where, and the command that installs it."""
    wanted = project().requirement(module)
    known = interpreter.has_pip and wanted != module
    command = f"{shlex.quote(str(interpreter.path))} -m pip install {shlex.quote(wanted)}" if known else None
    return Lack(module, interpreter.path, command)


def _imported(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    names = [one.name for one in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
    if not (isinstance(statement, ast.ImportFrom) and statement.level):
        yield from (name.partition(".")[0] for name in names)


def _imported_at(code: str, line: int) -> frozenset[str]:
    """Return the modules that the import statement on a line names."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    found = (one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom))
    return frozenset(
        name for one in found if one.lineno <= line <= (one.end_lineno or one.lineno) for name in _imported(one)
    )


def _has(interpreter: Interpreter, module: str) -> bool:
    """Return whether a Python finds a module; True if it does not answer."""
    question = [str(interpreter.path), "-c", _QUESTION, module]
    try:
        answer = run_to_end(question, environment={**clean(), **python_variables()}, timeout=PROBE_SECONDS)
    except RunnerFailed:
        return True
    return answer.exit_code != 1
