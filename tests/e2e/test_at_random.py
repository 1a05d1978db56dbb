"""Whatever is done in whatever order: nothing fails inside, texts are saved, tabs and notes agree, no process stays."""

from __future__ import annotations

import faulthandler
import os
import random
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtWidgets import QApplication

from tests.e2e.wandering import Wanderer, at_odds, broken, without_dialogs

THOROUGH = bool(os.environ.get("TORCHLEAF_THOROUGH"))
ACTIONS = 10_000 if THOROUGH else 300
CHECKED = 50  # actions between two looks at what is saved
SEED = int(os.environ.get("TORCHLEAF_SEED", "1"))


def test_actions_at_random(run: Any, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed and the last actions are told if something does not hold, so that it can be had again."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# a\n\n- [ ] one\n\n```python id=x\nprint(input())\n```\n", "utf-8")
    without_dialogs(monkeypatch, random.Random(SEED), lambda: sorted(other.glob("*.md")))
    run.window.activateWindow()
    wanderer = Wanderer(run, SEED, other)
    with qtbot.captureExceptions() as faults:
        for number in range(1, ACTIONS + 1):
            wanderer.act()
            wrong = [*map(str, faults), *broken(run)]
            if number % CHECKED == 0:
                faulthandler.dump_traceback_later(300, exit=True)  # from here on, not from the beginning
                wrong += filter(None, [at_odds(run)])
            assert not wrong, f"seed {SEED}, action {number}: {wrong}\nafter " + "\n      ".join(wanderer.done)
        wanderer.stop()
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        run.workspace.runs.stop_all()
        run.until(lambda: not run.workspace.runs.active)
        assert at_odds(run) == ""
    assert faults == []
    family = psutil.Process().children(recursive=True)
    run.window.leaving.force()
    run.until(lambda: not run.window.isVisible())
    run.workspace.close()
    left = psutil.wait_procs(family, timeout=10)[1]
    assert [one for one in left if "resource_tracker" not in " ".join(one.cmdline())] == []
