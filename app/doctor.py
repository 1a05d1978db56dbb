"""Checks what this machine lacks for the program, with the command that fixes it. Imports neither Qt nor torch."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from app.qt_libraries import trouble
from kb.files.paths import UserPaths, make_private
from snippets.errors import Sentence, SnippetError
from snippets.process.isolation import isolation
from snippets.process.system_packages import apt_line
from snippets.project_metadata import project
from snippets.results.missing_modules import TORCH, lack_of
from snippets.targets.devices import devices
from snippets.targets.filesystems import network_kind
from snippets.targets.interpreters import probe, running

_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_CHINESE_FONTS = ("cjk", "sourcehan", "wqy", "droidsansfallback", "uming", "ukai", "lxgw", "simsun", "msyh", "pingfang")


@dataclass(frozen=True)
class CheckResult:
    """Result of one check; `needed` is whether the program needs it to pass, `mend` how to fix it."""

    name: Sentence
    ok: bool
    detail: Sentence
    mend: Sentence | None = None
    needed: bool = True

    def document(self) -> dict[str, object]:
        """Return the result as a JSON object, in English."""
        mend = None if self.mend is None else self.mend.en
        name, detail = self.name.en, self.detail.en
        return {"name": name, "ok": self.ok, "detail": detail, "mend": mend, "needed": self.needed}


def same(text: str) -> Sentence:
    """Return a text that is the same in both languages."""
    return Sentence(text, text)


def check_up(places: UserPaths, python: Path | None = None) -> tuple[CheckResult, ...]:
    """Run all checks; they only create missing user folders. `python` is the interpreter for snippets."""
    system = _python(), _window(), _display(), _font(), _folders(places), _disk(places)
    return (*system, _torch(python or running()), _devices(), _isolation())


def _python() -> CheckResult:
    first, last = project().pythons
    fits = (3, first) <= sys.version_info[:2] <= (3, last)
    mend = Sentence(
        f"Install Python 3.{first} to 3.{last} and run this program with it",
        f"请安装 Python 3.{first} 到 3.{last}，并用它运行本程序",
    )
    version = platform.python_version()
    detail = Sentence(f"{version} at {sys.executable}", f"{version}，位于 {sys.executable}")
    return CheckResult(same("Python"), fits, detail, None if fits else mend)


def _window() -> CheckResult:
    name = Sentence("window", "窗口")
    try:
        found = trouble()
    except SnippetError as error:
        return CheckResult(name, ok=False, detail=Sentence(error.en, error.zh))
    if found is not None:
        return CheckResult(name, ok=False, detail=found.said, mend=found.mend)
    return CheckResult(name, ok=True, detail=same(f"PySide6 {importlib.metadata.version('PySide6-Essentials')}"))


def _display() -> CheckResult:
    name = Sentence("display", "显示")
    if not sys.platform.startswith("linux"):
        return CheckResult(name, ok=True, detail=same(platform.system()))
    names = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
    found = next((f"{name}={os.environ[name]}" for name in names if os.environ.get(name)), None)
    mend = Sentence(
        "Start from a desktop session, or set DISPLAY; every command but gui works without",
        "请从桌面会话启动，或设置 DISPLAY；除 gui 外的命令都不需要它",
    )
    detail = same(found) if found else Sentence("there is none", "没有")
    return CheckResult(name, found is not None, detail, None if found else mend, needed=False)


def _font() -> CheckResult:
    name = Sentence("Chinese font", "中文字体")
    if not sys.platform.startswith("linux"):
        return CheckResult(name, ok=True, detail=Sentence("part of the system", "系统自带"))
    for folder in _FONT_FOLDERS:
        for file in Path(folder).expanduser().rglob("*.[to]t[cf]"):
            if any(font in file.name.lower().replace("-", "") for font in _CHINESE_FONTS):
                return CheckResult(name, ok=True, detail=same(file.name))
    line = apt_line("fonts-noto-cjk")
    mend = Sentence("Install a font with Chinese characters, such as Noto Sans CJK", "请安装含中文的字体，例如思源黑体")
    mend = same(line) if line else mend
    return CheckResult(name, ok=False, detail=Sentence("none was found", "没有找到"), mend=mend, needed=False)


def _folders(places: UserPaths) -> CheckResult:
    name = Sentence("folders", "文件夹")
    for folder in (places.data, places.cache):
        try:
            make_private(folder)
        except OSError as error:
            mend = Sentence(
                f"Make {folder} writable, or set TORCHLEAF_HOME to a folder that is",
                f"请让 {folder} 可写，或把 TORCHLEAF_HOME 设为可写的文件夹",
            )
            return CheckResult(name, ok=False, detail=same(f"{folder}: {error.strerror}"), mend=mend)
        if not os.access(folder, os.W_OK):
            detail = Sentence(f"{folder} is read-only", f"{folder} 是只读的")
            return CheckResult(name, ok=False, detail=detail, mend=same(f"chmod u+w {folder}"))
    return CheckResult(name, ok=True, detail=same(f"{places.data}, {places.cache}"))


def _disk(places: UserPaths) -> CheckResult:
    """Check that user folders are on a local disk; network disks work, but slower and less reliably."""
    name = Sentence("disk", "磁盘")
    kinds = {folder: network_kind(folder) for folder in (places.data, places.cache)}
    shared = {folder: kind for folder, kind in kinds.items() if kind}
    if not shared:
        return CheckResult(name, ok=True, detail=Sentence("of this machine", "本机磁盘"))
    en = ", ".join(f"{folder} is on {kind}" for folder, kind in shared.items())
    zh = "、".join(f"{folder} 在 {kind} 上" for folder, kind in shared.items())
    mend = Sentence(
        "Set TORCHLEAF_HOME to a folder on a disk of this machine; notes may stay where they are",
        "请把 TORCHLEAF_HOME 设为本机磁盘上的文件夹；笔记可以留在原处",
    )
    detail = Sentence(f"{en}, shared with other machines", f"{zh}，与其他机器共用")
    return CheckResult(name, ok=False, detail=detail, mend=mend, needed=False)


def _torch(python: Path) -> CheckResult:
    name = same("torch")
    try:
        found = probe(python)
    except SnippetError as error:
        return CheckResult(name, ok=False, detail=Sentence(error.en, error.zh))
    if found.torch is None:
        detail = Sentence(
            f"not installed in {found.path}; snippets that need it cannot run",
            f"{found.path} 里没有安装；需要它的代码片段无法运行",
        )
        line = lack_of(TORCH, found).install
        mend = Sentence("Choose a Python that has torch to run snippets with", "请选择装有 torch 的 Python 来运行代码")
        return CheckResult(name, ok=False, detail=detail, mend=same(line) if line else mend)
    builds = ", ".join(found.builds)
    detail = Sentence(
        f"{found.torch}, built for {builds or 'the CPU only'}", f"{found.torch}，构建目标：{builds or '仅 CPU'}"
    )
    return CheckResult(name, ok=True, detail=detail)


def _devices() -> CheckResult:
    known = devices()
    usable = ", ".join(f"{device.id} ({device.name})" for device in known if device.available)
    en = "".join(f"; {device.id}: {device.reason}" for device in known if not device.available)
    zh = "".join(f"；{device.id}：{device.reason_zh}" for device in known if not device.available)
    return CheckResult(Sentence("devices", "设备"), ok=True, detail=Sentence(usable + en, usable + zh))


def _isolation() -> CheckResult:
    found = isolation()
    detail = Sentence(found.reason_en or "bubblewrap works", found.reason_zh or "bubblewrap 可用")
    return CheckResult(Sentence("isolation", "隔离"), found.available, detail, found.mend, needed=False)
