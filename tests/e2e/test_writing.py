"""Writing in the window: links completed from the vault, snippets and pictures put in, keys of the editor's own."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage, QInputMethodEvent, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

NOTE = "tensors/gather.en.md"
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def writing(run: Any) -> Any:
    """Give a window with the editor open on the English file, the caret at its end, the keyboard there."""
    run.open(NOTE)
    run.window.activateWindow()
    run.window.central.edit(NOTE, 1)
    source = run.window.central.editor.source
    source.moveCursor(QTextCursor.MoveOperation.End)
    source.setFocus()
    return run


def source_of(run: Any) -> Any:
    """Return the field one types into."""
    return run.window.central.editor.source


def offered(run: Any) -> list[str]:
    """Return what the list under the caret offers."""
    chooser = run.window.deferred.editor_commands.chooser
    return [chooser.item(row).text() for row in range(chooser.count())] if chooser.isVisible() else []


def type_in(run: Any, text: str) -> None:
    """Type where the caret is."""
    QTest.keyClicks(source_of(run), text)


def test_what_is_typed_is_completed_from_the_vault(writing: Any) -> None:
    """Notes by title, headings of the note that is linked, terms, tags; Enter takes, and what is saved says so."""
    source = source_of(writing)
    type_in(writing, "See [[expan")
    writing.until(lambda: offered(writing) == ["expand and broadcasting"])
    QTest.keyClick(source, Qt.Key.Key_Return)
    type_in(writing, " and [[#bou")
    writing.until(lambda: offered(writing) == ["Bounds and errors"])
    QTest.keyClick(source, Qt.Key.Key_Tab)
    assert source.textCursor().block().text().endswith("and [[#Bounds and errors]]")
    type_in(writing, " gradient accum")
    QTest.keyClick(source, Qt.Key.Key_Space, CONTROL)
    writing.until(lambda: "梯度累积" in offered(writing))
    QTest.keyClick(source, Qt.Key.Key_Escape)
    assert writing.window.central.editing
    source.go_to_line(2)
    source.moveCursor(QTextCursor.MoveOperation.EndOfLine)
    source.moveCursor(QTextCursor.MoveOperation.Left)
    type_in(writing, ", ind")
    writing.until(lambda: offered(writing) == ["indexing"])


def test_a_snippet_of_the_library_is_put_in_as_its_link(writing: Any) -> None:
    """By its name, with its title as the words, in a paragraph of its own; then its code is beside it."""
    source = source_of(writing)
    QTest.keyClick(source, Qt.Key.Key_I, CONTROL | SHIFT)
    writing.until(lambda: len(offered(writing)) > 5)
    type_in(writing, "gather_by_r")
    writing.until(lambda: offered(writing) == ["gather_by_row"])
    QTest.keyClick(source, Qt.Key.Key_Return)
    line = source.textCursor().block().text()
    assert line.startswith("[")
    assert line.endswith("](snippet:gather_by_row)")
    assert "[]" not in line
    assert source.textCursor().block().previous().text() == ""


def test_a_block_that_can_be_run_is_put_in(writing: Any) -> None:
    """Under a name that no other block of the note has; the caret is in it."""
    source = source_of(writing)
    for number in (1, 2):
        QTest.keyClick(source, Qt.Key.Key_M, CONTROL | SHIFT)
        type_in(writing, "print(1)")
        assert source.textCursor().block().previous().text() == f"```python id=example{number}"
        source.moveCursor(QTextCursor.MoveOperation.End)


def test_what_is_put_in_from_within_code_comes_beneath_it(writing: Any) -> None:
    """A link, a block or a picture would break the code that the caret is in."""
    source = source_of(writing)
    code = 'print("hello from the note")\n```\n'

    def from_within() -> None:
        source.go_to_line(source.raw().split("\n").index('print("hello from the note")') + 1)

    from_within()
    QTest.keyClick(source, Qt.Key.Key_I, CONTROL | SHIFT)
    assert f"{code}\n[](snippet:)" in source.raw()
    from_within()
    QTest.keyClick(source, Qt.Key.Key_M, CONTROL | SHIFT)
    assert f"{code}\n```python id=example1" in source.raw()
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    QGuiApplication.clipboard().setImage(image)
    from_within()
    source.paste()
    writing.until(lambda: f"{code}\n![](gather-picture.png)" in source.raw())


def test_a_block_becomes_a_file_of_its_own(writing: Any) -> None:
    """The note shows it by a link; where there is no block, that is said."""
    source, window = source_of(writing), writing.window
    source.go_to_line(source.raw().split("\n").index('print("hello from the note")') + 1)
    window.commands.run("to_file")
    writing.until(lambda: "(snippet:gather_hello)" in source.raw())
    assert "id=hello" not in source.raw()
    assert (writing.vault / "tensors" / "gather_hello.out").read_text("utf-8") == "hello from the note\n"
    source.go_to_line(1)
    window.commands.run("to_file")
    writing.until(lambda: any("no python block" in card.notice.en for card in window.central.notification_bar.cards))


def test_a_picture_of_the_clipboard_lies_beside_the_note(writing: Any) -> None:
    """Written once, shown in the page beside; one from elsewhere is copied; what cannot be taken in is said."""
    source, vault = source_of(writing), writing.vault
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    QGuiApplication.clipboard().setImage(image)
    source.paste()
    writing.until(lambda: "![](gather-picture.png)" in source.raw())
    assert QImage(str(vault / "tensors" / "gather-picture.png")).size() == image.size()
    elsewhere = vault.parent / "cat.png"
    image.save(str(elsewhere))
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(elsewhere))])
    source.insertFromMimeData(files)
    writing.until(lambda: "![](cat.png)" in source.raw())
    assert (vault / "tensors" / "cat.png").read_bytes() == elsewhere.read_bytes()
    files.setUrls([QUrl.fromLocalFile(str(vault.parent / "missing.png"))])
    source.insertFromMimeData(files)
    writing.until(
        lambda: any("missing.png" in card.notice.en for card in writing.window.central.notification_bar.cards)
    )


def test_the_editors_keys_are_its_own_and_the_palettes(writing: Any) -> None:
    """Ctrl+B makes bold here and hides the notes elsewhere; every command is in the table; locked text stays."""
    source, window = source_of(writing), writing.window
    QTest.keyClick(source, Qt.Key.Key_Return)
    type_in(writing, "word")
    QTest.keyClick(source, Qt.Key.Key_B, CONTROL)
    assert source.textCursor().block().text() == "**word**"
    assert window.tree.isVisible()
    window.commands.run("bold")
    assert source.textCursor().block().text() == "word"
    source.lock(locked=True)
    window.commands.run("double_line")
    assert source.raw().count("word") == 1
    window.central.editor.close_editor()
    window.commands.run("double_line")
    QTest.keyClick(window.central.reader.view, Qt.Key.Key_B, CONTROL)
    assert not window.tree.isVisible()


def test_what_the_keys_of_the_editor_do_the_palette_does(writing: Any) -> None:
    """Save, find, replace, run, preview, several carets, heading and task: from the palette as by their keys."""
    source, window = source_of(writing), writing.window
    commands, bar, button = window.commands, window.central.editor.find_bar, window.central.editor.header.preview_button
    source.insertPlainText("\n\nword\nword\n")
    commands.run("save")
    writing.until(lambda: (writing.vault / NOTE).read_text("utf-8").endswith("word\nword\n"))
    commands.run("find")
    assert bar.isVisible()
    assert bar.replacement.isHidden()
    commands.run("replace_here")
    assert not bar.replacement.isHidden()
    bar.shut()
    commands.run("preview")
    assert not button.isChecked()
    QTest.keyClick(source, Qt.Key.Key_E, CONTROL | SHIFT)
    assert button.isChecked()
    source.go_to_line(source.blockCount() - 2)
    for _ in range(2):
        QTest.keyClick(source, Qt.Key.Key_D, CONTROL)
    QTest.keyClick(source, Qt.Key.Key_2, CONTROL)
    commands.run("bold")
    assert source.raw().endswith("## **word**\n## **word**\n")
    QTest.keyClick(source, Qt.Key.Key_Escape)
    assert window.central.editing
    QTest.keyClick(source, Qt.Key.Key_X, CONTROL | Qt.KeyboardModifier.AltModifier)
    assert source.raw().count("- [ ] ") == 1


def test_a_command_of_the_editor_says_what_it_is_for_while_one_reads(run: Any) -> None:
    """From the menu or the palette: nothing is changed, and the sentence leads to the editor."""
    run.open(NOTE)
    before = (run.vault / NOTE).read_bytes()
    run.window.commands.run("bold")
    card = run.window.central.notification_bar.cards[-1]
    assert card.notice.en == "This works only while you edit a note."
    card.buttons[0][0].click()
    assert run.window.central.editing
    assert (run.vault / NOTE).read_bytes() == before


def test_the_length_of_the_note_is_told(writing: Any) -> None:
    """In both languages, and of what is selected."""

    def told() -> set[str]:
        return {label.text() for label in writing.window.central.editor.header.findChildren(QLabel)}

    source = source_of(writing)
    source.selectAll()
    source.insertPlainText("梯度累积 by hand")
    writing.until(lambda: "4 Chinese characters · 2 words" in told())
    source.moveCursor(QTextCursor.MoveOperation.Start)
    source.moveCursor(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
    writing.until(lambda: "1 Chinese character" in told())
    writing.words.switch("zh")
    writing.until(lambda: "1 字" in told())


def test_composing_touches_nothing_else(writing: Any) -> None:
    """In the editor, the search, the palette, the prompt and the page that replaces: no list, no search, no command."""
    source, window = source_of(writing), writing.window
    type_in(writing, "[[")
    writing.until(lambda: offered(writing))
    QApplication.sendEvent(source, QInputMethodEvent("hun", []))
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert offered(writing) == []
    assert source.raw().endswith("[[]]")
    QApplication.sendEvent(source, QInputMethodEvent("", []))
    window.deferred.note_commands.new_note()
    prompt = window.deferred.note_commands.prompt
    prompt.field.setText("fresh")
    QApplication.sendEvent(prompt.field, QInputMethodEvent("bi", []))
    QTest.keyClick(prompt.field, Qt.Key.Key_Return)
    assert prompt.isVisible()
    assert not (writing.vault / "fresh.md").exists()
    QApplication.sendEvent(prompt.field, QInputMethodEvent("", []))
    prompt.hide()
    field = window.search_controller.field
    before = field.text()
    window.search_controller.enter()
    QApplication.sendEvent(field, QInputMethodEvent("gather", []))
    QTest.qWait(200)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == before
    assert window.central.editing
    QApplication.sendEvent(field, QInputMethodEvent("", []))
    window.central.replace_in_vault()
    replacer = window.central.replace_page
    fields = [one for one in replacer.findChildren(type(prompt.field).__mro__[1]) if one.isVisible()]
    QApplication.sendEvent(fields[0], QInputMethodEvent("gather", []))
    QTest.keyClick(fields[0], Qt.Key.Key_Return)
    assert fields[0].text() == ""
    assert window.central.stack.currentWidget() is replacer


def test_a_new_note_begins_with_a_template(writing: Any) -> None:
    """The prompt offers the notes under templates/; the name and the day are filled in. Without any it offers none."""
    window, vault = writing.window, writing.vault
    prompt = window.deferred.note_commands.prompt
    window.deferred.note_commands.new_note()
    assert prompt.choices.isHidden()
    assert "freezing" in prompt.hint.text()
    prompt.hide()
    (vault / "templates").mkdir()
    (vault / "templates" / "paper.md").write_text("# {{title}}\n\nRead on {{date}}.\n", "utf-8")
    writing.until(lambda: any(entry.key == "templates/paper" for entry in writing.workspace.notes.entries))
    window.deferred.note_commands.new_note("")
    assert [prompt.choices.itemText(row) for row in range(prompt.choices.count())] == ["An empty note", "paper"]
    prompt.choices.setCurrentIndex(1)
    prompt.field.setText("attention")
    prompt.take()
    writing.until(lambda: window.central.editor.path == "attention.md")
    text = (vault / "attention.md").read_text("utf-8")
    assert text.startswith("# attention\n\nRead on 2")
    assert "{{" not in text


def test_the_page_beside_stands_still_while_one_writes_in_view(writing: Any) -> None:
    """Words and new lines move nothing as long as they are seen; a caret far away brings the page along."""
    source, view = source_of(writing), writing.window.central.preview.view
    source.selectAll()
    source.insertPlainText("# Head\n\n" + "".join(f"## Part {number}\n\nIt has words.\n\n" for number in range(80)))
    source.go_to_line(85)
    writing.until(lambda: "Part 79" in view.toPlainText() and view.verticalScrollBar().value() > 0)
    before = view.verticalScrollBar().value()
    source.moveCursor(QTextCursor.MoveOperation.EndOfBlock)
    type_in(writing, " more")
    QTest.keyClick(source, Qt.Key.Key_Return)
    QTest.keyClick(source, Qt.Key.Key_Return)
    type_in(writing, "A new one.")
    writing.until(lambda: "A new one." in view.toPlainText())
    QTest.qWait(150)
    assert view.verticalScrollBar().value() == before
    source.go_to_line(280)
    writing.until(lambda: view.verticalScrollBar().value() > before)


def box_of(view: Any, number: int) -> Any:
    """Return where on the screen a box of a task stands in the page, counted from 0."""
    boxes = []
    at = view.document().begin()
    while at.isValid():
        if at.text()[:1] in ("\u2610", "\u2611"):
            cursor = QTextCursor(at)
            first = view.cursorRect(cursor)
            cursor.movePosition(QTextCursor.MoveOperation.Right)
            boxes.append(first.united(view.cursorRect(cursor)).center())
        at = at.next()
    return boxes[number]


def test_a_task_is_ticked_by_a_click_in_the_page_beside(writing: Any) -> None:
    """What is typed and not saved yet stays, the caret stays, and one undo takes the tick off."""
    source, view = source_of(writing), writing.window.central.preview.view
    source.selectAll()
    source.insertPlainText("- [ ] one\n- [x] two\n")
    type_in(writing, "later")
    line = source.line()
    writing.until(lambda: "two" in view.toPlainText() and "later" in view.toPlainText())
    before = source.raw()
    assert before.startswith("- [ ] one")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box_of(view, 0))
    assert source.raw() == before.replace("- [ ] one", "- [x] one")
    assert source.line() == line
    source.undo()
    assert source.raw() == before
    writing.until(lambda: (writing.vault / NOTE).read_text("utf-8") == before)


def test_source_reader_and_preview_have_one_size(writing: Any) -> None:
    """By keys and by the wheel; the line at the top stays there, and the size is remembered."""
    source, central = source_of(writing), writing.window.central
    height = source.fontMetrics().height()
    source.go_to_line(30)
    top = source.firstVisibleBlock().blockNumber()
    for _ in range(3):
        QTest.keyClick(source, Qt.Key.Key_Plus, CONTROL)
    assert source.fontMetrics().height() > height
    assert source.firstVisibleBlock().blockNumber() == top
    assert central.preview.view.zoom == central.reader.view.zoom > 1.3
    spot = QPointF(source.rect().center())
    wheel = QWheelEvent(
        spot,
        source.mapToGlobal(spot),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        CONTROL,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(source.viewport(), wheel)
    assert 1.15 < central.reader.view.zoom < 1.3
    assert writing.workspace.state.zoom == "121"
    QTest.keyClick(source, Qt.Key.Key_0, CONTROL)
    assert source.fontMetrics().height() == height


def test_a_link_of_the_source_is_followed(writing: Any) -> None:
    """By a key in its place, by Control and a click in another tab; what was typed is saved."""
    source, window = source_of(writing), writing.window
    source.insertPlainText("\n\nsee [[expand]] and more")
    source.setTextCursor(source.document().find("expand]]"))
    QTest.keyClick(source, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    writing.until(lambda: writing.workspace.notes.current.place.path.startswith("tensors/expand"))
    assert not window.central.editing
    writing.until(lambda: (writing.vault / NOTE).read_text("utf-8").endswith("and more"))


def test_the_text_that_is_there_is_counted(run: Any) -> None:
    """Also where nothing has been typed yet, and the label comes later than the text."""
    run.open(NOTE)
    run.window.central.edit(NOTE, 1)
    header = run.window.central.editor.header
    run.until(lambda: any(label.text().endswith(" words") for label in header.findChildren(QLabel)))
