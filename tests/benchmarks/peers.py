"""How soon the window shows the note of last time, and how much memory it takes: at most 0.5 s and 140 MB (RSS).

Zim, a desktop notebook that is known to be quick, is measured for comparison where it is installed (`apt-get install
zim`). Both programs start in turn on one virtual screen (Xvfb) with a warm disk, each on a notebook that it knows. The
page is shown when a window of the screen has its title, which both programs set at that moment; the screen is polled
every 5 ms. Memory is that of the process with the window, once it is idle: RSS counts shared pages in full, PSS in
part, USS not at all. Each bound is printed with PASS or FAIL.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
OURS = "Torchleaf"
ROUNDS = 5
PATIENCE = 60.0  # seconds for a window to come
REST = 6.0  # seconds after it until the memory is read
LOOK = 0.005  # seconds between two looks at the screen
MOST_SECONDS, MOST_MEMORY = 0.5, 140  # until the page is shown, as a median; MB of RSS
NEEDED = ("Xvfb", "xwininfo")
HOME_TXT = "Content-Type: text/x-zim-wiki\nWiki-Format: zim 0.6\n\n====== Patience ======\nA page of **text**.\n"


@dataclass(frozen=True)
class Peer:
    """A program: its name, how it is started, and what its window is called once the page is shown."""

    name: str
    command: tuple[str, ...]
    title: str


@dataclass(frozen=True)
class Start:
    """How long one start took, on the clock and in work, in seconds, and its memory in MB by kind."""

    seconds: float
    worked: float
    memory: tuple[float, float, float]


def notebook(home: Path) -> Path:
    """Write a notebook of one page for each of the two programs; return ours."""
    zim, ours = home / "zim", home / "vault"
    for folder in (zim, ours):
        folder.mkdir()
    (zim / "notebook.zim").write_text("[Notebook]\nversion=0.4\nname=zim\nhome=Patience\n", "utf-8")
    (zim / "Patience.txt").write_text(HOME_TXT, "utf-8")
    (ours / "patience.md").write_text("# Patience\n\nA page of **text**.\n", "utf-8")
    return ours


def peers(home: Path) -> list[Peer]:
    """Return Torchleaf, and Zim where it is installed, each on its notebook."""
    ours = notebook(home)
    found = [Peer(OURS, (sys.executable, str(ROOT / "main.py"), "gui", "--vault", str(ours)), "Patience \u2014")]
    if shutil.which("zim"):
        found.append(Peer("Zim", ("zim", "--standalone", str(home / "zim")), "Patience - "))
    return found


@contextmanager
def screen() -> Iterator[str]:
    """Give the name of a virtual screen."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def start(peer: Peer, environment: dict[str, str]) -> Start:
    """Start a program, wait until its page is shown, let it come to rest, and end it."""
    began = time.monotonic()
    program = subprocess.Popen(peer.command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    known = psutil.Process(program.pid)
    try:
        while f'"{peer.title}' not in windows(environment):
            if time.monotonic() - began > PATIENCE or program.poll() is not None:
                raise SystemExit(f"{peer.name} showed no window with its page in {PATIENCE:.0f} s.")
            time.sleep(LOOK)
        seconds = time.monotonic() - began
        spent = known.cpu_times()
        time.sleep(REST)
        memory = known.memory_full_info()
    finally:
        program.terminate()
        program.wait(timeout=30)
    return Start(seconds, spent.user + spent.system, (memory.rss / 1e6, memory.pss / 1e6, memory.uss / 1e6))


def windows(environment: dict[str, str]) -> str:
    """Return what windows there are on the screen, with their titles."""
    asked = ["xwininfo", "-root", "-tree", "-display", environment["DISPLAY"]]
    return subprocess.run(asked, env=environment, capture_output=True, check=False).stdout.decode("utf-8", "replace")


def surroundings(home: Path, display: str) -> dict[str, str]:
    """Return an environment with a home of its own; Python keeps what it has compiled, as it does for users."""
    strange = ("PYTHONDONTWRITEBYTECODE", "WAYLAND_DISPLAY")
    plain = {key: value for key, value in os.environ.items() if key not in strange}
    kept = {name: str(home / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    own = {"HOME": str(home), "TORCHLEAF_HOME": str(home), "PYTHONPYCACHEPREFIX": str(home / "compiled")}
    return {**plain, **kept, **own, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "NO_AT_BRIDGE": "1"}


def main() -> None:
    """Measure the programs in turn, after a first start of each."""
    if lacking := [name for name in NEEDED if shutil.which(name) is None]:
        print(f"Left out: there is no {', no '.join(lacking)} here (apt-get install xvfb x11-utils).")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, screen() as display:
        home = Path(folder)
        found, known = peers(home), surroundings(home, display)
        for peer in found:
            start(peer, known)
        starts: dict[str, list[Start]] = {peer.name: [] for peer in found}
        for _ in range(ROUNDS):
            for peer in found:
                starts[peer.name].append(start(peer, known))
    print(f"from the start of the process to the page, {ROUNDS} starts of each in turn after a first one")
    print(f"{'':12}{'median':>9}{'least':>9}{'work':>9}  s {'RSS':>9}{'PSS':>9}{'USS':>9}  MB")
    for name, row in starts.items():
        seconds = [one.seconds for one in row]
        rss, pss, uss = (statistics.median(one.memory[kind] for one in row) for kind in range(3))
        worked = statistics.median(one.worked for one in row)
        clock = f"{statistics.median(seconds):9.2f}{min(seconds):9.2f}{worked:9.2f}"
        print(f"{name:12}{clock}  s {rss:9.0f}{pss:9.0f}{uss:9.0f}  MB")
    say("seconds until the page is shown", statistics.median(one.seconds for one in starts[OURS]), MOST_SECONDS)
    say("MB of RSS", statistics.median(one.memory[0] for one in starts[OURS]), MOST_MEMORY)


def say(what: str, value: float, most: float) -> None:
    """Print a measured value with its bound."""
    print(f"{'PASS' if value <= most else 'FAIL'}  {what}: {value:.2f} (at most {most})", flush=True)


if __name__ == "__main__":
    main()
