"""Each write, sync and rename of the system fails in turn: notes stay whole, and what was said to be saved is there.

strace makes the calls fail, below Python and SQLite. TORCHLEAF_THOROUGH tries every call with every error.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kb.files.paths import UserPaths
from kb.vault.transaction import finish
from kb.vault.vault import Vault
from tests.tally import tally

ROOT = Path(__file__).parents[3]
THOROUGH = "TORCHLEAF_THOROUGH" in os.environ
OLD, NEW = "# Old\n\n[[other]]\n", "# New\n\nlonger than before\n"
MOST = 60  # calls of a kind in one action
CALLS = {
    "write": "write,pwrite64,writev,sendfile,copy_file_range",
    "sync": "fsync,fdatasync",
    "rename": "rename,renameat,renameat2,link,linkat,unlink,unlinkat",
    "open": "mkdir,mkdirat,ftruncate,fchmod,fchown,fsetxattr",
}
ERRORS = ("EIO", "ENOSPC", "EROFS") if THOROUGH else ("ENOSPC",)
STEP = 1 if THOROUGH else 3
ACTIONS = {
    "save": "vault.save('n.md', NEW, expected_hash=vault.read('n.md').hash)",
    "new": "vault.save('new.md', NEW, expected_hash=None)",
    "rename": "apply(vault, rename_note(vault, vault.entry_of('other.md'), 'sub/another'))",
    "discard": "vault.discard('n.md')",
    "draft": "Drafts(places.for_vault(root).drafts).keep('n.md', NEW, base_hash=None)",
    "import": "import_folder(vault, root.parent / 'source', 'brought')",
}
PROGRAM = """
import logging, os, sys
from pathlib import Path
logging.disable()
from kb.errors import KbError
from kb.files.paths import UserPaths
from kb.vault.drafts import Drafts
from kb.vault.note_import import import_folder
from kb.vault.rename import rename_note
from kb.vault.transaction import apply
from kb.vault.vault import Vault
NEW = "# New\\n\\nlonger than before\\n"
root, places = Path(sys.argv[1]), UserPaths.under(Path(sys.argv[2]))
vault = Vault.open(root, places=places)
try:
    {action}
    said = 0
except KbError:
    said = 3
os._exit(said)
"""

pytestmark = pytest.mark.skipif(
    shutil.which("strace") is None
    or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False, capture_output=True).returncode != 0,
    reason="needs strace, and the right to use it",
)


@dataclass(frozen=True)
class Fault:
    """One call that failed: what was done, which call, its number and error, and how the program ended."""

    action: str
    calls: str
    number: int
    error: str
    code: int


def prepared(folder: Path) -> Path:
    """Make a vault of a few notes, and a folder to import; return its root."""
    root = folder / "vault"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "source" / "sub").mkdir(parents=True)
    (folder / "source" / "a.md").write_text(NEW)
    (folder / "source" / "sub" / "b.md").write_text(NEW)
    root.mkdir()
    (root / "n.md").write_text(OLD)
    (root / "other.md").write_text("# Other\n")
    (root / "m.md").write_text(OLD)
    return root


def failed(action: str, root: Path, calls: str, number: int, error: str) -> Fault | None:
    """Do something while one call fails; None if there is no such call any more."""
    script = PROGRAM.replace("{action}", ACTIONS[action])
    trace = root.parent / "trace"
    inject = f"inject={CALLS[calls]}:error={error}:when={number}"
    command = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={CALLS[calls]}", "-e", inject]
    program = [sys.executable, "-B", "-c", script, str(root), str(root.parent / "home")]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run([*command, *program], cwd=ROOT, env=plain, capture_output=True, timeout=60, check=False)
    if "(INJECTED)" not in trace.read_text():
        return None
    assert done.returncode in (0, 3), (action, calls, number, error, done.stderr.decode()[-800:])
    return Fault(action, calls, number, error, done.returncode)


def faults(action: str, folder: Path) -> Iterator[tuple[Fault, Path]]:
    """Yield each fault of an action with the vault that it has left."""
    for calls in CALLS:
        for error in ERRORS:
            for number in range(1, MOST, STEP):
                root = prepared(folder)
                fault = failed(action, root, calls, number, error)
                if fault is None:
                    break
                yield fault, root


def texts(root: Path) -> dict[str, str]:
    """Return the notes of a vault after a start: interrupted changes finished, leftovers swept."""
    vault = Vault.open(root, places=UserPaths.under(root.parent / "home"))
    finish(vault)
    vault.sweep()
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


BEFORE = {"m.md": OLD, "n.md": OLD, "other.md": "# Other\n"}
AFTER = {
    "save": BEFORE | {"n.md": NEW},
    "new": BEFORE | {"new.md": NEW},
    "rename": {"m.md": OLD.replace("other", "sub/another"), "n.md": OLD.replace("other", "sub/another")}
    | {"sub/another.md": "# Other\n"},
    "discard": {"m.md": OLD, "other.md": "# Other\n"},
    "draft": BEFORE,
}


@pytest.mark.parametrize("action", AFTER)
def test_whatever_fails_it_is_done_or_not(action: str, tmp_path: Path) -> None:
    """The notes are as before or as after; as after if the program said so. A note is never in neither place."""
    wrong, tried = [], 0
    for fault, root in faults(action, tmp_path / "f"):
        tried += 1
        found = texts(root)
        home = UserPaths.under(root.parent / "home").for_vault(root)
        kept = [path.read_text() for path in home.trash.rglob("*.md")]
        whole = found in (BEFORE, AFTER[action]) and (action != "discard" or "n.md" in found or OLD in kept)
        drafted = NEW in "".join(json.loads(path.read_text())["text"] for path in home.drafts.glob("*.json"))
        if not whole or (fault.code == 0 and (found != AFTER[action] or (action == "draft" and not drafted))):
            wrong.append((fault, found))
    tally(tried, lost=len(wrong))
    assert tried > 1
    assert wrong == []


def test_an_import_leaves_whole_notes_only(tmp_path: Path) -> None:
    """What came in is complete, what was there is untouched, whichever call fails."""
    wrong, tried = [], 0
    for fault, root in faults("import", tmp_path / "f"):
        tried += 1
        found = texts(root)
        brought = {path: text for path, text in found.items() if path.startswith("brought")}
        if {path: text for path, text in found.items() if path not in brought} != BEFORE:
            wrong.append((fault, found))
        if set(brought.values()) - {NEW}:
            wrong.append((fault, found))
    tally(tried, torn=len(wrong))
    assert tried > 1
    assert wrong == []


def test_the_control(tmp_path: Path) -> None:
    """A program that writes in place leaves a note that is neither the old nor the new one."""
    root = prepared(tmp_path / "f")
    script = f"import os; os.write(os.open(r'{root / 'n.md'}', os.O_WRONLY | os.O_TRUNC), {NEW.encode()!r})"
    inject = ["-e", "trace=write", "-e", "inject=write:error=ENOSPC:when=1"]
    subprocess.run(
        ["strace", "-qq", "-o", str(tmp_path / "t"), *inject, sys.executable, "-B", "-c", script],
        check=False,
        capture_output=True,
    )
    assert (root / "n.md").read_text() not in (OLD, NEW)
