"""What this machine has and lacks for the program, and the command that mends it. Needs no Qt, imports no torch."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kb.places import Places, make_private
from snippets.devices import devices
from snippets.errors import Sentence
from snippets.interpreters import probe, running
from snippets.isolation import isolation
from snippets.mounts import network_kind
from torchleaf import INSTALLED

_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_CHINESE_FONTS = ("cjk", "sourcehan", "wqy", "droidsansfallback", "uming", "ukai", "lxgw", "simsun", "msyh", "pingfang")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `needed` says whether the program lacks something essential without it."""

    name: Sentence
    ok: bool
    detail: Sentence
    mend: Sentence | None = None
    needed: bool = True

    def document(self) -> dict[str, object]:
        """Return it in English, as one object of JSON."""
        mend = None if self.mend is None else self.mend.en
        return {
            "name": self.name.en, "ok": self.ok, "detail": self.detail.en, "mend": mend, "needed": self.needed,
        }  # fmt: skip


def same(text: str) -> Sentence:
    """Return what needs no words of a language."""
    return Sentence(text, text)


def check_up(places: Places) -> tuple[Finding, ...]:
    """Look at everything; nothing is changed but empty user folders made."""
    checks: tuple[Callable[[], Finding], ...] = (
        _python, _window, _display, _font, lambda: _folders(places), lambda: _disk(places),
        _torch, _devices, _isolation,
    )  # fmt: skip
    return tuple(check() for check in checks)


def _python() -> Finding:
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13)
    line = "make setup PYTHON=python3.12"
    mend = Sentence(
        f"Install Python 3.11, 3.12 or 3.13 and run: {line}", f"请安装 Python 3.11、3.12 或 3.13，然后运行：{line}"
    )
    version = platform.python_version()
    detail = Sentence(f"{version} at {sys.executable}", f"{version}，位于 {sys.executable}")
    return Finding(same("Python"), fits, detail, None if fits else mend)


def _window() -> Finding:
    name = Sentence("window", "窗口")
    try:
        version = importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        detail = Sentence("PySide6 is not installed", "没有安装 PySide6")
        return Finding(name, ok=False, detail=detail, mend=same(_adding("gui")))
    return Finding(name, ok=True, detail=same(f"PySide6 {version}"))


def _adding(extra: str) -> str:
    """Return the command that installs what an extra of the project names; the project itself is in no registry."""
    if not INSTALLED:
        return "make setup"
    needs = (need.partition(";") for need in importlib.metadata.requires("torchleaf") or ())
    return " ".join((_pip(), *(name.strip() for name, _, when in needs if f"extra == '{extra}'" in when)))


def _pip() -> str:
    """Return how packages are installed for this Python; uv leaves pip out of what it makes."""
    own = importlib.util.find_spec("pip") is not None
    return f"{sys.executable} -m pip install" if own else f"uv pip install --python {sys.executable}"


def _display() -> Finding:
    name = Sentence("display", "显示")
    if not sys.platform.startswith("linux"):
        return Finding(name, ok=True, detail=same(platform.system()))
    names = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
    found = next((f"{name}={os.environ[name]}" for name in names if os.environ.get(name)), None)
    mend = Sentence(
        "Start from a desktop session, or set DISPLAY; every command but gui works without",
        "请从桌面会话启动，或设置 DISPLAY；除 gui 外的命令都不需要它",
    )
    detail = same(found) if found else Sentence("there is none", "没有")
    return Finding(name, found is not None, detail, None if found else mend, needed=False)


def _font() -> Finding:
    name = Sentence("Chinese font", "中文字体")
    if not sys.platform.startswith("linux"):
        return Finding(name, ok=True, detail=Sentence("part of the system", "系统自带"))
    for folder in _FONT_FOLDERS:
        for file in Path(folder).expanduser().rglob("*.[to]t[cf]"):
            if any(font in file.name.lower().replace("-", "") for font in _CHINESE_FONTS):
                return Finding(name, ok=True, detail=same(file.name))
    mend = same("sudo apt-get install fonts-noto-cjk")
    return Finding(name, ok=False, detail=Sentence("none was found", "没有找到"), mend=mend, needed=False)


def _folders(places: Places) -> Finding:
    name = Sentence("folders", "文件夹")
    for folder in (places.data, places.cache):
        try:
            make_private(folder)
        except OSError as error:
            mend = Sentence(
                f"Make {folder} writable, or set TORCHLEAF_HOME to a folder that is",
                f"请让 {folder} 可写，或把 TORCHLEAF_HOME 设为可写的文件夹",
            )
            return Finding(name, ok=False, detail=same(f"{folder}: {error.strerror}"), mend=mend)
        if not os.access(folder, os.W_OK):
            detail = Sentence(f"{folder} is read-only", f"{folder} 是只读的")
            return Finding(name, ok=False, detail=detail, mend=same(f"chmod u+w {folder}"))
    return Finding(name, ok=True, detail=same(f"{places.data}, {places.cache}"))


def _disk(places: Places) -> Finding:
    """Say where data lies on a disk that other machines share: all works there, but slower and with less certainty."""
    name = Sentence("disk", "磁盘")
    kinds = {folder: network_kind(folder) for folder in (places.data, places.cache)}
    shared = {folder: kind for folder, kind in kinds.items() if kind}
    if not shared:
        return Finding(name, ok=True, detail=Sentence("of this machine", "本机磁盘"))
    en = ", ".join(f"{folder} is on {kind}" for folder, kind in shared.items())
    zh = "、".join(f"{folder} 在 {kind} 上" for folder, kind in shared.items())
    mend = Sentence(
        "Set TORCHLEAF_HOME to a folder on a disk of this machine; notes may stay where they are",
        "请把 TORCHLEAF_HOME 设为本机磁盘上的文件夹；笔记可以留在原处",
    )
    detail = Sentence(f"{en}, shared with other machines", f"{zh}，与其他机器共用")
    return Finding(name, ok=False, detail=detail, mend=mend, needed=False)


def _torch() -> Finding:
    found, name = probe(running()), same("torch")
    if found.torch is None:
        detail = Sentence("not installed; snippets that need it cannot run", "没有安装；需要它的代码片段无法运行")
        return Finding(name, ok=False, detail=detail, mend=same(f"{_pip()} torch==2.13.0"))
    builds = ", ".join(found.builds)
    detail = Sentence(
        f"{found.torch}, built for {builds or 'the CPU only'}", f"{found.torch}，构建目标：{builds or '仅 CPU'}"
    )
    return Finding(name, ok=True, detail=detail)


def _devices() -> Finding:
    known = devices()
    usable = ", ".join(f"{device.id} ({device.name})" for device in known if device.available)
    en = "".join(f"; {device.id}: {device.reason}" for device in known if not device.available)
    zh = "".join(f"；{device.id}：{device.reason_zh}" for device in known if not device.available)
    return Finding(Sentence("devices", "设备"), ok=True, detail=Sentence(usable + en, usable + zh))


def _isolation() -> Finding:
    found = isolation()
    mend = None if found.available else Sentence(found.reason_en or "", found.reason_zh or "")
    detail = (
        Sentence("bubblewrap works", "bubblewrap 可用")
        if found.available
        else Sentence("runs cannot be isolated", "无法隔离运行")
    )
    return Finding(Sentence("isolation", "隔离"), found.available, detail, mend, needed=False)
