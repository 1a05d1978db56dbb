"""Ways out of the sandbox, tried one by one: by a run that starts cold and by a forked one, as root and as a user."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from snippets.process.isolation import isolation
from snippets.running.runner import Runner
from tests.snippets.zygote_helpers import begin
from tests.tally import tally

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here"),
]

# Each way is a function that returns what it reached; an OSError or nothing means that the way is closed.
WAYS = r"""
import ctypes, fcntl, glob, mmap, os, platform, signal, socket, struct, subprocess, sys, termios
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"

def call(x86, arm, *args):
    result = libc.syscall(x86 if X86 else arm, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result

def opened(paths, flags):
    found = []
    for path in paths:
        try:
            os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY))
            found.append(path)
        except OSError:
            pass
    return found

def files_below(top):
    for at, folders, files in os.walk(top):
        folders[:] = [name for name in folders if not (at == "/proc" and (name.isdigit() or name.endswith("self")))]
        yield from (os.path.join(at, name) for name in files)

def connected(path, kind):
    with socket.socket(socket.AF_UNIX, kind) as one:
        one.settimeout(2)
        one.connect(path)
        return path

def exchanged():
    os.rename(os.path.join(RUN, "work"), os.path.join(RUN, "work2"))
    return "renamed"

def typed_into_terminal():
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSTI, b"x")
    return "typed"

def cloned():
    pid = call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)  # CLONE_NEWUSER | SIGCHLD
    if pid == 0:
        os._exit(0)
    return pid

def kernel_clone3():
    words = struct.pack("8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0)
    pid = call(435, 435, words, len(words))
    if pid == 0:
        os._exit(0)
    return pid

def mapped_by_number():  # a call of the 32-bit set of x86_64
    return call(0x40000000 + 39, -1)

def raised():
    for path in ("/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount", "/bin/su"):
        if os.path.exists(path) and os.stat(path).st_mode & 0o4000:
            os.setuid(0)
            return path

def powers():
    lines = open("/proc/self/status").read().splitlines()
    return [line for line in lines if line.startswith("Cap") and int(line.split()[1], 16)]

def descriptors():
    inside = {line.split()[0] for line in open("/proc/self/mountinfo")}
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
            facts = open(f"/proc/self/fdinfo/{name}").read()
        except OSError:
            continue
        mount = [line.split()[1] for line in facts.splitlines() if line.startswith("mnt_id")][0]
        if target.startswith("/") and mount not in inside and not target.startswith("/proc/") and target != "/dev/null":
            found.append(target)
    return found

def told_by_processes():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ("environ", "cmdline", "maps"):
            try:
                if b"s3cret" in open(f"/proc/{pid}/{name}", "rb").read():
                    found.append(f"{pid}/{name}")
            except OSError:
                pass
    return found

def roots_of_processes():
    paths = [f"/proc/{pid}/root{KEY}" for pid in filter(str.isdigit, os.listdir("/proc"))]
    return opened([*paths, *(f"/proc/{pid}/cwd/../../../../../..{KEY}" for pid in (1, "self"))], os.O_RDONLY)

def mounts_named():
    text = open("/proc/self/mountinfo").read()
    return [word for word in (OTHER,) if word in text]

WRITE, READ = os.O_WRONLY, os.O_RDONLY
TRIES = {
    "kernel settings": lambda: opened(files_below("/proc"), WRITE),
    "devices of the system": lambda: opened(files_below("/sys"), WRITE),
    "user": lambda: os.getuid() == 0 or os.geteuid() == 0,
    "become root": lambda: os.setuid(0) or "root",
    "groups": lambda: os.setgroups([0]) or "group",
    "powers": powers,
    "setuid program": raised,
    "shadow": lambda: opened(["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private"], READ),
    "key": lambda: opened([KEY, LINKED_KEY, HOME_KEY], READ),
    "other folders": lambda: [p for p in (OTHER, VAULT_BESIDE, DATA) if os.path.exists(p)],
    "disks": lambda: [p for p in ("/srv", "/mnt", "/media", "/opt", "/home", "/var/lib", "/var/log", "/boot", "/root")
                      if os.path.isdir(p) and os.listdir(p) and not p.startswith(ALLOWED)],
    "machine": lambda: opened(["/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/fstab", "/proc/kcore"], READ),
    "note": lambda: opened([NOTE], WRITE),
    "system": lambda: opened(["/usr/bin/env", sys.executable, os.__file__], WRITE),
    "new file": lambda: [p for p in ("/new", "/usr/new", "/etc/new", "/var/new", "/srv") if not made(p)],
    "transcript": lambda: opened(files_below(os.path.join(RUN, "log")), WRITE),
    "longer transcript": lambda: os.truncate(os.path.join(RUN, "log", "head"), 1 << 40) or "longer",
    "work folder": exchanged,
    "socket": lambda: connected(SOCKET, socket.SOCK_STREAM),
    "abstract socket": lambda: connected("\0" + ABSTRACT, socket.SOCK_STREAM),
    "network": lambda: socket.create_connection(("192.0.2.1", 80), 1) and "connected",
    "loopback outside": lambda: socket.create_connection(("127.0.0.1", PORT), 1) and "connected",
    "packets": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW) and "raw",
    "keys": lambda: call(250, 219, 0, -3, 1, 0, 0),
    "new key": lambda: call(248, 217, b"user", b"torchleaf", b"x", 1, -3),
    "trace": lambda: [call(101, 117, 16, pid, 0, 0) for pid in (1, os.getppid()) if pid],
    "mount": lambda: call(165, 40, b"none", b"/tmp", b"tmpfs", 0, 0),
    "writable again": lambda: call(165, 40, b"none", b"/usr", None, 0x1020, 0),
    "unmount": lambda: call(166, 39, b"/proc/sys", 2),
    "open tree": lambda: call(428, 428, -100, b"/", 1),
    "file system": lambda: call(430, 430, b"tmpfs", 0),
    "unshare": lambda: call(272, 97, 0x10000000) or "unshared",
    "clone": cloned,
    "clone3": kernel_clone3,
    "join": lambda: call(308, 268, os.open("/proc/1/ns/mnt", READ), 0) or "joined",
    "change root": lambda: call(161, 51, b"/") or "changed",
    "kernel program": lambda: call(321, 280, 0, b"\0" * 128, 128),
    "page faults": lambda: call(323, 282, 0),
    "ring": lambda: call(425, 425, 8, b"\0" * 120),
    "counters": lambda: call(298, 241, b"\0" * 128, 0, -1, -1, 0),
    "kernel log": lambda: call(103, 116, 3, b"\0" * 64, 64),
    "by handle": lambda: call(304, 265, -100, b"\0" * 16, 0),
    "module": lambda: call(175, 105, b"", 0, b""),
    "clock": lambda: call(227, 112, 0, struct.pack("2q", 0, 0)) or "set",
    "other calls": lambda: X86 and mapped_by_number(),
    "terminal": typed_into_terminal,
    "descriptors": descriptors,
    "environment": told_by_processes,
    "roots": roots_of_processes,
    "device nodes": lambda: opened(["/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/fuse", "/dev/kvm"], READ),
    "node": lambda: os.mknod("node", 0o020600, os.makedev(1, 1)) or "made",
    "mounts": mounts_named,
    "host name": lambda: socket.sethostname("other") or "named",
    "signal": lambda: os.kill(SUPERVISOR, 0) or "seen",
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -20) or "raised",
    "owner": lambda: os.chown("owned", 4242, 4242) or "given",
}

def made(path):
    try:
        os.mkdir(path)
    except OSError:
        return True

open("owned", "w").close()
reached = {}
for name, way in TRIES.items():
    try:
        found = way()
    except OSError:
        continue
    if found not in (None, False, []):
        reached[name] = found
print(len(TRIES), reached)
"""


@pytest.fixture
def outside(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Prepare what a run could reach, and return its names as Python assignments."""
    beside = Path(tempfile.mkdtemp(prefix="torchleaf-outside-", dir="/var/tmp"))
    for folder in (tmp_path / "vault", tmp_path / "beside", home / "data", tmp_path / "real" / ".ssh"):
        folder.mkdir(parents=True)
    for file in (tmp_path / "vault" / "note.md", tmp_path / "beside" / "n.md", tmp_path / "real" / ".ssh" / "id"):
        file.write_text("KEY")
    (home / ".key").write_text("KEY")
    linked = tmp_path / "home"
    linked.symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOME", str(linked))
    monkeypatch.setenv("A_SECRET", "s3cret")
    abstract = f"torchleaf-{os.getpid()}"
    with (
        socket.socket(socket.AF_UNIX) as listening,
        socket.socket(socket.AF_UNIX) as nameless,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        listening.bind(str(beside / "socket"))
        listening.listen()
        nameless.bind("\0" + abstract)
        nameless.listen()
        names = {
            "KEY": str(linked / ".ssh" / "id"),
            "LINKED_KEY": str(tmp_path / "real" / ".ssh" / "id"),
            "HOME_KEY": str(home / ".key"),
            "OTHER": str(beside),
            "VAULT_BESIDE": str(tmp_path / "beside"),
            "DATA": str(home / "data"),
            "NOTE": str(tmp_path / "vault" / "note.md"),
            "SOCKET": str(beside / "socket"),
            "ABSTRACT": abstract,
            "PORT": server.getsockname()[1],
            "SUPERVISOR": os.getpid(),
            "ALLOWED": tuple(f"/{Path(place).parts[1]}" for place in (sys.prefix, sys.base_prefix, __file__)),
        }
        yield "".join(f"{name} = {value!r}\n" for name, value in names.items())
    (beside / "socket").unlink()
    beside.rmdir()


def escaped(runner: Runner, names: str, folder: Path, *, warm: bool) -> str:
    """Return what a run reached."""
    here = "import os, torch\nRUN = os.path.dirname(os.getcwd())\n"
    run = begin(runner, here + names + WAYS, isolate=True, vault=folder / "vault")
    outcome = run.wait(120)
    assert run.warm is warm
    assert outcome.status == "passed", outcome
    return outcome.output


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "forked"])
def test_every_way_out_is_closed(*, warm: bool, outside: str, tmp_path: Path, runner: Runner) -> None:
    """Nothing of the outside is read, written, connected to, traced or joined; the control below finds most of it."""
    if warm:
        assert runner.warm_up(isolate=True)
    tried, _, reached = escaped(runner, outside, tmp_path, warm=warm).partition(" ")
    tally(int(tried), escapes=reached.count("': "))
    assert int(tried) > 50
    assert reached == "{}\n"


def test_the_ways_are_open_without_isolation(outside: str, tmp_path: Path, runner: Runner) -> None:
    """The control: a run that is not isolated gets through the same list, or the list would prove nothing."""
    told = ("key", "other folders", "note", "socket", "abstract socket", "loopback outside", "signal", "environment")
    fewer = f"\nTRIES = {{name: TRIES[name] for name in {told!r}}}\nreached = {{}}\n"
    code = "RUN = os.getcwd()\n" + outside + WAYS.replace("\nreached = {}\n", fewer)
    output = begin(runner, code, vault=tmp_path / "vault").wait(60).output
    assert all(repr(name) in output for name in told), output
