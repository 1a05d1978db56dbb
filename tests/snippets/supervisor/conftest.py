"""The supervisor ends whatever descends from its process; here that process is the one that runs the tests."""

from __future__ import annotations

import sys

import pytest

from snippets.supervisor import process_tree


@pytest.fixture(autouse=True)
def only_what_the_test_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the processes that are there already, such as the resource tracker that multiprocessing keeps."""
    if sys.platform.startswith("linux"):
        every, before = process_tree._processes, set(process_tree._processes())
        monkeypatch.setattr(
            process_tree, "_processes", lambda: {p: row for p, row in every().items() if p not in before}
        )
