"""A Python that has imported torch and forks a run for each order: what `python -m NAME` does first of all.

A copy of this file is the `sitecustomize` of a chosen interpreter, which needs nothing of ours. It serves while that
module is imported, so in the fork it just returns, and the interpreter goes on as after any start: to its program. That
program is the snippet then. Nothing of ours is on the stack, and exceptions, exit codes, `atexit` and the end are
Python's own. In the fork, whatever is amiss before that ends in a cold start of the same command.

Where a fork is not sound it becomes the run itself, once; the order comes by its standard input then, and it says that
it is ready on its standard output. That is all in bytes and pipes, which there are everywhere.

in    a length of 32 bits, with it the descriptors: output, errors, and namespaces to join in their order; then JSON:
      {"argv", "env", "cwd"}, the command as it would be started cold
out   a length of 32 bits and JSON: {"ready"} once, and {"pid"} or {"error"} for each order
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib.util
import json
import operator
import os
import struct
import sys
import types
from importlib.machinery import PathFinder, SourceFileLoader
from typing import Any

CONTROL = "TORCHLEAF_CONTROL"  # the variable with the number of the socket, or
ONCE = "once"
TAKEN = b"\6"
MARKER = "TORCHLEAF_RUN"
ROOM = 4096  # bytes left in the command line for those of the runs

_LENGTH = struct.Struct(">I")
_MOST_DESCRIPTORS = 16
_PR_SET_NAME = 15
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_CAPABILITY_VERSION = 0x20080522
_MOST_CAPABILITIES = 64

Order = dict


def serve() -> None:
    """Fork a run for each order; return in the fork only."""
    if os.environ[CONTROL] == ONCE:
        _serve_once()
        return
    control = int(os.environ.pop(CONTROL))
    _close_all_but(control)
    places = _places()
    _start_what_this_hides()
    if importlib.util.find_spec("torch"):
        importlib.import_module("torch")
    reason = _unfit()
    if reason:
        _say(control, {"ready": False, "error": reason})
        os._exit(0)
    gc.collect()
    gc.freeze()  # what is here for good is not gone through in each run, nor copied for that
    held = _held(control)
    _say(control, {"ready": True, "error": ""})
    while True:
        order, handles = _hear(control)
        if order is None:
            os._exit(0)
        if _fork(control, order, handles, held):
            _become(order, places)
            return
        for handle in handles:
            os.close(handle)


def _serve_once() -> None:
    """Import torch, wait for the order, and return as that run."""
    del os.environ[CONTROL]
    _start_what_this_hides()
    if importlib.util.find_spec("torch"):
        importlib.import_module("torch")
    _say(1, {"ready": True, "error": ""})
    order = _read_order()
    if order is None:
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.chdir(order["cwd"])
    os.write(1, TAKEN)
    _become(order, _places() if sys.platform.startswith("linux") else None)


def _read_order() -> Any:
    """Wait for an order on standard input; None at its end."""
    data = bytearray()
    while len(data) < _LENGTH.size or len(data) < _LENGTH.size + _LENGTH.unpack_from(data)[0]:
        piece = os.read(0, 1 << 16)
        if not piece:
            return None
        data += piece
    return json.loads(data[_LENGTH.size :])


def _close_all_but(control: int) -> None:
    """Close what came with the start of this process; what a library holds open, as libffi its own file, is not."""
    for handle in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        with contextlib.suppress(OSError):  # the one that was listed by
            if handle > 2 and handle != control and os.get_inheritable(handle):  # noqa: PLR2004 - errors
                os.close(handle)


def _held(control: int) -> dict[int, str]:
    """Give the files that libraries hold open, by their descriptors."""
    found = {}
    for handle in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        with contextlib.suppress(OSError):
            if handle > 2 and handle != control:  # noqa: PLR2004
                found[handle] = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115
    return found


def _open_inside(held: dict[int, str]) -> None:
    """Open these files again behind the walls: by one that was opened outside the true file could be written to."""
    for handle, path in held.items():
        try:
            inside = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            inside = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(inside, handle, inheritable=False)
        os.close(inside)


def _start_what_this_hides() -> None:
    """Do what the start of a cold run does: import the module of the same name that is next on the path."""
    name = "sitecustomize"
    sys.path.remove(os.path.dirname(__file__))  # noqa: PTH120 - as it stands there
    spec = PathFinder.find_spec(name)
    del sys.modules[name]
    if spec is not None and spec.loader is not None:
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def _unfit() -> str:
    """Say why this process must not fork; the first fork has libraries put their threads away, which is tried here."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    return "" if threads == 1 else f"{threads} threads after the import of torch"


def _hear(control: int) -> tuple[Any, list[int]]:
    """Wait for an order; (None, []) at the end of the input."""
    import socket  # noqa: PLC0415 - there by now, as torch needs it

    with contextlib.closing(socket.socket(fileno=os.dup(control))) as ear:
        head, handles, _, _ = socket.recv_fds(ear, _LENGTH.size, _MOST_DESCRIPTORS)
        wanted = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else 0
        text = bytearray()
        while len(text) < wanted:
            piece = ear.recv(wanted - len(text))
            if not piece:
                return None, []
            text += piece
    return (json.loads(text) if text else None), handles


def _say(control: int, what: dict[str, Any]) -> None:
    text = json.dumps(what).encode("ascii")
    with contextlib.suppress(OSError):
        os.write(control, _LENGTH.pack(len(text)) + text)


def _fork(control: int, order: dict[str, Any], handles: list[int], held: dict[int, str]) -> bool:
    """Fork the run, over a process in between that leaves it to the supervisor; say whether this is the run."""
    wait, go = os.pipe()
    between = os.fork()
    if between == 0:
        try:
            for handle in handles[2:]:
                _checked(_libc().setns(handle, 0))
            run = os.fork()
        except OSError as error:
            _say(control, {"pid": None, "error": str(error)})
            os._exit(0)
        if run:
            _say(control, {"pid": run, "error": ""})
            os._exit(0)
        os.close(go)
        os.close(control)
        os.read(wait, 1)  # ends when the process in between has, and the supervisor is the parent
        os.close(wait)
        try:
            _take_place(order, handles, held)
        except OSError:
            os._exit(127)
        return True
    os.waitpid(between, 0)
    os.close(wait)
    os.close(go)
    return False


def _take_place(order: dict[str, Any], handles: list[int], held: dict[int, str]) -> None:
    """Be where the run is to be: its session, its folder, its output, behind its walls. Raises OSError."""
    os.setsid()
    for place, handle in enumerate(handles[:2], start=1):
        os.dup2(handle, place)
    for handle in handles:
        os.close(handle)
    if handles[2:]:
        _open_inside(held)
        _give_up_powers()
    os.chdir(order["cwd"])


def _give_up_powers() -> None:
    """Keep no more than bubblewrap leaves to what it starts. Raises OSError."""
    libc = _libc()
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    libc.prctl(_PR_CAP_AMBIENT, 4, 0, 0, 0)  # all of them
    for capability in range(_MOST_CAPABILITIES):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails above the last one there is
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _checked(libc.capset(header, bytes(24)))
    _checked(libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0))  # lost with the powers; without it /proc/self is closed


def _become(order: dict[str, Any], places: tuple[int, int, int, int] | None) -> None:
    """Make the interpreter's program the snippet; on any doubt start it cold."""
    argv, environment = order["argv"], order["env"]
    try:
        if places is not None:
            _show(argv, environment, places)
            _libc().prctl(_PR_SET_NAME, os.fsencode(os.path.basename(argv[0])), 0, 0, 0)  # noqa: PTH119
        before = os.environ["PYTHONPATH"].partition(os.pathsep)[2]  # what stood behind the folder of this file
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = [environment["PYTHONPATH"] if place == before else place for place in sys.path]
        sys.orig_argv[:] = argv
        _forget()
        getattr(sys.modules.get("sitecustomize"), "listen", lambda: None)()  # what a cold start does first
        _hand_over(argv[argv.index("-u") + 1 :])
    except BaseException:  # noqa: BLE001 - a snippet that cannot be compiled is told of by a Python of its own
        if os.name == "nt":  # where it would leave this process, which is waited for
            os._exit(os.spawnve(os.P_WAIT, argv[0], argv, environment))  # noqa: S606
        os.execve(argv[0], argv, environment)  # noqa: S606 - no shell is wanted


def _forget() -> None:
    """Let go of what no two runs may have in common; `random` sees to itself at a fork."""
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    if "tempfile" in sys.modules:
        vars(sys.modules["tempfile"])["tempdir"] = None
    if "multiprocessing.process" in sys.modules:
        sys.modules["multiprocessing.process"].current_process().authkey = os.urandom(32)


def _hand_over(argv: list[str]) -> None:
    """Stand in for `runpy` once, which the interpreter asks to run its program.

    It calls what it finds there with two arguments. Between that call and the snippet are functions in C alone, which
    leave no frame: the update of a set runs through a map, and the map calls one after the other.
    """
    path = argv[0]
    with open(path, "rb") as file:  # noqa: PTH123 - it delays the run
        code = compile(file.read(), path, "exec", dont_inherit=True)
    main = sys.modules["__main__"].__dict__
    main.update(__file__=path, __cached__=None, __loader__=SourceFileLoader("__main__", path))
    sys.argv = argv
    before = sys.modules.get("runpy")
    restore: Any = functools.partial(sys.modules.pop, "runpy")
    if before is not None:
        restore = functools.partial(sys.modules.__setitem__, "runpy", before)
    steps = map(_call(), (restore, types.FunctionType(code, main), sys.exit))
    program = types.ModuleType("runpy")
    vars(program)["_run_module_as_main"] = functools.partial(set().update, steps)
    sys.modules["runpy"] = program


def _call() -> Any:
    return operator.call  # type: ignore[attr-defined,unused-ignore] # from Python 3.11 on


def _places() -> tuple[int, int, int, int]:
    """Say where in memory the command line and the variables of this process lie, for other programs to see."""
    with open("/proc/self/stat", "rb") as file:  # noqa: PTH123
        fields = file.read().rpartition(b")")[2].split()
    return (int(fields[45]), int(fields[46]), int(fields[47]), int(fields[48]))


def _show(argv: list[str], environment: dict[str, str], places: tuple[int, int, int, int]) -> None:
    """Let others see the run's own command line and marker; what does not fit is left out."""
    begin, end, variables, last = places
    command = b"\0".join(map(os.fsencode, argv))[: end - begin - 1]
    ctypes.memmove(begin, command.ljust(end - begin, b"\0"), end - begin)
    shown = ctypes.string_at(variables, last - variables)
    name = f"{MARKER}=".encode()
    place = 0 if shown.startswith(name) else shown.find(b"\0" + name) + 1
    value = environment.get(MARKER, "").encode() + b"\0"
    if place + len(name) + len(value) <= shown.find(b"\0", place) + 1:
        ctypes.memmove(variables + place + len(name), value, len(value))


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "sitecustomize":
    serve()
