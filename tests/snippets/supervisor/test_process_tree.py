"""The processes below one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from snippets.supervisor import process_tree as module
from snippets.supervisor.process_tree import Tree

LATE = "import time; print('up', flush=True); time.sleep(60)"


def test_a_tree_is_seen_and_killed() -> None:
    """Children and grandchildren with the memory they hold; after the kill none is left."""
    code = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {LATE!r}]).wait()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        tree = Tree()
        alive = tree.alive()
        assert child.pid in alive
        assert len(alive) == 2
        assert all(memory > 1 << 20 for memory in alive.values())
        tree.kill()
        assert tree.ended == set(alive)
        assert child.wait() == -signal.SIGKILL


def test_the_wrapper_is_spared_until_the_kill() -> None:
    """What bears the wrapper's name is not asked to end."""
    with subprocess.Popen(["sleep", "60"]) as spared, subprocess.Popen([sys.executable, "-c", LATE]) as asked:
        tree = Tree()
        while module._command(asked.pid) == "sleep":
            time.sleep(0.01)
        tree.terminate("sleep")
        assert asked.wait(10) == -signal.SIGTERM
        assert spared.poll() is None
        tree.kill()


def test_a_leader_that_is_gone_while_its_threads_go_on() -> None:
    """A process whose first thread has ended counts as alive."""
    code = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.3), print('up', flush=True), time.sleep(60))).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        time.sleep(0.2)
        assert child.pid in Tree().alive()
        Tree().kill()


def test_a_process_that_is_gone() -> None:
    """Asking for its name, or ending it, does no harm."""
    child = subprocess.Popen(["true"])
    child.wait()
    assert module._command(child.pid) == ""
    tree = Tree()
    tree._signal(child.pid, signal.SIGTERM)
    assert child.pid in tree.ended


def test_zombies_are_not_alive() -> None:
    """What only waits to be taken note of is no more."""
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert pid not in Tree().alive()
    os.waitpid(pid, 0)
