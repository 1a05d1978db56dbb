"""Environment variables for the options of a run: threads, blocking launches, and the user's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from snippets.errors import BadOption, Sentence

BLOCKING = "CUDA_LAUNCH_BLOCKING"

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_CHOSEN_OTHERWISE = frozenset({"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
_NAME = re.compile(r"[^=\0\s][^=\0]*")
# Messages of torch for errors of kernels that may have been launched long before the line in the traceback.
_ASYNCHRONOUS = re.compile(
    r"CUDA kernel errors might be asynchronously reported|device-side assert triggered"
    r"|CUDA error: (?:an illegal memory access|misaligned address|unspecified launch failure|invalid program counter)"
)


@dataclass(frozen=True)
class RerunSuggestion:
    """A run that would show more: why, and the variables to set for it."""

    reason: Sentence
    environment: Mapping[str, str]


def variables(*, threads: int | None = None, blocking: bool = False, given: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables of a run; `given` are texts of the form K=V. Raises BadOption."""
    found = dict(_pair(text) for text in given)
    if threads is not None:
        found |= dict.fromkeys(_THREADS, str(threads))
    return found | ({BLOCKING: "1"} if blocking else {})


def offer_for(output: str, *, environment: Mapping[str, str], device: str) -> RerunSuggestion | None:
    """Suggest blocking launches after a CUDA error whose traceback may show the wrong line; None otherwise."""
    if not device.startswith("cuda") or environment.get(BLOCKING, "0") not in {"", "0"}:
        return None
    if not _ASYNCHRONOUS.search(output):
        return None
    reason = Sentence(
        "CUDA reports this error late, so the line shown may not be the one at fault. "
        f"Run it with {BLOCKING}=1 to see which one is.",
        f"CUDA 的错误会延迟报告，显示的行未必是出错的行。设 {BLOCKING}=1 再运行，就能看到真正出错的那一行。",
    )
    return RerunSuggestion(reason, {BLOCKING: "1"})


def asked_for(
    *, args: Sequence[str], timeout: float | None, environment: Mapping[str, str], isolate: bool
) -> str | None:
    """Return the options of a run as JSON for the ledger; None without any.

    The values of the user's own variables are left out, because they may be secret.
    """
    told = {name: value if name in {*_THREADS, BLOCKING} else "…" for name, value in environment.items()}
    asked = {"args": list(args), "timeout": timeout, "environment": told, "isolated": isolate}
    given = {name: value for name, value in asked.items() if value}
    return json.dumps(given, ensure_ascii=False) if given else None


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _NAME.fullmatch(name) or "\0" in value:
        raise BadOption(
            f"{text!r} is no variable; write --env NAME=VALUE.", f"{text!r} 不是环境变量；请写 --env 名字=值。"
        )
    if name in _CHOSEN_OTHERWISE:
        raise BadOption(
            f"{name} follows from the device; choose it with --device.", f"{name} 由设备决定；请用 --device 选择设备。"
        )
    return name, value
