"""Whatever is done in whatever order: nothing fails inside, texts are saved, tabs and notes agree, no process stays."""

from __future__ import annotations

import faulthandler
import os
import random
import traceback
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtWidgets import QApplication

from tests.e2e.invariants import Witness, measured, tell
from tests.e2e.random_walk import Wanderer, without_dialogs
from tests.tally import tally

THOROUGH = bool(os.environ.get("TORCHLEAF_THOROUGH"))
ACTIONS = int(os.environ.get("TORCHLEAF_ACTIONS", "10000" if THOROUGH else "300"))
CHECKED = 50  # actions between two looks at what is saved
TOLD = 1000  # actions between two looks at what the program takes
SEED = int(os.environ.get("TORCHLEAF_SEED", "1"))
OTHERS = {
    "brought.md": "# brought in\n\nSome words.\n",
    "带来.zh.md": "# 带来的\n\n一些文字。\n",
    "book.ipynb": '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "broken.ipynb": "{",
}


@pytest.fixture
def renderers() -> None:
    """Have the window make its own, which is to end with it."""


@pytest.fixture
def indexers() -> None:
    """Likewise."""


def test_actions_at_random(run: Any, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed and the last actions are told if something does not hold, so that it can be had again."""
    other, others = tmp_path / "other", tmp_path / "others"
    other.mkdir()
    others.mkdir()
    (other / "a.md").write_text("# a\n\n- [ ] one\n\n```python id=x\nprint(input())\n```\n", "utf-8")
    for name, text in OTHERS.items():
        (others / name).write_text(text, "utf-8")
    without_dialogs(monkeypatch, random.Random(SEED), lambda: sorted(others.glob("*.*")))
    run.window.activateWindow()
    witness = Witness(run, monkeypatch)
    wanderer = Wanderer(run, SEED, other=other, others=others, witness=witness)
    with qtbot.captureExceptions() as faults:
        for number in range(1, ACTIONS + 1):
            wanderer.act()
            wrong = ["".join(traceback.format_exception(*one)) for one in faults] + witness.after_an_action()
            if number % CHECKED == 0:
                faulthandler.dump_traceback_later(300, exit=True)  # from here on, not from the beginning
                wrong += witness.at_rest()
            if number % TOLD == 0:
                tell(f"--- after {number}: {measured()}")
            done = "\n      ".join(wanderer.done)
            assert not wrong, f"seed {SEED}, action {number}: {'; '.join(wrong)}\nafter {done}"
        wanderer.stop()
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        run.workspace.runs.stop_all()
        run.until(lambda: not run.workspace.runs.active)
        assert witness.at_rest() == []
    assert faults == []
    witness.leave()
    family = psutil.Process().children(recursive=True)
    run.window.deferred.close_guard.force_close()
    run.until(lambda: not run.window.isVisible())
    run.workspace.close()
    left = psutil.wait_procs(family, timeout=10)[1]
    left = [one for one in left if "resource_tracker" not in " ".join(one.cmdline())]
    tally(ACTIONS, orphans=len(left))
    assert left == []
