"""Isolated runs, with real bubblewrap where it works."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from snippets.process import isolation as module
from snippets.process.connection import CompletedCommand
from snippets.process.isolation import Isolation, isolation
from snippets.supervisor import bubblewrap
from snippets.supervisor.bubblewrap import sandbox_command
from snippets.targets import target

Start = Callable[..., Any]  # a watched run, see conftest.py
Bearing = Callable[[str], list[Any]]

works = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")


@pytest.fixture(autouse=True)
def fresh_probe() -> Iterator[None]:
    """Let each test probe for itself."""
    isolation.cache_clear()
    yield
    isolation.cache_clear()


@works
def test_the_home_folder_is_out_of_sight(start: Start, home: Path) -> None:
    """Keys in it cannot be read, nor those of root and of other users."""
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").write_text("secret")
    code = f"import os\nprint(os.path.exists({str(home / '.ssh')!r}), os.path.exists('/root/.ssh'))"
    outcome = start(code, isolate=True).outcome()
    assert (outcome.status, outcome.output) == ("passed", "False False\n")


@works
def test_a_vault_behind_symbolic_links_can_be_read(start: Start, home: Path, tmp_path: Path) -> None:
    """A link to it, or to a folder above it, in a home folder that the sandbox empties or elsewhere."""
    (tmp_path / "data" / "vault").mkdir(parents=True)
    (tmp_path / "data" / "vault" / "note.md").write_text("text")
    (tmp_path / "relative").symlink_to("data")
    (home / "notes").symlink_to(tmp_path / "relative" / "vault")
    for vault in (home / "notes", tmp_path / "relative" / "vault"):
        code = f"from pathlib import Path\nprint(Path({str(vault)!r}, 'note.md').read_text())"
        outcome = start(code, isolate=True, vault=vault).outcome()
        assert (outcome.status, outcome.output) == ("passed", "text\n"), outcome.reason


@works
def test_nothing_outside_can_be_written(start: Start, tmp_path: Path) -> None:
    """The vault can be read and not written; the scratch folder can."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text("text")
    code = (
        "import sys\nfrom pathlib import Path\n"
        f"print(Path({str(vault / 'note.md')!r}).read_text())\n"
        f"for place in ({str(vault)!r}, '/etc', '/usr', sys.prefix):\n"
        "    try:\n        Path(place, 'new').write_text('x')\n        print('written', place)\n"
        "    except OSError as error:\n        print(error.errno)\n"
        "Path('mine').write_text('x')"
    )
    outcome = start(code, isolate=True, vault=vault).outcome()
    assert outcome.output == "text\n30\n30\n30\n30\n"
    assert [artifact.path.name for artifact in outcome.artifacts] == ["mine"]


@works
def test_no_network_but_loopback(start: Start) -> None:
    """Nothing outside is reached; a server of the run's own is."""
    code = (
        "import socket\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname()).close()\nprint('loopback')\n"
        "try:\n    socket.create_connection(('192.0.2.1', 80), 1)\nexcept OSError as error:\n    print(error.errno)"
    )
    assert start(code, isolate=True).outcome().output == "loopback\n101\n"


@works
def test_it_sees_its_own_processes_only(start: Start) -> None:
    """Killing all it can see does not reach the window."""
    code = (
        "import os, subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(len([p for p in os.listdir('/proc') if p.isdigit()]) < 6)\nos.kill(-1, 9)"
    )
    outcome = start(code, isolate=True).outcome()
    assert (outcome.status, outcome.output) == ("passed", "True\n")
    assert start("print('alive')", isolate=True).outcome().output == "alive\n"


@works
def test_shared_memory_has_a_size(start: Start) -> None:
    """It cannot eat the machine's memory."""
    code = "import os\ns = os.statvfs('/dev/shm')\nprint(s.f_frsize * s.f_blocks)"
    assert start(code, isolate=True).outcome().output == f"{1 << 30}\n"


@works
@pytest.mark.parametrize(
    ("code", "status", "exit_code"),
    [("import sys; sys.exit(7)", "failed", 7), ("import ctypes; ctypes.string_at(0)", "killed", -11)],
)
def test_the_true_end_comes_through(code: str, status: str, exit_code: int, start: Start) -> None:
    """Exit codes and signals are those of the snippet, not of bubblewrap."""
    outcome = start(code, isolate=True).outcome()
    assert (outcome.status, outcome.exit_code) == (status, exit_code)


@works
def test_stop_gives_a_grace_and_leaves_nothing(start: Start, bearing: Bearing) -> None:
    """The snippet is asked to end before the sandbox is closed, and then all its processes are gone."""
    code = (
        "import os, signal, subprocess, sys, time\n"
        "def end(*_):\n    open('checkpoint', 'w').write('saved')\n    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(120)'], start_new_session=True)\n"
        "print('ready')\ntime.sleep(120)"
    )
    watched = start(code, isolate=True)
    watched.wait_for("ready")
    watched.run.stop()
    outcome = watched.outcome()
    assert outcome.status == "stopped"
    assert [artifact.path.read_text() for artifact in outcome.artifacts] == ["saved"]
    assert bearing(outcome.run_id) == []


@works
def test_a_timeout_holds_behind_walls(start: Start, bearing: Bearing) -> None:
    """As in front of them."""
    outcome = start("while True: pass", isolate=True, timeout=0.5).outcome()
    assert outcome.status == "timeout"
    assert bearing(outcome.run_id) == []


def test_asked_for_and_not_there(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is unavailable with the reason; it never runs without isolation instead."""
    missing = Isolation(available=False, reason_en="No bubblewrap.", reason_zh="没有 bubblewrap。")
    monkeypatch.setattr(target, "isolation", lambda: missing)
    outcome = start("print('ran')", isolate=True).outcome()
    assert (outcome.status, outcome.output) == ("unavailable", "")
    assert (outcome.reason_en, outcome.reason_zh) == ("No bubblewrap.", "没有 bubblewrap。")


def test_bubblewrap_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason says how to get it."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert "apt-get install bubblewrap" in str(isolation().reason_en)


def test_bubblewrap_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system does not let it work the reason tells the system's words; they are asked for once."""
    asked: list[object] = []

    def refuse(*command: object, **_: object) -> CompletedCommand:
        asked.append(command)
        return CompletedCommand(1, "", "bwrap: setting up uid map: denied", "")

    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/bwrap")
    monkeypatch.setattr(module, "run_to_end", refuse)
    assert not isolation().available
    assert "uid map: denied" in str(isolation().reason_en)
    assert "denied" in str(isolation().reason_zh)
    assert len(asked) == 1


def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS and Windows there is a sentence instead."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not isolation().available


@pytest.mark.parametrize(("code", "reached"), [(4, "kernel"), (5, "home"), (6, "network"), (7, "system")])
def test_a_sandbox_that_does_not_hold(code: int, reached: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is called isolated if the probe inside reached what it should not."""
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/bwrap")
    monkeypatch.setattr(module, "run_to_end", lambda *_, **__: CompletedCommand(code, "", "", ""))
    assert not isolation().available
    assert reached in str(isolation().reason_en)


@works
@pytest.mark.parametrize(("hole", "reached"), [("home", "home folder"), ("network", "network")])
def test_the_probe_finds_what_is_open(hole: str, reached: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with a hole in the sandbox the probe says what can be reached."""
    (home / "key").touch()
    command = bubblewrap.probe_command()
    if hole == "home":
        command += ["--ro-bind", str(home), str(home)]
    else:
        command.remove("--unshare-net")
    monkeypatch.setattr(module, "probe_command", lambda: command)
    assert not isolation().available
    assert reached in str(isolation().reason_en)


def test_the_nodes_of_the_chosen_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run on CUDA gets the driver's nodes, a run on the CPU none."""
    real = Path.glob
    monkeypatch.setattr(Path, "glob", lambda self, p: [Path("/dev/nvidia0")] if p == "nvidia*" else real(self, p))
    commands = [
        sandbox_command(writable=[tmp_path], visible=[], settings=tmp_path / device, device=device, links={})
        for device in ("cuda:0", "cpu")
    ]
    at = commands[0].index("--dev-bind")
    assert commands[0][at : at + 3] == ["--dev-bind", "/dev/nvidia0", "/dev/nvidia0"]
    assert "--dev-bind" not in commands[1]


def test_the_plain_way_hides_nothing(home: Path) -> None:
    """The control: without isolation the same code finds the keys."""
    (home / "id_rsa").write_text("secret")
    done = subprocess.run(
        [sys.executable, "-c", f"print(open({str(home / 'id_rsa')!r}).read())"], capture_output=True, check=True
    )
    assert done.stdout == b"secret\n"
