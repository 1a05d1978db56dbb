"""Whether a command isolates what it runs, and the sentence that says so."""

from __future__ import annotations

from app.cli.console import remark
from snippets.process.isolation import isolation
from snippets.results.outcome import ISOLATED, NOT_ISOLATED


def is_own_file(target: str) -> bool:
    """Return whether the user named a file by its path, and not code of a vault."""
    return "#" not in target and target.endswith(".py")


def decide_isolation(asked: bool | None, *, own_file: bool = False, quiet: bool = False) -> bool:  # noqa: FBT001
    """Return whether to isolate: as asked, otherwise the code of a vault wherever that works.

    Where it does not work, the reason is printed at once unless `quiet`. Raises RunnerFailed.
    """
    if asked is not None or own_file:
        return bool(asked)
    found = isolation()
    if not (found.available or quiet):
        remark(str(found.reason_en))
    return found.available


def isolation_sentence(*, isolated: bool) -> str:
    """Return the sentence that says whether a run is isolated."""
    words = ISOLATED.en if isolated else NOT_ISOLATED.en
    return f"{words.capitalize()}."
