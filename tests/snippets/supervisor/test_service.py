"""The supervisor as a program, spoken to over its pipes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import zipapp
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from snippets.supervisor.frame_protocol import pack, read_frame
from tests.pace import slowness

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "snippets" / "supervisor" / "__main__.py"


class Client:
    """The other end of a supervisor's pipes."""

    def __init__(self, folder: Path, *program: str) -> None:
        self.folder = folder
        command = [sys.executable, "-I", *(program or (str(PROGRAM),)), str(folder / "runs")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.inward, self.outward = self.process.stdin, self.process.stdout

    def send(self, **header: Any) -> None:
        """Send a request without a payload."""
        self.inward.write(pack(header))

    def run(self, name: str, code: str, **more: Any) -> None:
        """Ask for a run of some code, whose file the supervisor writes."""
        header = {
            "do": "run",
            "run": name,
            "python": sys.executable,
            "args": [],
            "program": None,
            "name": "code.py",
            "modules": {},
            "env": {},
            "device": "cpu",
            "isolate": False,
            "visible": [],
            "asks": False,
            "keep": True,
            **more,
        }
        self.inward.write(pack(header, code.encode()))

    def receive(self) -> tuple[dict[str, Any], bytes]:
        """Wait for the next report."""
        frame = read_frame(self.outward.fileno())
        assert frame is not None
        return frame

    def until(self, what: str) -> dict[str, Any]:
        """Wait for a report of some kind."""
        while (report := self.receive()[0])["is"] != what:
            pass
        return report

    def close(self) -> None:
        """Hang up and wait for the supervisor to end."""
        self.inward.close()
        self.process.wait(10)
        self.outward.close()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Return a client of a new supervisor."""
    made = Client(tmp_path)
    yield made
    made.close()


def test_the_reports_of_a_run(client: Client) -> None:
    """Started with its process, the output, the files, and the end with the facts, in this order."""
    client.run("one", "open('a b.txt', 'w').write('123')\nprint('out')")
    started = client.receive()[0]
    reports = [started]
    while reports[-1]["is"] != "finished":
        reports.append(client.receive()[0])
    assert [report["is"] for report in reports if report["is"] != "output"] == ["started", "artifact", "finished"]
    assert isinstance(started["pid"], int)
    artifact, finished = reports[-2:]
    assert (artifact["path"], artifact["bytes"]) == ("a b.txt", 3)
    assert {key: finished[key] for key in ("run", "why", "exit_code", "cut", "ended", "error")} == {
        "run": "one",
        "why": "exit",
        "exit_code": 0,
        "cut": 0,
        "ended": 0,
        "error": "",
    }


def test_several_runs_over_one_connection(client: Client) -> None:
    """They follow one another in the order of the requests, each with a process of its own."""
    for number in range(3):
        client.run(f"run-{number}", f"print({number})")
    finished = [client.until("finished") for _ in range(3)]
    assert [report["run"] for report in finished] == ["run-0", "run-1", "run-2"]


def test_a_run_that_waits_is_stopped_before_it_starts(client: Client) -> None:
    """Stop removes a request from the queue; for an unknown run it does nothing."""
    client.run("first", "import time; time.sleep(0.5)")
    client.run("second", "print(2)")
    client.send(do="stop", run="second")
    client.send(do="stop", run="never heard of")
    ends = {report["run"]: report for report in (client.until("finished") for _ in range(2))}
    assert ends["second"]["why"] == "stop"
    assert ends["second"]["exit_code"] is None
    assert ends["first"]["why"] == "exit"


def test_a_program_that_cannot_be_started(client: Client) -> None:
    """The reason is reported, and the supervisor keeps serving."""
    client.run("bad", "1", python="/no/such/program")
    report = client.until("finished")
    assert report["why"] == "unstarted"
    assert "/no/such/program" in report["error"]
    client.run("good", "print(1)")
    assert client.until("finished")["why"] == "exit"


def test_a_lease_that_runs_out(client: Client) -> None:
    """With a lease, silence of the other end ends the run; a sign of life renews it."""
    lease = 0.6 * slowness()  # with it goes how late the signs of life may come
    client.run("leased", "import time; time.sleep(60)", lease=lease)
    began = time.monotonic()
    for _ in range(4):
        time.sleep(lease / 3)
        client.send(do="alive")
    report = client.until("finished")
    assert report["why"] == "lost"
    assert 2 * lease < time.monotonic() - began < 10 * lease + 10
    assert client.process.wait(10) == 0


def test_the_lease_of_an_idle_supervisor(client: Client) -> None:
    """It runs out between two runs as well."""
    client.run("leased", "", lease=0.3)
    client.until("finished")
    assert client.process.wait(10) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_supervisor_that_is_asked_to_end(client: Client, number: int) -> None:
    """It ends its run first."""
    client.run("long", "import time; time.sleep(60)")
    pid = client.until("started")["pid"]
    client.process.send_signal(number)
    assert client.until("finished")["why"] == "lost"
    assert client.process.wait(10) == 0
    assert not psutil.pid_exists(pid)


def test_what_is_no_request_ends_the_talk(client: Client) -> None:
    """Bytes that are no frame are taken for the end of the input."""
    client.inward.write(b"\0\0\0\1\0\0\0\0{")
    assert client.process.wait(10) == 0


def test_nobody_reads_the_reports(client: Client) -> None:
    """When the reading end is gone the run is ended."""
    client.run("long", "import time\nwhile True: print(1); time.sleep(0.01)")
    pid = client.until("started")["pid"]
    client.outward.close()
    assert client.process.wait(10) == 0
    assert not psutil.pid_exists(pid)


def test_a_reader_that_halts_does_not_stop_the_clock(client: Client) -> None:
    """The timeout holds even if the output is not read."""
    client.run("flood", "while True: print('x' * 10000)", timeout=0.5)
    time.sleep(2)
    report = client.until("finished")
    assert report["why"] == "timeout"
    assert report["seconds"] < 1.9


def test_it_travels_as_one_file(tmp_path: Path) -> None:
    """Packed by zipapp it serves as well: it needs nothing but the standard library."""
    package = tmp_path / "build" / "snippets" / "supervisor"
    package.mkdir(parents=True)
    for source in PROGRAM.parent.glob("*.py"):
        (package / source.name).write_bytes(source.read_bytes())
    (package.parent / "__init__.py").touch()
    archive = tmp_path / "supervisor.pyz"
    zipapp.create_archive(tmp_path / "build", archive, main="snippets.supervisor.guard:serve")
    client = Client(tmp_path, "-S", str(archive))
    client.run("one", "print(1)")
    assert client.until("finished")["exit_code"] == 0
    client.close()


def test_it_is_written_for_older_pythons() -> None:
    """Its source is the grammar of Python 3.9, so that it can serve under other interpreters."""
    import ast  # noqa: PLC0415 - only here

    for source in PROGRAM.parent.glob("*.py"):
        ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_memory_is_that_of_the_tree(client: Client) -> None:
    """The peak counts the children with their parent."""
    child = "import time; x = b'x' * (64 << 20); time.sleep(0.7)"
    start = f"subprocess.Popen([sys.executable, '-c', {child!r}])"
    code = f"import subprocess, sys\n[child.wait() for child in [{start} for _ in 'ab']]"
    client.run("big", code)
    assert client.until("finished")["peak_rss"] > 128 << 20


def test_time_is_monotonic() -> None:
    """No limit is taken by a clock that can be set or that jumps after a suspension."""
    import ast  # noqa: PLC0415 - only here

    for source in PROGRAM.parent.glob("*.py"):
        tree = ast.parse(source.read_text(encoding="utf-8"))
        used = {
            f"{n.value.id}.{n.attr}"
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
        }
        assert not used & {"time.time", "time.time_ns", "datetime.now", "date.today", "time.localtime"}, source
        names = {alias.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for alias in n.names}
        assert not names & {"datetime"}
        assert "time" not in {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
