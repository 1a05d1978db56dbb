"""How soon the window shows the note of last time, and what memory it takes, beside Zim on the same screen.

Zim is a notebook for the desktop that is known to be quick; Debian and Ubuntu have it (`apt-get install zim`). Both are
started in turn on one virtual screen (Xvfb), the disk warm, each on a notebook that it knows, and a look at the
screen's windows tells when one of them bears the title of its page: both set it when the page is there. A look every
5 ms is part of what is measured, for both alike. Memory is that of the process with the window, once it has come to
rest: RSS counts what several processes share in full, PSS in part, USS not at all.
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
ROUNDS = 5
PATIENCE = 60.0  # seconds for a window to come
REST = 6.0  # seconds after it until the memory is read
LOOK = 0.005  # seconds between two looks at the screen
NEEDED = ("zim", "Xvfb", "xwininfo")
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
    """Write a notebook for each of the two, of one page."""
    zim, ours = home / "zim", home / "vault"
    for folder in (zim, ours):
        folder.mkdir()
    (zim / "notebook.zim").write_text("[Notebook]\nversion=0.4\nname=zim\nhome=Patience\n", "utf-8")
    (zim / "Patience.txt").write_text(HOME_TXT, "utf-8")
    (ours / "patience.md").write_text("# Patience\n\nA page of **text**.\n", "utf-8")
    return ours


def peers(home: Path) -> tuple[Peer, Peer]:
    """Return the two programs, each on its notebook."""
    ours = notebook(home)
    return (
        Peer("Torchleaf", (sys.executable, str(ROOT / "main.py"), "gui", "--vault", str(ours)), "Patience \u2014"),
        Peer("Zim", ("zim", "--standalone", str(home / "zim")), "Patience - "),
    )


@contextmanager
def screen() -> Iterator[str]:
    """Give the name of a virtual screen."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(writing,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
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
    """Measure both in turn, after a first start of each."""
    if lacking := [name for name in NEEDED if shutil.which(name) is None]:
        print(f"Left out: there is no {', no '.join(lacking)} here (apt-get install zim xvfb x11-utils).")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, screen() as display:
        home = Path(folder)
        both, known = peers(home), surroundings(home, display)
        for peer in both:
            start(peer, known)
        starts: dict[str, list[Start]] = {peer.name: [] for peer in both}
        for _ in range(ROUNDS):
            for peer in both:
                starts[peer.name].append(start(peer, known))
    print(f"from the start of the process to the page, {ROUNDS} starts of each in turn after a first one")
    print(f"{'':12}{'median':>9}{'least':>9}{'work':>9}  s {'RSS':>9}{'PSS':>9}{'USS':>9}  MB")
    for name, row in starts.items():
        seconds = [one.seconds for one in row]
        rss, pss, uss = (statistics.median(one.memory[kind] for one in row) for kind in range(3))
        worked = statistics.median(one.worked for one in row)
        clock = f"{statistics.median(seconds):9.2f}{min(seconds):9.2f}{worked:9.2f}"
        print(f"{name:12}{clock}  s {rss:9.0f}{pss:9.0f}{uss:9.0f}  MB")


if __name__ == "__main__":
    main()
