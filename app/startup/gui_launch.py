"""The window as a command line asks for it, understood without the command line: a start must be quick."""

# The window is imported once it is known to be asked for.
# ruff: noqa: PLC0415

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class GuiArguments(NamedTuple):
    """What is asked for: a vault or that of last time, throw-away data, tracebacks."""

    vault: Path | None = None
    temp: bool = False
    debug: bool = False

    def loaded(self) -> Callable[[], int]:
        """Import the window and return what opens it and gives the exit code. Raises ImportError without PySide6.

        Nothing that is loaded here is garbage; from the first page on `app.startup.gui_gc` collects.
        """
        gc.disable()
        from app.startup.pyside_workarounds import disable_feature_scan, guard_overrides

        disable_feature_scan()
        guard_overrides()
        from app.startup.application import open_window
        from kb.files.paths import UserPaths

        def opened() -> int:
            if self.vault is not None:
                from kb.vault.vault import Vault

                Vault.open(self.vault)
            return open_window(self.vault, UserPaths.of_user(), temp=self.temp, debug=self.debug)

        return opened


def gui_arguments(arguments: list[str]) -> GuiArguments | None:
    """Return what these arguments ask for, if that is the window and nothing in them is doubtful."""
    rest = arguments[1:] if arguments[:1] == ["gui"] else list(arguments)
    asked = GuiArguments()
    while rest:
        word = rest.pop(0)
        if word == "--temp":
            asked = asked._replace(temp=True)
        elif word == "--debug":
            asked = asked._replace(debug=True)
        elif word == "--vault" and rest and rest[0] and not rest[0].startswith("-") and asked.vault is None:
            asked = asked._replace(vault=Path(rest.pop(0)))
        else:
            return None
    return asked
