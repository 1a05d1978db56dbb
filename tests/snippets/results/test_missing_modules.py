"""Modules that the chosen Python does not have: what is said of a run that needs one."""

from __future__ import annotations

import venv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger
from snippets.results.missing_modules import lack_of, leading_imports
from snippets.running.runner import Runner, RunRequest
from snippets.targets.interpreters import Interpreter, probe
from snippets.verification.verify import verify

Make = Callable[..., Snippet]
WANTED = "No module named 'torch'\n"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python without torch or any other package."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (
            '"""Says."""\nfrom __future__ import annotations\nimport os, torch.nn as nn\nfrom numpy import e\nx = 1',
            {"__future__", "os", "torch", "numpy"},
        ),
        ("import sys\nsys.modules['torch'] = sys\nimport torch", {"sys"}),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", set()),
        ("def late():\n    import torch", set()),
        ("from . import torch", set()),
        ("import torch\nx = (", set()),
    ],
)
def test_what_code_imports_before_anything_else(code: str, found: set[str]) -> None:
    """Code that has run may have changed where modules come from, and what is tried may be missing."""
    assert leading_imports(code) == found


def test_what_begins_with_torch_is_not_started_without_it(start: Callable[..., Any], bare: Path) -> None:
    """The reason names the module and the Python; nothing is printed, least of all a traceback."""
    watched = start("import torch\nprint(torch.ones(2))", python=bare)
    outcome = watched.outcome()
    assert (outcome.status, outcome.output, outcome.exit_code, watched.chunks) == ("unavailable", "", None, [])
    assert outcome.lack == lack_of("torch", probe(bare))
    for lang, said in (("en", "torch is not installed in this Python"), ("zh", "没有安装 torch")):
        assert said in outcome.sentence(lang)
        assert str(bare) in outcome.sentence(lang)


def test_what_needs_no_torch_runs_without_it(start: Callable[..., Any], bare: Path) -> None:
    """And so does code that looks whether it is there, and code that is given a path on which it is."""
    assert start("print(1)", python=bare).outcome().stdout == "1\n"
    tries = "try:\n    import torch\nexcept ModuleNotFoundError as error:\n    print(error)"
    assert start(tries, python=bare).outcome().stdout == WANTED
    other = bare.parent / "elsewhere"
    other.mkdir()
    (other / "torch.py").write_text("print('found')")
    environment = {"PYTHONPATH": str(other)}
    assert start("import torch", python=bare, environment=environment).outcome().stdout == "found\n"


@pytest.mark.parametrize("code", ["import math\nmath.pi\nimport no_such_module", "import no_such_module.part as part"])
def test_any_module_that_is_not_there_makes_a_run_unavailable(code: str, start: Callable[..., Any], bare: Path) -> None:
    """It is found by the snippet's own import; the traceback is no result."""
    outcome = start(code, python=bare).outcome()
    assert (outcome.status, outcome.output) == ("unavailable", "")
    assert (outcome.lack.module, outcome.lack.install) == ("no_such_module", None)
    assert outcome.sentence("en").startswith("Not run. no_such_module is not installed")


def test_what_was_printed_before_a_late_import_is_kept(start: Callable[..., Any], bare: Path) -> None:
    """Ten minutes of work are not thrown away, and it is not said that nothing was run."""
    code = "print('worked')\ndef late():\n    import torch\nlate()"
    outcome = start(code, python=bare).outcome()
    assert (outcome.status, outcome.output) == ("unavailable", "worked\n")
    assert outcome.sentence("en").startswith("Not run to its end. torch is not installed")
    assert outcome.sentence("zh").startswith("没有运行到底。")


@pytest.mark.parametrize(
    "code",
    [
        "raise ModuleNotFoundError(\"No module named 'torch'\")",
        "import sys\nsys.meta_path.clear()\nimport colorsys",
        "import importlib\nimportlib.import_module('no_such_module')",
        "import importlib.no_such_part",
        "import helper",
    ],
)
def test_what_only_looks_like_it_has_failed(code: str, start: Callable[..., Any], bare: Path, tmp_path: Path) -> None:
    """Raised by hand, kept from the snippet, asked for by a name, a part of what is there, missed by another file."""
    (tmp_path / "helper.py").write_text("import no_such_module")
    outcome = start(code, python=bare, environment={"PYTHONPATH": str(tmp_path)}).outcome()
    assert (outcome.status, outcome.lack) == ("failed", None)
    assert "ModuleNotFoundError" in outcome.output


@pytest.mark.parametrize(
    ("recorded", "status"),
    [
        ({}, "passed"),
        ({"": f"ModuleNotFoundError: {WANTED}"}, "passed"),
        ({"": "ModuleNotFoundError: No module named 'apex'\n"}, "unavailable"),
    ],
)
def test_one_that_is_meant_to_miss_a_module(
    recorded: dict[str, str], status: str, start: Callable[..., Any], make_snippet: Make, bare: Path
) -> None:
    """It passes where it misses what it claims to; where it misses another module before, that one is named."""
    snippet = make_snippet("import torch\nimport apex", raises="ModuleNotFoundError", recorded=recorded)
    assert start(snippet, python=bare).outcome().status == status


def test_another_error_cannot_be_shown_without_the_module(
    start: Callable[..., Any], make_snippet: Make, bare: Path
) -> None:
    """A snippet that is meant to raise has not failed either."""
    for code in ("import torch", "x = 1\nimport torch"):
        assert start(make_snippet(code, raises="RuntimeError"), python=bare).outcome().status == "unavailable"


def test_it_counts_as_unavailable_everywhere(runner: Runner, make_snippet: Make, bare: Path, tmp_path: Path) -> None:
    """For `verify`, and for the badge: before the first run, after it, and no longer under a Python that has torch."""
    at_once, late, fine = (
        make_snippet(code, name=name, recorded={"": "1\n"})
        for name, code in (("a", "import torch"), ("b", "x = 1\nimport torch"), ("c", "print(1)"))
    )
    report = verify([at_once, late, fine], runner=runner, python=bare)
    assert (report.passed, report.failed, report.unavailable) == (1, 0, 2)
    python = probe(bare)
    ledger = Ledger(tmp_path / "runs.sqlite")

    def badges(known: Interpreter | None) -> dict[str, str]:
        return {name: one.badge for name, one in ledger.standings([at_once, late], known).items()}

    assert badges(python) == {"a": "unavailable", "b": "never"}
    with Runner(runs_folder=tmp_path / "more", ledger=ledger) as other:
        for snippet in (at_once, late):
            other.start(RunRequest(snippet, python=bare), output=print, finished=print).wait()
    assert badges(python) == badges(None) == {"a": "unavailable", "b": "unavailable"}
    assert {row.interpreter for row in ledger.recent()} == {str(bare)}
    assert badges(replace(python, torch="2.13.0")) == {"a": "never", "b": "never"}
    ledger.close()


def test_the_command_that_installs(bare: Path) -> None:
    """Named where pip may install, and where the name of the package is known; a path with a space is quoted."""
    assert not probe(bare).has_pip
    python = Interpreter(Path("/a b/python"), "Python", "3.12.1", None, has_pip=True)
    assert lack_of("torch", python).install == "'/a b/python' -m pip install torch==2.13.0"
    assert lack_of("no_such_module", python).install is None
    assert lack_of("torch", replace(python, has_pip=False)).install is None
    assert "install it there" not in lack_of("torch", replace(python, has_pip=False)).reason.en
