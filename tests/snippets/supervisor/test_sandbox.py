"""Sandboxes without a run, and a fork that joins one, as root and as an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from snippets.process import isolation
from snippets.supervisor import process_tree as module_tree
from snippets.supervisor import sandbox as module
from snippets.supervisor.bubblewrap import sandbox_command
from snippets.supervisor.frame_protocol import pack, read_frame
from snippets.supervisor.sandbox import Sandbox

SOURCE = Path(module.__file__).parent
SYSTEM = Path("/usr/bin/python3")
NOBODY = 65534

pytestmark = pytest.mark.skipif(not isolation.isolation().available, reason="bubblewrap does not work here")

TORCH = "import ctypes, multiprocessing, socket\nclass default_generator:\n    seed = staticmethod(lambda: 0)\n"
CODE = """
import torch, os, sys
print(os.getuid(), [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")])
inside = {line.split()[0] for line in open("/proc/self/mountinfo")}
def is_inside(handle):
    return any(line.split()[1] in inside for line in open(f"/proc/self/fdinfo/{handle}") if line.startswith("mnt_id"))
handles = [name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
print(sorted(name for name in handles if not is_inside(name)), [p for p in os.listdir("/proc") if p.isdigit()])
for path in ("/usr/new", "/proc/self/exe"):
    try:
        open(path, "r+b")
    except OSError as error:
        print(type(error).__name__)
open("file", "w").close()
sys.exit(5)
"""


def _ready(folder: Path) -> dict[str, Any]:
    """Give the system's Python a small torch, and return the request to keep it warm."""
    package = folder / "packages" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(TORCH)
    shutil.copytree(SOURCE, folder / "snippets" / "supervisor", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "snippets" / "__init__.py").touch()
    return {
        "do": "warm",
        "key": "key",
        "python": str(SYSTEM),
        "env": {},
        "sealed": True,
        "startup": f"import sys\nsys.path.append({str(package.parent)!r})\n",
    }


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("user", [0, NOBODY], ids=["root", "ordinary"])
def test_a_fork_is_put_behind_walls(user: int, common_ground: Path) -> None:
    """For root and for an ordinary user: forked outside, it is inside without a power, and its exit code comes out."""
    folder = common_ground
    ready = _ready(folder)
    runs = folder / "runs"
    runs.mkdir()
    os.chown(runs, user, user)
    request = {
        "do": "run",
        "run": "r",
        "python": str(SYSTEM),
        "args": [],
        "program": None,
        "name": "code.py",
        "modules": {},
        "env": {"PYTHONPATH": str(folder / "packages")},
        "device": "cpu",
        "isolate": True,
        "asks": False,
        "keep": True,
        "visible": [str(folder / "packages")],
        "timeout": 30,
        "warm": "key",
    }
    program = [str(SYSTEM), "-I", str(folder / "snippets" / "supervisor" / "__main__.py"), str(runs)]
    with subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        user=user,
        group=user,
        extra_groups=[],
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(pack(ready))
        assert read_frame(process.stdout.fileno()) == ({"is": "warm", "key": "key", "error": ""}, b"")
        process.stdin.write(pack(request, CODE.encode()))
        reports: list[tuple[dict[str, Any], bytes]] = []
        while not reports or reports[-1][0]["is"] != "finished":
            reports.append(read_frame(process.stdout.fileno()) or ({"is": "finished"}, b""))
        process.stdin.close()
    assert reports[0][0].get("warm"), reports[0][0]
    assert (reports[-1][0]["why"], reports[-1][0]["exit_code"], reports[-1][0]["wrapped"]) == ("exit", 5, False)
    printed = b"".join(data for header, data in reports if header["is"] == "output").decode().splitlines()
    assert printed[0] == "1000 ['0000000000000000']"
    assert printed[1] == "['0', '1', '2'] ['1', '2', '3']"
    assert printed[2:] == ["FileNotFoundError", "OSError"]
    assert [header["path"] for header, _ in reports if header["is"] == "artifact"] == ["file"]


def test_walls_that_do_not_stand(tmp_path: Path) -> None:
    """A command that fails is an error; nothing is left open or alive."""
    before, known = len(list(Path("/proc/self/fd").iterdir())), _wrappers()
    with pytest.raises(OSError, match="not ready"):
        Sandbox(["bwrap", "--no-such-option"], {"PATH": os.defpath})
    with pytest.raises(FileNotFoundError):
        Sandbox([str(tmp_path / "none")], {})
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert _take_note(known) == 1


def _wrappers() -> set[psutil.Process]:
    """Return the wrappers, those too that have ended."""
    return {one for one in psutil.Process().children() if one.status() == "zombie" or one.name() == "bwrap"}


def _take_note(known: set[psutil.Process]) -> int:
    """Wait for the wrappers to end, as the service does; say how many there were besides these."""
    return len([one for one in _wrappers() - known if one.wait(10) is not None])


def test_walls_fall(tmp_path: Path) -> None:
    """A sandbox exists without a run inside, and closing it ends it at once."""
    known = _wrappers()
    command = sandbox_command(writable=[tmp_path], visible=[], settings=tmp_path / "etc", device="cpu", links={})
    walls = Sandbox(command, {"PATH": os.defpath})
    handles = walls.openings()
    assert {"ipc", "uts", "net", "pid", "cgroup", "mnt"} <= {
        Path(f"/proc/self/fd/{handle}").readlink().name.partition(":")[0] for handle in handles
    }
    for handle in handles:
        os.close(handle)
    assert len(walls.processes) == 3
    walls.close()
    assert _take_note(known) == 1
    deadline = time.monotonic() + 5
    while module_tree._processes().keys() & walls.processes:
        assert time.monotonic() < deadline
