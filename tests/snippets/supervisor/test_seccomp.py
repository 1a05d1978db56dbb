"""The filter of system calls, interpreted as the kernel does."""

from __future__ import annotations

import struct

import pytest

from snippets.supervisor.seccomp import seccomp_filter

ALLOWED, REFUSED, UNKNOWN = 0x7FFF_0000, 0x0005_0001, 0x0005_0026
X86, ARM = 0xC000_003E, 0xC000_00B7


def answer(program: bytes, number: int, *arguments: int, architecture: int) -> int:
    """Return what a filter says to a system call."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *[*arguments, *[0] * 6][:6])
    steps = list(struct.iter_unpack("=HBBI", program))
    at, loaded = 0, 0
    while True:
        operation, yes, no, value = steps[at]
        at += 1
        if operation == 0x06:
            return int(value)
        if operation == 0x20:
            (loaded,) = struct.unpack_from("=I", data, value)
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[operation]
            at += yes if holds else no


@pytest.mark.parametrize(
    ("machine", "ordinary", "refused"),
    [("x86_64", (0, 1, 39, 57, 59, 231), (101, 165, 250, 272, 321)), ("aarch64", (63, 64, 172), (117, 40, 219, 97))],
)
def test_what_is_refused(machine: str, ordinary: tuple[int, ...], refused: tuple[int, ...]) -> None:
    """Ordinary calls pass; those that a snippet never needs do not, nor new namespaces, nor typing into a terminal."""
    program = seccomp_filter(machine)
    architecture, clone, ioctl = {"x86_64": (X86, 56, 16), "aarch64": (ARM, 220, 29)}[machine]
    says = {number: answer(program, number, architecture=architecture) for number in (*ordinary, *refused)}
    assert says == dict.fromkeys(ordinary, ALLOWED) | dict.fromkeys(refused, REFUSED)
    assert answer(program, clone, 17, architecture=architecture) == ALLOWED
    assert answer(program, clone, 0x1000_0000 | 17, architecture=architecture) == REFUSED
    assert answer(program, 435, architecture=architecture) == UNKNOWN
    assert answer(program, ioctl, 0, 0x5401, architecture=architecture) == ALLOWED
    assert answer(program, ioctl, 0, 0xFF00_0000_0000_5412, architecture=architecture) == REFUSED


def test_other_sets_of_calls() -> None:
    """The 32-bit calls of the same machine have other numbers, by which the list could be passed."""
    program = seccomp_filter("x86_64")
    assert answer(program, 20, architecture=0x4000_0003) == UNKNOWN
    assert answer(program, 0x4000_0000 + 39, architecture=X86) == UNKNOWN


def test_a_machine_that_is_not_known() -> None:
    """There is no filter for it rather than a wrong one."""
    assert seccomp_filter("riscv64") == b""
