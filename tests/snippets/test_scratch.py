"""The folders of runs."""

from __future__ import annotations

import os
import time
from pathlib import Path

from snippets.scratch import RunFolder, forget_old_runs


def test_the_font_list_of_matplotlib_is_handed_on(tmp_path: Path) -> None:
    """It takes seconds to make: a run leaves it to the next, but a run that was locked in leaves nothing."""
    for number, trusted in enumerate((False, True)):
        folder = RunFolder(tmp_path, str(number))
        folder.make()
        settings = Path(folder.variables()["MPLCONFIGDIR"])
        assert list(settings.iterdir()) == []
        (settings / "fontlist-v1.json").write_text("{}")
        folder.tidy(trusted=trusted)
    last = RunFolder(tmp_path, "3")
    last.make()
    assert [path.name for path in Path(last.variables()["MPLCONFIGDIR"]).iterdir()] == ["fontlist-v1.json"]


def test_old_runs_are_forgotten(tmp_path: Path) -> None:
    """What is both older than a week and not among the last hundred goes; nothing else in the folder does."""
    (tmp_path / "supervisor.log").touch()
    (tmp_path / "matplotlib").mkdir()
    for number in range(103):
        folder = tmp_path / f"run-{number:03d}"
        (folder / "log").mkdir(parents=True)
        age = 0 if number == 1 else 30 * 86400
        os.utime(folder, (time.time() - age,) * 2)
    forget_old_runs(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert {"run-000", "run-002"}.isdisjoint(left)
    assert {"run-001", "run-003", "run-102", "matplotlib", "supervisor.log"} <= left
    forget_old_runs(tmp_path / "none")
