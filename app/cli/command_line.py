"""The command line: registers every command; without one, the window opens.

Commands work without PySide6; only the window and the PDF export import it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli import command_options, run_commands, vault_commands
from app.cli.console import say, say_json
from app.cli.exit_codes import FAILED, BadUsage
from app.cli.query_syntax_help import query_syntax_lines
from app.startup.gui_launch import GuiArguments
from kb.files.paths import UserPaths
from torchleaf import __version__

command = typer.Typer(
    help="炬页 Torchleaf: bilingual PyTorch notes, found as you type, with code that runs where you choose.",
    epilog="Exit codes: 0 fine, 1 failed, 2 bad usage, 130 interrupted; run exits as its snippet, 124 on a timeout.",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _say_version(asked: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if asked:
        say(f"torchleaf {__version__}")
        raise typer.Exit


_Version = Annotated[
    bool, typer.Option("--version", "-V", is_eager=True, callback=_say_version, help="Print the version and exit.")
]


@command.callback(invoke_without_command=True)
def torchleaf(
    context: typer.Context,
    *,
    vault: command_options.Vault = None,
    temp: command_options.Temp = False,
    debug: command_options.Debug = False,
    version: _Version = False,  # noqa: ARG001 - its callback prints it
) -> None:
    """Open the window where no command is named."""
    if context.invoked_subcommand is None:
        gui(vault=vault, temp=temp, debug=debug)


def gui(
    *, vault: command_options.Vault = None, temp: command_options.Temp = False, debug: command_options.Debug = False
) -> None:
    """Open the window."""
    try:
        window = GuiArguments(vault, temp, debug).loaded()
    except ImportError as error:
        raise BadUsage(_without_window(error)) from error
    raise SystemExit(window())


def _without_window(error: ImportError) -> str:
    from app.qt_libraries import trouble  # noqa: PLC0415 - needed only here

    if found := trouble():
        return f"The window cannot be opened: {found.said.en}. To mend it: {found.mend.en}"
    return f"The window cannot be loaded here: {error}."


def doctor(*, as_json: command_options.Json = False) -> None:
    """Say what is missing on this machine, and the command that mends it."""
    from app.doctor import check_up  # noqa: PLC0415 - needed only here

    findings = check_up(UserPaths.of_user())
    if as_json:
        say_json([finding.document() for finding in findings])
    else:
        for finding in findings:
            say(f"{'ok' if finding.ok else 'missing':8} {finding.name.en}: {finding.detail.en}")
            if finding.mend:
                say(f"{'':8} -> {finding.mend.en}")
    raise SystemExit(0 if all(finding.ok for finding in findings if finding.needed) else FAILED)


def _register() -> None:
    """Register the commands in the order of the help."""
    command.command()(gui)
    command.command()(vault_commands.index)
    command.command(epilog=query_syntax_lines())(vault_commands.search)
    for each in (
        vault_commands.show,
        run_commands.snippets,
        run_commands.run,
        run_commands.verify,
        run_commands.runs,
        run_commands.devices,
        vault_commands.export,
        doctor,
    ):
        command.command()(each)


_register()


def carry_out(arguments: list[str]) -> int | None:
    """Run a command line and return its exit code; errors are raised, see `app.cli.exit_codes`."""
    ended: int | None = command(arguments, prog_name="torchleaf", standalone_mode=False)
    return ended
