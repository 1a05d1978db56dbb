"""A filter of system calls for isolated runs: the parts of the kernel that a snippet never needs are refused to it.

The filter is a program for the kernel's packet filter (see seccomp(2) and linux/filter.h). bubblewrap loads it for runs
that start cold; a forked run loads it itself.
"""

from __future__ import annotations

import errno
import platform
import struct

# By name: the numbers on x86_64 and on aarch64; -1 where there is no such call.
_REFUSED = {
    # keys of the user and the session, which namespaces do not separate
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # other processes
    "ptrace": (101, 117), "perf_event_open": (298, 241), "kcmp": (312, 272),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    # programs in the kernel, and calls by which holes in it were most often used
    "bpf": (321, 280), "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    # the machine itself
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "syslog": (103, 116), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266), "vhangup": (153, 58), "iopl": (172, -1), "ioperm": (173, -1),
}  # fmt: skip
_CLONE, _CLONE3, _IOCTL = (56, 220), (435, 435), (16, 29)
_NEW_NAMESPACES = 0x7E02_0000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET
_TYPES_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX
_ARCHITECTURES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}  # the column above, AUDIT_ARCH_...
_X32 = 0x4000_0000  # set in the numbers of another set of calls of x86_64

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # offsets in struct seccomp_data; arguments by their lower half
_ALLOW, _FAIL = 0x7FFF_0000, 0x0005_0000
_PERMISSION, _NO_SUCH_CALL = _FAIL | errno.EPERM, _FAIL | errno.ENOSYS


def seccomp_filter(machine: str = "") -> bytes:
    """Return the filter for a machine, as named by platform.machine(); empty if its system calls are not known here."""
    known = _ARCHITECTURES.get(machine or platform.machine())
    if known is None:
        return b""
    column, architecture = known
    program = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, architecture, yes=1),
        _step(_RETURN, _NO_SUCH_CALL),  # calls of another architecture have other numbers
        _step(_LOAD, _NUMBER),
    ]
    program += _refuse(_AT_LEAST, _X32, _NO_SUCH_CALL)
    for numbers in _REFUSED.values():
        if numbers[column] >= 0:
            program += _refuse(_EQUAL, numbers[column], _PERMISSION)
    program += _refuse(_EQUAL, _CLONE3[column], _NO_SUCH_CALL)  # its flags cannot be seen; libraries then use clone
    program += _with_argument(_CLONE[column], _FIRST, _refuse(_ANY_BIT, _NEW_NAMESPACES, _PERMISSION))
    typing = [step for code in _TYPES_INTO_TERMINAL for step in _refuse(_EQUAL, code, _PERMISSION)]
    program += _with_argument(_IOCTL[column], _SECOND, typing)
    return b"".join([*program, _step(_RETURN, _ALLOW)])


def _step(operation: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """Return an instruction, struct sock_filter; `yes` and `no` are how many of the next ones to skip."""
    return struct.pack("=HBBI", operation, yes, no, value)


def _refuse(test: int, value: int, result: int) -> list[bytes]:
    return [_step(test, value, no=1), _step(_RETURN, result)]


def _with_argument(number: int, offset: int, steps: list[bytes]) -> list[bytes]:
    """Return steps that look at an argument of one call and then end, since the number is no longer loaded."""
    inside = [_step(_LOAD, offset), *steps, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, no=len(inside)), *inside]
