"""A forked run is contained like one that is started cold."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from snippets.process.isolation import isolation
from snippets.running.runner import Runner
from tests.pace import within
from tests.snippets.zygote_helpers import HEAD, begin, forked, is_server, servers

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="runs are forked on Linux only"),
]
works = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")
ways = pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=works)], ids=["open", "isolated"])
GoneWithin = Callable[[str, float], bool]
Bearing = Callable[[str], list[psutil.Process]]


CRIMES = {
    "parent": "os.kill(os.getppid(), 9)",
    "everything it sees": "[os.kill(int(p), 9) for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid()]",
    "all at once": "os.kill(-1, 9)",
    "the first": "os.kill(1, 9)",
}


@works
@pytest.mark.parametrize("crime", CRIMES)
def test_nothing_behind_walls_reaches_it(crime: str, runner: Runner) -> None:
    """A run cannot see the warm Python or the processes around it, nor kill them."""
    assert runner.warm_up(isolate=True)
    (server,) = servers()
    code = f"print('before', flush=True)\ntry:\n    {CRIMES[crime]}\nexcept OSError as error:\n    print(error.errno)"
    forked(runner, code, isolate=True)
    assert forked(runner, "print('alive')", isolate=True).output == "alive\n"
    assert [process.pid for process in servers()] == [server.pid]


WALLS = """
print([name for name in sorted(os.listdir('/proc/self/ns')) if os.readlink(f'/proc/self/ns/{name}') == OUT[name]])
print([line.split()[1] for line in open('/proc/self/status') if line.startswith(('Cap', 'NoNewPrivs'))])
seen = [f'/proc/{p}/' for p in os.listdir('/proc') if p.isdigit()]
print([p for p in seen if b's3cret' in open(p + 'environ', 'rb').read()],
      [p for p in seen if b'_zygote' in open(p + 'cmdline', 'rb').read()])
for path in ('/proc/self/exe', '/proc/1/exe', '/proc/self/root/etc/passwd', sys.executable, torch.__file__, NOTE):
    for mode in (os.O_WRONLY, os.O_RDWR | os.O_TRUNC):
        try:
            os.open(path, mode)
            print('opened', path)
        except OSError:
            pass
print([os.path.exists(path) for path in (KEY, '/root/.ssh', SOCKET)], open(NOTE).read())
open_files = {n: os.readlink(p) for n in os.listdir('/proc/self/fd') if os.path.lexists(p := f'/proc/self/fd/{n}')}
inside = {line.split()[0] for line in open('/proc/self/mountinfo')}
def is_inside(n):
    return [line for line in open(f'/proc/self/fdinfo/{n}') if line.startswith('mnt_id')][0].split()[1] in inside
own = ('/runs/', f'/proc/{os.getpid()}/fd')
print(sorted(path.partition(':')[0] for n, path in open_files.items()
             if not any(part in path for part in own) and not is_inside(n)))
print([os.statvfs(place).f_blocks * os.statvfs(place).f_frsize for place in ('/dev/shm', '/tmp')])
import socket
try:
    socket.create_connection(('192.0.2.1', 80), 1)
except OSError as error:
    print(error.errno)
"""


@works
def test_the_walls_are_as_high(runner: Runner, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork that joined a sandbox has no namespace, capability, file or variable of the outside."""
    monkeypatch.setenv("A_SECRET", "s3cret")
    (home / "key").write_text("key")
    note = tmp_path / "vault" / "note.md"
    note.parent.mkdir()
    note.write_text("note")
    names = {path.name: str(path.readlink()) for path in Path("/proc/self/ns").iterdir()}
    facts = f"OUT = {names!r}\nKEY = {str(home / 'key')!r}\nNOTE = {str(note)!r}\nSOCKET = '/var/run/docker.sock'\n"
    assert runner.warm_up(isolate=True)
    outcome = forked(runner, facts + WALLS, isolate=True, vault=note.parent)
    lines = outcome.output.splitlines()
    assert set(eval(lines[0])) <= {"time", "time_for_children", "user"}
    assert lines[1] == str(["0" * 16] * 5 + ["1"])
    assert lines[2] == "[] []"
    assert lines[3] == "[False, False, False] note"
    assert lines[4] == "['/dev/null', 'pipe', 'pipe']"
    assert lines[5:] == [str([1 << 30, 1 << 28]), "101"]


@pytest.fixture
def token() -> str:
    """Return a word that no process bears yet."""
    return f"token-{uuid.uuid4().hex}"


TREES = {
    "alone": "",
    "own session": "subprocess.Popen(CHILD, start_new_session=True)",
    "double fork": "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        subprocess.Popen(CHILD)\n"
    "    os._exit(0)\nos.wait()",
    "TERM ignored": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsubprocess.Popen(CHILD)",
}


@ways
@pytest.mark.parametrize("shape", TREES)
def test_stop_and_timeout_end_the_whole_tree(
    shape: str, *, isolate: bool, runner: Runner, bearing: Bearing, token: str
) -> None:
    """They do, as after a cold start; the warm Python is not affected."""
    assert runner.warm_up(isolate=isolate)
    child = f"CHILD = [sys.executable, '-c', 'import time; time.sleep(120)', {token!r}]\n"
    code = f"{child}{TREES[shape]}\nopen('ready', 'w').close()\ntime.sleep(120)"
    run = begin(runner, code, isolate=isolate, args=(token,))
    while run.pid is None or not bearing(token):
        assert run.outcome is None
        time.sleep(0.01)
    time.sleep(0.2)
    with within(2):
        run.stop()
        assert run.wait(60).status == "stopped"
    assert bearing(token) == []
    assert bearing(run.id) == []
    assert forked(runner, code, isolate=isolate, args=(token,), timeout=0.5).status == "timeout"
    assert bearing(token) == []
    assert len(servers()) == 1


def test_an_orphan_does_not_outlive_the_run(runner: Runner, bearing: Bearing, token: str) -> None:
    """What is left when the main process ends is ended, and the exit code is the main process's."""
    assert runner.warm_up()
    code = f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(120)', {token!r}])\nsys.exit(5)"
    assert forked(runner, code).exit_code == 5
    assert bearing(token) == []


def test_a_run_that_kills_what_is_above_it(runner: Runner, bearing: Bearing, token: str) -> None:
    """Without isolation it can, as after a cold start: the run is killed, all of it is gone, and the next one works."""
    assert runner.warm_up()
    child = f"[sys.executable, '-c', 'import time; time.sleep(120)', {token!r}]"
    code = (
        f"subprocess.Popen({child}, start_new_session=True)\nprint('before', flush=True)\ntime.sleep(0.3)\n"
        "up = int(open(f'/proc/{os.getppid()}/stat').read().split()[3])\n"
        "os.kill(up, 9)\nos.kill(os.getppid(), 9)\ntime.sleep(60)"
    )
    outcome = forked(runner, code, args=(token,))
    assert (outcome.status, outcome.output) == ("killed", "before\n")
    assert bearing(token) == []
    assert begin(runner, "print('alive')").wait(60).output == "alive\n"


APP = """
import sys
from pathlib import Path
from snippets.model.snippet import read_snippet
from snippets.running.runner import Runner, RunRequest
runner = Runner(runs_folder=Path(sys.argv[2]) / "runs")
isolate = sys.argv[4] == "True"
runner.warm_up(isolate=isolate)
run = runner.start(
    RunRequest(read_snippet(Path(sys.argv[1])), args=(sys.argv[3],), timeout=300, isolate=isolate),
    output=lambda chunk: print(chunk.text, end="", flush=True), finished=lambda outcome: None,
)
run.wait()
"""


@ways
def test_the_app_is_killed(*, isolate: bool, tmp_path: Path, gone_within: GoneWithin, token: str) -> None:
    """Neither the run nor the warm Python is alive 2 s later."""
    path = tmp_path / "tree.py"
    path.write_text(HEAD + "print('ready', os.getpid() > 0, flush=True)\ntime.sleep(120)")
    before = {process.pid for process in psutil.process_iter()}
    command = [sys.executable, "-c", APP, str(path), str(tmp_path), token, str(isolate)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as app:
        assert app.stdout is not None
        assert app.stdout.readline() == b"ready True\n"
        ours = [child for child in psutil.Process(app.pid).children(recursive=True) if child.pid not in before]
        assert any(map(is_server, ours))
        app.kill()
    assert gone_within(token, 2.0)
    _, left = psutil.wait_procs(ours, timeout=2.0)
    assert [process for process in left if process.status() != psutil.STATUS_ZOMBIE] == []
