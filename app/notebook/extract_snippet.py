"""Moves a python block of a note into a snippet file beside the note, which other notes can link to."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass

from app.notebook import vault_snippets
from kb.errors import KbError
from kb.lazy_regex import expression
from kb.markdown.fences import Fence, fences
from kb.markdown.sections import sections
from kb.notes.language import split_name
from kb.vault.attachments import attach
from kb.vault.vault import Vault

_UNFIT = expression(r"[^\w.-]+|(?<=_)_+")
_LINE = {"id", "timeout", "raises", "device"}  # options of a block that a file supports


@dataclass(frozen=True)
class ExtractedSnippet:
    """The link that replaces the lines `first` to `last` of the note, both from 1."""

    first: int
    last: int
    link: str


def block_at(text: str, line: int) -> Fence | None:
    """Return the python block that contains a line (from 1) in its code or recorded output."""
    for fence in fences(text):
        last = max(fence.end_line, fence.output_lines[1] if fence.output_lines else 0)
        if fence.runnable and fence.line <= line <= last:
            return fence
    return None


def extract(vault: Vault, note: str, text: str, line: int) -> ExtractedSnippet:
    """Write the block at a line and its recorded output to files. Raises KbError without a suitable block."""
    fence = block_at(text, line)
    if fence is None:
        raise KbError("there is no python block under the cursor", "光标不在 python 代码块里")
    others = sorted(set(fence.options) - _LINE)
    if others:
        raise KbError(
            f"a snippet file has no option {', '.join(others)}; remove it from the block first",
            f"单独的文件里写不了 {'、'.join(others)}；请先从代码块里去掉",
        )
    title = next((one.heading for one in reversed(sections(text)) if one.level and one.line < fence.line), fence.id)
    path = attach(vault, note, _source(fence, title).encode(), name=f"{_name(vault, note, fence)}.py")
    stem = posixpath.splitext(posixpath.basename(path))[0]
    if fence.output is not None:
        attach(vault, note, f"{fence.output.rstrip()}\n".encode(), name=f"{stem}.out")
    last = fence.output_lines[1] if fence.output_lines else fence.end_line
    words = re.sub(r"[\[\]]", "", title)
    return ExtractedSnippet(fence.line, last, f"{' ' * fence.indent}[{words}](snippet:{stem})")


def _name(vault: Vault, note: str, fence: Fence) -> str:
    """Return an unused snippet name."""
    own = posixpath.basename(split_name(note)[0])
    wanted = _UNFIT.sub("_", f"{own}_{fence.id}").strip("._-") or "snippet"
    taken = vault_snippets.library(vault).snippets
    numbered = (wanted if number == 1 else f"{wanted}_{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def _source(fence: Fence, title: str) -> str:
    """Return the text of the file: metadata and code."""
    said = {"title.zh": title, "title.en": title}
    if "device" in fence.options:
        said["devices"] = [fence.options["device"]]  # type: ignore[assignment]  # lists are written as JSON
    if "raises" in fence.options:
        said["raises"] = fence.options["raises"]
    lines = [f"# {key} = {json.dumps(value, ensure_ascii=False)}" for key, value in said.items()]
    lines += [f"# timeout = {fence.options['timeout']}"] if "timeout" in fence.options else []
    return "\n".join(["# /// snippet", *lines, "# ///", "", fence.code.rstrip("\n"), ""])
