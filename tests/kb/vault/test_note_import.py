"""What note_import promises: notebooks and folders of other programs come in whole, and nothing is overwritten."""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

from kb.errors import AlreadyInVault, KbError, NotText, OutsideVault
from kb.notes.note import parse
from kb.notes.notebook_export import to_notebook
from kb.vault.note_import import from_notebook, import_file, import_folder
from kb.vault.vault import Vault
from tests.kb.vault_helpers import MakeVault, state
from tests.tally import tally

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def _notebook() -> bytes:
    attached = {"a.png": {"image/png": base64.b64encode(PNG).decode()}}
    outputs = [
        new_output("stream", name="stdout", text="one\n"),
        new_output("execute_result", data={"text/plain": "2"}),
        new_output("display_data", data={"image/png": base64.b64encode(PNG).decode(), "text/plain": "<Figure>"}),
        new_output("error", ename="E", evalue="v", traceback=["\x1b[31mE\x1b[0m: v"]),
    ]
    cells = [
        new_markdown_cell("# 标题\n\n![x](attachment:a.png)", attachments=attached),
        new_code_cell("print('one')\n2", outputs=outputs),
        new_code_cell("%matplotlib inline"),
        new_code_cell(""),
        new_raw_cell("raw ``` text"),
    ]
    return nbformat.writes(new_notebook(cells=cells)).encode()  # type: ignore[no-any-return]


def test_a_notebook_becomes_a_note() -> None:
    """Prose, code, what it printed and what it drew, in order; magics are shown and not run."""
    note = from_notebook(_notebook(), "my book")
    assert note.text == (
        "# 标题\n\n![x](my-book-1.png)\n\n```python\nprint('one')\n2\n```\n\n```output\none\n2\nE: v\n```\n\n"
        "![](my-book-2.png)\n\n```text\n%matplotlib inline\n```\n\n````text\nraw ``` text\n````\n"
    )
    assert note.pictures == {"my-book-1.png": PNG, "my-book-2.png": PNG}
    fences = parse("a.md", note.text.encode()).fences
    assert [fence.output for fence in fences if fence.runnable] == ["one\n2\nE: v\n"]


def test_what_was_exported_comes_back() -> None:
    """A note that goes out as a notebook and in again has the same prose, code and recorded output."""
    text = "# A\n\nProse.\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\nMore.\n"
    note = to_notebook(parse("a.md", text.encode()))
    assert from_notebook(note.encode(), "a").text == text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,  # too deep
        b'{"cells": 3, "nbformat": 4, "nbformat_minor": 5}',
        b'{"cells": [{"cell_type": null}]}',  # an UnboundLocalError of nbformat
        b'{"cells": [{"cell_type": "markdown"}]}',
        b'{"worksheets": [{"cells": [{"cell_type": "code", "outputs": [{}]}]}], "nbformat": 3}',
    ],
    ids=lambda data: data[:50],
)
def test_what_is_no_notebook_is_said_to_be_none(data: bytes) -> None:
    """With one kind of error, whatever is wrong with it."""
    with pytest.raises(NotText):
        from_notebook(data, "x")


@given(
    st.recursive(
        st.none() | st.text(max_size=5) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["cells", "cell_type", "source", "outputs", "metadata", "nbformat", "nbformat_minor", "data"]
                ),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_no_document_stops_the_program(document: object) -> None:
    """Any JSON is a notebook or a sentence."""
    try:
        from_notebook(json.dumps(document).encode(), "x")
    except NotText:
        return


def test_a_folder_in_old_encodings_comes_in_as_utf8(make_vault: MakeVault, tmp_path: Path) -> None:
    """Folders and pictures stay, GB18030 becomes UTF-8, and what cannot be read is named with its reason."""
    vault = make_vault({"old/a.md": "mine"})
    source = tmp_path / "source"
    (source / "sub" / ".git").mkdir(parents=True)
    (source / "a.md").write_bytes("# 张量与梯度的笔记\r\n这里写的是中文内容。\r\n".encode("gb18030"))
    (source / "sub" / "b.zh.txt").write_text("乙")
    (source / "sub" / "p.png").write_bytes(PNG)
    (source / "sub" / ".git" / "c.md").write_text("no")
    (source / "book.ipynb").write_bytes(_notebook())
    (source / "bad.ipynb").write_bytes(b"{")
    (source / "bin.md").write_bytes(b"\0\1\2\xff" * 9)
    (source / "other.pdf").write_bytes(b"%PDF")
    done = import_folder(vault, source, "old")
    assert sorted(done.paths) == [
        "old/a-2.md",
        "old/book-1.png",
        "old/book-2.png",
        "old/book.md",
        "old/sub/b.zh.txt",
        "old/sub/p.png",
    ]
    assert sorted(name for name, _ in done.left) == ["bad.ipynb", "bin.md"]
    after = state(vault.root)
    assert after["old/a.md"] == b"mine"
    assert after["old/a-2.md"].decode("utf-8") == "# 张量与梯度的笔记\r\n这里写的是中文内容。\r\n"


def test_links_out_of_an_imported_folder_are_left_out(make_vault: MakeVault, tmp_path: Path) -> None:
    """A link in it must not bring in a file that was not offered; links within it come in as what they lead to."""
    vault = make_vault({"old/a.md": "mine"})
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("KEY")
    (source / "sub" / "real.md").write_text("text")
    (source / "key.md").symlink_to(tmp_path / "secret")
    (source / "picture.png").symlink_to(tmp_path / "secret")
    (source / "alias.md").symlink_to(source / "sub" / "real.md")
    (source / "folder").symlink_to(tmp_path)
    done = import_folder(vault, source, "new")
    assert sorted(done.paths) == ["new/alias.md", "new/sub/real.md"]
    assert sorted(name for name, _ in done.left) == ["key.md", "picture.png"]
    assert not any(b"KEY" in data for data in state(vault.root).values())


def test_one_file_comes_in_under_a_name_of_its_own(make_vault: MakeVault, tmp_path: Path) -> None:
    """The language stays at the end of a name that is taken; a script becomes a note; nothing leads out."""
    vault = make_vault({"a.zh.md": "mine"})
    (tmp_path / "a.zh.md").write_text("theirs")
    (tmp_path / "notes.text").write_text("plain")
    assert import_file(vault, tmp_path / "a.zh.md").paths == ("a-2.zh.md",)
    assert import_file(vault, tmp_path / "notes.text").paths == ("notes.md",)
    with pytest.raises(OutsideVault):
        import_file(vault, tmp_path / "notes.text", "../out")
    with pytest.raises(KbError):
        import_file(vault, tmp_path / "absent.md")
    assert not (tmp_path / "out").exists()


def test_a_vault_is_not_brought_into_itself(make_vault: MakeVault, tmp_path: Path) -> None:
    """Neither its folder nor one in it, by whatever way; of a folder around it only what lies beside the vault."""
    vault = make_vault({"a.md": "mine", "in/b.md": "mine"})
    (tmp_path / "way").symlink_to(vault.root, target_is_directory=True)
    before = state(vault.root)
    for place in (vault.root, vault.root / "in", tmp_path / "way"):
        with pytest.raises(AlreadyInVault):
            import_folder(vault, place, "in")
    assert state(vault.root) == before
    around = vault.root.parent
    (around / "beside.md").write_text("theirs")
    assert import_folder(vault, around, "new").paths == ("new/beside.md",)


IMPORTING = """
import sys
from pathlib import Path
from kb.vault.note_import import import_folder
from kb.vault.vault import Vault
print("begun", flush=True)
import_folder(Vault.open(Path(sys.argv[1])), Path(sys.argv[2]), "brought")
"""
KILLS = int(os.environ.get("TORCHLEAF_IMPORT_KILLS", "5"))


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_killed_import_leaves_whole_files(tmp_path: Path) -> None:
    """Killed at any moment: what came in is complete, leftovers are swept, and a second import brings the rest."""
    source, root = tmp_path / "source", tmp_path / "vault"
    root.mkdir()
    for number in range(120):
        place = source / f"part{number % 7}" / f"n{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# {number}\n\n{'words ' * 400}\n")
    (source / "book.ipynb").write_bytes(_notebook())
    luck, torn, met = random.Random(3), 0, 0
    for _ in range(KILLS):
        command = [sys.executable, "-c", IMPORTING, str(root), str(source)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(luck.uniform(0, 0.25))
            child.kill()
        met += child.returncode == -signal.SIGKILL
        vault = Vault.open(root)
        vault.sweep()
        found = {path for path in root.rglob("*") if path.is_file()}
        for path in found - {path for path in found if path.name.startswith("book")}:
            original = source / path.relative_to(root / "brought")
            torn += not original.exists() or path.read_bytes() != original.read_bytes()
        shutil.rmtree(root / "brought", ignore_errors=True)
    tally(KILLS, torn=torn)
    assert met > 0
    assert torn == 0
    assert len(import_folder(Vault.open(root), source, "brought").paths) >= 121
