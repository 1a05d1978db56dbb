"""Parses the arguments of the window without typer, which would take a quarter of the start, and loads the window."""

# ruff: noqa: PLC0415 - the window is imported only if it is to be opened

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class GuiArguments(NamedTuple):
    """Arguments of the window: a vault (None: the last one), temporary data, tracebacks."""

    vault: Path | None = None
    temp: bool = False
    debug: bool = False

    def loaded(self) -> Callable[[], int]:
        """Import the window; return a function that opens it and returns the exit code. Raises ImportError.

        The garbage collector is off during the imports, which create no garbage; later `app.startup.gui_gc` collects.
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
    """Parse a command line; None if it is not for the window or not understood here."""
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
