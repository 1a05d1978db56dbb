"""Wild snippets and impatient people before the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

import main
from tests.cli.invoke import alive_with, done, start

# --- wild snippets


def test_a_crash_and_its_repetition(vault: str, snippet: Callable[[str], str]) -> None:
    """A segmentation fault has its words, its place in the code, and exit code 139; three of them are three."""
    file = snippet("import ctypes\nprint('a', flush=True)\nctypes.string_at(0)\n")
    code, out, said = done("run", file, "--repeat", "3", "--json", "--vault", vault)
    assert (code, said) == (128 + signal.SIGSEGV, b"")
    for run in json.loads(out)["runs"]:
        assert (run["status"], run["exit_code"]) == ("killed", -signal.SIGSEGV)
        assert "SIGSEGV" in run["reason"]
        assert run["output"].startswith("a\n")


HANG = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99) #", __file__], start_new_session=True)
print("up", flush=True)
time.sleep(99)
"""


@pytest.mark.parametrize("wall", ["--no-isolate", "--isolate"])
def test_a_hang_ends_with_all_it_started(vault: str, snippet: Callable[[str], str], wall: str) -> None:
    """124 after the timeout, also where TERM is ignored; nothing is left."""
    file = snippet(HANG)
    code, out, _ = done("run", file, wall, "--timeout", "1", "--json", "--vault", vault)
    document = json.loads(out)
    if document["status"] == "unavailable":
        pytest.skip(document["reason"])
    assert (code, document["status"], document["output"]) == (124, "timeout", "up\n")
    assert alive_with(file) == []


FLOOD = """
import os, time
end, printed, line = time.monotonic() + 3, 0, (b"x" * 79 + b"\\n") * 800
while time.monotonic() < end:
    printed += os.write({stream}, line)
open({where!r}, "w").write(str(printed))
"""
GAP = re.compile(r"\n⋯ ([\d,]+) B ⋯\n")


@pytest.mark.parametrize(("stream", "quiet"), [(1, True), (2, True), (1, False)])
def test_a_flood(vault: str, tmp_path: Path, snippet: Callable[[str], str], stream: int, *, quiet: bool) -> None:
    """At full speed for 3 s: memory bounded, and what is shown plus what is said to be cut is what was printed."""
    where = tmp_path / "printed"
    file = snippet(FLOOD.format(stream=stream, where=str(where)))
    with start("run", file, "--vault", vault, *(["--json"] if quiet else [])) as process:
        largest = 0
        watched = psutil.Process(process.pid)
        if not quiet:
            os.set_blocking(process.stdout.fileno(), False)  # type: ignore[union-attr]
        pieces: list[bytes] = []
        while process.poll() is None and not (quiet and where.exists()):
            largest = max(largest, watched.memory_info().rss)
            if not quiet:
                pieces.append(process.stdout.read() or b"")  # type: ignore[union-attr]
            time.sleep(0.02)
        rest, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    text = json.loads(rest)["output"] if quiet else b"".join([*pieces, rest or b""]).decode()
    cut = sum(int(count.replace(",", "")) for count in GAP.findall(text))
    printed = int(where.read_text())
    assert printed > 50 << 20
    assert len(GAP.sub("", text)) + cut == printed
    assert largest < 150 << 20


def test_daemons_and_a_killed_parent(vault: str, snippet: Callable[[str], str]) -> None:
    """Double forks in sessions of their own end with the run; a snippet that kills its supervisor ends as killed."""
    fork = (
        "import os, time\nfor _ in range(10):\n    if os.fork() == 0:\n        os.setsid()\n"
        "        if os.fork() == 0: time.sleep(99)\n        os._exit(0)\nprint('left')\n"
    )
    file = snippet(fork)
    code, out, _ = done("run", file, "--json", "--vault", vault)
    assert (code, json.loads(out)["output"]) == (0, "left\n")
    assert alive_with(file) == []
    file = snippet("import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(99)\n")
    code, out, _ = done("run", file, "--json", "--vault", vault)
    assert (code, json.loads(out)["status"]) == (1, "killed")
    assert alive_with(file) == []


def test_output_of_any_bytes(vault: str, snippet: Callable[[str], str]) -> None:
    """Invalid UTF-8, NUL, ANSI and OSC: the document stays one, and valid."""
    file = snippet(r"import os; os.write(1, b'\xff\x1b[31mred\x1b[0m\0\x1b]0;t\x07\r\nend \xe4\xb8')")
    code, out, _ = done("run", file, "--json", "--vault", vault)
    assert (code, json.loads(out)["output"]) == (0, "\ufffd\x1b[31mred\x1b[0m\0\x1b]0;t\x07\r\nend \ufffd")


# --- impatience

UNBEGUN = (b"KeyboardInterrupt\n", b"Fatal Python error: init_import_site")  # Python's own words, before our first line
INTERRUPTED_AFTER = (0.05, 0.15, 0.25, 0.35, 0.45, 0.6, 0.8, 1.0, 1.3)  # seconds: while it imports, starts, runs


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals to a group")
@pytest.mark.parametrize("command", ["run", "show"])
def test_ctrl_c_at_any_moment(vault: str, snippet: Callable[[str], str], command: str) -> None:
    """As the terminal sends it, to every process of the group: at most one word, no traceback, nothing left."""
    file = snippet(HANG)
    forms = {"run": ["run", file], "show": ["show", "a", "--html"]}
    for seconds in INTERRUPTED_AFTER:
        with start(*forms[command], "--vault", vault, start_new_session=True) as process:
            time.sleep(seconds)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            _, said = process.communicate(timeout=20)
        said = said.removeprefix(b"Not isolated: it can reach your files and the network.\n")
        if process.returncode == -signal.SIGINT or said.startswith(UNBEGUN):  # at most the interpreter itself complains
            assert b"main.py" not in said or b"import signal" in said or b'main.py", line 0, in <module>' in said
        else:
            assert (process.returncode, said) in {(main.INTERRUPTED, b"Interrupted.\n"), (0, b"")}
        assert alive_with(file) == []
