"""Changes of several files as one step, also when the program is killed during one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from kb.errors import KbError, NoteChanged
from kb.files.locks import held
from kb.files.paths import UserPaths
from kb.notes.note import hash_of
from kb.vault.rename import rename_note
from kb.vault.transaction import NewText, Transaction, apply, finish, revert
from kb.vault.vault import Vault
from tests.tally import tally

LINKING = 12
KILLED = """
import os, signal, sys
from pathlib import Path
import kb.files.atomic as atomic
from kb.files.paths import UserPaths
from kb.vault.rename import rename_note
from kb.vault.transaction import apply
from kb.vault.vault import Vault
root, home, last = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
vault = Vault.open(root, places=UserPaths.under(home))
step = rename_note(vault, vault.entry_of("old.md"), "sub/new")
calls = 0
def count(real):
    def call(*given, **named):
        global calls
        calls += 1
        if calls > last:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)
    return call
for name in ("link", "unlink", "replace", "rename", "fsync", "mkdir"):
    setattr(os, name, count(getattr(os, name)))
apply(vault, step)
print(calls)
"""


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with a note and others that link to it."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "old.md").write_text("# Title\n\n[self](old.md)\n", "utf-8")
    for number in range(LINKING):
        (root / f"n{number}.md").write_text(f"# {number}\n\n[[old]] and [it](old.md)\n", "utf-8")
    return Vault.open(root, places=UserPaths.under(tmp_path / "home"))


def state(vault: Vault) -> dict[str, str]:
    """Return the text of every file of the vault."""
    return {path: vault.read(path).text for path in vault.files()}


def renamed(vault: Vault, tmp_path: Path, after: int) -> int | None:
    """Rename the note in a process that is killed after so many system calls; return their number if it lived."""
    line = [sys.executable, "-c", KILLED, str(vault.root), str(tmp_path / "home"), str(after)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return int(done.stdout) if done.returncode == 0 else None


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_at_any_step_it_is_finished(vault: Vault, tmp_path: Path) -> None:
    """Wherever it was killed, the next start has all of it or nothing of it, without leftovers, and can undo it."""
    before = state(vault)
    most = renamed(vault, tmp_path, 10**9)
    assert most is not None
    after = state(vault)
    assert set(after) == (set(before) - {"old.md"}) | {"sub/new.md"}

    assert not any("old" in text for text in after.values())
    tried = 0
    for calls in range(0, most, 1 if "TORCHLEAF_THOROUGH" in os.environ else 7):
        tried += 1
        for path in list(vault.files()):
            (vault.root / path).unlink()
        for path, text in before.items():
            (vault.root / path).write_text(text, "utf-8")
        if renamed(vault, tmp_path, calls) is not None:  # the folders of the user exist now, which saves a few
            assert calls > LINKING
            break
        again = Vault.open(vault.root, places=UserPaths.under(tmp_path / "home"))
        done = finish(again)
        again.sweep()
        assert state(again) == (after if done is not None else before), calls
        assert finish(again) is None
        if done is not None:
            assert done.left == ()
            assert revert(again, done.back).left == ()
            assert state(again) == before, calls
    left = sorted(path.name for path in vault.root.rglob(".*"))
    tally(tried, orphans=len(left))
    assert left == []


def test_what_changed_since_is_left(vault: Vault) -> None:
    """A note that another program changed after the kill keeps its text, and is reported."""
    step = Transaction((("old.md", "new.md"),), (NewText("n0.md", "mine", vault.read("n0.md").hash),))
    _leave_journal(vault, step, [b"before"])
    (vault.root / "n0.md").write_text("theirs", "utf-8")
    done = finish(vault)
    assert done is not None
    assert done.left == ("n0.md",)
    assert vault.read("n0.md").text == "theirs"
    assert (vault.root / "new.md").exists()


def test_a_move_whose_name_was_taken_since_is_left(vault: Vault) -> None:
    """Nothing is overwritten."""
    _leave_journal(vault, Transaction((("old.md", "n1.md"),)), [])
    before = state(vault)
    done = finish(vault)
    assert done is not None
    assert state(vault) == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"moves": [["a"]]}', '{"moves": [], "texts": [{"path": 1}]}'])
def test_a_damaged_journal_is_set_aside(vault: Vault, text: str) -> None:
    """Nothing is done, and the next change works."""
    assert vault.journal is not None
    vault.journal.parent.mkdir(parents=True)
    vault.journal.write_text(text, "utf-8")
    before = state(vault)
    assert finish(vault) is None
    assert state(vault) == before
    assert not vault.journal.exists()
    assert vault.journal.with_suffix(".damaged").read_text("utf-8") == text


def test_a_living_window_is_not_disturbed(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another one is changing files its step is not finished for it, and no second one begins."""
    step = Transaction((("old.md", "new.md"), ("n0.md", "m0.md")))
    _leave_journal(vault, step, [])
    assert vault.journal is not None
    monkeypatch.setattr("kb.vault.journal._PATIENCE", 0.1)
    with held(vault.journal.with_suffix(".lock"), patience=0) as taken:
        assert taken
        assert finish(vault) is None
        with pytest.raises(KbError, match="Another window"):
            apply(vault, Transaction((("n1.md", "m1.md"), ("n2.md", "m2.md"))))
    apply(vault, Transaction((("n1.md", "m1.md"), ("n2.md", "m2.md"))))
    assert {"new.md", "m0.md", "m1.md", "m2.md"} <= set(vault.files())


def test_a_step_that_fails_is_taken_back_with_its_journal(vault: Vault) -> None:
    """The next start has nothing to finish."""
    before = state(vault)
    texts = (NewText("n0.md", "x", vault.read("n0.md").hash), NewText("n1.md", "y", "0"))
    wrong = Transaction((("old.md", "new.md"),), texts)
    with pytest.raises(NoteChanged):
        apply(vault, wrong)
    assert state(vault) == before
    assert finish(vault) is None


def test_undo_is_to_the_byte(vault: Vault) -> None:
    """Also of a note in an old encoding with mixed line ends, written in UTF-8 by the step; also after a kill."""
    old = "caf\xe9 [[old]]\r\nand [it](old.md)\n".encode("cp1252")
    (vault.root / "n0.md").write_bytes(old)
    entry = vault.entry_of("old.md")
    assert entry is not None
    done = apply(vault, rename_note(vault, entry, "新"))
    assert "[[新]]" in (vault.root / "n0.md").read_text("utf-8")
    again = revert(vault, done.back)
    assert (vault.root / "n0.md").read_bytes() == old
    revert(vault, again.back)
    assert "[[新]]" in (vault.root / "n0.md").read_text("utf-8")
    _leave_journal(vault, Transaction(texts=(NewText("n0.md", "x", hash_of(b"never")),)), [old])
    (vault.root / "n0.md").write_text("x", "utf-8")
    finished = finish(vault)
    assert finished is not None
    revert(vault, finished.back)
    assert (vault.root / "n0.md").read_bytes() == old


def test_a_vault_without_folders_of_the_user_has_no_journal(vault: Vault) -> None:
    """As tests and tools open one."""
    bare = Vault.open(vault.root)
    assert bare.journal is None
    apply(bare, Transaction((("old.md", "new.md"), ("n0.md", "m0.md"))))
    assert finish(bare) is None


def _leave_journal(vault: Vault, step: Transaction, before: list[bytes]) -> None:
    """Write the journal as a process that was killed at the start of a step leaves it."""
    assert vault.journal is not None
    vault.journal.parent.mkdir(parents=True, exist_ok=True)
    texts = [
        {"path": one.path, "text": one.text, "expected": one.expected, "data": None, "before": b64encode(old).decode()}
        for one, old in zip(step.texts, before, strict=True)
    ]
    vault.journal.write_text(json.dumps({"moves": step.moves, "texts": texts}), "utf-8")
