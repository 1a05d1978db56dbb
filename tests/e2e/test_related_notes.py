"""What belongs together, in the real window: notes like the open one, unlinked mentions, explanations of a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from app.widgets.list_delegates import Row
from app.widgets.sidebar_section import LineButton
from kb.files.paths import UserPaths

SCATTER = """# scatter_ writes by index

Where broadcasting reads, scatter_ writes: every index says which element of the tensor is written.

See expand and broadcasting for shapes, and `expand and broadcasting` in code.
"""
FAILING = """# Failing

```python id=dtype
raise RuntimeError("expected scalar type Long but found Float")
```
"""
EXPLAINING = """# Kinds of numbers

## expected scalar type Long but found Float

The RuntimeError says that labels are of type Float where Long was expected. Call .long() on them.
"""


@pytest.fixture
def places(places: UserPaths) -> UserPaths:
    """Give the small vault three notes more."""
    (places.user_vault / "scatter.md").write_text(SCATTER, "utf-8", newline="\r\n")
    (places.user_vault / "failing.md").write_text(FAILING, "utf-8")
    (places.user_vault / "dtypes.md").write_text(EXPLAINING, "utf-8")
    return places


def lines(part: Any) -> list[LineButton]:
    """Return the lines of a part of the panel that are to be seen."""
    return [one for one in part.findChildren(LineButton) if not one.isHidden() and not one.parentWidget().isHidden()]


def test_notes_like_the_open_one_are_listed_and_opened(run: Any) -> None:
    """In the panel, and by a command in the sheet under the search field."""
    run.open("tensors/gather.en.md")
    parts = run.window.outline.kin
    run.until(lambda: lines(parts.like))
    names = [line.accessibleName() for line in lines(parts.like)]
    assert "gather: pick by index" not in names
    run.window.commands.run("like")
    rows = [row for row in run.window.search_controller.popup.rows if isinstance(row, Row)]
    assert len(rows) == len(names)
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        lines(parts.like)[0].click()
    assert run.workspace.notes.current.entry.key != "tensors/gather"


def test_another_vault_shows_nothing_of_the_one_before(run: Any, tmp_path: Path) -> None:
    """Where it has no note to be open, the panel is empty."""
    run.open("tensors/gather.en.md")
    parts = run.window.outline.kin
    run.until(lambda: lines(parts.like))
    with run.qtbot.waitSignal(run.workspace.vault_opened, timeout=30_000):
        run.workspace.open_vault(tmp_path)
    assert not lines(parts.like)
    assert parts.like.isHidden()
    assert parts.mentions.isHidden()


def test_a_mention_becomes_a_link_in_one_save_and_back(run: Any) -> None:
    """The name in the text, not the one in code; the line ends of the file stay."""
    run.open("tensors/expand.md")
    parts = run.window.outline.kin
    run.until(lambda: lines(parts.mentions))
    file = run.vault / "scatter.md"
    before = file.read_bytes()
    button = next(one for one in parts.mentions.findChildren(QToolButton) if not one.isHidden())
    assert "scatter_ writes by index" in button.accessibleName()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    run.until(lambda: file.read_bytes() != before)
    assert file.read_bytes() == before.replace(b"expand and broadcasting", b"[[expand and broadcasting]]", 1)
    run.until(lambda: "scatter" in run.workspace.vault_scanner.linked_from("tensors/expand"))
    run.until(lambda: not lines(parts.mentions))
    strip = run.window.central.notification_bar
    run.until(lambda: any("now links to this note" in card.notice.en for card in strip.cards))
    card = next(card for card in strip.cards if "now links to this note" in card.notice.en)
    QTest.mouseClick(card.buttons[0][0], Qt.MouseButton.LeftButton)
    run.until(lambda: file.read_bytes() == before)


def test_a_mention_that_has_changed_meanwhile_is_gone_to_instead(run: Any) -> None:
    """Nothing is written where the name is no longer as it was."""
    run.open("tensors/expand.md")
    parts = run.window.outline.kin
    run.until(lambda: lines(parts.mentions))
    (mention,) = run.workspace.related_notes.kin.mentions
    changed = SCATTER.replace("See expand and broadcasting for shapes", "See elsewhere")
    (run.vault / "scatter.md").write_text(changed, "utf-8")
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        parts._link(mention, QToolButton())
    assert run.workspace.notes.current.entry.key == "scatter"
    assert (run.vault / "scatter.md").read_text("utf-8") == changed


def test_a_failed_run_names_the_notes_that_explain_it(run: Any) -> None:
    """Beneath its output, as links; a new run begins without them."""
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.open("failing.md")
    view = run.window.central.reader.view
    view.run_requested.emit("fence:dtype", "cpu")
    run.until(lambda: "Notes that explain this error" in run.page())
    assert "expected scalar type Long but found Float" in run.page().partition("Notes that explain this error")[2]
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        view._act(0, "hint:0")
    place = run.workspace.notes.current.place
    assert (place.path, place.anchor) == ("dtypes.md", "expected-scalar-type-long-but-found-float")
    run.open("failing.md")
    run.until(lambda: "Notes that explain this error" in run.page())
    run.window.deferred.view_commands.choose_language("zh")
    run.until(lambda: "这些笔记解释了这个错误" in run.page())
    run.window.deferred.view_commands.choose_language("en")
