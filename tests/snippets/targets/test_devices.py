"""Devices, with a driver made up where this machine has none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from snippets.errors import UnknownDevice
from snippets.targets import devices as module
from snippets.targets.devices import Device, devices, environment_for, every, fitting, gpu_numbers, kind_of, why_not
from tests.snippets.fake_gpus import Card, Driver, install

CPU = Device("cpu", "cpu", "A processor", 1 << 34, 1 << 33, available=True)
GPUS = tuple(Device(f"cuda:{n}", "cuda", "A GPU", 1 << 36, 1 << 35, available=True) for n in range(2))
TIRED = Device("cuda:0", "cuda", "A GPU", None, None, available=False, reason="it is tired.", reason_zh="它累了。")


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """Stand in for a driver with two GPUs."""
    cards = [Card(held={1: 10 << 30}), Card("NVIDIA Two", "GPU-bbbb-2")]
    return install(Driver(cards), monkeypatch)


def test_the_cpu_is_always_there() -> None:
    """First, with a name and its memory."""
    cpu = devices()[0]
    assert (cpu.id, cpu.kind, cpu.available, cpu.reason) == ("cpu", "cpu", True, None)
    assert cpu.name
    assert cpu.memory_total is not None
    assert cpu.memory_free is not None
    assert 0 < cpu.memory_free <= cpu.memory_total


def test_the_document_has_the_keys_of_the_contract() -> None:
    """The JSON of the command `devices`."""
    names = ["id", "kind", "name", "memory_total", "memory_free", "available", "reason", "load"]
    assert list(CPU.document()) == names


def test_a_processor_without_a_name_has_one_all_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where /proc says nothing, the platform does."""
    monkeypatch.setattr(module, "Path", lambda _: tmp_path / "missing")
    assert module._processor_name()


@pytest.mark.usefixtures("two_gpus")
def test_nvidia_gpus_are_found() -> None:
    """Each with its number along the bus, name and memory in bytes."""
    found = [device for device in devices() if device.kind == "cuda"]
    assert [(gpu.id, gpu.name, gpu.memory_total, gpu.available) for gpu in found] == [
        ("cuda:0", "NVIDIA One", 80 << 30, True),
        ("cuda:1", "NVIDIA Two", 80 << 30, True),
    ]


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize(("given", "expected"), [("1", [False, True]), ("GPU-aaaa", [True, False]), ("", [False] * 2)])
def test_gpus_that_a_batch_system_hides(given: str, expected: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """What CUDA_VISIBLE_DEVICES leaves out belongs to others: shown, with the reason, but not to be used."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    found = [device for device in devices() if device.kind == "cuda"]
    assert [gpu.available for gpu in found] == expected
    assert [gpu.reason is None for gpu in found] == expected


def test_a_gpu_that_does_not_answer(two_gpus: Driver) -> None:
    """One that has fallen off the bus is shown with the reason; the other works."""
    two_gpus.cards[0].lost = True
    lost, well = (device for device in devices() if device.kind == "cuda")
    assert (lost.available, well.available, well.load) == (False, True, 0.35)
    assert "does not answer" in str(lost.reason)


def test_apple_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an Apple processor there is mps, on an Intel Mac there is not."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert [device.id for device in module._apple()] == ["mps"]
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert module._apple() == ()


@pytest.mark.parametrize(
    ("vendor", "driver", "expected"),
    [("0x8086", True, ["xpu"]), ("0x8086", False, []), ("0x10de", True, []), (None, True, [])],
)
def test_intel_gpus(
    vendor: str | None,
    driver: bool,  # noqa: FBT001
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """An Intel GPU counts when the driver that torch reaches it by is there."""
    card = tmp_path / "renderD128" / "device" / "vendor"
    card.parent.mkdir(parents=True)
    if vendor is None:
        card.write_bytes(b"\xff")
    else:
        card.write_text(vendor + "\n")
    libraries = tmp_path / "lib"
    libraries.mkdir()
    if driver:
        (libraries / "libze_intel_gpu.so.1").touch()
    monkeypatch.setattr(module, "_CARDS", tmp_path)
    monkeypatch.setattr(module, "_LEVEL_ZERO", (str(libraries),))
    assert [device.id for device in module._intel()] == expected


@pytest.mark.parametrize(
    ("device", "visible"),
    [("cpu", ""), ("mps", ""), ("xpu", ""), ("cuda:0", "0"), ("cuda:0,1", "0,1"), ("cuda:3,3,01", "3,1")],
)
def test_a_run_sees_the_chosen_device_only(device: str, visible: str) -> None:
    """The variable of CUDA names the chosen GPUs in the bus's order of numbers, and none for anything else."""
    assert environment_for(device) == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": visible}


@pytest.mark.parametrize("device", ["", "tpu", "cuda", "cuda:", "cuda:x", "cuda:0,", "cpu:0", "CPU", "cuda:0\n", "a b"])
def test_an_id_of_no_known_form(device: str) -> None:
    """An error that names the devices there are."""
    with pytest.raises(UnknownDevice) as caught:
        environment_for(device)
    assert "cpu" in caught.value.en
    assert "cpu" in caught.value.zh


def test_the_kind_of_a_device() -> None:
    """It is the part before the colon."""
    assert [kind_of(device) for device in ("cpu", "cuda:0,1", "mps", "xpu")] == ["cpu", "cuda", "mps", "xpu"]


@pytest.mark.parametrize(
    ("device", "kinds", "gpus", "present", "expected"),
    [
        ("cpu", ("any",), 0, (CPU,), None),
        ("cpu", ("cpu", "cuda"), 0, (CPU,), None),
        ("cuda:0", ("cuda",), 1, (CPU, *GPUS), None),
        ("cuda:0,1", ("cuda",), 2, (CPU, *GPUS), None),
        ("cuda:0", ("any",), 0, (CPU,), "has no cuda:0; it has: cpu"),
        ("cuda:0,7", ("any",), 0, (CPU, *GPUS), "has no cuda:7"),
        ("mps", ("any",), 0, (CPU,), "has no mps"),
        ("cuda:0", ("any",), 0, (CPU, TIRED), "it is tired."),
        ("cpu", ("cuda",), 0, (CPU, *GPUS), "choose cuda:0"),
        ("cpu", ("cuda",), 0, (CPU, TIRED), "this machine has none of that"),
        ("cuda:0", ("cpu",), 0, (CPU, *GPUS), "choose cpu"),
        ("cpu", ("any",), 2, (CPU, *GPUS), "needs 2 GPUs and 0 are chosen; choose cuda:0,1"),
        ("cuda:1", ("cuda",), 2, (CPU, *GPUS), "needs 2 GPUs and 1 are chosen; choose cuda:0,1"),
        ("cpu", ("any",), 4, (CPU, *GPUS), "needs 4 GPUs; this machine has 2"),
    ],
)
def test_what_cannot_run_here_says_why(
    device: str, kinds: tuple[str, ...], gpus: int, present: tuple[Device, ...], expected: str | None
) -> None:
    """A device that is absent, unfit or too few is never replaced by another in silence."""
    found = why_not(device, kinds=kinds, needs_gpus=gpus, present=present)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert expected in found.en
        assert found.zh.endswith("。")


@pytest.mark.parametrize(
    ("kinds", "gpus", "present", "fits"),
    [
        (("any",), 0, (CPU, *GPUS), ("cpu", "cuda:0", "cuda:1")),
        (("cpu", "cuda"), 0, (CPU, TIRED), ("cpu",)),
        (("cuda",), 0, (CPU,), ()),
        (("any",), 1, (CPU, *GPUS), ("cuda:0", "cuda:1")),
        (("any",), 2, (CPU, *GPUS), ("cuda:0,1",)),
        (("cpu", "cuda"), 2, (CPU, GPUS[0]), ()),
    ],
)
def test_where_a_snippet_fits(
    kinds: tuple[str, ...], gpus: int, present: tuple[Device, ...], fits: tuple[str, ...]
) -> None:
    """On each device that is fit and works, or on as many GPUs together as it needs."""
    assert fitting(kinds, gpus, present=present) == fits
    for one in fits:
        assert why_not(one, kinds=kinds, needs_gpus=gpus, present=present) is None


def test_every_device_is_tried() -> None:
    """Also one that will only say why not; but what needs two GPUs is not tried on one if there are two."""
    assert every(("cuda",), 0, present=(CPU, TIRED)) == ("cpu", "cuda:0")
    assert every(("any",), 2, present=(CPU, *GPUS)) == ("cuda:0,1",)
    assert every(("any",), 2, present=(CPU, GPUS[0])) == ("cpu", "cuda:0")


def test_the_numbers_of_gpus() -> None:
    """Of CUDA only."""
    assert [gpu_numbers(device) for device in ("cpu", "cuda:1", "cuda:0,2", "mps")] == [(), (1,), (0, 2), ()]


def test_the_load_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 0 to 1; None where the system does not tell."""
    load = devices()[0].load
    assert load is None or 0 <= load <= 1
    monkeypatch.delattr("os.getloadavg", raising=False)
    assert devices()[0].load is None


@pytest.mark.gpu
def test_the_gpus_of_this_machine() -> None:
    """A real driver answers."""
    gpus = [device for device in devices() if device.kind == "cuda"]
    if not gpus:
        pytest.skip("no NVIDIA GPU")
    assert all(gpu.memory_total for gpu in gpus)
