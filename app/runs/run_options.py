"""The options of a run as a person gives them: device, threads, blocking launches, variables, arguments, time.

They are remembered for each snippet in the user's folder, never in the vault: a vault's files choose nothing.
"""

from __future__ import annotations

import dataclasses
import json
import math
import shlex
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kb.errors import KbError
from kb.files.atomic import replace_file
from kb.files.paths import make_private
from snippets.errors import BadOption
from snippets.running.run_variables import variables

MOST_THREADS = 1024
MOST_REMEMBERED = 1000  # snippets of a vault; those chosen for longest ago are forgotten


@dataclass(frozen=True)
class RunOptions:
    """What was chosen for the runs of one snippet; texts as they were typed."""

    threads: int = 0  # 0: as many as torch takes by itself
    blocking: bool = False
    variables: str = ""  # a line each, NAME=VALUE
    arguments: str = ""  # as in a shell
    timeout: str = ""  # seconds; "" for the snippet's own, 0 for none
    device: str = ""  # "" for the one that is chosen for the window

    def environment(self) -> Mapping[str, str]:
        """Return the variables to set. Raises BadOption."""
        lines = [line.strip() for line in self.variables.splitlines()]
        return variables(threads=self.threads or None, blocking=self.blocking, given=[line for line in lines if line])

    def args(self) -> tuple[str, ...]:
        """Return the arguments, quotes understood. Raises BadOption."""
        try:
            return tuple(shlex.split(self.arguments))
        except ValueError as error:
            raise BadOption(
                f"The arguments cannot be read: {error}. Close the quotes.", f"无法识别这些参数：{error}。请补全引号。"
            ) from error

    def seconds(self) -> float | None:
        """Return the time that a run may take, None for the snippet's own. Raises BadOption."""
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
        """Return the same with blocking launches."""
        return replace(self, blocking=True)

    def check(self) -> None:
        """Raise BadOption where something cannot be read."""
        self.environment()
        self.args()
        self.seconds()


class RunChoices(UserDict[str, RunOptions]):
    """What was chosen for the snippets of a vault, by their names; it is written whenever something is chosen."""

    def __init__(self, file: Path | None = None) -> None:
        """Remember in a file, which need not be there; a broken one is set aside. With None, remember nothing."""
        super().__init__()
        self._file = file
        self.failed: Callable[[Exception], object] = lambda _: None  # told why it could not be written
        if file is not None:
            self.data.update(_remembered(file))

    def __missing__(self, name: str) -> RunOptions:
        """Of what nothing was chosen for, the snippet itself says all."""
        return RunOptions()

    def __setitem__(self, name: str, options: RunOptions) -> None:
        """Choose; what nothing is chosen for any more is forgotten."""
        self.data.pop(name, None)
        if options != RunOptions():
            self.data[name] = options
        for old in tuple(self.data)[: max(0, len(self.data) - MOST_REMEMBERED)]:
            del self.data[old]
        self._save()

    def __delitem__(self, name: str) -> None:
        """Choose nothing."""
        self[name] = RunOptions()

    def follow(self, moves: Mapping[str, str]) -> None:
        """Keep what was chosen for the code of notes that were moved; `moves` has the new paths by the old ones."""
        parted = {name: name.rpartition("#") for name in self.data}
        moved = {name: f"{moves[path]}#{key}" for name, (path, _, key) in parted.items() if path in moves}
        if moved:
            self.data = {moved.get(name, name): options for name, options in self.data.items()}
            self._save()

    def _save(self) -> None:
        if self._file is None:
            return
        document = {name: dataclasses.asdict(options) for name, options in self.data.items()}
        try:
            make_private(self._file.parent)
            replace_file(self._file, json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace"))
        except (KbError, OSError) as error:
            self.failed(error)


def _remembered(file: Path) -> dict[str, RunOptions]:
    """Read what was chosen; what makes no sense is passed over, one by one."""
    try:
        document = json.loads(file.read_text("utf-8"))
        entries = document.items()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError, AttributeError):
        _set_aside(file)
        return {}
    sound = ((name, _sound(entry)) for name, entry in entries)
    return {name: options for name, options in sound if options != RunOptions()}


def _sound(entry: object) -> RunOptions:
    given: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
    fields = {field.name: field for field in dataclasses.fields(RunOptions)}
    options = RunOptions(**{
        name: given[name] for name, field in fields.items() if type(given.get(name)) is type(field.default)
    })  # fmt: skip
    try:
        options.check()
    except BadOption:
        return RunOptions()
    return options if 0 <= options.threads <= MOST_THREADS else replace(options, threads=0)


def _set_aside(file: Path) -> None:
    try:
        file.replace(file.with_name(f"{file.name}.broken"))
    except OSError:  # then it is overwritten by the next choice
        return
