"""A run that is forked from a warm Python behaves like `python file.py`, only sooner."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from snippets.model.catalog import LIBRARY, catalog
from snippets.model.snippet import Snippet, snippet_from_block
from snippets.process.isolation import isolation
from snippets.results.outcome import Outcome
from snippets.running.runner import Runner, RunRequest
from snippets.supervisor.zygote import PROGRAM
from snippets.verification.verdicts import judge
from tests.pace import slowness

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="runs are forked on Linux only"),
]
works = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")
LIBRARY_SNIPPETS = dict(catalog(LIBRARY).snippets)
COLD = {"error_no_torch"}  # no statement in it imports torch, so that no Python is made ready for it
# A cold start imports torch, and in every rank: by its name a twelfth of the library is its turn, or all of it.
THOROUGH = "TORCHLEAF_THOROUGH" in os.environ
TURN = {name for name in LIBRARY_SNIPPETS if THOROUGH or zlib.crc32(name.encode()) % 12 == 0}
Both = Callable[..., list[Outcome]]
# Tracebacks have no frame of ours. Dumps of the whole stack, as by print_stack and faulthandler, end with one.
ZYGOTE_FRAME = re.compile(rf'  File ".*{PROGRAM}", line \d+,? in <module>\n')


@contextlib.contextmanager
def both_ways(folder: Path, *, isolate: bool) -> Iterator[Both]:
    """Yield a function that runs a snippet cold and forked, or only forked, and returns [cold, forked]."""
    with Runner(runs_folder=folder / "cold") as cold, Runner(runs_folder=folder / "warm") as warm:
        home = os.environ["HOME"]
        assert warm.warm_up(isolate=isolate)

        def run_both(snippet: Snippet, *, also_cold: bool = True, forked: bool = True, **more: Any) -> list[Outcome]:
            asked = RunRequest(snippet, isolate=isolate, **more)
            runners = [cold, warm] if also_cold else [warm]
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("HOME", home)  # which every test changes; another one would be started cold
                runs = [one.start(asked, output=lambda _: None, finished=lambda _: None) for one in runners]
                outcomes = [run.wait(240) for run in runs]
            assert [run.warm for run in runs] == [False, forked][-len(runs) :]
            return outcomes

        yield run_both


Ways = Callable[[str], Both]


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    """Return a function from a way, open or isolated, to what runs both ways; each way warms one Python."""
    with contextlib.ExitStack() as stack:

        @functools.cache
        def way(name: str) -> Both:
            return stack.enter_context(both_ways(tmp_path_factory.mktemp("runs"), isolate=name == "isolated"))

        yield way


@pytest.fixture
def both(request: pytest.FixtureRequest, ways: Ways) -> Both:
    """Run both ways, open or isolated."""
    return ways(request.param)


@pytest.fixture
def strictly(ways: Ways) -> Both:
    """Run both ways, isolated if that works."""
    return ways("isolated" if isolation().available else "open")


def block(code: str, **options: str) -> Snippet:
    """Make a snippet as a fence of a note would."""
    return snippet_from_block(name="note#warm", code=code, options=options, output=None, origin="note", line=1)


def plain(outcome: Outcome) -> str:
    """Return the output of a run without the parts that differ between any two runs."""
    text = ZYGOTE_FRAME.sub("", outcome.output)
    text = re.sub(r"/\S*/runs\d*/(cold|warm)/", "/RUNS/", text.replace(outcome.run_id, "RUN"))
    text = re.sub(r"/torchleaf-\w{8}\b", "/TEMPORARY", text)
    text = re.sub(r"repeated \d+ more", "repeated", text)  # a few levels of the stack are taken by what calls it
    text = re.sub(r"Current thread's C stack trace .*\n(?:  .*\n)+", "", text)  # of the interpreter, by addresses
    text = re.sub(r"\(pid \d+\)", "(pid N)", text)
    text = re.sub(r"(?m)^USDT:.*$", "USDT", text)  # of the profiler: the time, and numbers of processes
    return re.sub(r"0x[0-9a-f]{8,}|\[?[EIW]\d{4} [\d:.]+(?: \d+ )?|\d+\.\d+ m?s\b|\b\d{5,6}\b", "N", text)


STATE = """
import torch
import atexit, faulthandler, gc, inspect, locale, logging, os, random, resource, signal, sys, tempfile, threading
import traceback, warnings
from sys import modules
if __name__ == "__main__":
    print(__name__, __file__, __doc__, __spec__, __package__, __cached__, type(__loader__).__name__, sorted(globals()))
    print(sys.argv, sys.orig_argv, sys.path, sys.flags, sys._xoptions, sys.warnoptions, sys.executable, sys.prefix)
    print([(s.encoding, s.errors, s.line_buffering, s.write_through, s.isatty(), s.fileno(), s.seekable())
           for s in (sys.stdin, sys.stdout, sys.stderr)], sys.stdin.read() == "")
    print([f.function for f in inspect.stack() if not f.filename.endswith("zygote.py")], locals() is globals())
    print(os.getcwd(), os.getpgid(0) == os.getsid(0), os.getppid() != os.getpid(), os.umask(0o22))
    print({n: v for n, v in sorted(os.environ.items())})
    print(open("/proc/self/comm").read())
    print(open("/proc/self/cmdline", "rb").read().rstrip(b"\\0").split(b"\\0"))
    import ctypes
    libc = ctypes.CDLL(None); libc.getenv.restype = ctypes.c_char_p
    print([libc.getenv(name) for name in (b"TORCHLEAF_RUN", b"CUDA_VISIBLE_DEVICES", b"TORCHLEAF_CONTROL")])
    print(sorted(map(int, os.listdir("/proc/self/fd")))[:-1], threading.enumerate() == [threading.main_thread()])
    print(sorted((n, h) for n in signal.Signals if n not in (9, 19) and (h := signal.getsignal(n)) != signal.SIG_DFL))
    print([resource.getrlimit(getattr(resource, n)) for n in sorted(dir(resource)) if n.startswith("RLIMIT")])
    print([l for l in open("/proc/self/status") if l.split(":")[0] in
           ("Umask", "Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp",
            "SigBlk", "SigIgn")], faulthandler.is_enabled(), gc.isenabled(), gc.get_threshold())
    print(torch.get_num_threads(), torch.get_num_interop_threads(),
          torch.cuda.is_initialized(), torch.get_default_dtype(), torch.is_grad_enabled())
    print(sorted(name for name in modules if not name.startswith("_")), warnings.filters, logging.root.handlers)
    print(locale.getlocale(), tempfile.gettempdir(), sys.getrecursionlimit(), sys.getswitchinterval())
    print(open("/proc/self/mountinfo").read().count("\\n") > 3, sorted(os.listdir("/")), os.path.exists("/root/.ssh"))
"""

CASES = {
    "state": STATE,
    "traceback": "import torch\ndef f():\n    torch.zeros(2) @ torch.zeros(3)\nprint('a')\nf()",
    "chained": "import torch\ntry:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('torch') from e",
    "group": "import torch\nraise ExceptionGroup('torch', [ValueError(1), KeyError('k')])",
    "stack": "import torch, traceback\ndef f(): traceback.print_stack()\nf()",
    "syntax": "import torch\nprint('never')\ndef f(:\n",
    "null byte": "import torch\0",
    "cookie": "# -*- coding: latin-1 -*-\nimport torch\nprint('ok')",
    "future": "from __future__ import annotations\nimport torch\ndef f(x: nowhere): pass\nprint(f.__annotations__)",
    "docstring": '"""Says."""\nimport torch\nprint(__doc__)',
    "exit code": "import torch, sys\nsys.exit(7)",
    "exit words": "import torch, sys\nsys.exit('words')",
    "exit from a thread": "import torch, threading, os\nthreading.Thread(target=os._exit, args=(5,)).start()",
    "interrupt": "import torch\nraise KeyboardInterrupt",
    "signal": "import torch, os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
    "crash": "import torch, ctypes\nctypes.string_at(0)",
    "abort": "import torch, os\nos.abort()",
    "broken pipe": "import torch, os\nr, w = os.pipe()\nos.close(r)\nos.write(w, b'x')",
    "atexit": "import torch, atexit\natexit.register(print, 'first')\natexit.register(print, 'last')\nprint('end')",
    "threads at the end": "import torch, threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\nprint('main')",
    "unraisable": "import torch\nclass A:\n    def __del__(self): 1 / 0\nA()\nprint('on')",
    "hook": "import torch, sys\n"
    "sys.excepthook = lambda t, e, b: print('hook', t, b.tb_frame.f_code, b is e.__traceback__ is sys.last_traceback)\n"
    "1 / 0",
    "warning": "import torch, warnings\nwarnings.warn('w')\ndef f(): warnings.warn('deep', stacklevel=9)\nf()",
    "deprecated": "import torch, warnings\nwarnings.warn('w', DeprecationWarning)",
    "no newline at the end": "import sys, time\nimport torch\nprint('half', end='', flush=True)\n"
    "time.sleep(0.2)\nsys.stderr.write('e')",
    "runpy is itself": "import torch, runpy\nprint(runpy, runpy.run_path)",
    "set": "import torch\nprint({torch.float32: 1}, {'a', 'b'} == {'b', 'a'})",
    "argparse": "import torch, argparse\nargparse.ArgumentParser().parse_args(['--no'])",
    "input": "import torch\ninput('? ')",
    "recursion": "import torch\ndef f(n): return f(n + 1)\nf(0)",
    "pickle": "import torch, pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))), A.__module__)",
    "numpy": "import torch, numpy\n"
    "print(torch.from_numpy(numpy.arange(3)) + 1, numpy.ones((300, 300)) @ numpy.ones(300))",
    "anomaly": "import torch\nx = torch.tensor(-1., requires_grad=True)\n"
    "with torch.autograd.detect_anomaly():\n    torch.sqrt(x).backward()",
    "jit": "import torch\n@torch.jit.script\ndef f(x: torch.Tensor): return x + 1\nprint(f(torch.ones(2)))",
    "backward threads": "import torch\nx = torch.ones(9, 9, requires_grad=True)\n"
    "(x @ x).sum().backward()\nprint(x.grad[0, 0])",
    "spawn": """
import torch
import torch.multiprocessing as mp
def work(rank, size):
    print(rank, size, __name__)
if __name__ == "__main__":
    for n in range(2):
        mp.spawn(work, args=(2,), nprocs=1)
    print("joined", __name__)
""",
    "spawn without a guard": "import torch, torch.multiprocessing as mp\nmp.spawn(print, nprocs=1)",
    "error in a rank": """
import torch.multiprocessing as mp
def work(rank):
    raise ValueError("in a rank")
if __name__ == "__main__":
    mp.spawn(work, nprocs=1)
""",
    "contexts": """
import torch, multiprocessing as mp, os
def work(tensor, queue):
    tensor += 1
    queue.put((mp.current_process().name, os.getppid() > 0))
if __name__ == "__main__":
    for name in ("fork", "spawn", "forkserver"):
        context, tensor = mp.get_context(name), torch.zeros(2).share_memory_()
        queue = context.Queue()
        process = context.Process(target=work, args=(tensor, queue))
        process.start()
        print(name, queue.get(), process.join(), process.exitcode, tensor)
""",
    "loader": """
import torch
from torch.utils.data import DataLoader, TensorDataset
if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(torch.arange(32)), batch_size=8, shuffle=True, num_workers=2)
    for (batch,) in loader:
        print(batch)
""",
    "pool": """
import torch
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def square(n): return n * n
if __name__ == "__main__":
    for kind in (ProcessPoolExecutor, ThreadPoolExecutor):
        with kind(2) as pool:
            print(list(pool.map(square, range(5))))
""",
    "alarm": """
import torch, signal, time
signal.signal(signal.SIGALRM, lambda *_: print("alarm", flush=True))
signal.setitimer(signal.ITIMER_REAL, 0.05)
signal.pause()
""",
    "callbacks": """
import torch, ctypes
held = [open(__file__) for _ in range(9)]
calls = [ctypes.CFUNCTYPE(ctypes.c_int)(lambda n=n: n) for n in range(3000)]  # more than libffi has room for at first
print(sum(call() for call in calls))
""",
    "asyncio": "import torch, asyncio\nasync def f():\n    await asyncio.sleep(0); print('done')\nasyncio.run(f())",
}


# What asks for its surroundings, for signals, for processes and for files is run in the open and in the sandbox. What
# Python does within itself meets no sandbox: by its name every third case is run in the open and every third isolated;
# with TORCHLEAF_THOROUGH all of them are run both ways.
SURROUNDINGS = {
    "state",
    "exit from a thread",
    "signal",
    "crash",
    "abort",
    "broken pipe",
    "threads at the end",
    "input",
    "alarm",
    "spawn",
    "contexts",
}


def has_its_turn(name: str, way: str) -> bool:
    """Return whether a case is run this way: open or isolated."""
    if THOROUGH or name in SURROUNDINGS or not isolation().available:
        return True
    return zlib.crc32(name.encode()) % 3 == ("open", "isolated").index(way)


@pytest.mark.parametrize(
    ("both", "name"),
    [
        pytest.param(way, name, id=f"{way}-{name}", marks=works if way == "isolated" else ())
        for way in ("open", "isolated")
        for name in CASES
        if has_its_turn(name, way)
    ],
    indirect=["both"],
)
def test_it_is_as_a_cold_start(name: str, both: Both) -> None:
    """The same output to the letter, the same exit code or signal, the same files."""
    cold, warm = both(block(CASES[name]), args=("a b", "--c"))
    assert sorted(plain(warm).splitlines()) == sorted(plain(cold).splitlines())  # of both streams, in either order
    assert warm.stdout == cold.stdout or plain(warm) == plain(cold)
    assert (warm.status, warm.exit_code, warm.reason_en) == (cold.status, cold.exit_code, cold.reason_en)


@pytest.mark.parametrize("name", LIBRARY_SNIPPETS)
def test_the_library_runs_as_recorded(name: str, strictly: Both) -> None:
    """Every shipped snippet prints and ends forked as is recorded; one whose turn it is, started cold as well."""
    snippet = LIBRARY_SNIPPETS[name]
    patience = snippet.timeout * slowness()
    *cold, warm = strictly(snippet, also_cold=name in TURN, forked=name not in COLD, timeout=patience)
    for outcome in (*cold, warm):
        verdict = judge(snippet, outcome)
        assert verdict.status in ("passed", "unavailable"), f"{verdict.reason}\n{verdict.diff}"
    for other in cold:
        assert sorted(plain(warm).splitlines()) == sorted(plain(other).splitlines())  # ranks print in any order
        assert (warm.status, warm.exit_code) == (other.status, other.exit_code)
        assert {a.path.name for a in warm.artifacts} == {a.path.name for a in other.artifacts}
