"""The zygote: a Python that has imported torch and forks a run for each order.

A copy of this file is the program that a chosen interpreter is started with; it needs no other file of ours. In the
fork it executes the snippet as `__main__` and leaves exceptions, exit codes, `atexit` and the end to Python. Any error
before that leads to a cold start of the same command. One frame of this file stays at the bottom of the stack;
`_hide_own_frame` removes it from the traceback of an uncaught exception.

Where forking is not safe, the process becomes the run itself, once. The order then comes by its standard input, and it
reports on its standard output that it is ready, because every system has pipes.

in    a length of 32 bits, with it the descriptors: output, errors, and namespaces to join in their order; then JSON:
      {"argv", "env", "cwd"}, the command as it would be started cold
out   a length of 32 bits and JSON: {"ready"} once, and {"pid"} or {"error"} for each order
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import gc
import importlib.util
import json
import os
import struct
import sys
import types
from importlib.machinery import SourceFileLoader
from typing import Any

PROGRAM = "torchleaf_zygote.py"  # the name of the copy
CONTROL = "TORCHLEAF_CONTROL"  # the variable with the number of the socket, or
ONCE = "once"
TAKEN = b"\6"
MARKER = "TORCHLEAF_RUN"
ROOM = 4096  # bytes reserved in the command line for those of the runs

_LENGTH = struct.Struct(">I")
_MOST_DESCRIPTORS = 16
_PR_SET_NAME = 15
_PR_SET_SECCOMP, _FILTER = 22, 2
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_CAPABILITY_VERSION = 0x20080522
_MOST_CAPABILITIES = 64


def serve() -> types.CodeType:
    """Fork a run for each order; return only in the fork, with the code to execute in the module `__main__`."""
    if os.environ[CONTROL] == ONCE:
        return _serve_once()
    control = int(os.environ.pop(CONTROL))
    _close_all_but(control)
    places = _places()
    if importlib.util.find_spec("torch"):
        importlib.import_module("torch")
    reason = _unfit()
    if reason:
        _say(control, {"ready": False, "error": reason})
        os._exit(0)
    gc.collect()
    gc.freeze()  # else each run would scan these objects, and copy their pages
    held = _held(control)
    _say(control, {"ready": True, "error": ""})
    while True:
        order, handles = _hear(control)
        if order is None:
            os._exit(0)
        if _fork(control, order, handles, held):
            return _become(order, places)
        for handle in handles:
            os.close(handle)


def _serve_once() -> types.CodeType:
    """Import torch, wait for the order, and return as that run."""
    del os.environ[CONTROL]
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
    return _become(order, _places() if sys.platform.startswith("linux") else None)


def _read_order() -> Any:
    """Wait for an order on standard input; None at the end of the input."""
    data = bytearray()
    while len(data) < _LENGTH.size or len(data) < _LENGTH.size + _LENGTH.unpack_from(data)[0]:
        piece = os.read(0, 1 << 16)
        if not piece:
            return None
        data += piece
    return json.loads(data[_LENGTH.size :])


def _close_all_but(control: int) -> None:
    """Close the descriptors that this process inherited, but not those that libraries hold, such as libffi."""
    for handle in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        with contextlib.suppress(OSError):  # the one of the listing itself
            if handle > 2 and handle != control and os.get_inheritable(handle):  # noqa: PLR2004 - errors
                os.close(handle)


def _held(control: int) -> dict[int, str]:
    """Return the files that libraries hold open, by their descriptors."""
    found = {}
    for handle in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        with contextlib.suppress(OSError):
            if handle > 2 and handle != control:  # noqa: PLR2004
                found[handle] = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115
    return found


def _open_inside(held: dict[int, str]) -> None:
    """Reopen these files inside the sandbox: a descriptor from outside could be used to write to the real file."""
    for handle, path in held.items():
        try:
            inside = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            inside = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(inside, handle, inheritable=False)
        os.close(inside)


def _unfit() -> str:
    """Return why this process must not fork, or "". A first fork makes libraries stop their threads; do that here."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    return "" if threads == 1 else f"{threads} threads after the import of torch"


def _hear(control: int) -> tuple[Any, list[int]]:
    """Wait for an order; (None, []) at the end of the input."""
    import socket  # noqa: PLC0415 - torch has loaded it by now

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
    """Fork the run; return whether this process is the run.

    An intermediate process forks it and ends, so that the supervisor becomes the parent of the run.
    """
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
        os.read(wait, 1)  # returns when the intermediate process has ended and the supervisor is the parent
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
    """Enter the session, the output, the sandbox and the folder of the run. Raises OSError."""
    os.setsid()
    for place, handle in enumerate(handles[:2], start=1):
        os.dup2(handle, place)
    for handle in handles:
        os.close(handle)
    if handles[2:]:
        _open_inside(held)
        _give_up_powers()
        _filter_calls(bytes.fromhex(order["filter"]))
    os.chdir(order["cwd"])


def _give_up_powers() -> None:
    """Drop the privileges that bubblewrap drops. Raises OSError."""
    libc = _libc()
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    libc.prctl(_PR_CAP_AMBIENT, 4, 0, 0, 0)  # all of them
    for capability in range(_MOST_CAPABILITIES):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails above the last one there is
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _checked(libc.capset(header, bytes(24)))
    _checked(libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0))  # lost with the capabilities, and needed to read /proc/self


def _filter_calls(program: bytes) -> None:
    """Load the filter of system calls that bubblewrap loads for a cold start. Raises OSError."""
    if not program:
        return
    steps = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: how many instructions of 8 bytes, and where they are
    loaded = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(steps)))
    _checked(_libc().prctl(_PR_SET_SECCOMP, _FILTER, loaded, 0, 0))


def _become(order: dict[str, Any], places: tuple[int, int, int, int] | None) -> types.CodeType:
    """Turn this process into the run and return its code; on any error start it cold instead."""
    argv, environment = order["argv"], order["env"]
    try:
        if places is not None:
            _show(argv, environment, places)
            _libc().prctl(_PR_SET_NAME, os.fsencode(os.path.basename(argv[0])), 0, 0, 0)  # noqa: PTH119
        at = sys.path.index(os.environ["PYTHONPATH"])
        os.environ.clear()
        os.environ.update(environment)
        sys.path[at : at + 1] = environment["PYTHONPATH"].split(os.pathsep)
        sys.orig_argv[:] = argv
        _forget()
        getattr(sys.modules.get("sitecustomize"), "listen", lambda: None)()  # what a cold start does first
        return _make_main(argv[argv.index("-u") + 1 :])
    except BaseException:  # noqa: BLE001 - a cold start reports a syntax error
        if os.name == "nt":  # there it would not replace this process, which the supervisor waits for
            os._exit(os.spawnve(os.P_WAIT, argv[0], argv, environment))  # noqa: S606
        os.execve(argv[0], argv, environment)  # noqa: S606 - no shell is wanted


def _forget() -> None:
    """Reset the state that two runs must not share; `random` reseeds itself after a fork."""
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    if "tempfile" in sys.modules:
        vars(sys.modules["tempfile"])["tempdir"] = None
    if "multiprocessing.process" in sys.modules:
        sys.modules["multiprocessing.process"].current_process().authkey = os.urandom(32)


def _make_main(argv: list[str]) -> types.CodeType:
    """Make a fresh module `__main__` for a program, as `python FILE` does, and return its code."""
    path = argv[0]
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib would delay the run
        code = compile(file.read(), path, "exec", dont_inherit=True)
    main = types.ModuleType("__main__")
    if "__annotations__" in vars(sys.modules["__main__"]):  # Python 3.14 does not make it any more
        main.__annotations__ = {}
    vars(main).update(
        __builtins__=builtins, __file__=path, __cached__=None, __loader__=SourceFileLoader("__main__", path)
    )
    sys.modules["__main__"] = main
    sys.argv = argv
    return code


def _hide_own_frame() -> None:
    """Remove the frame of this file from the traceback of the uncaught exception that ends the run."""
    report = sys.excepthook

    def report_rest(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.last_traceback = trace
        report(kind, error.with_traceback(trace), trace)

    sys.excepthook = report_rest


def _places() -> tuple[int, int, int, int]:
    """Return the memory addresses of the command line and the environment that other programs see of this process."""
    with open("/proc/self/stat", "rb") as file:  # noqa: PTH123
        fields = file.read().rpartition(b")")[2].split()
    return (int(fields[45]), int(fields[46]), int(fields[47]), int(fields[48]))


def _show(argv: list[str], environment: dict[str, str], places: tuple[int, int, int, int]) -> None:
    """Show other programs the command line and the marker of the run, as far as there is room."""
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


if __name__ == "__main__":
    _code = serve()
    try:
        exec(_code, vars(sys.modules["__main__"]))  # noqa: S102 - it is what this process is for
    except BaseException:
        _hide_own_frame()
        raise
