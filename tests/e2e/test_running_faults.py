"""The code of notes in the real window: what must not start it, what it must not mix with, what must be said."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.export.note_export import export_note
from app.runs import run_controller as running
from app.runs.active_runs import CellKey
from app.widgets.notification import Notification
from kb.files.paths import UserPaths
from snippets.errors import RunnerFailed
from snippets.process.isolation import Isolation, isolation
from tests.pace import within

HOSTILE = """# A trap

Some text about traps.

```python id=trap
open({marker!r}, "w").close()
```

```output
caught
```

```python
open({marker!r}, "w").close()
```
"""
CODE = "import time\nprint({word!r}, flush=True)\ntime.sleep({seconds})\n"


def note_with(code: str) -> str:
    """Write a note with one cell."""
    return f"# Work\n\n```python id=work timeout=60\n{code}```\n"


@pytest.fixture
def strange(opened: Any, tmp_path: Path) -> Any:
    """Open a vault that did not come with the program; its code would leave a mark."""
    root = tmp_path / "strange"
    root.mkdir()
    (root / "trap.md").write_text(HOSTILE.format(marker=str(tmp_path / "mark")), "utf-8")
    (root / "trap.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w').close()\n", "utf-8")
    run = opened(root)
    run.until(lambda: run.workspace.notes.current and run.workspace.search_service.report)
    return run


def test_reading_starts_no_process_for_the_code(strange: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening, indexing, searching, previewing and exporting run our own programs alone."""
    started: list[str] = []
    start = subprocess.Popen.__init__

    def watched(self: Any, args: Any, *more: Any, **options: Any) -> None:
        started.append(" ".join(map(str, args)) if isinstance(args, list | tuple) else str(args))
        start(self, args, *more, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", watched)
    workspace, central = strange.workspace, strange.window.central
    answers: list[Any] = []
    workspace.search_service.answered.connect(answers.append)
    for query in ("trap", "code:open", "status:never", "has:code"):
        before = len(answers)
        workspace.search_service.search(query)
        strange.until(lambda before=before: len(answers) > before)
    workspace.search_service.refresh()
    central.toggle_editor()
    strange.until(lambda: central.editing)
    central.toggle_editor()
    note = workspace.vault.read("trap.md")
    for kind in ("html", "ipynb", "pdf"):
        export_note(workspace.vault, note, to=kind, out=tmp_path / f"out.{kind}")
    told = [*started, *(" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True))]
    assert [one for one in told if str(tmp_path / "strange") in one or "trap" in one] == []
    assert not (tmp_path / "mark").exists()
    assert (workspace.runs.active, workspace.runs.transcripts) == ({}, {})
    runs = workspace.places.for_vault(workspace.vault.root).runs
    assert not list(runs.glob("*/code"))


@pytest.mark.parametrize("walls", [True, False], ids=["isolated", "open"])
def test_what_code_can_reach_is_said_before_it_runs_first(
    *,
    walls: bool,
    strange: Any,
    tmp_path: Path,
) -> None:
    """Where it is not kept apart, the question says so; nothing has run before the answer."""
    runs, told = strange.workspace.runs, list[Notification]()
    runs._on_isolation(Isolation(available=walls, reason_en="there is none", reason_zh="没有"))
    strange.workspace.noticed.connect(told.append)
    strange.window.central.reader.view.run_requested.emit("fence:trap", "cpu")
    (asked,) = [notice for notice in told if notice.kind == "asked"]
    assert ("not isolated: it can reach your files and the network" in asked.en) is not walls
    assert ("能访问你的文件和网络" in asked.zh) is not walls
    assert runs.active == {}
    assert not (tmp_path / "mark").exists()


def test_no_run_begins_before_it_is_known_whether_it_can_be_isolated(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Just after a start: it waits, nothing is said of the walls, and then it runs as was chosen."""
    known = threading.Event()

    def slow() -> Isolation:
        known.wait(30)
        return isolation()

    monkeypatch.setattr(running, "isolation", slow)
    run = opened()
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.open("tensors/gather.en.md")
    runs, page = run.workspace.runs, run.workspace.runs.page_key(run.workspace.notes.current)
    assert runs.isolate
    run.window.central.reader.view.run_requested.emit("fence:hello", "cpu")
    assert not runs.active
    assert run.window.status.isolation.isHidden()
    known.set()
    key = CellKey(page, "tensors/gather.zh.md#hello")
    run.until(lambda: (told := runs.transcripts.get(key)) and told.outcome)
    assert not run.window.status.isolation.isHidden()


def test_walls_that_cannot_be_tried_are_said_to_be_missing(run: Any) -> None:
    """With the reason, and runs go on without them."""
    runs = run.workspace.runs
    for error, why in ((RunnerFailed("no program", "没有程序"), "没有程序"), (OSError("broken"), "broken")):
        runs._on_no_isolation(error)
        assert runs.isolation_reason.zh == why
        assert not runs.looks_for_isolation


def test_edited_and_run_again_while_it_runs(run: Any, places: UserPaths) -> None:
    """The run that goes on keeps its code and its box; the next one has its own, and nothing of the first."""
    path = places.user_vault / "work.md"
    path.write_text(note_with(CODE.format(word="old", seconds=60)), "utf-8")
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.until(lambda: any("work" in str(entry.paths) for entry in run.workspace.notes.entries))
    run.open("work.md")
    view, runs = run.window.central.reader.view, run.workspace.runs
    key = CellKey(runs.page_key(run.workspace.notes.current), "work.md#work")
    view.run_requested.emit("fence:work", "cpu")
    run.until(lambda: "old" in runs.transcripts[key].text())
    path.write_text(note_with(CODE.format(word="new", seconds=0)), "utf-8")
    run.until(lambda: "'new'" in run.page())
    (first,) = runs.active.values()
    view.run_requested.emit("fence:work", "cpu")
    assert list(runs.active.values()) == [first]
    assert first.snippet.code.startswith("import time\nprint('old'")
    view.stop_requested.emit("fence:work")
    run.until(lambda: not runs.active, seconds=10)
    assert runs.transcripts[key].text() == "old\n"
    view.run_requested.emit("fence:work", "cpu")
    run.until(lambda: runs.transcripts[key].judged)
    assert (runs.transcripts[key].text(), runs.transcripts[key].outcome.output) == ("new\n", "new\n")
    assert "old" not in run.page().partition("'new'")[2]


def test_the_past_of_a_hundred_thousand_runs_opens_at_once(run: Any) -> None:
    """The window of past runs has its list within a tenth of a second."""
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.open("tensors/gather.en.md")
    runs = run.workspace.runs
    key = CellKey(runs.page_key(run.workspace.notes.current), "tensors/gather.zh.md#hello")
    snippet = next(one for one in run.workspace.notes.shown if one.name == key.snippet)
    runs.start(key.page, [snippet])
    run.until(lambda: (known := runs.transcripts.get(key)) and known.judged)
    base = runs._services.ledger._base
    names = [row[1] for row in base.execute("PRAGMA table_info(runs)") if row[1] not in {"run_id", "started"}]
    base.execute("BEGIN")
    base.execute(
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
        f"INSERT INTO runs (run_id, started, {', '.join(names)}) "
        f"SELECT 'r' || i, strftime('%Y-%m-%dT%H:%M:%S+00:00', '2025-01-01', i || ' seconds'), {', '.join(names)} "
        f"FROM runs, n"
    )
    base.execute("COMMIT")
    menu = run.window.central.reader.cell_controller.menu
    menu.show_past(key, snippet).close()  # the first window of its kind loads fonts
    with within(0.1):
        past = menu.show_past(key, snippet)
        until = time.monotonic() + 10
        while past.table.rowCount() == 0 and time.monotonic() < until:
            run.qtbot.wait(1)
    assert past.table.rowCount() == 200
    past.close()


SESSION = """# Steps

```python id=first session=one
x = 1
print("first", x)
```

```python id=second session=one
x += 1
print("second", x)
```

```python id=alone
raise ValueError("alone")
```

```python id=last
print("last")
```
"""


def test_run_to_here_and_all_with_a_sum(run: Any, places: UserPaths) -> None:
    """A session's block brings those before it along; else all above run first; in the end one sentence sums it up."""
    (places.user_vault / "steps.md").write_text(SESSION, "utf-8")
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.until(lambda: any("steps" in str(entry.paths) for entry in run.workspace.notes.entries))
    run.open("steps.md")
    runs, menu, told = run.workspace.runs, run.window.central.reader.cell_controller.menu, list[Notification]()
    run.workspace.noticed.connect(told.append)
    page = runs.page_key(run.workspace.notes.current)
    shown = {one.name.rpartition("#")[2]: one for one in run.workspace.notes.shown}
    menu.run_to_here(CellKey(page, shown["second"].name), shown["second"])
    run.until(lambda: (known := runs.transcripts.get(CellKey(page, shown["second"].name))) and known.judged)
    assert runs.transcripts[CellKey(page, shown["second"].name)].text() == "first 1\nsecond 2\n"
    assert [key.snippet for key in runs.transcripts] == [shown["second"].name]
    assert [notice for notice in told if notice.topic == "turn"] == []
    menu.run_to_here(CellKey(page, shown["alone"].name), shown["alone"])
    run.until(lambda: [notice for notice in told if notice.topic == "turn"])
    assert told[-1].en == "2 of 3 passed, 1 failed (alone)."
    run.window.commands.run("verify")
    run.until(lambda: told[-1].en == "3 of 4 passed, 1 failed (alone).")
    assert told[-1].zh == "4 段代码：3 段通过，1 段失败（alone）。"
    run.window.commands.run("verify")
    runs.stop_all()
    run.until(lambda: "without a result" in told[-1].en)
