"""The options of a run as a person gives them: threads, blocking launches, variables, arguments, time."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace

from snippets.errors import BadOption
from snippets.options import variables

MOST_THREADS = 1024


@dataclass(frozen=True)
class RunOptions:
    """What was chosen for the runs of one snippet; texts as they were typed."""

    threads: int = 0  # 0: as many as torch takes by itself
    blocking: bool = False
    variables: str = ""  # a line each, NAME=VALUE
    arguments: str = ""  # as in a shell
    timeout: str = ""  # seconds; "" for the snippet's own, 0 for none

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
