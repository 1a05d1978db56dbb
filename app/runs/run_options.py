"""Run options of a snippet: device, threads, blocking launches, environment variables, arguments, time limit.

They are stored in the user's data folder, never in the vault, so that its files cannot set them.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shlex
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kb.errors import KbError
from kb.files.atomic import replace_file
from kb.files.locks import update_held
from kb.files.paths import make_private
from kb.files.tree import read_own
from snippets.errors import BadOption
from snippets.running.run_variables import variables

MOST_THREADS = 1024
MOST_REMEMBERED = 1000  # snippets of a vault; the oldest choices are dropped


@dataclass(frozen=True)
class RunOptions:
    """Options for the runs of one snippet; texts as they were typed."""

    threads: int = 0  # 0: torch's default
    blocking: bool = False
    variables: str = ""  # NAME=VALUE, one per line
    arguments: str = ""  # in shell syntax
    timeout: str = ""  # seconds; "" for the snippet's own limit, 0 for none
    device: str = ""  # "" for the one chosen in the window

    def environment(self) -> Mapping[str, str]:
        """Return the environment variables to set. Raises BadOption."""
        lines = [line.strip() for line in self.variables.splitlines()]
        return variables(threads=self.threads or None, blocking=self.blocking, given=[line for line in lines if line])

    def args(self) -> tuple[str, ...]:
        """Return the arguments, split as in a shell. Raises BadOption."""
        try:
            return tuple(shlex.split(self.arguments))
        except ValueError as error:
            raise BadOption(
                f"The arguments cannot be read: {error}. Close the quotes.", f"无法识别这些参数：{error}。请补全引号。"
            ) from error

    def seconds(self) -> float | None:
        """Return the time limit in seconds (inf for none), None for the snippet's own. Raises BadOption."""
        text = self.timeout.strip()
        if not text:
            return None
        try:
            found = float(text)
        except ValueError:
            found = -1.0
        if not 0 <= found < math.inf:
            raise BadOption(
                f"{text} is no time; write seconds, such as 30, or 0 for no limit.",
                f"{text} 不是时间；请写秒数，例如 30；0 表示不限。",
            )
        return found or math.inf

    def with_blocking(self) -> RunOptions:
        """Return a copy with blocking launches."""
        return replace(self, blocking=True)

    def check(self) -> None:
        """Raise BadOption if an option is invalid."""
        self.environment()
        self.args()
        self.seconds()


class RunChoices(UserDict[str, RunOptions]):
    """Run options of the snippets of a vault by name, written to disk at each change."""

    def __init__(self, file: Path | None = None) -> None:
        """Read a file, which may be missing; a broken one is renamed. With None, nothing is stored."""
        super().__init__()
        self._file = file
        self.failed: Callable[[Exception], object] = lambda _: None  # called if the file cannot be written
        if file is not None:
            self.data.update(_remembered(file))
        self._known = dict(self.data)  # what the file had when it was read or written last

    def __missing__(self, name: str) -> RunOptions:
        """Return the defaults for a snippet without options."""
        return RunOptions()

    def __setitem__(self, name: str, options: RunOptions) -> None:
        """Set the options of a snippet; the defaults remove its entry."""
        self.data.pop(name, None)
        if options != RunOptions():
            self.data[name] = options
        self._save()

    def __delitem__(self, name: str) -> None:
        """Reset a snippet to the defaults."""
        self[name] = RunOptions()

    def follow(self, moves: Mapping[str, str]) -> None:
        """Rename the entries of moved notes; `moves` maps old paths to new ones."""
        parted = {name: name.rpartition("#") for name in self.data}
        moved = {name: f"{moves[path]}#{key}" for name, (path, _, key) in parted.items() if path in moves}
        if moved:
            self.data = {moved.get(name, name): options for name, options in self.data.items()}
            self._save()

    def _save(self) -> None:
        """Write what changed here, and take over what another window wrote meanwhile."""
        if self._file is None:
            self._forget_oldest()
            return
        try:
            make_private(self._file.parent)
            with update_held(self._file):
                self.data = self._merged(_stored(self._file))
                self._forget_oldest()
                document = {name: dataclasses.asdict(options) for name, options in self.data.items()}
                replace_file(self._file, json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace"))
        except (KbError, OSError) as error:
            self.failed(error)
        else:
            self._known = dict(self.data)

    def _merged(self, stored: Mapping[str, RunOptions] | None) -> dict[str, RunOptions]:
        """Return what is stored with the changes made here; those are the newest."""
        if stored is None:
            return dict(self.data)
        changed = {name: one for name, one in self.data.items() if self._known.get(name) != one}
        removed = self._known.keys() - self.data.keys()
        kept = {name: one for name, one in stored.items() if name not in changed and name not in removed}
        return kept | changed

    def _forget_oldest(self) -> None:
        for old in tuple(self.data)[: max(0, len(self.data) - MOST_REMEMBERED)]:
            del self.data[old]


def _remembered(file: Path) -> dict[str, RunOptions]:
    """Return the options by snippet; a broken file is renamed."""
    found = _stored(file)
    if found is None and os.path.lexists(file):
        _set_aside(file)
    return found or {}


def _stored(file: Path) -> dict[str, RunOptions] | None:
    """Read the options by snippet; invalid entries are skipped one by one. None if the file is missing or broken."""
    try:
        document = json.loads(read_own(file))
        entries = document.items()
    except (OSError, ValueError, RecursionError, AttributeError):
        return None
    sound = ((name, _sound(entry)) for name, entry in entries)
    return {name: options for name, options in sound if options != RunOptions()}


def _sound(entry: object) -> RunOptions:
    given: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
    fields = dataclasses.fields(RunOptions)
    known = {one.name: given[one.name] for one in fields if type(given.get(one.name)) is type(one.default)}
    options = RunOptions(**known)
    try:
        options.check()
    except BadOption:
        return RunOptions()
    return options if 0 <= options.threads <= MOST_THREADS else replace(options, threads=0)


def _set_aside(file: Path) -> None:
    try:
        file.replace(file.with_name(f"{file.name}.broken"))
    except OSError:  # the next change overwrites it
        return
